"""The binnings of all columns as arrays; a `Binning` is made when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels import planes
from mlfs.data.uniform import Lazy
from mlfs.discretize.blocks import Block
from mlfs.discretize.record import Binning

__all__ = ["Binnings", "Cuts"]

BYTES = 256


class Cuts(NamedTuple):
    """Binnings by edges, side by side.

    Parameters
    ----------
    method : str
        How they were found.
    edges : ndarray, shape (n, most edges)
        The edges of each, rising; inf behind the last.
    sizes : ndarray of int
        The number of edges of each.
    missing : ndarray of bool
        Whether the last code stands for a missing value.
    fallback : ndarray of int
        The most frequent code.
    """

    method: str
    edges: np.ndarray
    sizes: np.ndarray
    missing: np.ndarray
    fallback: np.ndarray

    def one(self, i: int) -> Binning:
        """One binning, without the name of its column."""
        edges = tuple(self.edges[i, : self.sizes[i]].tolist())
        missing, fallback = bool(self.missing[i]), int(self.fallback[i])
        return Binning("", self.method, edges, (), missing, fallback)

    @property
    def levels(self) -> np.ndarray:
        """The number of codes of each."""
        return np.asarray(self.sizes + 1 + self.missing)

    def take(self, which: np.ndarray | slice) -> Cuts:
        """Some of them."""
        return Cuts(self.method, *(part[which] for part in self[1:]))

    def codes_of(self, block: Block) -> np.ndarray:
        """The code of every entry of a block, whose columns these are."""
        unknown = np.where(self.missing, self.levels - 1, self.fallback)
        if block.bounds is None:
            small = np.uint8 if int(self.levels.max(initial=1)) < BYTES else np.int32
            codes = np.empty(block.values.shape, small)
            values = np.ascontiguousarray(block.values)
            planes.cut(values, self.edges, unknown.astype(small), codes)
            return codes
        codes = np.zeros(block.values.shape, np.int32)
        for k in range(int(self.sizes.max(initial=0))):
            codes += block.values > block.spread(self.edges[:, k])
        gone = np.isnan(block.values)
        if gone.any():
            codes[gone] = block.spread(unknown)[gone]
        return codes

    def codes_of_zero(self) -> np.ndarray:
        """The code of 0 in each column."""
        return np.asarray((self.edges < 0).sum(axis=1))


class Binnings(Lazy):
    """A sequence of binnings, one for each column.

    Parameters
    ----------
    names : sequence of str
        The columns.
    shapes : sequence of Binning
        Binnings that differ by more than their names.
    of : ndarray of int
        The shape of each column; behind the last shape the cuts are counted on.
    cuts : Cuts, optional
        Binnings by edges.

    Examples
    --------
    >>> shape = Binning("", "nominal", values=(0.0, 1.0))
    >>> two = Binnings(("a", "b"), [shape], np.zeros(2, np.int64))
    >>> two[1].name, two.levels.tolist()
    ('b', [2, 2])
    """

    def __init__(
        self,
        names: Sequence[str],
        shapes: Sequence[Binning],
        of: np.ndarray,
        cuts: Cuts | None = None,
    ) -> None:
        self.names, self.shapes, self.of, self.cuts = names, shapes, of, cuts

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
        return replace(self._shape(int(self.of[j])), name=self.names[j])

    def _shape(self, at: int) -> Binning:
        if at < len(self.shapes) or self.cuts is None:
            return self.shapes[at]
        return self.cuts.one(at - len(self.shapes))

    def take(self, columns: np.ndarray) -> list[Binning]:
        """The binnings of some columns, without their names: what codes need of them."""
        return [self._shape(at) for at in self.of[columns].tolist()]

    @cached_property
    def levels(self) -> np.ndarray:
        """The number of codes of each column."""
        own = np.array([shape.n_levels for shape in self.shapes], np.int32)
        more = np.zeros(0) if self.cuts is None else self.cuts.levels
        return np.concatenate([own, more]).astype(np.int32)[self.of]

    @cached_property
    def has_missing(self) -> np.ndarray:
        """Whether each column has a code for missing values."""
        own = np.array([shape.missing for shape in self.shapes], bool)
        more = np.zeros(0, bool) if self.cuts is None else self.cuts.missing
        return np.concatenate([own, more])[self.of]

    @property
    def missing_codes(self) -> np.ndarray:
        """The code of a missing value of each column, -1 if there is none."""
        return np.where(self.has_missing, self.levels - 1, -1).astype(np.int32)
