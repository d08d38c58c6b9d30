"""The command ``mlfs``: option -> call -> print, no logic.

Start-up is part of the speed: nothing here imports numpy before a command needs it.
"""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlfs.cli.app import cli

__all__ = ["cli", "main"]

PATIENCE = 400_000  # objects: more than all that is imported, and little memory


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code: 0, 1, 2, 130, or 141 for a closed pipe."""
    _leave_garbage()
    try:
        from mlfs.cli.app import run

        return run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:  # before there was anything to keep
        return 130


def _leave_garbage() -> None:
    """Look for garbage neither among what is imported nor at the end: that is a fifth of a start.

    After the first look, which a long run comes to, everything is as before.
    """
    thresholds = gc.get_threshold()

    def as_before(phase: str, _: Any) -> None:
        if phase == "stop":
            gc.set_threshold(*thresholds)
            gc.callbacks.remove(as_before)

    if 0 < thresholds[0] < PATIENCE:
        gc.callbacks.append(as_before)
        gc.set_threshold(PATIENCE, *thresholds[1:])
    atexit.register(gc.freeze)


def __getattr__(name: str) -> Any:
    if name == "cli":
        from mlfs.cli.app import cli

        return cli
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
