"""The line on a terminal that shows that something long is at work, and for how long."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from typing import Self

from mlfs.cli.console import Console

__all__ = ["Waiting"]

FIRST, EVERY = 0.5, 0.25


class Waiting:
    """One line on stderr, redrawn four times a second; nothing where nobody looks.

    Parameters
    ----------
    console : Console
        Tells whether the user wants it.
    what : str
        What is at work.
    """

    def __init__(self, console: Console, what: str) -> None:
        self._what = what
        self._shown = not console.quiet and console.animated(sys.stderr)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        if self._shown:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()

    def _tick(self) -> None:
        began = time.perf_counter()
        if self._done.wait(FIRST):
            return
        while True:
            line = f"{self._what}: {time.perf_counter() - began:.0f} s (Ctrl-C stops it)"
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r\x1b[K{line[:width]}")
            sys.stderr.flush()
            if self._done.wait(EVERY):
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
                return
