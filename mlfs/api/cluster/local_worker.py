"""What a worker that was started here loads first: Ctrl-C is for the process that started it."""

from __future__ import annotations

import signal
from typing import Any

__all__ = ["dask_setup"]


def dask_setup(worker: Any) -> None:
    """Let the worker ignore Ctrl-C, which a terminal sends to all processes."""
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
