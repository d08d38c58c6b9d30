"""Columns coded to small integers, in the form that is counted.

A column is kept as row lists, the rows in which its code is not its mode (its most frequent code,
the lowest one when several are equally frequent), or as bit planes, one for each code but the mode.
Lists are small for sparse data, planes for dense data of few levels; both are exact. For a label
the first code takes the place of the mode.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels import lists, planes
from mlfs.counting.entries import (
    FEW,
    SMALL,
    edges_of,
    entries_of_planes,
    join_entries,
    lists_by_row,
    take_columns,
    take_ragged,
)

NO_CODES = np.zeros(0, np.int32)


def plane_of(is_set: np.ndarray) -> np.ndarray:
    """Truth values as bits, 64 to the word.

    Examples
    --------
    >>> plane_of(np.array([True, False, True])).tolist()
    [5]
    """
    packed = np.zeros(8 * -(-is_set.size // 64), np.uint8)
    bits = np.packbits(is_set, bitorder="little")
    packed[: bits.size] = bits
    return packed.view("<u8").astype(np.uint64, copy=False)


class Packed(NamedTuple):
    """Columns that are kept as bit planes.

    Parameters
    ----------
    planes : ndarray of uint64, shape (planes, words)
        One bit for each row, 64 rows to the word; bits behind the last row are 0.
    first : ndarray of int64
        The first plane of each column, -1 for a column that is not packed. The planes of a column
        are those of its codes without its mode, rising.
    """

    planes: np.ndarray
    first: np.ndarray


class Codes:
    """A coded table, column by column.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    indptr, rows, codes : ndarray
        Column j has the code ``codes[k]`` in the row ``rows[k]`` for k in
        ``indptr[j]:indptr[j + 1]``, rows ascending, and its mode in all other rows. `codes` may be
        None where no column has more than two levels: then it is the one that is not the mode.
    mode : ndarray
        The mode of each column.
    levels : ndarray
        The number of codes of each column, a level for missing values included.
    missing : ndarray
        The code that means missing (always the last one), or -1.
    packed : Packed, optional
        The columns that are kept as planes; they have no entries in the lists that are given, and
        get them when `indptr`, `rows` or `codes` is asked for.
    counts : ndarray, optional
        How often each code of each column occurs, ragged.
    """

    def __init__(
        self,
        n_rows: int,
        indptr: np.ndarray,
        rows: np.ndarray,
        codes: np.ndarray | None,
        mode: np.ndarray,
        levels: np.ndarray,
        missing: np.ndarray,
        *,
        packed: Packed | None = None,
        counts: np.ndarray | None = None,
    ) -> None:
        self.n_rows, self.packed = n_rows, packed
        self.mode, self.levels, self.missing = mode, levels, missing
        self.lists = (indptr, rows, codes)  # of the columns that are not packed
        self._counts = counts

    def __len__(self) -> int:
        return int(self.mode.size)

    @classmethod
    def from_dense(cls, matrix: Any, *, missing_code: int | None = -1) -> Codes:
        """Code a matrix of small integers; `missing_code` marks missing values."""
        matrix = np.ascontiguousarray(np.asarray(matrix, dtype=np.int64))
        n_rows, n_columns = matrix.shape
        none = np.zeros(0, np.int32)
        parts: list[tuple[np.ndarray, np.ndarray]] = [(none, none)]
        mode = np.zeros(n_columns, np.int32)
        levels = np.ones(n_columns, np.int32)
        missing = np.full(n_columns, -1, np.int32)
        for j in range(n_columns):
            column = matrix[:, j]
            is_missing = column == missing_code
            values = column[~is_missing]
            levels[j] = int(values.max()) + 1 if values.size else 1
            if is_missing.any():
                missing[j] = levels[j]
                column = np.where(is_missing, levels[j], column)
                levels[j] += 1
            mode[j] = int(np.bincount(column).argmax()) if n_rows else 0
            rows = np.flatnonzero(column != mode[j])
            parts.append((rows.astype(np.int32), column[rows].astype(np.int32)))
        sizes = [rows.size for rows, _ in parts[1:]]
        return cls(
            n_rows,
            edges_of(sizes),
            *join_entries(parts),
            mode,
            levels,
            missing,
        )

    @property
    def lists_with_codes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The lists of the columns that are not packed, with the codes that may be left out."""
        indptr, rows, codes = self.lists
        if codes is None:
            codes = np.repeat((1 - self.mode).astype(np.int32), np.diff(indptr))
        return indptr, rows, codes

    @cached_property
    def _all_lists(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """The lists of all columns."""
        if self.packed is None or not (self.packed.first >= 0).any():
            return self.lists
        ends, rows, codes = self.lists_with_codes
        first = self.packed.first
        indptr = edges_of(np.where(first >= 0, self.non_mode, np.diff(ends)))
        packed = np.flatnonzero(first >= 0).tolist()
        if len(packed) <= FEW and indptr[-1] <= SMALL:
            parts, start = [], 0
            for j in packed:
                parts += [(rows[start : ends[j]], codes[start : ends[j]]), self.entries(j)]
                start = ends[j]
            parts.append((rows[start:], codes[start:]))
            return indptr, *join_entries(parts)
        size = int(indptr[-1])
        result = indptr, np.empty(size, np.int32), np.empty(size, np.int32)
        lists.take(ends, rows, codes, np.arange(len(self)), *result)
        lists.from_planes(self.packed.planes, first, self.mode, self.levels, *result)
        return result

    @property
    def indptr(self) -> np.ndarray:
        """Where the entries of each column begin, and the end of the last."""
        return self._all_lists[0]

    @property
    def rows(self) -> np.ndarray:
        """The row of each entry."""
        return self._all_lists[1]

    @property
    def codes(self) -> np.ndarray:
        """The code of each entry."""
        values = self._all_lists[2]
        return self.lists_with_codes[2] if values is None else values

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where the codes of each column begin in ragged arrays."""
        return edges_of(self.levels)

    @cached_property
    def counts(self) -> np.ndarray:
        """How often each code of each column occurs, ragged."""
        if self._counts is not None:
            return self._counts
        if (self.levels == 2).all():  # the non-mode rows suffice
            n = np.stack([self.non_mode, self.non_mode], axis=1)
            n[np.arange(len(self)), self.mode] = self.n_rows - self.non_mode
            return n.reshape(-1)
        out = np.bincount(self.offsets[self.column_of_entry] + self.codes, minlength=self._cells)
        if len(self):
            modes = self.offsets[:-1] + self.mode
            out[modes] = self.n_rows - np.add.reduceat(out, self.offsets[:-1])
        return out

    def weighted_counts(self, weights: np.ndarray) -> np.ndarray:
        """The weight of the rows with each code of each column, ragged."""
        if (weights == 1).all():
            return self.counts
        out = np.zeros(self._cells, np.int64)
        cells = self.offsets[self.column_of_entry] + self.codes
        np.add.at(out, cells, weights[self.rows])  # np.bincount would round above 2**53
        if len(self):
            modes = self.offsets[:-1] + self.mode
            out[modes] = int(weights.sum()) - np.add.reduceat(out, self.offsets[:-1])
        return out

    def with_entries(
        self,
        indptr: np.ndarray,
        rows: np.ndarray,
        codes: np.ndarray | None,
        *,
        packed: Packed | None = None,
        counts: np.ndarray | None = None,
    ) -> Codes:
        """Columns that are coded like these and have other entries."""
        return Codes(
            self.n_rows,
            indptr,
            rows,
            codes,
            self.mode,
            self.levels,
            self.missing,
            packed=packed,
            counts=counts,
        )

    def among_rows(self, kept: np.ndarray) -> Codes:
        """Keep the rows of a mask; codes and modes stay as they are."""
        place = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        n_rows = int(np.count_nonzero(kept))
        indptr, rows, codes = self.lists
        given = NO_CODES if codes is None else codes
        ends, new_rows, new = np.zeros_like(indptr), np.empty_like(rows), np.empty_like(given)
        n = lists.keep_rows(indptr, rows, given, place, ends, new_rows, new)
        entries = ends, new_rows[:n], None if codes is None else new[:n]
        coded = self.mode, self.levels, self.missing
        if self.packed is None or not len(self):
            return Codes(n_rows, *entries, *coded)
        old, first = self.packed
        packed = np.zeros((old.shape[0], -(-n_rows // 64)), np.uint64)
        sizes = np.zeros(old.shape[0], np.int64)
        planes.keep_rows(old, plane_of(kept), packed, sizes)
        counts = Codes(n_rows, *entries, *coded).counts  # as if packed columns had their modes
        column = np.repeat(np.arange(len(self)), self.levels)
        code, mode = np.arange(self._cells) - self.offsets[column], self.mode[column]
        is_cell = (first[column] >= 0) & (code != mode)
        counts[is_cell] = sizes[(first[column] + code - (code > mode))[is_cell]]
        at_modes = np.add.reduceat(counts * is_cell, self.offsets[:-1])
        counts[self.offsets[:-1] + self.mode] -= at_modes
        return Codes(n_rows, *entries, *coded, packed=Packed(packed, first), counts=counts)

    @property
    def _cells(self) -> int:
        return int(self.offsets[-1])

    @cached_property
    def non_mode(self) -> np.ndarray:
        """The number of rows in which each column is not at its mode."""
        if self._counts is None:
            return np.diff(self.indptr)
        return np.asarray(self.n_rows - self._counts[self.offsets[:-1] + self.mode])

    @property
    def n_entries(self) -> int:
        """The number of cells that are not at the mode of their column."""
        return int(self.non_mode.sum())

    @property
    def column_of_entry(self) -> np.ndarray:
        """The column of each entry."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.indptr))

    @property
    def has_codes(self) -> bool:
        """Whether entries have codes, as more than two levels need them."""
        return self.lists[2] is not None

    def is_packed(self, j: int) -> bool:
        """Whether column j is kept as planes."""
        return self.packed is not None and bool(self.packed.first[j] >= 0)

    def alone(self, j: int) -> Codes:
        """A table of column j, with no more planes than it has."""
        table = self.take(np.array([j]))
        if table.packed is None:
            return table
        first = np.full(1, -1)
        planes = table.packed.planes[:0]
        if self.is_packed(j):
            first, planes = np.zeros(1, np.int64), self.planes_of(j).copy()
        return table.with_entries(*table.lists, packed=Packed(planes, first), counts=table.counts)

    def planes_of(self, j: int) -> np.ndarray:
        """The planes of a packed column."""
        assert self.packed is not None
        first = int(self.packed.first[j])
        return self.packed.planes[first : first + int(self.levels[j]) - 1]

    def entries(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows in which column j is not at its mode, and its codes there."""
        if self.is_packed(j):
            return entries_of_planes(self.planes_of(j), int(self.mode[j]))
        indptr, rows, codes = self.lists
        span = slice(indptr[j], indptr[j + 1])
        if codes is None:
            return rows[span], np.full(span.stop - span.start, 1 - self.mode[j], np.int32)
        return rows[span], codes[span]

    def column(self, j: int) -> np.ndarray:
        """Column j in full."""
        full = np.full(self.n_rows, self.mode[j], np.int32)
        if self.is_packed(j):
            planes.unpack(self.planes_of(j), int(self.mode[j]), full)
        else:
            rows, codes = self.entries(j)
            full[rows] = codes
        return full

    def by_row(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The columns from first to last, row by row: indptr, columns from 0, codes.

        There are no codes where all columns have two levels.
        """
        table = self
        if self.packed is not None:
            table = self.take(np.arange(first, last))
            first, last = 0, last - first
        all_two_levels = bool((table.levels[first:last] == 2).all())
        codes = NO_CODES if all_two_levels else table.codes
        return lists_by_row(self.n_rows, table.indptr, table.rows, codes, first, last)

    def take(self, columns: np.ndarray) -> Codes:
        """Some columns, in the order given; planes stay where they are."""
        edges, rows, codes = take_columns(*self.lists, columns)
        counts, packed = None, None
        if self._counts is not None:
            counts = take_ragged(self._counts, self.offsets, self.levels, columns)
        if self.packed is not None:
            packed = Packed(self.packed.planes, self.packed.first[columns])
        return Codes(
            self.n_rows,
            edges,
            rows,
            codes,
            self.mode[columns],
            self.levels[columns],
            self.missing[columns],
            packed=packed,
            counts=counts,
        )

    def beside(self, other: Codes) -> Codes:
        """The columns of both, on the same rows."""
        indptr, rows, codes = self.lists_with_codes
        other_indptr, other_rows, other_codes = other.lists_with_codes
        none = np.zeros((0, -(-self.n_rows // 64)), np.uint64)
        first, second = (
            Packed(none, np.full(len(codes), -1)) if codes.packed is None else codes.packed
            for codes in (self, other)
        )
        moved = np.where(second.first < 0, -1, second.first + first.planes.shape[0])
        planes = np.concatenate([first.planes, second.planes])
        return Codes(
            self.n_rows,
            np.concatenate([indptr, indptr[-1] + other_indptr[1:]]),
            np.concatenate([rows, other_rows]),
            np.concatenate([codes, other_codes]),
            np.concatenate([self.mode, other.mode]),
            np.concatenate([self.levels, other.levels]),
            np.concatenate([self.missing, other.missing]),
            packed=Packed(planes, np.concatenate([first.first, moved])),
            counts=np.concatenate([self.counts, other.counts]),
        )

    def sorted_by(self, keys: np.ndarray) -> tuple[Codes, np.ndarray | None]:
        """Put the columns in the order of some keys.

        Also returns the new place of each column, or None if no column moved.
        """
        if not (np.diff(keys) < 0).any():
            return self, None
        order = np.argsort(keys, kind="stable")
        place = np.empty(len(self), np.int64)
        place[order] = np.arange(len(self))
        return self.take(order), place

    def moved(self, place: np.ndarray) -> Codes:
        """Give the rows another order: row i becomes row `place[i]`."""
        rows, codes = np.empty_like(self.rows), np.empty_like(self.codes)
        bits, memory = np.zeros(-(-self.n_rows // 64), np.uint64), np.empty(self.n_rows, np.int32)
        lists.in_order(place, self.indptr, self.rows, self.codes, bits, memory, rows, codes)
        return self.with_entries(self.indptr, rows, codes, counts=self._counts)

    def valid(self, *, ignore_missing: bool) -> np.ndarray:
        """The number of codes of each column, without the missing one if it is left out."""
        if ignore_missing:
            return (self.levels - (self.missing >= 0)).astype(np.int32)
        return self.levels
