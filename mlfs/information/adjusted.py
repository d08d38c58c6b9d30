"""Adjusted information: less what independent columns with the same counts give on average.

A column of many values has much information about anything, an identifier all there can be, even
where the two are independent. The expectation of I(x;y) under independence, with both columns'
counts given, is subtracted here: its counts are hypergeometric (Vinh, Epps & Bailey, 2010). For the
pair of a feature and a pick, (f, s) is one column x whose rows stay together while the label is
permuted, so that the chain rule holds: I(f;l|s) = I(f,s;l) - I(s;l).

The expected sum of c log c over n(x,l) is a sum of one function over the cells of x, so that all
of this is made of the same co-occurrences as the exact information.
"""

# ruff: noqa: SLF001  # it is made of an `ExactInfo` and its table

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.co_sums import AllCounts
from mlfs._kernels.expected_sums import add_expected
from mlfs.counting.xlogx import terms_of
from mlfs.errors import DataError, setting
from mlfs.information.exact import ExactInfo
from mlfs.information.info import Info, answer
from mlfs.information.pair_matrix import Side
from mlfs.information.table import Table

MOST_ROWS = 1 << 22
MOST_KEPT = 1 << 23  # expectations of pairs of counts


class AdjustedInfo(Info):
    """Mutual information less its expectation under independence.

    Parameters
    ----------
    exact : ExactInfo
        The information that is corrected.
    expected : Expected, optional
        The expectations, if they are shared with another view.
    """

    _floor = -np.inf

    def __init__(self, exact: ExactInfo, expected: Expected | None = None) -> None:
        super().__init__(exact._labels, np.array(exact.features), exact._parents)
        self._exact = exact
        self._expected = Expected(exact._table) if expected is None else expected

    @property
    def _name(self) -> str:
        return "the correction 'expected'"

    @property
    def features(self) -> np.ndarray:
        """The column numbers of the candidates."""
        return self._exact.features

    def only(self, features: Any) -> AdjustedInfo:
        """A view on some candidates, named by their column numbers."""
        return AdjustedInfo(self._exact.only(features), self._expected)

    def for_labels(self, labels: Any) -> AdjustedInfo:
        """A view on some labels."""
        return AdjustedInfo(self._exact.for_labels(labels), self._expected)

    @property
    def h_f(self) -> np.ndarray:
        """H(f), which is not corrected."""
        return self._exact.h_f

    @property
    def h_l(self) -> np.ndarray:
        """H(l), which is not corrected."""
        return self._exact.h_l

    def h_s(self, s: int) -> float:
        """H(s), which is not corrected."""
        return self._exact.h_s(s)

    @property
    def imbalance(self) -> tuple[np.ndarray, float, float]:
        """IR(l) of the labels in play, and IR and CVIR of all labels of the data set."""
        return self._exact.imbalance

    @answer
    def mi_fl(self) -> np.ndarray:
        """I(f;l), (d, q)."""
        chance = [self._cut(self._expected.with_label(label)) for label in self._labels.tolist()]
        return self._exact.mi_fl - np.stack(chance, axis=1).reshape(self.d, self.q)

    @answer
    def mi_fL(self) -> np.ndarray:
        """sum_l I(f;l)."""
        return self._exact.mi_fL - self._cut(self._expected.with_labels(self._labels))

    def mi_fs(self, s: int) -> np.ndarray:
        """I(f;s)."""
        return self._exact.mi_fs(s) - self._cut(self._expected.with_feature(s))

    def joint_fsL(self, s: int) -> np.ndarray:
        """sum_l I(f,s;l)."""
        return self._exact.joint_fsL(s) - self._cut(self._expected.joint(s, self._labels))

    def cmi_fL_given_s(self, s: int) -> np.ndarray:
        """sum_l I(f;l|s) = sum_l I(f,s;l) - I(s;l)."""
        full = (
            AdjustedInfo(self._exact._all_candidates, self._expected) if self._is_subset else self
        )
        position = int(np.flatnonzero(full.features == s)[0])
        return self.joint_fsL(s) - full.mi_fL[position]

    def cmi_sL_given_f(self, s: int) -> np.ndarray:
        """sum_l I(s;l|f) = sum_l I(f,s;l) - I(f;l)."""
        return self.joint_fsL(s) - self.mi_fL

    @property
    def _is_subset(self) -> bool:
        return self._exact.d < self._exact._table.d

    def _cut(self, values: np.ndarray) -> np.ndarray:
        return self._exact._cut(values)


class Expected:
    """Expectations of information under independence, in the order of the counted columns.

    Parameters
    ----------
    table : Table
        The counts; nothing may be left out of them.
    labels : bool
        Whether labels take part.
    """

    def __init__(self, table: Table, *, labels: bool = True) -> None:
        counts = table.counts
        if not (table.f_all_valid and (not labels or (table.mask_of < 0).all())):
            msg = (
                "is 'expected', which cannot leave rows with missing values out: make missing "
                f"features a level ({setting('missing', 'level')}) and complete the labels, or use "
                "another correction"
            )
            raise DataError(msg, option="correction")
        if counts.total > MOST_ROWS:
            msg = (
                f"is 'expected', which takes at most {MOST_ROWS:,} rows (the sum of their weights, "
                "which are whole numbers), where no correction is needed: leave it out"
            )
            raise DataError(msg, option="correction")
        self._table, self._counts, self._n = table, counts, int(counts.total)
        self._unit = counts.xlogx.unit
        self._values, self._value_index = np.unique(counts.n_f, return_inverse=True)
        self._by_count: dict[int, np.ndarray] = {}
        self._by_label: dict[int, np.ndarray] = {}
        self._by_feature: dict[int, np.ndarray] = {}
        self._function: tuple[bytes, AllCounts] | None = None

    def with_label(self, label: int) -> np.ndarray:
        """E I(f;l)."""
        if label not in self._by_label:
            y = self._counts.labels
            n = y.n[y.offsets[label] : y.offsets[label + 1]]
            self._by_label[label] = self.with_counts(n)
        return self._by_label[label]

    def with_labels(self, labels: np.ndarray) -> np.ndarray:
        """E sum_l I(f;l)."""
        total = np.zeros(self._table.d)
        for label in labels.tolist():
            total += self.with_label(label)
        return total

    def with_feature(self, s: int) -> np.ndarray:
        """E I(f;s)."""
        if s not in self._by_feature:
            anchor = self._table.anchor(self._table.position(s))
            self._by_feature[s] = self.with_counts(anchor.n)
        return self._by_feature[s]

    def joint(self, s: int, labels: np.ndarray) -> np.ndarray:
        """E sum_l I(f,s;l)."""
        table = self._table
        anchor = table.anchor(table.position(s))
        sums = table.sums_with(anchor, lambda: self.function(labels), labels)
        constant = labels.size * int(table.t_n) - int(table.t_l[labels].sum())
        return (sums + float(constant)) / (self._n * self._unit)

    def with_counts(self, n: np.ndarray) -> np.ndarray:
        """E I(f;x) of a column x with some counts."""
        t = int(terms_of(n.astype(np.int64), self._counts.xlogx).sum())
        expected = np.zeros(self._values.size)
        for count, times in zip(*np.unique(n[n > 0], return_counts=True), strict=True):
            expected += times * self._expected_terms(int(count))
        cells = np.floor(expected + 0.5).astype(np.int64)[self._value_index]
        sums = np.add.reduceat(cells, self._counts.offsets[:-1])
        total = int(self._table.t_n) + sums - self._table.t_f - t
        return total / (self._n * self._unit)

    def _expected_terms(self, count: int) -> np.ndarray:
        """E[k log k], in units, of the rows that each count of a feature shares with some rows."""
        if count not in self._by_count:
            if (len(self._by_count) + 1) * self._values.size > MOST_KEPT:
                self._by_count.clear()
            expected = np.zeros(self._values.size)
            counts, times = np.array([count], np.int64), np.ones(1, np.int64)
            add_expected(self._values, counts, times, self._n, self._counts.xlogx, expected)
            self._by_count[count] = expected
        return self._by_count[count]

    def function(self, labels: np.ndarray) -> AllCounts:
        """The expected sum of c log c over n(f,l), less c log c of n(f), by the count n(f).

        Both are summed over the labels; the difference is small enough for whole numbers.
        """
        key = labels.tobytes()
        if self._function is None or self._function[0] != key:
            y = self._counts.labels
            n = [y.n[y.offsets[l] : y.offsets[l + 1]] for l in labels.tolist()]
            counts, times = np.unique(np.concatenate(n), return_counts=True)
            expected = np.zeros(self._n + 1)
            values, xlogx = np.arange(self._n + 1), self._counts.xlogx
            add_expected(values, counts, times, self._n, xlogx, expected)
            difference = np.floor(expected - float(labels.size) * terms_of(values, xlogx) + 0.5)
            self._function = key, AllCounts(difference.astype(np.int64), self._unit)
        return self._function[1]


def subtract_expected(out: np.ndarray, x: Side, y: Side, factor: float) -> None:
    """Subtract E I(i;j), times a factor, from a matrix of the columns i of x and j of y."""
    if x.positions.size > y.positions.size:
        x, y, out = y, x, out.T
    same = x.table is y.table and np.array_equal(x.positions, y.positions)
    expected = Expected(y.table, labels=False)
    if x.table is not y.table:
        Expected(x.table, labels=False)  # nothing may be left out of it
    for i, position in enumerate(x.positions.tolist()):
        chance = factor * expected.with_counts(x.table.anchor(position).n)[y.positions]
        if same:  # both halves are subtracted the same
            out[i, i:] -= chance[i:]
            out[i + 1 :, i] -= chance[i + 1 :]
        else:
            out[i] -= chance
