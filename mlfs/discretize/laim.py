"""LAIM: cut so that each interval has rows of few labels; CAIM for many labels."""

from __future__ import annotations

import numpy as np

from mlfs.discretize.class_counts import Classes, Ladder
from mlfs.discretize.unsupervised import midpoints

__all__ = ["laim"]

NEAR = 1e-12


def laim(
    values: np.ndarray, groups: list[Classes], weights: np.ndarray | None = None
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
