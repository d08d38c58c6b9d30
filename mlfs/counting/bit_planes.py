"""Columns kept as bit planes, which meet by AND and popcount."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

import numpy as np

from mlfs._kernels import dense, meeting, planes, sweeping
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import Column, Meeting, TwoLevels
from mlfs.counting.entries import edges_of

__all__ = ["Planes", "packed_labels", "packed_planes"]

FEW_LABELS = 3  # with a column, as many masks as are swept at once
FEW_WORDS = 8  # a loop over so few is not worth vector instructions
MASK_BYTES = 1 << 20  # of masks that are held against planes at once: they stay in the cache


class Planes:
    """Columns kept as bit planes, one for each code but the base; rows count once each."""

    def __init__(self, codes: Codes, first: int, last: int) -> None:
        levels, base = codes.levels[first:last], codes.base[first:last]
        self._words = -(-codes.n_rows // 64)
        self._planes = packed_planes(codes, first, last)
        self.first, self._n_rows = edges_of(levels - 1), codes.n_rows
        # the cell of each plane: all codes of a column but its base
        is_plane = np.ones(int(levels.sum()), bool)
        is_plane[np.cumsum(levels) - levels + base] = False
        self.cells = np.flatnonzero(is_plane)
        self._given: Column | None = None
        self._with_given = self._ahead = np.zeros((0, 0), np.int32)
        self._usual: np.ndarray | None = None  # the labels that were asked for last
        self._ahead_of: np.ndarray | None = None
        self._room_of_given, self._room_of_labels = _Room(), _Room()
        self._lock = threading.Lock()  # on what is kept until the next call

    @property
    def planes(self) -> np.ndarray:
        """The planes: column after column, code after code without the base."""
        return self._planes

    def pairs(self, given: Column, block: int, weights: np.ndarray, table: np.ndarray) -> None:
        """AND each plane with those of s."""
        del weights  # every row counts once: `kinds` sees to that
        masks = given.masks[block]
        met = self._met(masks, np.int64)
        sweeping.spread(met, self.cells, given.base, table[None])

    def triples(self, m: Meeting, tables: np.ndarray) -> None:
        """AND each plane with the meetings of s and each label."""
        size, _, s_levels, l_levels = tables.shape
        masks = self._meetings(m, s_levels, l_levels)
        wanted = np.flatnonzero(masks.any(axis=1))
        counted = self._counted(masks, wanted)
        i, c, code = np.unravel_index(wanted, (size, s_levels, l_levels))
        tables[i[:, None], self.cells[None, :], c[:, None], code[:, None]] += counted.T

    def add_pair_sums(
        self, given: Column, off_s: np.ndarray, off_f: np.ndarray, clogc: np.ndarray, out: Any
    ) -> None:
        """Add to out[column] the sum over n(f,s), any levels."""
        with self._lock:
            met = self._met_with(given, off_f.dtype)
            dense.pairs_of_planes(self.first, off_f, met, off_s, self._n_rows, clogc, out)

    def add_label_sums(
        self, masks: np.ndarray, off_l: np.ndarray, off_f: np.ndarray, clogc: np.ndarray, out: Any
    ) -> None:
        """The like over n(f,l) of labels of two levels, told by their masks."""
        for at in range(off_l.size):
            with self._lock:
                met = self._met_with_labels(masks[at : at + 1], off_f.dtype)
                own = off_f, met, off_l[at : at + 1]
                dense.pairs_of_planes(self.first, *own, self._n_rows, clogc, out)

    def add_joint_of_levels(
        self,
        given: Column,
        labels: np.ndarray,
        off_f: np.ndarray,
        off_s: np.ndarray,
        off_fl: np.ndarray,
        off_l: np.ndarray,
        off_sl: np.ndarray,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Add the sums over n(f,s,l), labels of two levels, told by their masks."""
        both = (labels[:, None, :] & given.masks[0]).reshape(-1, self._words)
        with self._lock:
            dense.joint_of_planes(
                self.first,
                off_f,
                self._met_with_labels(both, off_f.dtype),
                off_s,
                self._n_rows,
                self._met_with(given, off_f.dtype),
                off_fl,
                off_l,
                off_sl,
                clogc,
                out,
            )

    def off_pairs(self, given: Column, block: int, weights: np.ndarray, out: np.ndarray) -> None:
        """AND each plane with that of s."""
        del weights
        with self._lock:
            out += self._met_with(given, out.dtype, block)[0]

    def off_labels(
        self,
        y: Codes,
        labels: np.ndarray,
        masks: np.ndarray | None,
        weights: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """AND each plane with that of each label."""
        del weights
        if masks is not None:
            self._sweep(masks, out)
        else:
            self._sweep_rows(y.rows, y.indptr[labels], y.indptr[labels + 1], out)

    def add_joint(
        self,
        parts: TwoLevels,
        masks: np.ndarray | None,
        off_f: np.ndarray,
        n_rows: int,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """AND each plane with the meetings of s and each label, and finish."""
        with self._lock:
            met = self._met_with_both(parts, masks, off_f.dtype)
            meeting.joint_of_meets(
                met,
                off_f,
                parts.off_fs,
                parts.off_fl,
                parts.off_s,
                parts.off_l,
                parts.off_sl,
                n_rows,
                clogc,
                out,
            )

    def _met(self, masks: np.ndarray, kind: Any) -> np.ndarray:
        """How many rows each mask and each plane have in common: (masks, planes)."""
        met = np.zeros((masks.shape[0], self._planes.shape[0]), kind)
        self._sweep(masks, met)
        return met

    def _met_with(self, given: Column, kind: Any, block: int = 0) -> np.ndarray:
        """The like for the planes of one column, kept until another one is asked for.

        The same sweep counts what it shares with the labels, if these are few and were asked for
        with the column before: what costs is to read the planes.
        """
        if self._given is not given:
            self._given = None  # an interrupt must not leave its name on what is half counted
            own = given.masks[block]
            n = own.shape[0]
            self._ahead_of = self._usual if n == 1 else None
            ahead = [] if self._ahead_of is None else [self._ahead_of & own]
            masks = np.concatenate([own, *ahead])
            met = self._room_of_given.zeros(len(masks), len(self._planes), kind)
            self._sweep(masks, met)
            self._given, self._with_given, self._ahead = given, met[:n], met[n:]
        return self._with_given

    def _met_with_both(self, parts: TwoLevels, masks: np.ndarray | None, kind: Any) -> np.ndarray:
        """The like for the rows that a column and labels, all of two levels, share."""
        if masks is None:
            met = self._room_of_labels.zeros(parts.off_l.size, len(self._planes), kind)
            self._sweep_rows(parts.rows, parts.first, parts.last, met)
            return met
        self._usual = masks if len(masks) <= FEW_LABELS else None
        of = self._ahead_of if self._given is parts.given else None
        if of is not None and np.array_equal(of, masks):
            return self._ahead
        return self._met_with_labels(masks & parts.given.masks[0], kind)

    def _met_with_labels(self, masks: np.ndarray, kind: Any) -> np.ndarray:
        """The like for masks of labels, kept until the next call."""
        met = self._room_of_labels.zeros(len(masks), len(self._planes), kind)
        self._sweep(masks, met)
        return met

    def _sweep(self, masks: np.ndarray, out: np.ndarray) -> None:
        """Add that."""
        if self._words <= FEW_WORDS:
            sweeping.sweep_across(self._turned, masks, out)
        else:
            sweeping.sweep(self._planes, masks, out)

    @cached_property
    def _turned(self) -> np.ndarray:
        """The planes word by word."""
        return np.ascontiguousarray(self._planes.T)

    def _sweep_rows(
        self, rows: np.ndarray, first: np.ndarray, last: np.ndarray, out: np.ndarray
    ) -> None:
        """Add to out[i, plane] how many of the rows from first[i] to last[i] a plane has."""
        at_once = max(1, MASK_BYTES // (8 * max(1, self._words)))
        for at in range(0, first.size, at_once):
            part = slice(at, at + at_once)
            masks = np.zeros((out[part].shape[0], self._words), np.uint64)
            sweeping.mark(rows, first[part], last[part], masks)
            self._sweep(masks, out[part])

    def meets_of_levels(self, m: Meeting, met: np.ndarray) -> None:
        """AND each plane with the meetings of s and each label."""
        masks = packed_labels(m.y, m.labels) if m.masks is None else m.masks
        both = (masks[:, None, :] & m.given.masks[m.block]).reshape(-1, self._words)
        sweeping.spread(self._met(both, np.int64), self.cells, m.s_base, met)

    def _meetings(self, m: Meeting, s_levels: int, l_levels: int) -> np.ndarray:
        """The rows in which s and each label are off their bases, a mask for each two codes."""
        labels, y = m.labels, m.y
        masks = np.zeros((labels.size * s_levels * l_levels, self._words), np.uint64)
        planes.mark_meetings(
            m.s_codes,
            m.s_base,
            s_levels,
            y.indptr,
            y.rows,
            y.codes,
            labels,
            l_levels,
            masks,
        )
        return masks

    def _counted(self, masks: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        out = np.empty((self._planes.shape[0], wanted.size), np.int64)
        planes.count_planes(self._planes, masks, wanted.astype(np.int64), out)
        return out


class _Room:
    """Memory that is used again: what comes and goes at every step makes threads wait."""

    def __init__(self) -> None:
        self._flat = np.zeros(0, np.int32)

    def zeros(self, rows: int, columns: int, kind: Any) -> np.ndarray:
        """Zeros, until the next call."""
        if self._flat.size < rows * columns or self._flat.dtype != kind:
            self._flat = np.empty(rows * columns, kind)
        found = self._flat[: rows * columns].reshape(rows, columns)
        found[:] = 0
        return found


def packed_labels(y: Codes, labels: np.ndarray) -> np.ndarray:
    """The planes of some columns of two levels."""
    masks = np.zeros((labels.size, -(-y.n_rows // 64)), np.uint64)
    sweeping.mark(y.rows, y.indptr[labels], y.indptr[labels + 1], masks)
    return masks


def packed_planes(codes: Codes, first: int, last: int) -> np.ndarray:
    """The planes of some columns, one column after the other; not copied where they lie so."""
    sizes = (codes.levels[first:last] - 1).astype(np.int64)
    own = edges_of(sizes)
    if codes.packed is not None:
        begins = codes.packed.first[first:last]
        if ((begins >= 0) | (sizes == 0)).all():
            where = begins - own[:-1]
            shift = int(where[0]) if where.size else 0
            if (where[sizes > 0] == shift).all() and shift >= 0:
                return codes.packed.planes[shift : shift + int(own[-1])]
            at = np.repeat(where, sizes) + np.arange(own[-1])
            return codes.packed.planes[at]
    out = np.zeros((int(own[-1]), -(-codes.n_rows // 64)), np.uint64)
    some = codes if codes.packed is None else codes.take(np.arange(first, last))
    if some is not codes:
        first, last = 0, last - first
    part = slice(some.indptr[first], some.indptr[last])
    indptr = some.indptr[first : last + 1] - some.indptr[first]
    planes.pack(indptr, some.rows[part], some.codes[part], some.base[first:last], own, out)
    return out
