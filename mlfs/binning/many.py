"""The binnings of all columns: few shapes, many names; a `Binning` is made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlfs.binning.record import Binning
from mlfs.data.alike import Lazy

__all__ = ["Binnings"]


class Binnings(Lazy):
    """A sequence of binnings, one for each column.

    Parameters
    ----------
    names : sequence of str
        The columns.
    shapes : sequence of Binning
        The binnings that differ by more than their names.
    of : ndarray of int
        The shape of each column.

    Examples
    --------
    >>> shape = Binning("", "nominal", values=(0.0, 1.0))
    >>> two = Binnings(("a", "b"), [shape], np.zeros(2, np.int64))
    >>> two[1].name, two.each(lambda binning: binning.n_levels).tolist()
    ('b', [2, 2])
    """

    def __init__(self, names: Sequence[str], shapes: Sequence[Binning], of: np.ndarray) -> None:
        self.names, self.shapes, self.of = names, shapes, of

    @classmethod
    def made_of(cls, binnings: Sequence[Binning]) -> Binnings:
        """The same for binnings that stand in any sequence."""
        if isinstance(binnings, cls):
            return binnings
        known: dict[tuple[Any, ...], int] = {}
        shapes: list[Binning] = []
        of = np.empty(len(binnings), np.int64)
        for j, one in enumerate(binnings):
            key = (one.method, one.edges, one.values, one.missing, one.fallback)
            of[j] = known.setdefault(key, len(shapes))
            if of[j] == len(shapes):
                shapes.append(one)
        return cls([one.name for one in binnings], shapes, of)

    def __len__(self) -> int:
        return int(self.of.size)

    def _one(self, j: int) -> Binning:
        return replace(self.shapes[self.of[j]], name=self.names[j])

    def each(self, what: Callable[[Binning], Any]) -> np.ndarray:
        """Something that the shapes know, for each column."""
        return np.array([what(shape) for shape in self.shapes])[self.of] if len(self) else np.zeros(0)

    def take(self, columns: np.ndarray) -> list[Binning]:
        """The binnings of some columns, without their names: what codes need of them."""
        return [self.shapes[k] for k in self.of[columns].tolist()]
