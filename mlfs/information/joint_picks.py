"""Several picks taken jointly: as one column of joint codes, or as parts of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlfs.counting.parts import Parts, information_given
from mlfs.counting.xlogx import entropies, per_row, wrap_int64

if TYPE_CHECKING:
    from mlfs.counting.anchor import PairStatistics
    from mlfs.information.table import Table


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

    def _codes(self, position: int) -> np.ndarray:
        table, key = self._table, ("codes", position)
        codes: np.ndarray | None = table.cache.find(key)
        return table.cache.keep(key, table.column(position)) if codes is None else codes

    @property
    def constant_column(self) -> PairStatistics:
        """A constant column as an anchor."""
        return self._statistics(np.zeros(self._table.counts.n_rows, np.int64), None)

    # ---- two picks ----------------------------------------------------------------------------

    def pair(self, s: int, t: int) -> PairStatistics:
        """Two features, at counted positions, as one anchor; the last one is kept."""
        s, t = min(s, t), max(s, t)
        if self._pair is None or self._pair[0] != (s, t):
            self._pair = (s, t), self._statistics(self._joint(s, t), self._known_rows(s, t))
        return self._pair[1]

    def _joint(self, s: int, t: int) -> np.ndarray:
        return self._codes(s) * np.int64(self._table.levels(t)) + self._codes(t)

    def _known_rows(self, *positions: int) -> np.ndarray | None:
        """The rows in which no column has a value that is left out; None for all."""
        table = self._table
        if table.f_all_valid:
            return None
        known_rows = np.ones(table.counts.n_rows, bool)
        for position in positions:
            known_rows &= self._codes(position) < table.valid(position)
        return known_rows

    def _statistics(self, codes: np.ndarray, known_rows: np.ndarray | None) -> PairStatistics:
        """Count a column with all features; its codes need not be small."""
        n_levels, renumbered = renumber(codes if known_rows is None else codes[known_rows])
        left_out = 0
        if known_rows is not None and not known_rows.all():
            all_codes = np.full(codes.size, n_levels)
            all_codes[known_rows] = renumbered
            renumbered, left_out = all_codes, 1
        return self._table.statistics(self._table.counts.other_anchor(renumbered, left_out))

    def joint_information(self, s: int, t: int, labels: np.ndarray) -> np.ndarray:
        """sum_l I(f,s,t;l), on the rows in which all four are known."""
        table, pairs = self._table, self.pair(s, t)
        if table.all_valid(labels, pairs.anchor):
            joint = table.triples.joint_sums(pairs, labels)
            constant = labels.size * int(table.t_n) - int(table.t_l[labels].sum())
            total = joint - labels.size * pairs.t_fs + wrap_int64(constant)
            return per_row(total, table.rows, table.counts.xlogx)
        added = np.zeros(table.d)
        xlogx = table.counts.xlogx
        for chunk in self._chunks(labels):
            sums = table.triples.sums(pairs, chunk)
            plain = entropies(sums.rows, sums.f + sums.l - sums.fl, xlogx)
            for values in plain + sums.sl_given_f(xlogx):
                added += values
        return added

    def information_given(self, s: int, t: int, labels: np.ndarray) -> np.ndarray:
        """I(f;s|t) inside terms about labels."""
        table = self._table
        key = "fst", min(s, t), max(s, t)
        joint = table.in_context(key, labels, lambda: self.pair(s, t)).mi
        known_rows = self._known_rows(s, t)
        if known_rows is None:
            return np.maximum(joint - table.pair_with_feature(t, labels).mi, 0.0)

        def restricted() -> PairStatistics:
            return self._statistics(self._codes(t), known_rows)

        alone = table.in_context(("ft where s", s, t), labels, restricted).mi
        return np.maximum(joint - alone, 0.0)

    # ---- any number of picks ------------------------------------------------------------------

    def cmi_given_all(self, picks: Sequence[int], labels: np.ndarray) -> np.ndarray:
        """sum_l I(f;l|S) for picks at counted positions, in the order of the picks."""
        table, (parts, known_rows) = self._table, self._parts(tuple(picks))
        added, xlogx = np.zeros(table.d), table.counts.xlogx
        if table.f_all_valid:
            entries = max(1, table.budget.block // ENTRY_BYTES)
            for mask, group in self._labels_by_mask(labels):
                known_parts, rows = self._where_known(parts, mask)
                total = information_given(table.counts, known_parts, group, table.cache, entries)
                added += per_row(total, rows, xlogx)
            return added
        everywhere = self._statistics(np.zeros(known_rows.size, np.int64), known_rows)
        for chunk in self._chunks(labels):
            total = np.zeros((chunk.size, table.d), np.int64)
            for pairs in self._batches(parts):
                sums = table.triples.sums(pairs, chunk)
                total += sums.fsl + sums.s - sums.fs - sums.sl
            rows = table.triples.sums(everywhere, chunk).rows
            for values in per_row(total, rows, xlogx):
                added += values
        return added

    def _labels_by_mask(self, labels: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Labels that are missing in the same rows, and the mask of these rows, or -1."""
        masks = self._table.mask_of[labels]
        for mask in np.unique(masks).tolist():
            yield mask, labels[masks == mask]

    def _where_known(self, parts: Parts, mask: int) -> tuple[Parts, np.ndarray]:
        """The parts without the rows of a mask, and how many rows there are without them."""
        counts = self._table.counts
        if mask < 0:
            return parts, self._table.rows
        n_rows = counts.labels.n[counts.labels.offsets[mask]]
        return parts.refined(counts.label_codes.column(mask), 1), n_rows

    def _parts(self, picks: tuple[int, ...]) -> tuple[Parts, np.ndarray]:
        """The rows divided by the picks, continued from the last ones, and the known rows."""
        n_rows = self._table.counts.n_rows
        none: tuple[int, ...] = ()
        start = none, Parts.of_all(n_rows, self._table.counts.with_weight), np.ones(n_rows, bool)
        last, parts, known_rows = self._last or start
        if picks[: len(last)] != last:
            last, parts, known_rows = start
        for position in picks[len(last) :]:
            codes, valid = self._codes(position), self._table.valid(position)
            parts = parts.refined(codes, valid)
            if not self._table.f_all_valid:
                known_rows = known_rows & (codes < valid)
            last = (*last, position)
            self._last = last, parts, known_rows  # the next column may be another's, and missing
        return parts, known_rows

    def _batches(self, parts: Parts) -> Iterator[PairStatistics]:
        """Some of the parts at a time as a column; the other rows are left out."""
        n = parts.edges.size - 1
        for start in range(0, n, PARTS_AT_ONCE):
            edges = parts.edges[start : start + PARTS_AT_ONCE + 1]
            codes = np.full(self._table.counts.n_rows, -1)
            codes[parts.rows[edges[0] : edges[-1]]] = np.repeat(
                np.arange(edges.size - 1), np.diff(edges)
            )
            yield self._statistics(codes, codes >= 0)

    def _chunks(self, labels: np.ndarray) -> Iterator[np.ndarray]:
        table = self._table
        step = max(1, table.budget.block // (LABEL_BYTES * max(1, table.d)))
        for start in range(0, labels.size, step):
            yield labels[start : start + step]


def renumber(codes: np.ndarray) -> tuple[int, np.ndarray]:
    """How many different codes there are, and the codes as numbers below that.

    Examples
    --------
    >>> n_levels, codes = renumber(np.array([7, 2, 7]))
    >>> n_levels, codes.tolist()
    (2, [1, 0, 1])
    """
    if int(codes.max(initial=0)) > max(FEW, codes.size):
        distinct, renumbered = np.unique(codes, return_inverse=True)
        return distinct.size, renumbered
    occurs = np.bincount(codes) > 0
    if occurs.all():
        return occurs.size, codes
    numbers = np.cumsum(occurs) - 1
    return int(occurs.sum()), numbers[codes]
