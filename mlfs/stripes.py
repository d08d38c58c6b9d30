"""Neighbouring columns in the form that counts them fastest.

====== =================================================================================
Lists  for each row the columns that are not at their base there: sparse data, any number
       of levels, weights; a meeting costs what both have off their bases
Planes for each column and code a bit a row: dense data of few levels; a meeting costs a
       sixty-fourth of the rows, in vector instructions
====== =================================================================================

Both count the meetings off the bases only, as integers; the rest follows by subtraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mlfs._kernels import counting, dense, meeting, planes, sweeping, touching
from mlfs.coding import Codes, edges_of

__all__ = [
    "Kind",
    "Lists",
    "Meeting",
    "Planes",
    "Stripe",
    "TwoLevels",
    "kinds",
    "packed_planes",
    "stripe_of",
]

FEW_LEVELS = 16
MASK_BYTES = 1 << 20  # of masks that are held against planes at once: they stay in the cache
FEW_COLUMNS = 1 / 100
SOME_COLUMNS = 1 / 4
WORD_COST = 1 / 800  # one row by a plane's vector instructions, against one walked in a list


class Kind:
    """The kinds of columns, in the order in which they are counted."""

    BINARY_LISTS, BINARY_PLANES, PLANES, LISTS = range(4)
    NAMES = ("row lists, two levels", "bit planes, two levels", "bit planes", "row lists")


def kinds(features: Sequence[Codes], labels: Sequence[Codes], weighted: bool) -> np.ndarray:
    """The kind of each column; weighted rows are counted through lists.

    A meeting of f, s and l costs the rows in which all are off their bases through lists, and a
    sixty-fourth of all rows through planes; s is taken to be like f.
    """
    levels = features[0].levels
    n_rows = max(1, sum(block.n_rows for block in features))
    f_off = sum(block.off for block in features) / n_rows
    l_off = sum(block.n_entries for block in labels) / (n_rows * max(1, len(labels[0])))
    may = (levels > 1) & (levels <= FEW_LEVELS) & (not weighted)
    is_dense = (f_off**2 * l_off > WORD_COST) & may
    for alike in (levels == 2, levels > 2):  # a form of their own does not pay for a few columns
        if (is_dense & alike).sum() < len(levels) * FEW_COLUMNS:
            is_dense &= ~alike
        elif (may & alike & ~is_dense).sum() < (is_dense & alike).sum() * SOME_COLUMNS:
            is_dense |= may & alike
    return np.where(
        levels == 2,
        np.where(is_dense, Kind.BINARY_PLANES, Kind.BINARY_LISTS),
        np.where(is_dense, Kind.PLANES, Kind.LISTS),
    )


class Column(Protocol):
    """A column that is held against others, block by block of the rows."""

    base: int

    @property
    def rows(self) -> list[np.ndarray]:
        """The rows in which it is off its base."""

    @property
    def off(self) -> list[np.ndarray]:
        """Its codes there."""

    @property
    def codes(self) -> list[np.ndarray]:
        """The column in full."""

    @property
    def masks(self) -> list[np.ndarray]:
        """A bit plane for each code but the base."""


@dataclass(frozen=True)
class Meeting:
    """A column s and some labels, in one block of rows."""

    given: Column
    block: int
    y: Codes
    labels: np.ndarray
    weights: np.ndarray
    masks: np.ndarray | None  # the labels as bit planes, if that was made

    @property
    def s_codes(self) -> np.ndarray:
        """The column s in full."""
        return self.given.codes[self.block]

    @property
    def s_base(self) -> int:
        """The base of s."""
        return self.given.base


@dataclass(frozen=True)
class TwoLevels:
    """A column s and some labels, all of two levels, told by the rows off their bases."""

    given: Column
    labels: np.ndarray
    rows: np.ndarray  # where s and a label are off their bases, label after label
    first: np.ndarray  # where those of each label begin,
    last: np.ndarray  # and where they end
    weights: np.ndarray
    off_s: int
    off_l: np.ndarray
    off_sl: np.ndarray
    off_fs: np.ndarray  # of the features of the stripe
    off_fl: np.ndarray  # (labels, features)


class Stripe(Protocol):
    """What Counts asks of neighbouring columns; every table has a cell for each code."""

    def pairs(self, given: Column, block: int, weights: np.ndarray, table: np.ndarray) -> None:
        """Add to table[cell, code of s] the rows in which s is off its base."""

    def triples(self, m: Meeting, tables: np.ndarray) -> None:
        """Add to tables[i, cell, code of s, code of labels[i]] the rows off all bases."""

    def off_pairs(self, given: Column, block: int, weights: np.ndarray, out: np.ndarray) -> None:
        """Where all have two levels: add to out[column] the rows in which s is off its base."""

    def off_labels(
        self,
        y: Codes,
        labels: np.ndarray,
        masks: np.ndarray | None,
        weights: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Where all have two levels: add to out[i, column] the rows of labels[i]."""

    def add_joint(
        self,
        parts: TwoLevels,
        masks: np.ndarray | None,
        off_f: np.ndarray,
        n_rows: int,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Where all have two levels: add the sums over n(f,s,l), each label's or one of all."""

    def meets_of_levels(self, m: Meeting, met: np.ndarray) -> None:
        """Where the labels have two levels: add to met[i, cell, code of s]."""


class Lists:
    """Columns kept row by row."""

    def __init__(self, codes: Codes, first: int, last: int) -> None:
        self.indptr, self.columns, self._codes = codes.by_row(first, last)
        levels = codes.levels[first:last]
        self._offsets = np.concatenate([[0], np.cumsum(levels)]).astype(np.int64)

    def pairs(self, given: Column, block: int, weights: np.ndarray, table: np.ndarray) -> None:
        """Walk the rows."""
        rows, off = given.rows[block], given.off[block]
        counting.count_pairs(
            self.indptr, self.columns, self._codes, self._offsets, rows, off, weights, table
        )

    def triples(self, m: Meeting, tables: np.ndarray) -> None:
        """Walk the rows of each label in which s is off its base."""
        counting.count_triples(
            self.indptr,
            self.columns,
            self._codes,
            self._offsets,
            m.s_codes,
            m.s_base,
            m.y.indptr,
            m.y.rows,
            m.y.codes,
            m.labels,
            m.weights,
            tables,
        )

    def off_pairs(self, given: Column, block: int, weights: np.ndarray, out: np.ndarray) -> None:
        """Walk the rows."""
        meeting.meet_rows(self.indptr, self.columns, given.rows[block], weights, out)

    def off_labels(
        self,
        y: Codes,
        labels: np.ndarray,
        masks: np.ndarray | None,
        weights: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Walk the rows of each label."""
        del masks
        meeting.meet_labels(self.indptr, self.columns, y.indptr, y.rows, labels, weights, out)

    def add_joint(
        self,
        parts: TwoLevels,
        masks: np.ndarray | None,
        off_f: np.ndarray,
        n_rows: int,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Walk the rows of each label in which s is off its base, and finish at once."""
        del masks
        meeting.joint_of_lists(
            self.indptr,
            self.columns,
            parts.first,
            parts.last,
            parts.rows,
            parts.weights,
            off_f,
            parts.off_fs,
            parts.off_fl,
            parts.off_s,
            parts.off_l,
            parts.off_sl,
            n_rows,
            clogc,
            np.zeros_like(off_f),
            out,
        )

    def pair_sums(
        self,
        given_rows: tuple[np.ndarray, np.ndarray],
        alone: tuple[np.ndarray, int],
        features: tuple[np.ndarray, np.ndarray],
        weights: np.ndarray,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Set out[column] to the sum over n(f,s), any levels; see `touching.pairs_of_levels`."""
        n_f, bases = features
        t_off = np.empty(bases.size, np.int64)
        touching.off_base_sums(n_f[:, None], self._offsets, bases, clogc, t_off)
        touching.pairs_of_levels(
            self.indptr,
            self.columns,
            self._codes,
            self._offsets,
            bases,
            n_f,
            t_off,
            *given_rows,
            weights,
            *alone,
            clogc,
            *self._scratch(alone[0].size),
            out,
        )

    def add_joint_of_levels(
        self,
        m: Meeting,
        bases: np.ndarray,
        n_fs: np.ndarray,
        n_sl: np.ndarray,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Add the sums over n(f,s,l), labels of two levels; see `touching.joint_of_levels`."""
        t_off = np.empty(bases.size, np.int64)
        touching.off_base_sums(n_fs, self._offsets, bases, clogc, t_off)
        touching.joint_of_levels(
            self.indptr,
            self.columns,
            self._codes,
            self._offsets,
            bases,
            m.s_codes,
            m.y.indptr,
            m.y.rows,
            m.labels,
            m.weights,
            n_fs,
            n_fs[self._offsets[:-1] + bases],
            t_off,
            n_sl,
            clogc,
            *self._scratch(n_fs.shape[1]),
            out,
        )

    def _scratch(self, levels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What is met, which columns are, and whether one is already."""
        size = self._offsets.size - 1
        met = np.zeros((int(self._offsets[-1]), levels), np.int64)
        return met, np.empty(size, np.int32), np.zeros(size, np.uint8)

    def meets_of_levels(self, m: Meeting, met: np.ndarray) -> None:
        """Walk the rows of each label in which s is off its base."""
        counting.count_meets_of_levels(
            self.indptr,
            self.columns,
            self._codes,
            self._offsets,
            m.s_codes,
            m.s_base,
            m.y.indptr,
            m.y.rows,
            m.labels,
            m.weights,
            met,
        )


class Planes:
    """Columns kept as bit planes, one for each code but the base; rows count once each."""

    def __init__(self, codes: Codes, first: int, last: int) -> None:
        levels, base = codes.levels[first:last], codes.base[first:last]
        self._words = -(-codes.n_rows // 64)
        self._planes = packed_planes(codes, first, last)
        self.first, self._n_rows = edges_of(levels - 1), codes.n_rows
        # the cell of each plane: all codes of a column but its base
        cell = np.arange(int(levels.sum()))
        self._cells = np.delete(cell, np.cumsum(levels) - levels + base)

    @property
    def planes(self) -> np.ndarray:
        """The planes: column after column, code after code without the base."""
        return self._planes

    def pairs(self, given: Column, block: int, weights: np.ndarray, table: np.ndarray) -> None:
        """AND each plane with those of s."""
        del weights  # every row counts once: `kinds` sees to that
        masks = given.masks[block]
        met = np.zeros((masks.shape[0], self._planes.shape[0]), np.int64)
        sweeping.sweep(self._planes, masks, met)
        sweeping.spread(met, self._cells, given.base, table[None])

    def triples(self, m: Meeting, tables: np.ndarray) -> None:
        """AND each plane with the meetings of s and each label."""
        size, _, s_levels, l_levels = tables.shape
        masks = self._meetings(m, s_levels, l_levels)
        wanted = np.flatnonzero(masks.any(axis=1))
        counted = self._counted(masks, wanted)
        i, c, code = np.unravel_index(wanted, (size, s_levels, l_levels))
        tables[i[:, None], self._cells[None, :], c[:, None], code[:, None]] += counted.T

    def pair_sums(
        self,
        masks: np.ndarray,
        off_s: np.ndarray,
        off_f: np.ndarray,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> np.ndarray:
        """Add to out[column] the sum over n(f,s), any levels; gives what the planes share."""
        met = np.empty((self._planes.shape[0], masks.shape[0]), np.int32)
        dense.pairs_of_planes(
            self._planes, self.first, off_f, masks, off_s, self._n_rows, clogc, met, out
        )
        return met

    def add_joint_of_levels(
        self,
        masks: tuple[np.ndarray, np.ndarray],
        off_f: np.ndarray,
        off_s: np.ndarray,
        met_fs: np.ndarray,
        off_fl: np.ndarray,
        off_l: np.ndarray,
        off_sl: np.ndarray,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Add the sums over n(f,s,l), labels of two levels; the masks are of s and of them."""
        own, labels = masks
        dense.joint_of_planes(
            self._planes,
            self.first,
            off_f,
            (labels[:, None, :] & own).reshape(-1, self._words),
            off_s,
            self._n_rows,
            met_fs,
            off_fl,
            off_l,
            off_sl,
            clogc,
            out,
        )

    def off_pairs(self, given: Column, block: int, weights: np.ndarray, out: np.ndarray) -> None:
        """AND each plane with that of s."""
        del weights
        sweeping.sweep(self._planes, given.masks[block], out[None, :])

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
            sweeping.sweep(self._planes, masks, out)
        else:
            self._sweep(y.rows, y.indptr[labels], y.indptr[labels + 1], out)

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
        met = np.zeros((parts.off_l.size, off_f.size), off_f.dtype)
        if masks is not None:
            sweeping.sweep(self._planes, masks & parts.given.masks[0], met)
        else:
            self._sweep(parts.rows, parts.first, parts.last, met)
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

    def _sweep(
        self, rows: np.ndarray, first: np.ndarray, last: np.ndarray, out: np.ndarray
    ) -> None:
        """Add to out[i, plane] how many of the rows from first[i] to last[i] a plane has."""
        at_once = max(1, MASK_BYTES // (8 * max(1, self._words)))
        for at in range(0, first.size, at_once):
            part = slice(at, at + at_once)
            masks = np.zeros((out[part].shape[0], self._words), np.uint64)
            sweeping.mark(rows, first[part], last[part], masks)
            sweeping.sweep(self._planes, masks, out[part])

    def meets_of_levels(self, m: Meeting, met: np.ndarray) -> None:
        """AND each plane with the meetings of s and each label."""
        masks = packed_labels(m.y, m.labels) if m.masks is None else m.masks
        both = (masks[:, None, :] & m.given.masks[m.block]).reshape(-1, self._words)
        found = np.zeros((both.shape[0], self._planes.shape[0]), np.int64)
        sweeping.sweep(self._planes, both, found)
        sweeping.spread(found, self._cells, m.s_base, met)

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


def stripe_of(codes: Codes, first: int, last: int, kind: int) -> Stripe:
    """Bring neighbouring columns of one kind into their form."""
    form = Planes if kind in {Kind.BINARY_PLANES, Kind.PLANES} else Lists
    return form(codes, first, last)
