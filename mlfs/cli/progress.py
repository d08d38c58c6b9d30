"""The line on a terminal that shows the picks while the rest is computed."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Self

from mlfs.cli.console import Console
from mlfs.errors import printable

__all__ = ["Progress"]

EVERY = 0.1


class Progress:
    """One line on stderr, redrawn at most ten times a second; nothing where nobody looks.

    Parameters
    ----------
    console : Console
        Tells whether the user wants it.
    names : sequence of str
        The names of the candidates.
    labels : sequence of str
        The names of the labels.
    n : int, optional
        How many picks there will be.
    """

    def __init__(
        self, console: Console, names: Sequence[str], labels: Sequence[str], n: int | None
    ) -> None:
        self._shown = not console.quiet and console.animated(sys.stderr)
        self._names, self._labels, self._n = names, labels, n
        self._at: dict[str, int] = {}
        self._last = -EVERY
        self._started = time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._at:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    @property
    def on_pick(self) -> Callable[[str, Any], None] | None:
        """What `mlfs.select` calls with each pick; None if nothing is shown."""
        return self.pick if self._shown else None

    def pick(self, label: str, pick: Any) -> None:
        """Show a pick."""
        first = not self._at
        self._at[label] = self._at.get(label, 0) + 1
        now = time.perf_counter()
        if not self._shown or (not first and now - self._last < EVERY):
            return
        self._last = now
        of = f"/{self._n}" if self._n else ""
        where = f"label {len(self._at)}/{len(self._labels)} {printable(label, 30)}, "
        name = printable(self._names[pick.index], 40)
        line = (
            f"{where if label else ''}pick {self._at[label]}{of}: {name}"
            f"  ({now - self._started:.1f} s, Ctrl-C keeps the picks so far)"
        )
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[K{line[:width]}")
        sys.stderr.flush()
