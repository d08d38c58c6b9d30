"""The line on a terminal that shows how far a run is: its picks, its cells, or its time."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from mlfs.cli.console import Console
from mlfs.errors import LOGGER, printable

PICKS_EVERY = 0.1
FIRST, EVERY = 0.5, 0.25


class _Line:
    """One line on stderr that is redrawn and removed at the end; nothing if it is no terminal."""

    def __init__(self, console: Console) -> None:
        self.shown = not console.quiet and console.animated(sys.stderr)
        self.began = time.perf_counter()
        self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            self._write("")

    def draw(self, line: str) -> None:
        """Replace the line by as much of another one as fits."""
        self._drawn = True
        self._write(_cut(line, _columns() - 1))

    @staticmethod
    def _write(line: str) -> None:
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()


def _columns() -> int:
    """How wide the terminal of stderr is; stdout may go elsewhere."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return shutil.get_terminal_size().columns


def _cut(line: str, room: int) -> str:
    """As much of a line as fits; a wide character, such as 語, takes two places.

    >>> _cut("picks", 3), _cut("語彙", 3), _cut("語彙", 4)
    ('pic', '語', '語彙')
    """
    for length, character in enumerate(line):
        room -= 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if room < 0:
            return line[:length]
    return line


class PickProgress(_Line):
    """Shows the picks of a selection, at most ten times a second.

    Parameters
    ----------
    console : Console
        What the user wants to see.
    names : sequence of str
        The names of the candidates.
    labels : sequence of str
        The names of the labels.
    n : int, optional
        How many picks there will be.
    beside : callable
        Gives what else is shown, such as how much a cluster was asked.
    """

    def __init__(
        self,
        console: Console,
        names: Sequence[str],
        labels: Sequence[str],
        n: int | None,
        beside: Callable[[], str] = str,
    ) -> None:
        super().__init__(console)
        self._names, self._labels, self._n, self._beside = names, labels, n, beside
        self._at: dict[str, int] = {}
        self._last = -PICKS_EVERY

    def __enter__(self) -> Self:
        if self.shown:
            self._level, self._handler = LOGGER.level, logging.Handler(logging.INFO)
            self._handler.emit = self._hear  # type: ignore[method-assign]
            LOGGER.addHandler(self._handler)
            LOGGER.setLevel(logging.INFO)
        return super().__enter__()

    def __exit__(self, *exception: object) -> None:
        if self.shown:
            LOGGER.removeHandler(self._handler)
            LOGGER.setLevel(self._level)
        super().__exit__(*exception)

    def _hear(self, record: logging.LogRecord) -> None:
        """Show how far shuffles, permutations and halves are, between picks and after them."""
        if record.levelno == logging.INFO:
            spent = time.perf_counter() - self.began
            self.draw(f"{record.getMessage()}  ({spent:.1f} s, Ctrl-C keeps the picks so far)")

    @property
    def on_pick(self) -> Callable[[str, Any], None] | None:
        """The function that `mlfs.select` calls with each pick; None if nothing is shown."""
        return self.pick if self.shown else None

    def pick(self, label: str, pick: Any) -> None:
        """Show a pick."""
        first = not self._at
        self._at[label] = self._at.get(label, 0) + 1
        now = time.perf_counter()
        if not self.shown or (not first and now - self._last < PICKS_EVERY):
            return
        self._last = now
        out_of = f"/{self._n}" if self._n else ""
        where = f"label {len(self._at)}/{len(self._labels)} {printable(label, 30)}, "
        name, beside = printable(self._names[pick.index], 40), self._beside()
        line = (
            f"{where if label else ''}pick {self._at[label]}{out_of}: {name}"
            f"  ({now - self.began:.1f} s{', ' if beside else ''}{beside}, "
        )
        self.draw(f"{line}Ctrl-C keeps the picks so far)")


class Cells(_Line):
    """Counts the finished cells of a comparison."""

    def tell(self, done: int, total: int, last: Mapping[str, Any] | None) -> None:
        """Show how many are done: what `mlfs.compare.run` calls as ``on_cell``."""
        if self.shown:
            cell = ", ".join(str(value) for value in last["cell"].values()) if last else ""
            self.draw(f"{done}/{total} cells  {printable(cell, 60)} (Ctrl-C keeps them)")


class Waiting(_Line):
    """Shows what runs and for how long, with what the logger ``mlfs.models`` says of it.

    Parameters
    ----------
    console : Console
        What the user wants to see.
    what : str
        What runs.
    """

    def __init__(self, console: Console, what: str) -> None:
        super().__init__(console)
        self._what, self._part = what, ""
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)
        self._logger, self._handler = logging.getLogger("mlfs.models"), logging.Handler()
        self._handler.emit = self.hear  # type: ignore[method-assign]

    def __enter__(self) -> Self:
        if self.shown:
            self._level = self._logger.level
            self._logger.addHandler(self._handler)
            self._logger.setLevel(logging.DEBUG)
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()
            self._logger.removeHandler(self._handler)
            self._logger.setLevel(self._level)
        super().__exit__(*error)

    def _tick(self) -> None:
        wait = FIRST
        while not self._done.wait(wait):
            self.draw(self.line(time.perf_counter()))
            wait = EVERY

    def hear(self, record: logging.LogRecord) -> None:
        """Note what is done now."""
        self._part = record.getMessage()

    def line(self, now: float) -> str:
        """The line at some time."""
        part = f": {self._part}" if self._part else ""
        return f"{self._what}{part}: {duration(now - self.began)} (Ctrl-C stops it)"


def duration(seconds: float) -> str:
    """A span of time in words.

    Examples
    --------
    >>> duration(5.2), duration(130), duration(7300)
    ('5 s', '2 min 10 s', '2 h 01 min')
    """
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    if rounded < 3600:
        return f"{rounded // 60} min {rounded % 60:02d} s"
    return f"{rounded // 3600} h {rounded % 3600 // 60:02d} min"
