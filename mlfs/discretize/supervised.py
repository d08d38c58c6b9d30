"""Bins that are learned with the labels: MDLP and LAIM."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.discretize.unsupervised import midpoints

LABELS_AT_ONCE = 64


@dataclass(frozen=True)
class ClassRows:
    """The classes of some labels and the rows in each.

    Parameters
    ----------
    member : ndarray of bool, shape (N, K)
        A column for each class of each label.
    label : ndarray of int64, shape (K,)
        Rising: the label of each column, counted from 0 within the group.
    positive : ndarray of bool, shape (K,)
        Whether LAIM counts the class: all but the class 0 of a binary label.
    is_labelled : ndarray of bool, shape (N,)
        Whether any label of the row is known.
    totals : ndarray, shape (K,)
        The number (weight) of the rows in each class.
    """

    member: np.ndarray
    label: np.ndarray
    positive: np.ndarray
    is_labelled: np.ndarray
    totals: np.ndarray

    def rows(self, kept: np.ndarray, weights: np.ndarray | None) -> ClassRows:
        """Keep some of the rows, with their weights."""
        member = self.member[kept]
        totals = totals_of(member, weights)
        return ClassRows(member, self.label, self.positive, self.is_labelled[kept], totals)


def classes_of(
    labels: Any, weights: np.ndarray | None = None, at_once: int = LABELS_AT_ONCE
) -> Iterator[ClassRows]:
    """Yield the classes of some labels at a time; the value -1 is in no class.

    Examples
    --------
    >>> [group] = classes_of(np.array([[0, 2], [1, 1], [-1, 0]]))
    >>> group.member.astype(int).tolist()
    [[1, 0, 0, 0, 1], [0, 1, 0, 1, 0], [0, 0, 1, 0, 0]]
    >>> group.label.tolist()
    [0, 0, 1, 1, 1]
    """
    table = sp.csc_array(labels) if sp.issparse(labels) else np.asarray(labels)
    for first in range(0, table.shape[1], at_once):
        part: Any = table[:, first : first + at_once]
        dense = part.toarray() if sp.issparse(part) else part
        if not dense.size:
            continue
        highest = np.maximum(dense.max(axis=0), 1)
        label = np.repeat(np.arange(dense.shape[1]), highest + 1)
        value = np.concatenate([np.arange(top + 1) for top in highest.tolist()])
        positive = (value > 0) | (highest[label] > 1)
        member = dense[:, label] == value
        is_labelled = (dense >= 0).any(axis=1)
        yield ClassRows(member, label, positive, is_labelled, totals_of(member, weights))


def totals_of(member: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """How many rows (or what weight) each class has; exact for weights on a grid."""
    return member.sum(axis=0) if weights is None else (member * weights[:, None]).sum(axis=0)


@dataclass(frozen=True)
class Ladder:
    """Cumulative counts of the rows over the distinct values of a column.

    Parameters
    ----------
    distinct : ndarray, shape (m,)
        The values, rising.
    rows : ndarray, shape (m + 1,)
        The number (weight) of rows below distinct[0], below distinct[1], ..., of all.
    members : list of ndarray, shape (m + 1, K)
        The same within each class, for each group of labels.
    """

    distinct: np.ndarray
    rows: np.ndarray
    members: list[np.ndarray]

    @classmethod
    def of(
        cls,
        values: np.ndarray,
        groups: list[ClassRows],
        weights: np.ndarray | None,
        is_counted: Any,
    ) -> Ladder:
        """Count over the values of the rows that are counted."""
        counted = np.flatnonzero(is_counted)
        order = counted[np.argsort(values[counted], kind="stable")]
        distinct, first_rows, counts = np.unique(
            values[order], return_index=True, return_counts=True
        )
        if not distinct.size:
            return cls(distinct, np.zeros(1, dtype=np.int64), [])
        mass = np.ones(order.size, dtype=np.int32) if weights is None else weights[order]
        rows = _climb(np.add.reduceat(mass, first_rows))
        # The counts of the most frequent value (0 in a sparse column) are those left by the others.
        common = int(counts.argmax())
        start, end = first_rows[common], first_rows[common] + counts[common]
        others = np.concatenate([order[:start], order[end:]])
        starts = np.delete(first_rows, common)
        starts[common:] -= counts[common]
        mass_of_others = np.concatenate([mass[:start], mass[end:]])[:, None]
        members = []
        for group in groups:
            steps = np.zeros((distinct.size, group.totals.size), dtype=group.totals.dtype)
            if starts.size:
                sums = np.add.reduceat(group.member[others] * mass_of_others, starts, axis=0)
                steps[:common], steps[common + 1 :] = sums[:common], sums[common:]
            steps[common] = group.totals - steps.sum(axis=0)
            members.append(_climb(steps))
        return cls(distinct, rows, members)


def _climb(steps: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros_like(steps[:1]), np.cumsum(steps, axis=0)])


NEAR_MDLP = 1e-9


def mdlp(
    values: np.ndarray, groups: list[ClassRows], weights: np.ndarray | None = None
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

    def __init__(self, ladder: Ladder, groups: list[ClassRows]) -> None:
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
        cut = first + 1 + int(np.argmax(cost <= best + NEAR_MDLP * max(1.0, best)))
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


NEAR = 1e-12


def laim(
    values: np.ndarray, groups: list[ClassRows], weights: np.ndarray | None = None
) -> tuple[float, ...]:
    """The cut points of Cano, Luna, Gibaja and Ventura (2016).

    The quanta matrix of a column F cut into n intervals holds q_ir, the number of rows in
    interval r that have label i. With M_+r the sum of its column r and M the sum of all,

        LAIM(L, D|F) = 1/(n M) sum_r max_i(q_ir)^2 / M_+r

    (an interval without labels adds 0). Starting from one interval, the cut between neighbouring
    values that raises LAIM most is added (of several, the lowest), as long as LAIM grows. The
    search starts at 0, so a column with two values or more is always cut once (unless no row
    has a label).

    A label of more than two classes counts as one label for each of its classes. Missing labels
    are not counted.

    Parameters
    ----------
    values : ndarray
        The column, without missing values.
    groups : list of Classes
        The labels of the same rows, made with the same weights.
    weights : ndarray, optional
        The rows' weights, which are summed instead of counted.

    References
    ----------
    A. Cano, J. M. Luna, E. L. Gibaja and S. Ventura, "LAIM discretization for multi-label data",
    Information Sciences 330 (2016) 370-384.
    L. A. Kurgan and K. J. Cios, "CAIM discretization algorithm", IEEE TKDE 16 (2004) 145-153.
    """
    ladder = Ladder.of(values, groups, weights, np.ones(values.size, dtype=bool))
    distinct = ladder.distinct
    if distinct.size < 2:
        return ()
    ladders = [
        members[:, group.positive] for members, group in zip(ladder.members, groups, strict=True)
    ]

    # Each open interval with what it adds to the sum, and its best cut.
    intervals = [_Interval(ladders, 0, distinct.size)]
    best = 0.0
    while True:
        worths = [interval.worth for interval in intervals]
        offers = []
        for r, interval in enumerate(intervals):
            if interval.cut is None:
                continue
            total = sum([*worths[:r], interval.cut_worth, *worths[r + 1 :]])
            offers.append((total / (len(intervals) + 1), r))
        if not offers:
            break
        top = max(offer for offer, _ in offers)
        if top <= best * (1 + NEAR):
            break
        r = next(r for offer, r in offers if offer >= top * (1 - NEAR))
        best = top
        halves = intervals[r].halves(ladders)
        intervals[r : r + 1] = halves
    cuts = np.array([interval.first for interval in intervals[1:]], dtype=np.int64)
    return tuple(midpoints(distinct[cuts - 1], distinct[cuts]).tolist())


class _Interval:
    """The distinct values first, ..., last - 1, and the best way to cut them in two."""

    def __init__(self, ladders: list[np.ndarray], first: int, last: int) -> None:
        self.first, self.last = first, last
        self.worth = float(_worth(ladders, first, np.array([last]))[0])
        self.cut: int | None = None
        self.cut_worth = 0.0
        if last - first > 1:
            inside = np.arange(first + 1, last)
            worths = _worth(ladders, first, inside) + _worth(ladders, last, inside)
            top = float(worths.max())
            self.cut = first + 1 + int(np.argmax(worths >= top * (1 - NEAR)))
            self.cut_worth = float(worths[self.cut - first - 1])

    def halves(self, ladders: list[np.ndarray]) -> list[_Interval]:
        if self.cut is None:
            return [self]
        return [
            _Interval(ladders, self.first, self.cut),
            _Interval(ladders, self.cut, self.last),
        ]


def _worth(ladders: list[np.ndarray], fixed: int, places: np.ndarray) -> np.ndarray:
    """max_i(q_i)^2 / M_+ of the intervals from each place to a fixed one."""
    largest = np.zeros(places.size)
    totals = np.zeros(places.size)
    for ladder in ladders:
        if ladder.shape[1]:
            counts = np.abs(ladder[places] - ladder[fixed])
            largest = np.maximum(largest, counts.max(axis=1))
            totals += counts.sum(axis=1)
    return np.divide(largest * largest, totals, out=np.zeros(places.size), where=totals > 0)
