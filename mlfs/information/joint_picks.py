"""Several picks taken jointly: as one column of joint codes, or as parts of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlfs.counting.parts import Parts, information_given
from mlfs.counting.xlogx import entropies, per_row, wrapped

if TYPE_CHECKING:
    from mlfs.counting.anchor import PairStatistics
    from mlfs.information.table import Table

__all__ = ["JointPicks"]

PARTS_AT_ONCE = 63
ENTRY_BYTES = 8  # of a cell in lists by row, and while they are made
LABEL_BYTES = 200  # of a feature and a label in complete tables
FEW = 1 << 10


class JointPicks:
    """The joint columns of picks of a table.

    Parameters
    ----------
    table : Table
        The counts of all features.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._last: tuple[tuple[int, ...], Parts, np.ndarray] | None = None
        self._pair: tuple[tuple[int, int], PairStatistics] | None = None

    def _codes(self, at: int) -> np.ndarray:
        table, key = self._table, ("codes", at)
        found: np.ndarray | None = table.cache.find(key)
        return table.cache.keep(key, table.counts.column(at)) if found is None else found

    def _valid(self, at: int) -> int:
        return int(self._table.f_valid[at])

    @property
    def nothing(self) -> PairStatistics:
        """A constant column as an anchor."""
        return self._statistics(np.zeros(self._table.counts.n_rows, np.int64), None)

    # ---- two picks ----------------------------------------------------------------------------

    def pair(self, s: int, t: int) -> PairStatistics:
        """Two features, at counted positions, as one anchor; the last one is kept."""
        s, t = min(s, t), max(s, t)
        if self._pair is None or self._pair[0] != (s, t):
            self._pair = (s, t), self._statistics(self._joint(s, t), self._known(s, t))
        return self._pair[1]

    def _joint(self, s: int, t: int) -> np.ndarray:
        width = int(self._table.counts.levels[t])
        return self._codes(s) * np.int64(width) + self._codes(t)

    def _known(self, *columns: int) -> np.ndarray | None:
        """The rows in which no column has a value that is left out; None for all."""
        table = self._table
        if table.f_whole:
            return None
        known = np.ones(table.counts.n_rows, bool)
        for at in columns:
            known &= self._codes(at) < table.f_valid[at]
        return known

    def _statistics(self, codes: np.ndarray, known: np.ndarray | None) -> PairStatistics:
        """Count a column with all features; its codes need not be small."""
        n_levels, small = _renumbered(codes if known is None else codes[known])
        left_out = 0
        if known is not None and not known.all():
            every = np.full(codes.size, n_levels)
            every[known] = small
            small, left_out = every, 1
        return self._table.statistics(self._table.counts.other(small, left_out))

    def joint_information(self, s: int, t: int, labels: np.ndarray) -> np.ndarray:
        """sum_l I(f,s,t;l), on the rows in which all four are known."""
        table, pairs = self._table, self.pair(s, t)
        if table.is_whole(labels, pairs.anchor):
            joint = table.triples.joint_sums(pairs, labels)
            alone = labels.size * int(table.t_n) - int(table.t_l[labels].sum())
            total = joint - labels.size * pairs.t_fs + wrapped(alone)
            return per_row(total, table.rows, table.counts.xlogx)
        added = np.zeros(table.d)
        xlogx = table.counts.xlogx
        for some in self._some(labels):
            sums = table.triples.sums(pairs, some)
            plain = entropies(sums.rows, sums.f + sums.l - sums.fl, xlogx)
            for one in plain + sums.sl_given_f(xlogx):
                added += one
        return added

    def information_given(self, s: int, t: int, labels: np.ndarray) -> np.ndarray:
        """I(f;s|t) inside terms about labels."""
        table = self._table
        key = "fst", min(s, t), max(s, t)
        both = table.in_context(key, labels, lambda: self.pair(s, t)).mi
        known = self._known(s, t)
        if known is None:
            return np.maximum(both - table.pair_with_feature(t, labels).mi, self._table.floor)

        def restricted() -> PairStatistics:
            return self._statistics(self._codes(t), known)

        alone = table.in_context(("ft where s", s, t), labels, restricted).mi
        return np.maximum(both - alone, self._table.floor)

    # ---- any number of picks ------------------------------------------------------------------

    def given_all(self, picks: Sequence[int], labels: np.ndarray) -> np.ndarray:
        """sum_l I(f;l|S) for picks at counted positions, in the order of the picks."""
        table, (parts, known) = self._table, self._parts(tuple(picks))
        added, xlogx = np.zeros(table.d), table.counts.xlogx
        if table.f_whole:
            entries = max(1, table.budget.block // ENTRY_BYTES)
            for mask, some in self._by_mask(labels):
                own, rows = self._where_known(parts, mask)
                total = information_given(table.counts, own, some, table.cache, entries)
                added += per_row(total, rows, xlogx)
            return added
        everywhere = self._statistics(np.zeros(known.size, np.int64), known)
        for some in self._some(labels):
            total = np.zeros((some.size, table.d), np.int64)
            for pairs in self._batches(parts):
                sums = table.triples.sums(pairs, some)
                total += sums.fsl + sums.s - sums.fs - sums.sl
            rows = table.triples.sums(everywhere, some).rows
            for one in per_row(total, rows, xlogx):
                added += one
        return added

    def _by_mask(self, labels: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Labels that are missing in the same rows, and the mask of these rows, or -1."""
        masks = self._table.mask_of[labels]
        for mask in np.unique(masks).tolist():
            yield mask, labels[masks == mask]

    def _where_known(self, parts: Parts, mask: int) -> tuple[Parts, np.ndarray]:
        """The parts without the rows of a mask, and how many rows there are without them."""
        counts = self._table.counts
        if mask < 0:
            return parts, self._table.rows
        codes = np.concatenate([block.label_codes.column(mask) for block in counts.blocks])
        return parts.refined(codes, 1), counts.labels.n[counts.labels.offsets[mask]]

    def _parts(self, picks: tuple[int, ...]) -> tuple[Parts, np.ndarray]:
        """The rows divided by the picks, continued from the last ones, and the known rows."""
        n_rows = self._table.counts.n_rows
        none: tuple[int, ...] = ()
        start = none, Parts.of_all(n_rows, self._table.counts.with_weight), np.ones(n_rows, bool)
        last, parts, known = self._last or start
        if picks[: len(last)] != last:
            last, parts, known = start
        for at in picks[len(last) :]:
            codes, valid = self._codes(at), self._valid(at)
            parts = parts.refined(codes, valid)
            if not self._table.f_whole:
                known = known & (codes < valid)
            last = (*last, at)
            self._last = last, parts, known  # a holder may lack the next column
        return parts, known

    def _batches(self, parts: Parts) -> Iterator[PairStatistics]:
        """Some of the parts at a time as a column; the other rows are left out."""
        n = parts.edges.size - 1
        for first in range(0, n, PARTS_AT_ONCE):
            edges = parts.edges[first : first + PARTS_AT_ONCE + 1]
            codes = np.full(self._table.counts.n_rows, -1)
            codes[parts.rows[edges[0] : edges[-1]]] = np.repeat(
                np.arange(edges.size - 1), np.diff(edges)
            )
            yield self._statistics(codes, codes >= 0)

    def _some(self, labels: np.ndarray) -> Iterator[np.ndarray]:
        table = self._table
        step = max(1, table.budget.block // (LABEL_BYTES * max(1, table.d)))
        for first in range(0, labels.size, step):
            yield labels[first : first + step]


def _renumbered(codes: np.ndarray) -> tuple[int, np.ndarray]:
    """How many different codes there are, and the codes as numbers below that.

    Examples
    --------
    >>> n_levels, codes = _renumbered(np.array([7, 2, 7]))
    >>> n_levels, codes.tolist()
    (2, [1, 0, 1])
    """
    if int(codes.max(initial=0)) > max(FEW, codes.size):
        used, small = np.unique(codes, return_inverse=True)
        return used.size, small
    occurs = np.bincount(codes) > 0
    if occurs.all():
        return occurs.size, codes
    place = np.cumsum(occurs) - 1
    return int(occurs.sum()), place[codes]
