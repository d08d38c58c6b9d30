"""The cached table of entropies and mutual information: computes each quantity once.

`Table` turns counts into numbers for all features at once; `Info` (in info.py) is the vocabulary
in which criteria ask for them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels import full_tables
from mlfs.counting.anchor import Anchor, PairStatistics
from mlfs.counting.column_groups import LayoutKind
from mlfs.counting.counts import Counts
from mlfs.counting.memory import ROOMY, Budget, Cache
from mlfs.counting.subset_planes import SubsetPlanes
from mlfs.counting.xlogx import XLogX, entropies, per_row, terms_of_rows
from mlfs.information.joint_picks import JointPicks
from mlfs.information.triples import LabelPairs, TripleSums, gini_gain


class PairInfo(NamedTuple):
    """I(f;g), H(f) and H(g) of every feature f, on the rows in which both are known."""

    mi: np.ndarray
    h_f: np.ndarray
    h_g: np.ndarray

    @property
    def su(self) -> np.ndarray:
        """Symmetrical uncertainty 2 I(f;g) / (H(f) + H(g)), 0 where both entropies are 0."""
        h_sum = self.h_f + self.h_g
        return np.divide(2 * self.mi, h_sum, out=np.zeros_like(h_sum), where=h_sum > 0)


class Table:
    """Entropies and mutual information of all features with anything, cached.

    Parameters
    ----------
    counts : Counts
        The counts of the data. Label columns from `q` are masks of missing labels.
    q : int
        Number of labels.
    mask_of : ndarray of int
        The mask column of each label, or -1 for a label without missing values.
    ignore_missing : bool
        Leave out rows in which a feature is missing, instead of counting them as a level.
    positions : ndarray of int, optional
        The position of each column of the data among the counted columns; the arrays of a table
        are in the order of the counted ones.
    budget : Budget
        The memory that may be taken.
    """

    def __init__(
        self,
        counts: Counts,
        q: int,
        mask_of: np.ndarray,
        *,
        ignore_missing: bool = False,
        positions: np.ndarray | None = None,
        budget: Budget = ROOMY,
    ) -> None:
        self.counts, self.q, self.mask_of, self.positions = counts, q, mask_of, positions
        counts.labels.limit_masks(budget.masks)
        self.d = counts.d
        self.ignore_missing = ignore_missing
        self.f_valid = counts.valid(ignore_missing=ignore_missing)
        self.f_all_valid = bool((self.f_valid == counts.levels).all())
        self.l_valid = counts.labels.levels.copy()
        self.l_valid[:q] -= mask_of[:q] >= 0  # without the code of missing values
        self.l_valid[q:] -= 1  # a mask counts the rows where its labels are known
        self.l_all_valid = self.l_valid == counts.labels.levels
        self._labels_all_valid = bool(self.l_all_valid.all())
        self._no_masks = bool((mask_of < 0).all())
        self.budget = budget
        self.cache = Cache(budget.cache)
        self.recent = Cache(budget.recent)  # what is asked for within one step
        self.rows = counts.rows
        self.counts_subsets = True  # whether a few candidates are counted alone
        self.subset_planes: SubsetPlanes | None = None  # made by `Subset`
        self.pairs_counted = 0

    def position(self, column: int) -> int:
        """The position of a column of the data among the counted columns."""
        return int(column) if self.positions is None else int(self.positions[column])

    def all_valid(self, labels: np.ndarray, anchor: Anchor | None = None) -> bool:
        """Whether every row counts: no missing value is left out of a term about them."""
        all_valid = self.f_all_valid and (anchor is None or anchor.valid == anchor.levels)
        return all_valid and (self._labels_all_valid or bool(self.l_all_valid[labels].all()))

    # ---- single columns -----------------------------------------------------------------------

    @cached_property
    def h_f(self) -> np.ndarray:
        """H(f)."""
        return entropies(self._f_sums[:, 0], self.t_f, self.counts.xlogx)

    @cached_property
    def h_l(self) -> np.ndarray:
        """H(l), missing values left out."""
        return entropies(self._l_sums[:, 0], self.t_l, self.counts.xlogx)[: self.q]

    @cached_property
    def t_f(self) -> np.ndarray:
        """The sums of c log c over n(f) of every feature."""
        return self._f_sums[:, 1].copy()  # contiguous, as it is used in every step

    @cached_property
    def t_l(self) -> np.ndarray:
        """The sums of c log c over n(l) of every label."""
        return self._l_sums[:, 1].copy()

    @cached_property
    def t_n(self) -> np.ndarray:
        """N log N."""
        return terms_of_rows(self.rows, self.counts.xlogx)

    @cached_property
    def _f_sums(self) -> np.ndarray:
        return self.counts.single_sums(self.counts.n_f, self.counts.offsets, self.f_valid)

    @cached_property
    def _l_sums(self) -> np.ndarray:
        labels = self.counts.labels
        return self.counts.single_sums(labels.n, labels.offsets, self.l_valid)

    def entropy_in_context(self, labels: np.ndarray) -> np.ndarray:
        """H(f) inside terms about labels: the mean over the labels in play."""
        masks = self.masks_of(labels)
        by_mask = [self.h_f if mask < 0 else self.pair_with_label(mask).h_f for mask, _ in masks]
        if len(by_mask) == 1:
            return by_mask[0]
        weighted = [n * h_f for (_, n), h_f in zip(masks, by_mask, strict=True)]
        total: np.ndarray = sum(weighted[1:], weighted[0]) / labels.size
        return total

    # ---- anchors ------------------------------------------------------------------------------

    def feature(self, s: int) -> PairStatistics:
        """The pair statistics of a feature, by its counted position."""
        key = "s", s
        pairs: PairStatistics | None = self.cache.find(key)
        if pairs is None:
            self.pairs_counted += self.d
            pairs = self.statistics(self.anchor(s)).kept_in(self.cache, key)
        return pairs

    def anchor(self, s: int) -> Anchor:
        """A feature at a counted position, as an anchor."""
        return self.counts.feature(s, self.valid(s))

    def column(self, s: int) -> np.ndarray:
        """The codes of a feature at a counted position."""
        return self.counts.column(s)

    def valid(self, s: int) -> int:
        """How many codes of a feature are not left out."""
        return int(self.f_valid[s])

    def levels(self, s: int) -> int:
        """How many codes a feature has."""
        return int(self.counts.levels[s])

    def label(self, p: int) -> PairStatistics:
        """The pair statistics of a label with all features."""
        key = "p", p
        pairs: PairStatistics | None = self.cache.find(key)
        if pairs is None:
            anchor = self.counts.labels.anchor(p, int(self.l_valid[p]))
            pairs = self.statistics(anchor, p).kept_in(self.cache, key)
        return pairs

    def statistics(self, anchor: Anchor, label: int | None = None) -> PairStatistics:
        """The pair statistics of any anchor; `label` is its number if it is a label."""
        counts = self.counts
        all_valid = self.f_all_valid and anchor.valid == anchor.levels
        if all_valid:
            if label is None or anchor.levels != 2:
                return counts.pair_statistics(anchor, self.t_f)
            labels = np.array([label])
            return counts.pair_statistics(
                anchor, self.t_f, lambda i: self.label_pairs.co(i, labels)
            )
        sums = np.empty((4, self.d), np.int64)

        def work(i: int, a: int, b: int) -> None:
            group = counts.groups[i]
            if group.is_wide(anchor):
                sums[:, a:b] = group.known_sums(anchor, self.f_valid[a:b], counts.xlogx)
                return
            table = group.pair_table(anchor, group.co_with(anchor))
            group_sums = np.empty((b - a, 4), np.int64)
            full_tables.pair_sums(
                table, group.offsets, self.f_valid[a:b], anchor.valid, counts.xlogx, group_sums
            )
            sums[:, a:b] = group_sums.T

        counts.parallel.over_groups(work, anchor=anchor)
        rows, t_fs, t_f, t_s = sums
        if all_valid:
            rows, t_f, t_s = self.rows, self.t_f, np.array(counts.anchor_sum(anchor))
        co: list[np.ndarray | None] = [None] * len(counts.groups)
        return PairStatistics(counts, anchor, co, rows, t_fs, t_f, t_s)

    # ---- pairs --------------------------------------------------------------------------------

    def pair_with_label(self, label: int) -> PairInfo:
        """I(f;l) and the entropies."""
        key = "fl", label
        cached: PairInfo | None = self.cache.find(key)
        if cached is not None:
            return cached
        if not self.all_valid(np.array([label])):
            return self.cache.keep(key, self._pair_info_of(self.label(label)))
        t_fl, t_l = self.label_pairs.sums(label), self.t_l[label : label + 1]
        return self.cache.keep(key, self._pair_info(self.rows, t_fl, self.t_f, t_l))

    def _pair_info_of(self, pairs: PairStatistics) -> PairInfo:
        return self._pair_info(pairs.rows, pairs.t_fs, pairs.t_f, pairs.t_s)

    def _pair_info(
        self, rows: np.ndarray, t_fg: np.ndarray, t_f: np.ndarray, t_g: np.ndarray
    ) -> PairInfo:
        xlogx = self.counts.xlogx
        t_n = self._t_n(rows)
        return PairInfo(
            per_row(t_n + t_fg - t_f - t_g, rows, xlogx),
            self.h_f if t_f is self.t_f else per_row(t_n - t_f, rows, xlogx),
            np.broadcast_to(per_row(t_n - t_g, rows, xlogx), np.shape(t_fg)),
        )

    def _t_n(self, rows: np.ndarray) -> np.ndarray:
        return self.t_n if rows is self.rows else terms_of_rows(rows, self.counts.xlogx)

    def masks_of(self, labels: np.ndarray) -> list[tuple[int, int]]:
        """The masks of missing values of some labels, each with the number of its labels."""
        if self._no_masks:
            return [(-1, int(labels.size))]
        masks, times = np.unique(self.mask_of[labels], return_counts=True)
        return list(zip(masks.tolist(), times.tolist(), strict=True))

    def pair_with_feature(self, s: int, labels: np.ndarray) -> PairInfo:
        """I(f;s) and the entropies inside terms about labels."""
        return self.in_context(("fs", s), labels, lambda: self.feature(s))

    def mi_with_feature(self, s: int, labels: np.ndarray) -> np.ndarray:
        """I(f;s) alone."""
        if not (self.f_all_valid and self._no_masks):
            return self.pair_with_feature(s, labels).mi
        key = "mi", s
        mi: np.ndarray | None = self.cache.find(key)
        if mi is None:
            pairs = self.feature(s)
            total = self._t_n(pairs.rows) + pairs.t_fs - pairs.t_f - pairs.t_s
            mi = self.cache.keep(key, per_row(total, pairs.rows, self.counts.xlogx))
        return mi

    def su_with_feature(self, s: int, labels: np.ndarray) -> np.ndarray:
        """SU(f,s) inside terms about labels."""
        key = ("su", s, tuple(self.masks_of(labels)))
        su: np.ndarray | None = self.cache.find(key)
        if su is None:
            su = self.cache.keep(key, self.pair_with_feature(s, labels).su)
        return su

    def pair_with_parent(self, p: int, labels: np.ndarray) -> PairInfo:
        """I(f;p) and the entropies inside terms about labels."""
        return self.in_context(("fp", p), labels, lambda: self.label(p))

    def in_context(
        self, key: tuple[str | int, ...], labels: np.ndarray, pairs: Callable[[], PairStatistics]
    ) -> PairInfo:
        """The mean over the labels in play of what their own rows give.

        A row in which a label is missing is left out of everything inside a term about that
        label. Without missing labels this is the plain pair.
        """
        masks = self.masks_of(labels)
        infos = [self._pair_in_mask(key, mask, pairs) for mask, _ in masks]
        if len(infos) == 1:
            return infos[0]
        sizes = [n for _, n in masks]
        means: list[Any] = [
            sum(n * value for n, value in zip(sizes, values, strict=True)) / labels.size
            for values in zip(*infos, strict=True)
        ]
        return PairInfo(*means)

    def _pair_in_mask(
        self, key: tuple[str | int, ...], mask: int, pairs: Callable[[], PairStatistics]
    ) -> PairInfo:
        """The table of the rows of one mask; those of all rows if it is -1."""
        cached: PairInfo | None = self.cache.find((key, mask))
        if cached is not None:
            return cached
        if mask < 0:
            return self.cache.keep((key, mask), self._pair_info_of(pairs()))
        sums = self.triples.sums(pairs(), np.array([mask]))
        info = self._pair_info(sums.rows[0], sums.fs[0], sums.f[0], sums.s[0])
        return self.cache.keep((key, mask), info)

    # ---- other sums ---------------------------------------------------------------------------

    def gini(self, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
        """sum_l G(f,s;l)."""
        return gini_gain(self, pairs, labels)

    def sums_with(self, anchor: Anchor, function: Callable[[], XLogX], labels: np.ndarray) -> Any:
        """The sums over n(f,s) of a function of counts, which depends on the labels."""
        del labels
        sums, counts, xlogx = np.zeros(self.d, np.int64), self.counts, function()

        def work(i: int, a: int, b: int) -> None:
            counts.groups[i].add_counted_sums(anchor, xlogx, sums[a:b])

        counts.parallel.over_groups(work, anchor=anchor)
        return sums

    # ---- parts that are made when they are asked for ------------------------------------------

    @cached_property
    def label_pairs(self) -> LabelPairs:
        """Pairs of a feature and a label."""
        return LabelPairs(self)

    @cached_property
    def triples(self) -> TripleSums:
        """Triples of a feature, an anchor and a label."""
        return TripleSums(self)

    @cached_property
    def joint_picks(self) -> JointPicks:
        """Several features taken jointly."""
        return JointPicks(self)

    @cached_property
    def among_labels(self) -> Table:
        """Give a table with the labels in the place of the features."""
        budget = self.budget.among_labels()
        counts = self.counts.among_labels()
        return Table(counts, self.q, self.mask_of, ignore_missing=True, budget=budget)

    def of_equal_rows(self) -> Table:
        """Count every row of the columns once."""
        counts = self.counts
        kind = np.full(self.d, LayoutKind.LISTS)
        equal = Counts(counts.features, counts.label_codes, None, kind)
        return Table(equal, self.q, self.mask_of, positions=self.positions, budget=self.budget)

    def among_rows(self, row_mask: np.ndarray, parts: int = 1) -> Table:
        """Count only the rows of a mask, one of so many parts of the rows."""
        return Table(
            self.counts.among_rows(row_mask, self.counts.n_jobs if parts > 1 else 1),
            self.q,
            self.mask_of,
            ignore_missing=self.ignore_missing,
            positions=self.positions,
            budget=self.budget.shared(parts),
        )

    def release(self) -> None:
        """Break reference cycles, so that memory is freed when nothing refers to the table."""
        among = vars(self).pop("among_labels", None)
        if among is not None:
            among.release()
        for part in ("label_pairs", "triples", "joint_picks"):
            vars(self).pop(part, None)
        self.subset_planes = None


def sums_of_set(
    picked: Sequence[int],
    context: Hashable,
    cache: Cache,
    d: int,
    su_with: Callable[[int], np.ndarray],
    position: Callable[[int], int],
) -> tuple[np.ndarray, np.ndarray]:
    """`su_fS` and `su_SS`, continued from the longest beginning of the set that is kept.

    Parameters
    ----------
    picked : sequence of int
        The set.
    context : hashable
        What the labels change of it.
    cache : Cache
        Keeps the sums.
    d : int
        The number of columns.
    su_with : callable
        Gives SU of all columns with one.
    position : callable
        Gives the place of a column among all.
    """
    order, total, pairs = tuple(map(int, picked)), np.zeros(d), np.zeros(())
    for n in range(len(order), 0, -1):
        kept = cache.find(("su_fS", order[:n], context))
        if kept is not None:
            total, pairs = kept
            break
    else:
        n = 0
    for s, end in zip(order[n:], range(n + 1, len(order) + 1), strict=True):
        pairs, total = pairs + total[position(s)], total + su_with(s)
        cache.keep(("su_fS", order[:end], context), (total, pairs))
    return total, pairs
