"""The command ``mlfs``: arguments come in, calls of the library go out, results are printed.

`app` runs a command line and turns errors into a sentence and an exit code. Each command has a
module `*_command`; `shared_options` and `model_options` make their flags, `other_names` knows what
a user may have meant, `stored_models` opens model files, `help`, `console`, `matrix_output` and
`progress` are what is shown and written, `completion` serves shells, and `startup` makes the start
quick. Nothing here imports numpy before a command needs it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mlfs.cli.startup import (
    catch_signals,
    end_at_once_from_now_on,
    postpone_garbage_collection,
)

if TYPE_CHECKING:
    from mlfs.cli.app import cli

__all__ = ["cli", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code: 0, 1, 2, 130, 141 for a closed pipe, 143 if ended."""
    postpone_garbage_collection()
    alone = arguments is None
    if alone:
        catch_signals()
    try:
        from mlfs.cli.app import run

        return run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:  # before there was anything to keep
        return 130
    finally:
        if alone:
            end_at_once_from_now_on()


def __getattr__(name: str) -> Any:
    if name == "cli":
        from mlfs.cli.app import cli

        return cli
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
