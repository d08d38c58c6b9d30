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

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mlfs._kernels.co_sums import AllCounts
from mlfs._kernels.expected_sums import add_expected
from mlfs.counting.anchor import Anchor
from mlfs.counting.xlogx import terms_of
from mlfs.errors import DataError, setting
from mlfs.information.exact import ExactInfo
from mlfs.information.info import Info, answer
from mlfs.information.label_block import LabelBlock, sum_over_labels
from mlfs.information.pair_matrix import Side
from mlfs.information.table import Table

MOST_ROWS = 1 << 22
MOST_KEPT = 1 << 23  # expectations of pairs of counts
MISSING_LEFT_OUT = (
    "cannot leave rows with missing values out: make missing features a level "
    f"({setting('missing', 'level')}) and complete the labels, or use another correction"
)
NO_LABELS = np.zeros(0, np.int64)


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

    @answer
    def cmi_fL_given_L(self) -> np.ndarray:
        """Sum over the ordered pairs of different labels of I(f;l|l') = I(f;l,l') - I(f;l')."""
        chance = self._expected.with_label_pairs(self._labels)
        return self._exact.cmi_fL_given_L - self._cut(chance)

    @answer
    def interaction_fLL(self) -> np.ndarray:
        """Sum over the pairs l < l' of I(f;l;l') = I(f;l) + I(f;l') - I(f;l,l')."""
        chance = (self.q - 1) * self._expected.with_labels(self._labels)
        chance -= self._expected.with_label_pairs(self._labels)
        return self._exact.interaction_fLL - self._cut(chance) / 2

    def label_term(self, beta: Any = None) -> np.ndarray:
        """sum_l beta_l sum_{p in pa(l)} I(l;p|f), with I(l;p|f) = I(f,l;p) - I(f;p)."""
        chance = np.zeros(self._expected.table.d)
        for label, pa, weight in self._weighted_parents(beta):
            of_pairs = self._expected.with_label_and(label, np.array(pa))
            chance += weight * (of_pairs - self._expected.with_labels(np.array(pa)))
        return self._exact.label_term(beta) - self._cut(chance)

    @property
    def su_fl(self) -> np.ndarray:
        """SU(f,l), with the corrected I(f;l)."""
        h_sum = self.h_f[:, None] + self.h_l
        return np.divide(2 * self.mi_fl, h_sum, out=np.zeros(h_sum.shape), where=h_sum > 0)

    def joint_fssL(self, s: int, t: int) -> np.ndarray:
        """sum_l I(f,s,t;l)."""
        return self._exact.joint_fssL(s, t) - self._cut(self._expected.joint(s, self._labels, t))

    def cmi_fs_given_s(self, s: int, t: int) -> np.ndarray:
        """I(f;s|t) = I(f,t;s) - I(t;s)."""
        chance = self._expected.of_pick_given(s, t)
        return self._exact.cmi_fs_given_s(s, t) - self._cut(chance)

    def sum_over_labels(self, g: Callable[[Any], np.ndarray]) -> np.ndarray:
        """Sum g(block) over the labels, for what does not commute with that sum."""
        budget = self._exact._table.budget
        return sum_over_labels(self.d, self._labels, budget, self._block, g)

    def _block(self, labels: np.ndarray) -> AdjustedBlock:
        return AdjustedBlock(self, self._exact._block(labels), labels)

    @property
    def _is_subset(self) -> bool:
        return self._exact.d < self._exact._table.d

    def _cut(self, values: np.ndarray) -> np.ndarray:
        return self._exact._cut(values)


class AdjustedBlock:
    """The arrays of some labels, see `LabelBlock`, less their expectations.

    Parameters
    ----------
    info : AdjustedInfo
        The view.
    exact : LabelBlock
        The arrays that are corrected.
    labels : ndarray of int
        The labels.
    """

    def __init__(self, info: AdjustedInfo, exact: LabelBlock, labels: np.ndarray) -> None:
        self._info, self._exact, self._labels, self.q = info, exact, labels, exact.q

    @property
    def mi_fl(self) -> np.ndarray:
        """I(f;l)."""
        return self._info.for_labels(self._labels).mi_fl

    def joint_fsl(self, s: int) -> np.ndarray:
        """I(f,s;l)."""
        expected = self._info._expected
        chance = [self._info._cut(expected.joint(s, label)) for label in self._labels[:, None]]
        return self._exact.joint_fsl(s) - np.stack(chance, axis=1)

    def cmi_sl_given_f(self, s: int) -> np.ndarray:
        """I(s;l|f) = I(f,s;l) - I(f;l)."""
        return self.joint_fsl(s) - self.mi_fl

    def cmi_fl_given_s(self, s: int) -> np.ndarray:
        """I(f;l|s) = I(f,s;l) - I(s;l)."""
        alone = AdjustedInfo(self._info._exact.only([s]), self._info._expected)
        return self.joint_fsl(s) - alone.for_labels(self._labels).mi_fl

    def interaction_fsl(self, s: int) -> np.ndarray:
        """I(f;s;l) = I(f;l) - I(f;l|s)."""
        return self.mi_fl - self.cmi_fl_given_s(s)

    def mi_fs(self, s: int) -> np.ndarray:
        """I(f;s), for each label."""
        return np.repeat(self._info.mi_fs(s)[:, None], self.q, axis=1)

    def h_fsl(self, s: int) -> np.ndarray:
        """H(f,s,l), which is not corrected."""
        return self._exact.h_fsl(s)


class Expected:
    """Expectations of information under independence, in the order of the counted columns.

    Weights that are whole numbers of rows, and not too many, repeat rows. Otherwise rows are
    permuted with each counted once; of the uncertainty that chance leaves, H - E I, the power
    N / n is taken as a share of H, where n = (sum w)^2 / sum w^2 is how many equal rows tell as
    much (Kish, 1965). That is E I times N / n where it is small, and H where it is all of H.

    Parameters
    ----------
    table : Table
        The counts; nothing may be left out of them.
    labels : bool
        Whether labels take part.
    """

    def __init__(self, table: Table, *, labels: bool = True) -> None:
        why = no_expectation(table, labels=labels)
        if why:
            raise DataError(f"is 'expected', which {why}", option="correction")
        self._weighted, self._spread = table, 1.0
        if table.counts.total > MOST_ROWS:
            weights = table.counts.weights / table.counts.total
            self._spread = weights.size * math.fsum((weights * weights).tolist())
            table = table.of_equal_rows()
        counts = table.counts
        self.table, self._counts, self._n = table, counts, int(counts.total)
        self._unit = counts.xlogx.unit
        self._values, self._value_index = np.unique(counts.n_f, return_inverse=True)
        self._by_count: dict[int, np.ndarray] = {}
        self._by_label: dict[int, np.ndarray] = {}
        self._by_feature: dict[int, np.ndarray] = {}
        self._functions: dict[bytes, AllCounts] = {}

    def with_label(self, label: int) -> np.ndarray:
        """E I(f;l)."""
        if label not in self._by_label:
            h = float(self._weighted.h_l[label])
            self._by_label[label] = self.with_counts(self._of_label(label), h)
        return self._by_label[label]

    def with_labels(self, labels: np.ndarray) -> np.ndarray:
        """E sum_l I(f;l)."""
        total = np.zeros(self.table.d)
        for label in labels.tolist():
            total += self.with_label(label)
        return total

    def with_label_pairs(self, labels: np.ndarray) -> np.ndarray:
        """The sum over the ordered pairs of labels of E I(f;l,l') - E I(f;l')."""
        codes, weights = self._counts.label_codes, self._weighted.counts.weights
        columns = [codes.column(label).astype(np.int64) for label in labels.tolist()]
        total = -(labels.size - 1) * self.with_labels(labels)
        for i, column in enumerate(columns):
            for other in columns[:i]:
                cells = column * (int(other.max(initial=0)) + 1) + other
                n = np.bincount(cells, self._counts.weights).astype(np.int64)
                total += 2 * self.with_counts(n, _entropy_of(np.bincount(cells, weights)))
        return total

    def with_feature(self, s: int) -> np.ndarray:
        """E I(f;s)."""
        if s not in self._by_feature:
            self._by_feature[s] = self.with_counts(self._anchor(s).n, self._entropy(s))
        return self._by_feature[s]

    def joint(self, s: int, labels: np.ndarray, t: int | None = None) -> np.ndarray:
        """E sum_l I(f,s;l), or E sum_l I(f,s,t;l)."""
        n = [self._of_label(label) for label in labels.tolist()]
        return self._joint(self._anchor(s, t), n, float(self._weighted.h_l[labels].sum()))

    def with_label_and(self, label: int, others: np.ndarray) -> np.ndarray:
        """E sum_p I(f,l;p) of a label l and others."""
        y = self._counts.labels
        n = [self._of_label(other) for other in others.tolist()]
        h = float(self._weighted.h_l[others].sum())
        return self._joint(y.anchor(label, int(y.levels[label])), n, h)

    def of_pick_given(self, s: int, t: int) -> np.ndarray:
        """E I(f,t;s) - E I(t;s)."""
        joint = self._joint(self._anchor(t), [self._anchor(s).n], self._entropy(s))
        alone = self._joint(self._anchor(t), [self._anchor(s).n], self._entropy(s), alone=True)
        return joint - alone

    def with_counts(self, n: np.ndarray, h: float) -> np.ndarray:
        """E I(f;x) of a column x with some counts and an entropy."""
        t = int(terms_of(n.astype(np.int64), self._counts.xlogx).sum())
        expected = np.zeros(self._values.size)
        for count, times in zip(*np.unique(n[n > 0], return_counts=True), strict=True):
            expected += times * self._expected_terms(int(count))
        cells = np.floor(expected + 0.5).astype(np.int64)[self._value_index]
        sums = np.add.reduceat(cells, self._counts.offsets[:-1])
        total = int(self.table.t_n) + sums - self.table.t_f - t
        return self._spread_out(total / (self._n * self._unit), int(self.table.t_n) - t, h)

    def _joint(
        self, anchor: Anchor, n: list[np.ndarray], h: float, *, alone: bool = False
    ) -> np.ndarray:
        """E I(f,a;x) of an anchor a and columns x with some counts, or E I(a;x) alone, summed."""
        function = self._function(n)
        if alone:
            terms = function.table[anchor.n]
            sums: Any = np.full(self.table.d, terms.sum())
        else:
            sums = self.table.sums_with(anchor, lambda: function, NO_LABELS)
        t = sum(int(terms_of(x.astype(np.int64), self._counts.xlogx).sum()) for x in n)
        constant = len(n) * int(self.table.t_n) - t
        return self._spread_out((sums + float(constant)) / (self._n * self._unit), constant, h)

    def _spread_out(self, chance: np.ndarray, t: int, h: float) -> np.ndarray:
        """The expectation with unequal weights, from that of equal rows."""
        most = t / (self._n * self._unit)
        if self._spread == 1.0 or most <= 0:
            return chance
        left = np.clip(1.0 - chance / most, 0.0, 1.0)
        return np.asarray(h * (1.0 - left**self._spread))

    def _anchor(self, s: int, t: int | None = None) -> Anchor:
        table = self.table
        if t is None:
            return table.anchor(table.position(s))
        return table.joint_picks.pair(table.position(s), table.position(t)).anchor

    def _entropy(self, s: int) -> float:
        """H(s), which only unequal weights ask for."""
        if self._spread == 1.0:
            return 0.0
        table = self._weighted
        return _entropy_of(table.anchor(table.position(s)).n)

    def _of_label(self, label: int) -> np.ndarray:
        y = self._counts.labels
        n: np.ndarray = y.n[y.offsets[label] : y.offsets[label + 1]]
        return n

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

    def _function(self, n: list[np.ndarray]) -> AllCounts:
        """The expected sum of c log c over n(f,x), less c log c of n(f), by the count n(f).

        Both are summed over columns x with the counts n(x); the difference is small enough for
        whole numbers.
        """
        counts, times = np.unique(np.concatenate(n), return_counts=True)
        key = counts.tobytes() + times.tobytes()
        if key not in self._functions:
            if (len(self._functions) + 1) * self._n > MOST_KEPT:
                self._functions.clear()
            expected = np.zeros(self._n + 1)
            values, xlogx = np.arange(self._n + 1), self._counts.xlogx
            add_expected(values, counts, times, self._n, xlogx, expected)
            difference = np.floor(expected - float(len(n)) * terms_of(values, xlogx) + 0.5)
            self._functions[key] = AllCounts(difference.astype(np.int64), self._unit)
        return self._functions[key]


def _entropy_of(n: np.ndarray) -> float:
    """The entropy of a column with some counts."""
    shares = n[n > 0] / n.sum()
    return -float(shares @ np.log(shares))


def no_expectation(table: Table, *, labels: bool = True) -> str:
    """Why a table has no expectation under independence, or nothing."""
    if not (table.f_all_valid and (not labels or (table.mask_of < 0).all())):
        return MISSING_LEFT_OUT
    if table.counts.n_rows > MOST_ROWS:
        return f"takes at most {MOST_ROWS:,} rows, where no correction is needed: leave it out"
    return ""


def subtract_expected(out: np.ndarray, x: Side, y: Side) -> None:
    """Subtract E I(i;j) from a matrix of the columns i of x and j of y."""
    if x.positions.size > y.positions.size:
        x, y, out = y, x, out.T
    same = x.table is y.table and np.array_equal(x.positions, y.positions)
    expected = Expected(y.table, labels=False)
    rows = expected if x.table is y.table else Expected(x.table, labels=False)
    for i, position in enumerate(x.positions.tolist()):
        n, h = rows.table.anchor(position).n, float(x.table.h_f[position])
        chance = expected.with_counts(n, h)[y.positions]
        if same:  # both halves are subtracted the same
            out[i, i:] -= chance[i:]
            out[i + 1 :, i] -= chance[i + 1 :]
        else:
            out[i] -= chance
