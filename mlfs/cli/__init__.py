"""The command ``mlfs``: option -> call -> print, no logic.

Start-up is part of the speed: nothing here imports numpy before a command needs it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlfs.cli.app import cli

__all__ = ["cli", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code: 0, 1, 2, 130, or 141 for a closed pipe."""
    try:
        from mlfs.cli.app import run

        return run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:  # before there was anything to keep
        return 130


def __getattr__(name: str) -> Any:
    if name == "cli":
        from mlfs.cli.app import cli

        return cli
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
