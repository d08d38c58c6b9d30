"""MDLP: cut where the labels become purer, as long as that saves more bits than it takes."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from mlfs.discretize.class_counts import Classes, Ladder
from mlfs.discretize.unsupervised import midpoints

__all__ = ["mdlp"]

NEAR = 1e-9


def mdlp(
    values: np.ndarray, groups: list[Classes], weights: np.ndarray | None = None
) -> tuple[float, ...]:
    r"""The cut points of Fayyad and Irani (1993), for one label or many.

    With one label it is their method: of all cuts T between neighbouring values of the set S,
    take the one of least class entropy

        E(T; S) = |S1|/|S| Ent(S1) + |S2|/|S| Ent(S2)

    (of several, the lowest), and keep it, and go on in S1 and S2, if with N = |S| and k, k1, k2
    the numbers of classes present in S, S1, S2

        Ent(S) - E(T; S) > log2(N - 1)/N + Delta/N,
        Delta = log2(3^k - 2) - (k Ent(S) - k1 Ent(S1) - k2 Ent(S2)).

    With many labels one cut must serve them all. The bits saved, N (Ent(S) - E(T; S)), and the
    bits Delta for describing the classes are summed over the labels; the place of the cut is
    described once:

        sum_l N_l (Ent_l(S) - E_l(T; S)) > log2(N - 1) + sum_l Delta_l.

    A label that is pure in S adds nothing to either side. A row whose label l is missing is left
    out of N_l; a row without any known label is left out altogether.

    Parameters
    ----------
    values : ndarray
        The column, without missing values.
    groups : list of Classes
        The labels of the same rows, made with the same weights.
    weights : ndarray, optional
        The rows' weights; N is then their sum.

    References
    ----------
    U. M. Fayyad and K. B. Irani, "Multi-interval discretization of continuous-valued attributes
    for classification learning", IJCAI 1993, 1022-1027.
    """
    is_labelled = np.zeros(values.size, dtype=bool)
    for group in groups:
        is_labelled |= group.is_labelled
    ladder = Ladder.of(values, groups, weights, is_labelled)
    search = _Search(ladder, groups)
    cuts: list[int] = []
    open_ranges = [(0, ladder.distinct.size)]
    while open_ranges:
        first, last = open_ranges.pop()
        cut = search.cut(first, last)
        if cut is not None:
            cuts.append(cut)
            open_ranges += [(first, cut), (cut, last)]
    positions = np.sort(np.array(cuts, dtype=np.int64))
    return tuple(midpoints(ladder.distinct[positions - 1], ladder.distinct[positions]).tolist())


@lru_cache(maxsize=4)
def _table(size: int) -> np.ndarray:
    """Each c log2 c for c < size, and 0 for c = 0."""
    counts = np.arange(size, dtype=np.float64)
    return np.asarray(counts * np.log2(np.maximum(counts, 1.0)))


def xlog2(counts: np.ndarray, size: int = 0) -> np.ndarray:
    """Each c log2 c, and 0 for c = 0; integers below `size` are looked up."""
    if size and counts.dtype.kind == "i":
        return _table(size)[counts]
    return np.asarray(counts * np.log2(np.where(counts > 0, counts, 1.0)))


class _Search:
    """The cuts of one column, among the distinct values of its ladder."""

    def __init__(self, ladder: Ladder, groups: list[Classes]) -> None:
        self.rows, self.members = ladder.rows, ladder.members
        self.starts = [np.flatnonzero(np.diff(group.label, prepend=-1)) for group in groups]
        self.size = int(self.rows[-1]) + 1 if self.rows.dtype.kind == "i" else 0
        # Where every label is known, all have the same number of rows.
        self.complete = [
            bool((np.add.reduceat(ladder_members[-1], starts) == self.rows[-1]).all())
            for ladder_members, starts in zip(self.members, self.starts, strict=False)
        ]

    def cut(self, first: int, last: int) -> int | None:
        """The best cut of the distinct values first, ..., last - 1, or None if it does not pay."""
        if last - first < 2:
            return None
        total = self.rows[last] - self.rows[first]
        if total <= 1:
            return None
        cost = self._bits(first, last)
        best = float(cost.min())
        cut = first + 1 + int(np.argmax(cost <= best + NEAR * max(1.0, best)))
        saved, delta = self._balance(first, cut, last)
        return cut if saved > math.log2(total - 1) + delta else None

    def _bits(self, first: int, last: int) -> np.ndarray:
        """N E(T; S) summed over the labels, for each cut inside."""
        cost = np.zeros(last - first - 1)
        lengths = self.rows[first + 1 : last] - self.rows[first]
        size_bits = xlog2(lengths, self.size)
        size_bits = size_bits + xlog2(self.rows[last] - self.rows[first] - lengths, self.size)
        for members, starts, complete in zip(self.members, self.starts, self.complete, strict=True):
            below = members[first + 1 : last] - members[first]
            if complete:
                cost += starts.size * size_bits
            for side in (below, members[last] - members[first] - below):
                if not complete:
                    sizes = np.add.reduceat(side, starts, axis=1)
                    cost += xlog2(sizes, self.size).sum(axis=1)
                cost -= xlog2(side, self.size).sum(axis=1)
        return cost

    def _balance(self, first: int, cut: int, last: int) -> tuple[float, float]:
        """The bits that a cut saves, and the bits that describe the classes."""
        saved: list[float] = []
        delta: list[float] = []
        for members, starts in zip(self.members, self.starts, strict=True):
            bits, times, numbers = self._nodes(members, starts, (first, cut, last))
            saved += (bits[0] - bits[1] - bits[2]).tolist()
            class_bits = [math.log2(3.0**k - 2.0) if k < 600 else k * math.log2(3) for k in numbers]
            delta += (np.array(class_bits) - (times[0] - times[1] - times[2])).tolist()
        return math.fsum(saved), math.fsum(delta)

    def _nodes(self, members: np.ndarray, starts: np.ndarray, places: tuple[int, int, int]) -> Any:
        """For S, S1, S2: N Ent and k Ent of each label; and the number of classes in S."""
        first, cut, last = places
        bits, times, numbers = [], [], []
        for low, high in ((first, last), (first, cut), (cut, last)):
            counts = members[high] - members[low]
            sizes = np.add.reduceat(counts, starts)
            present = np.add.reduceat((counts > 0).astype(np.int64), starts)
            content = xlog2(sizes) - np.add.reduceat(xlog2(counts), starts)
            bits.append(content)
            times.append(present * content / np.where(sizes > 0, sizes, 1.0))
            numbers.append(np.maximum(present, 1).tolist())
        return bits, times, numbers[0]
