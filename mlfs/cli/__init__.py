"""The command ``mlfs``: arguments come in, calls of the library go out, results are printed.

`app` runs a command line and turns errors into a sentence and an exit code. Each command has a
module `*_command`; `shared_options` makes their flags, `panel_options` reads some,
`compare_options` declares those of one; `help`, `console` and `progress` are what is shown and
written. Nothing here imports numpy before a command needs it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mlfs.lazy import lazily

if TYPE_CHECKING:
    from mlfs.cli.app import cli

__all__ = ["cli", "main"]


ENDING = ("SIGTERM", "SIGHUP")


class _Ended(KeyboardInterrupt):  # of a plain one Python would make an exit by SIGINT
    """A signal has ended the command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code: 0, 1, 2, 130, 141 for a closed pipe, 143 if ended."""
    ended_by: list[int] = []
    caught: list[int] = []
    if arguments is None:
        caught = _let_sigterm_interrupt(ended_by)
        # garbage is rare in a command, and looking for it takes a quarter of a short one
        gc.set_threshold(200_000)
        atexit.register(gc.freeze)
    try:
        from mlfs.cli.app import run

        code = run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:  # before there was anything to keep
        code = 130
    finally:
        for number in caught:  # all is done: on the way out nobody would catch an exception
            signal.signal(number, signal.SIG_DFL)
    if ended_by:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(128 + ended_by[0])  # compiled code that was interrupted may not be taken down
    return code


def _let_sigterm_interrupt(ended_by: list[int]) -> list[int]:
    """Let SIGTERM, and the end of the terminal, end the command as Ctrl-C does, once.

    So the picks so far are kept, what is unfinished is removed, and worker processes are ended. A
    signal that is ignored (under nohup) stays so. The signals that are caught are returned.
    """

    def leave(number: int, _: Any) -> None:
        signal.signal(number, signal.SIG_IGN)  # leaving takes a moment; once is enough
        ended_by.append(number)
        raise _Ended

    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    caught = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    for number in caught:
        signal.signal(number, leave)
    return caught


__getattr__ = lazily(__name__, {"mlfs.cli.app": ("cli",)})
