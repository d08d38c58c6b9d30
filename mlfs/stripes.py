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

from mlfs._kernels import counting, planes
from mlfs.coding import Codes

__all__ = ["Kind", "Lists", "Meeting", "Planes", "Stripe", "kinds", "stripe_of"]

FEW_LEVELS = 16
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
    f_off = sum(np.diff(block.indptr) for block in features) / n_rows
    l_off = sum(block.rows.size for block in labels) / (n_rows * max(1, len(labels[0])))
    dense = (f_off**2 * l_off > WORD_COST) & (levels > 1) & (levels <= FEW_LEVELS)
    dense &= not weighted
    return np.where(
        levels == 2,
        np.where(dense, Kind.BINARY_PLANES, Kind.BINARY_LISTS),
        np.where(dense, Kind.PLANES, Kind.LISTS),
    )


@dataclass(frozen=True)
class Meeting:
    """A column s and some labels, in one block of rows."""

    s_codes: np.ndarray
    s_base: int
    y: Codes
    labels: np.ndarray
    weights: np.ndarray


class Stripe(Protocol):
    """What Counts asks of neighbouring columns; every table has a cell for each code."""

    def pairs(
        self, rows: np.ndarray, groups: np.ndarray, weights: np.ndarray, table: np.ndarray
    ) -> None:
        """Add to table[cell, group] the rows of each group."""

    def triples(self, meeting: Meeting, tables: np.ndarray) -> None:
        """Add to tables[i, cell, code of s, code of labels[i]] the rows off all bases."""

    def meets(self, meeting: Meeting, met: np.ndarray) -> None:
        """Where all have two levels: add to met[i, column]."""

    def meets_of_levels(self, meeting: Meeting, met: np.ndarray) -> None:
        """Where the labels have two levels: add to met[i, cell, code of s]."""


class Lists:
    """Columns kept row by row."""

    def __init__(self, codes: Codes, first: int, last: int) -> None:
        self._indptr, self._columns, self._codes = codes.by_row(first, last)
        levels = codes.levels[first:last]
        self._offsets = np.concatenate([[0], np.cumsum(levels)]).astype(np.int64)

    def pairs(
        self, rows: np.ndarray, groups: np.ndarray, weights: np.ndarray, table: np.ndarray
    ) -> None:
        """Walk the rows."""
        counting.count_pairs(
            self._indptr, self._columns, self._codes, self._offsets, rows, groups, weights, table
        )

    def triples(self, meeting: Meeting, tables: np.ndarray) -> None:
        """Walk the rows of each label in which s is off its base."""
        counting.count_triples(
            self._indptr,
            self._columns,
            self._codes,
            self._offsets,
            meeting.s_codes,
            meeting.s_base,
            meeting.y.indptr,
            meeting.y.rows,
            meeting.y.codes,
            meeting.labels,
            meeting.weights,
            tables,
        )

    def meets(self, meeting: Meeting, met: np.ndarray) -> None:
        """Walk the rows of each label in which s is off its base."""
        counting.count_meets(
            self._indptr,
            self._columns,
            meeting.s_codes,
            meeting.s_base,
            meeting.y.indptr,
            meeting.y.rows,
            meeting.labels,
            meeting.weights,
            met,
        )

    def meets_of_levels(self, meeting: Meeting, met: np.ndarray) -> None:
        """Walk the rows of each label in which s is off its base."""
        counting.count_meets_of_levels(
            self._indptr,
            self._columns,
            self._codes,
            self._offsets,
            meeting.s_codes,
            meeting.s_base,
            meeting.y.indptr,
            meeting.y.rows,
            meeting.labels,
            meeting.weights,
            met,
        )


class Planes:
    """Columns kept as bit planes, one for each code but the base; rows count once each."""

    def __init__(self, codes: Codes, first: int, last: int) -> None:
        levels, base = codes.levels[first:last], codes.base[first:last]
        off_base = levels - 1
        self.first = first_plane = np.concatenate([[0], np.cumsum(off_base)]).astype(np.int64)
        self._words = -(-codes.n_rows // 64)
        self.words = np.zeros((int(first_plane[-1]), self._words), np.uint64)
        at = slice(codes.indptr[first], codes.indptr[last])
        indptr = codes.indptr[first : last + 1] - codes.indptr[first]
        rows, entries = codes.rows[at], codes.codes[at]
        planes.pack(indptr, rows, entries, base, first_plane, self.words)
        # the cell of each plane: all codes of a column but its base
        cell = np.arange(int(levels.sum()))
        self._cells = np.delete(cell, np.cumsum(levels) - levels + base)

    def pairs(
        self, rows: np.ndarray, groups: np.ndarray, weights: np.ndarray, table: np.ndarray
    ) -> None:
        """AND each plane with the rows of each group."""
        del weights  # every row counts once: `kinds` sees to that
        masks = np.zeros((table.shape[1], self._words), np.uint64)
        planes.mark_groups(rows, groups, masks)
        wanted = np.flatnonzero(masks.any(axis=1))
        table[np.ix_(self._cells, wanted)] += self._counted(masks, wanted)

    def triples(self, meeting: Meeting, tables: np.ndarray) -> None:
        """AND each plane with the meetings of s and each label."""
        size, _, s_levels, l_levels = tables.shape
        masks = self._meetings(meeting, s_levels, l_levels)
        wanted = np.flatnonzero(masks.any(axis=1))
        counted = self._counted(masks, wanted)
        i, c, code = np.unravel_index(wanted, (size, s_levels, l_levels))
        tables[i[:, None], self._cells[None, :], c[:, None], code[:, None]] += counted.T

    def meets(self, meeting: Meeting, met: np.ndarray) -> None:
        """AND each plane with the meetings of s and each label."""
        masks = self._meetings(meeting, 2, 2)
        labels = meeting.labels
        s_off, l_off = 1 - meeting.s_base, 1 - meeting.y.base[labels]
        wanted = (np.arange(labels.size) * 2 + s_off) * 2 + l_off
        met += self._counted(masks, wanted).T

    def meets_of_levels(self, meeting: Meeting, met: np.ndarray) -> None:
        """AND each plane with the meetings of s and each label."""
        s_levels = met.shape[2]
        masks = self._meetings(meeting, s_levels, 2)
        labels = meeting.labels
        codes = np.delete(np.arange(s_levels), meeting.s_base)
        off = (1 - meeting.y.base[labels])[:, None]
        wanted = (np.arange(labels.size)[:, None] * s_levels + codes) * 2 + off
        counted = self._counted(masks, wanted.ravel())
        shaped = counted.reshape(self._cells.size, labels.size, codes.size).transpose(1, 0, 2)
        met[:, self._cells[:, None], codes[None, :]] += shaped

    def _meetings(self, meeting: Meeting, s_levels: int, l_levels: int) -> np.ndarray:
        """The rows in which s and each label are off their bases, a mask for each two codes."""
        labels, y = meeting.labels, meeting.y
        masks = np.zeros((labels.size * s_levels * l_levels, self._words), np.uint64)
        planes.mark_meetings(
            meeting.s_codes,
            meeting.s_base,
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
        out = np.empty((self.words.shape[0], wanted.size), np.int64)
        planes.count_planes(self.words, masks, wanted.astype(np.int64), out)
        return out


def stripe_of(codes: Codes, first: int, last: int, kind: int) -> Stripe:
    """Bring neighbouring columns of one kind into their form."""
    form = Planes if kind in {Kind.BINARY_PLANES, Kind.PLANES} else Lists
    return form(codes, first, last)
