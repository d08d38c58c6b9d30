"""The cached table of entropies and informations: counts each thing once.

`Table` finishes counts into numbers for all features at once; `Info` (in info.py) is the
vocabulary in which criteria ask for them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mlfs._kernels import finishing, meeting
from mlfs.counting.counts import Counts, Given
from mlfs.counting.memory import ROOMY, Budget
from mlfs.information.cache import Cache
from mlfs.information.label_pairs import LabelPairs
from mlfs.information.pair_statistics import Held
from mlfs.information.triples import Triples
from mlfs.information.xlogx import clogc_table, entropies, of_rows, per_row

if TYPE_CHECKING:
    from mlfs.information.meetings import Meetings

__all__ = ["Cache", "PairInfo", "Table", "entropies"]


class PairInfo(NamedTuple):
    """I(f;g), H(f) and H(g) of every feature f, on the rows in which both are known."""

    mi: np.ndarray
    h_f: np.ndarray
    h_g: np.ndarray

    @property
    def su(self) -> np.ndarray:
        """Symmetrical uncertainty 2 I(f;g) / (H(f) + H(g)), 0 where both entropies are 0."""
        both = self.h_f + self.h_g
        return np.divide(2 * self.mi, both, out=np.zeros_like(both), where=both > 0)


class Table:
    """Informations of all features with anything, finished from counts and cached.

    Parameters
    ----------
    counts : Counts
        The counts of the data. Label columns from `q` on are masks of missing labels.
    q : int
        Number of labels.
    mask_of : ndarray of int
        The mask column of each label, or -1 for a label without missing values.
    ignore_missing : bool
        Leave out rows in which a feature is missing, instead of counting them as a level.
    place : ndarray of int, optional
        Where each column of the data stands among the counted columns; the arrays of a table
        are in the order of the counted ones.
    budget : Budget
        What memory may be taken.
    clogc : ndarray, optional
        c log c of every count, if another table of the same rows has it.
    """

    meetings: Meetings | None = None  # what `mlfs.information.meetings.Meetings.of` makes of it

    def __init__(
        self,
        counts: Counts,
        q: int,
        mask_of: np.ndarray,
        *,
        ignore_missing: bool = False,
        place: np.ndarray | None = None,
        budget: Budget = ROOMY,
        clogc: np.ndarray | None = None,
    ) -> None:
        self.place = place
        self.counts, self.q, self.mask_of = counts, q, mask_of
        counts.most_masks = min(counts.most_masks, budget.masks)
        self.d = counts.d
        self.ignore_missing = ignore_missing
        self.f_valid = counts.features[0].valid(ignore_missing=ignore_missing)
        self.f_whole = bool((self.f_valid == counts.levels).all())
        self.l_valid = counts.labels[0].valid(ignore_missing=True)
        self.budget = budget
        self.cache = Cache(budget.cache)
        self.recent = Cache(budget.recent)  # what is asked for within one step
        self.l_whole = self.l_valid == counts.labels[0].levels
        self._l_all_whole = bool(self.l_whole.all())
        self.l_binary = counts.labels[0].levels == 2
        nats = float(np.log2(counts.labels[0].levels).sum())  # more than the logarithms' sum
        self.clogc = clogc_table(counts.total, nats) if clogc is None else clogc
        self.in_table = counts.total < self.clogc.size - 1
        self.rows = np.array(counts.total)
        self.pairs_counted = 0
        self._no_masks = bool((mask_of < 0).all())

    def position(self, column: int) -> int:
        """Where a column of the data stands among the counted columns."""
        return int(column) if self.place is None else int(self.place[column])

    @cached_property
    def h_f(self) -> np.ndarray:
        """H(f)."""
        return entropies(self._f_sums[:, 0], self.t_f, self.clogc)

    @cached_property
    def h_l(self) -> np.ndarray:
        """H(l), missing values left out."""
        return entropies(self._l_sums[:, 0], self.t_l, self.clogc)[: self.q]

    @cached_property
    def t_f(self) -> np.ndarray:
        """The sums of c log c over n(f) of every feature."""
        return self._f_sums[:, 1].copy()  # in one piece, as it is asked for in every step

    @cached_property
    def t_l(self) -> np.ndarray:
        """The sums of c log c over n(l) of every label."""
        return self._l_sums[:, 1].copy()

    def t_of(self, given: Given) -> np.ndarray:
        """The sum of c log c over n(s)."""
        out = np.empty((1, 2), np.int64)
        edges, valid = np.array([0, given.levels]), np.array([given.valid], np.int32)
        finishing.singles(given.alone, edges, valid, self.clogc, out)
        return out[0, 1]

    @cached_property
    def _t_n(self) -> np.ndarray:
        return of_rows(self.rows, self.clogc)

    @cached_property
    def _f_sums(self) -> np.ndarray:
        return self._singles(self.counts.n_f, self.counts.offsets, self.f_valid)

    @cached_property
    def _l_sums(self) -> np.ndarray:
        return self._singles(self.counts.n_l, self.counts.l_offsets, self.l_valid)

    def _singles(self, n: np.ndarray, offsets: np.ndarray, valid: np.ndarray) -> np.ndarray:
        out = np.empty((valid.size, 2), np.int64)
        finishing.singles(n, offsets, valid, self.clogc, out)
        return out

    def is_whole(self, labels: np.ndarray, given: Given | None = None) -> bool:
        """Whether every row counts: no missing value is left out of a term about them."""
        whole = self.f_whole and (given is None or given.valid == given.levels)
        return whole and (self._l_all_whole or bool(self.l_whole[labels].all()))

    def feature(self, s: int) -> Held:
        """A picked feature, beside all features."""

        def make() -> Held:
            self.pairs_counted += self.d
            held = self.held(self.counts.feature(s, int(self.f_valid[s])))
            return held.kept_in(self.cache, ("s", s))

        found: Held = self.cache.get(("s", s), make)
        return found

    def label(self, p: int) -> Held:
        """A label, beside all features."""

        def make() -> Held:
            held = self.held(self.counts.label(p, int(self.l_valid[p])), p)
            return held.kept_in(self.cache, ("p", p))

        found: Held = self.cache.get(("p", p), make)
        return found

    def held(self, given: Given, label: int | None = None) -> Held:
        """Any column, beside all features; a label is known to have been counted."""
        counts, d = self.counts, self.d
        whole = self.f_whole and given.valid == given.levels
        small = whole and self.in_table and given.levels == 2
        parts = [np.zeros(0, np.int64)] * len(counts.edges)
        sums = np.empty((4, 0 if small and all(counts.binary) else d), np.int64)
        t_fs = np.zeros(d, np.int64)

        def work(i: int, a: int, b: int) -> None:
            if small and counts.binary[i]:
                parts[i] = (
                    counts.off_pairs(i, given)
                    if label is None
                    else self.with_labels.off(i, np.array([label]))[0]
                )
                off, n = given.off_base, counts.total
                meeting.pairs_of_two(counts.off_f[i], parts[i], off, n, self.clogc, t_fs[a:b])
                return
            in_short = whole and self.in_table
            if in_short and counts.add_pair_sums_of(i, given, self.clogc, t_fs[a:b]):
                return
            offsets, where = counts.cells(a, b)
            zeros = np.zeros((where.stop - where.start, given.levels), np.int64)
            parts[i] = counts.pairs_of(i, given, zeros)
            four = np.empty((b - a, 4), np.int64)
            finishing.pair_sums(parts[i], offsets, self.f_valid[a:b], given.valid, self.clogc, four)
            t_fs[a:b] = four[:, 1]
            if not whole:
                sums[:, a:b] = four.T

        counts.shares.over_stripes(work, counts.shares.cost_of(given))
        if whole:
            t_s = np.array(self.t_of(given))
            return Held(counts, given, parts, self.rows, t_fs, self.t_f, t_s)
        return Held(counts, given, parts, sums[0], t_fs, sums[2], sums[3])

    def pair_with_label(self, label: int) -> PairInfo:
        """I(f;l) and the entropies."""

        def make() -> PairInfo:
            if self.is_whole(np.array([label])):
                t_l = self.t_l[label : label + 1]
                return self._informed(self.rows, self.with_labels.sums(label), self.t_f, t_l)
            return self._pair(self.with_labels.counts(label), int(self.l_valid[label]))

        found: PairInfo = self.cache.get(("fl", label), make)
        return found

    def _pair(self, table: np.ndarray, g_valid: int) -> PairInfo:
        return self._informed(*self.pair_sums(table, g_valid).T)

    def _informed(
        self, rows: np.ndarray, t_fg: np.ndarray, t_f: np.ndarray, t_g: np.ndarray
    ) -> PairInfo:
        clogc = self.clogc
        t_n = of_rows(rows, clogc)
        shape = np.shape(t_fg)
        h_f = self.h_f if t_f is self.t_f or np.shares_memory(t_f, self.t_f) else None
        return PairInfo(
            per_row(t_n + t_fg - t_f - t_g, rows, clogc),
            per_row(t_n - t_f, rows, clogc) if h_f is None else h_f,
            np.broadcast_to(per_row(t_n - t_g, rows, clogc), shape),
        )

    def pair_sums(self, table: np.ndarray, g_valid: int) -> np.ndarray:
        """Rows and sums of c log c over fg, f, g: (features, 4)."""
        sums = np.empty((self.d, 4), np.int64)

        def work(_: int, a: int, b: int) -> None:
            offsets, where = self.counts.cells(a, b)
            finishing.pair_sums(
                table[where], offsets, self.f_valid[a:b], g_valid, self.clogc, sums[a:b]
            )

        self.counts.shares.over_stripes(work)
        return sums

    def masks_of(self, labels: np.ndarray) -> list[tuple[int, int]]:
        """The masks of missing values of some labels, each with the number of its labels."""
        if self._no_masks:
            return [(-1, int(labels.size))]
        masks, times = np.unique(self.mask_of[labels], return_counts=True)
        return list(zip(masks.tolist(), times.tolist(), strict=True))

    def pair_with_feature(self, s: int, labels: np.ndarray) -> PairInfo:
        """I(f;s) and the entropies, as they stand inside terms about labels."""
        return self._in_context(("fs", s), labels, lambda: self.feature(s))

    def mi_with_feature(self, s: int, labels: np.ndarray) -> np.ndarray:
        """I(f;s) alone."""
        if not (self.f_whole and self._no_masks):
            return self.pair_with_feature(s, labels).mi

        def make() -> np.ndarray:
            held = self.feature(s)
            t_n = self._t_n if held.rows is self.rows else of_rows(held.rows, self.clogc)
            return per_row(t_n + held.t_fs - held.t_f - held.t_s, held.rows, self.clogc)

        found: np.ndarray = self.cache.get(("mi", s), make)
        return found

    def su_with_feature(self, s: int, labels: np.ndarray) -> np.ndarray:
        """SU(f,s), as it stands inside terms about labels."""
        key = ("su", s, tuple(self.masks_of(labels)))
        found: np.ndarray = self.cache.get(key, lambda: self.pair_with_feature(s, labels).su)
        return found

    def pair_with_parent(self, p: int, labels: np.ndarray) -> PairInfo:
        """I(f;p) and the entropies, as they stand inside terms about labels."""
        return self._in_context(("fp", p), labels, lambda: self.label(p))

    def _in_context(
        self, key: tuple[str, int], labels: np.ndarray, held: Callable[[], Held]
    ) -> PairInfo:
        """The mean over the labels in play of what their own rows say.

        A row in which a label is missing is left out of everything inside a term about that
        label. Without missing labels this is the plain pair.
        """

        def plain() -> PairInfo:
            column = held()
            return self._informed(column.rows, column.t_fs, column.t_f, column.t_s)

        def masked(mask: int) -> PairInfo:
            sums = self.triples.sums(held(), np.array([mask]))
            rows, t_fs, t_f, t_s = (part[0] for part in (sums.rows, sums.fs, sums.f, sums.s))
            return self._informed(rows, t_fs, t_f, t_s)

        masks = self.masks_of(labels)
        parts = [
            self.cache.get((key, mask), plain if mask < 0 else functools.partial(masked, mask))
            for mask, _ in masks
        ]
        if len(parts) == 1:
            only: PairInfo = parts[0]
            return only
        return PairInfo(
            *(
                sum(n * part[i] for (_, n), part in zip(masks, parts, strict=True)) / labels.size
                for i in range(3)
            )
        )

    def entropy_in_context(self, labels: np.ndarray) -> np.ndarray:
        """H(f) as it stands inside terms about labels: the mean over the labels in play."""
        masks = self.masks_of(labels)
        parts = [self.h_f if mask < 0 else self.pair_with_label(mask).h_f for mask, _ in masks]
        if len(parts) == 1:
            return parts[0]
        weighted = [n * part for (_, n), part in zip(masks, parts, strict=True)]
        total: np.ndarray = sum(weighted[1:], weighted[0]) / labels.size
        return total

    @cached_property
    def with_labels(self) -> LabelPairs:
        """What is said about pairs of a feature and a label."""
        return LabelPairs(self)

    @cached_property
    def triples(self) -> Triples:
        """What is said about triples of a feature, a picked column and a label."""
        return Triples(self)

    @cached_property
    def among_labels(self) -> Table:
        """The same table with the labels in the place of the features."""
        blocks = self.counts.labels
        counts = Counts(blocks, blocks, self.counts.weights)
        budget = self.budget.among_labels()
        return Table(counts, self.q, self.mask_of, ignore_missing=True, budget=budget)

    def let_go(self) -> None:
        """Break the circles that it is in, so that its memory is free once nobody asks it."""
        among = vars(self).pop("among_labels", None)
        if among is not None:
            among.let_go()
        for part in ("with_labels", "triples"):
            vars(self).pop(part, None)
        self.meetings = None
