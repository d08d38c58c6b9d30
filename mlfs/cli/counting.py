"""The line on a terminal that counts finished pieces of work, with the time that is left."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Mapping
from typing import Any, Self

from mlfs.cli.console import Console
from mlfs.errors import printable

__all__ = ["Counting", "duration"]


class Counting:
    """One line on stderr; nothing where nobody looks.

    Parameters
    ----------
    console : Console
        Tells whether the user wants it.
    what : str
        What is counted.
    """

    def __init__(self, console: Console, what: str) -> None:
        self._shown = not console.quiet and console.animated(sys.stderr)
        self._what = what
        self._started = time.perf_counter()
        self._at_start: int | None = None
        self._written = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._written:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def tell(self, done: int, total: int, last: Mapping[str, Any] | None) -> None:
        """Tell how many are done; what `mlfs.compare.run` calls as ``on_cell``."""
        if self._at_start is None:
            self._at_start = done
        if not self._shown:
            return
        new, spent = done - self._at_start, time.perf_counter() - self._started
        left = f", {duration(spent / new * (total - done))} left" if new else ""
        what = ", ".join(str(value) for value in last["cell"].values()) if last else ""
        line = f"{done}/{total} {self._what}{left}  {printable(what, 60)} (Ctrl-C keeps them)"
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[K{line[:width]}")
        sys.stderr.flush()
        self._written = True


def duration(seconds: float) -> str:
    """A span of time as one reads it.

    Examples
    --------
    >>> duration(5.2), duration(130), duration(7300)
    ('5 s', '2 min 10 s', '2 h 01 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
