"""Anchor columns, and their pair statistics: one column counted with all features."""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mlfs._kernels import co_sums, full_tables, row_walks
from mlfs.counting.codes import Codes
from mlfs.counting.layouts import pack_planes

if TYPE_CHECKING:
    from mlfs.counting.counts import Counts
    from mlfs.counting.memory import Cache


TWO = 2
FEW_PLANES = 8  # up to so many are packed one by one, which is faster than listing rows


class Anchor:
    """A picked feature, a label, or any coded column.

    Parameters
    ----------
    codes : Codes
        The table it is in.
    j : int
        The number of its column in that table.
    valid : int
        Codes from this one on are left out of all results.
    n : ndarray
        How often each code occurs.
    """

    def __init__(self, codes: Codes, j: int, valid: int, n: np.ndarray) -> None:
        self._describe(int(codes.mode[j]), int(codes.levels[j]), valid, n)
        self._table, self._j = codes, j
        self._n_rows, self._packed = codes.n_rows, codes.is_packed(j)

    def _describe(self, mode: int, levels: int, valid: int, n: np.ndarray) -> None:
        self.mode, self.levels, self.valid, self.n = mode, levels, valid, n
        self.cells = levels - 1

    @cached_property
    def non_modes(self) -> np.ndarray:
        """Its codes but the mode."""
        codes = np.arange(self.cells)
        codes += codes >= self.mode
        return codes

    @cached_property
    def n_cells(self) -> np.ndarray:
        """How often each code but the mode occurs."""
        return self.n[self.non_modes]

    @cached_property
    def non_mode(self) -> int:
        """The number of rows in which it is not at its mode."""
        return int(self.n.sum() - self.n[self.mode])

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray]:
        rows, codes = self._table.entries(self._j)
        if self.levels == TWO:
            return rows, np.zeros(rows.size, np.int8)
        return rows, codes - (codes > self.mode)

    @property
    def rows(self) -> np.ndarray:
        """The rows in which it is not at its mode, ascending."""
        return self._entries[0]

    @property
    def row_cells(self) -> np.ndarray:
        """The cell of each of these rows: its code, counted without the mode."""
        return self._entries[1]

    @cached_property
    def codes(self) -> np.ndarray:
        """The column in full."""
        return self._table.column(self._j)

    @cached_property
    def all_cells(self) -> np.ndarray:
        """The cell of each row, -1 where it is at its mode."""
        cells = np.full(self._n_rows, -1, np.int32)
        cells[self.rows] = self.row_cells
        return cells

    @cached_property
    def planes(self) -> np.ndarray:
        """A bit plane for each code but the mode."""
        if self._packed:
            return self._table.planes_of(self._j)
        return pack_planes(self._table, self._j, self._j + 1)

    @property
    def nbytes(self) -> int:
        """The memory that it takes; the column in full is made where there are many levels."""
        attributes = vars(self)
        lists = sum(part.nbytes for part in attributes.get("_entries", ()))
        packed = 0 if self._packed else getattr(attributes.get("planes"), "nbytes", 0)
        full = 4 * self._table.n_rows * (self.levels > TWO)
        return int(lists + packed + full)


class ColumnAnchor(Anchor):
    """An anchor that is given by its code in each row; lists and planes are made when needed.

    Parameters
    ----------
    column : ndarray of int
        Its code in each row.
    mode, levels, valid, n
        As for `Anchor`.
    """

    def __init__(
        self, column: np.ndarray, mode: int, levels: int, valid: int, n: np.ndarray
    ) -> None:
        self._describe(mode, levels, valid, n)
        self._column, self._n_rows = column, column.size

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray]:
        rows = np.flatnonzero(self._column != self.mode).astype(np.int32)
        if self.levels == TWO:
            return rows, np.zeros(rows.size, np.int8)
        codes = self._column[rows].astype(np.int32)
        return rows, codes - (codes > self.mode)

    @cached_property
    def codes(self) -> np.ndarray:
        """The column in full."""
        return self._column.astype(np.int32)

    @cached_property
    def planes(self) -> np.ndarray:
        """A bit plane for each code but the mode."""
        if self.cells > FEW_PLANES:
            edges, values = np.array([0, self.rows.size]), self.codes[self.rows]
            mode, levels = np.array([self.mode]), np.array([self.levels])
            column = Codes(self._n_rows, edges, self.rows, values, mode, levels, np.array([-1]))
            return pack_planes(column, 0, 1)
        packed = np.zeros((self.cells, 8 * -(-self._n_rows // 64)), np.uint8)
        for plane, code in zip(packed, self.non_modes.tolist(), strict=True):
            bits = np.packbits(self._column == code, bitorder="little")
            plane[: bits.size] = bits
        return packed.view("<u8").astype(np.uint64, copy=False)

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        attributes = vars(self)
        lists = sum(part.nbytes for part in attributes.get("_entries", ()))
        others = (getattr(attributes.get(name), "nbytes", 0) for name in ("codes", "planes"))
        return int(self._column.nbytes + lists + sum(others))


class PairStatistics:
    """The counts of an anchor with all features, and the sums made of them.

    Parameters
    ----------
    counts : Counts
        The data.
    anchor : Anchor
        The column.
    co : list of ndarray or None
        The co-occurrences with each column group (cells of s, cells), or None where they are
        counted again when they are asked for.
    rows, t_fs, t_f, t_s : ndarray
        For each feature the rows, and the sums of c log c over fs, f and s.
    """

    def __init__(
        self,
        counts: Counts,
        anchor: Anchor,
        co: list[np.ndarray | None],
        rows: np.ndarray,
        t_fs: np.ndarray,
        t_f: np.ndarray,
        t_s: np.ndarray,
    ) -> None:
        self._counts, self._co = counts, co
        self.anchor = anchor
        self.rows, self.t_fs, self.t_f, self.t_s = rows, t_fs, t_f, t_s
        self._tables: dict[int, np.ndarray] = {}
        self._cache: weakref.ref[Cache] | None = None  # not a reference: the cache holds this

    @property
    def nbytes(self) -> int:
        """The memory that it takes when it is made; its cache is notified of later growth."""
        tables = sum(part.nbytes for part in self._co if part is not None)
        sums = 0 if self.rows.ndim == 0 else 3 * self.t_fs.nbytes
        return int(tables + self.t_fs.nbytes + sums + self.anchor.nbytes)

    def kept_in(self, cache: Cache, key: Hashable) -> PairStatistics:
        """Keep it in a cache, which is notified when it grows, and return it."""
        self._cache, self._key = weakref.ref(cache), key
        return cache.keep(key, self)

    def _report_growth(self, *arrays: np.ndarray) -> None:
        cache = None if self._cache is None else self._cache()
        if cache is not None:
            cache.grow(self._key, sum(part.nbytes for part in arrays))

    def co(self, i: int) -> np.ndarray:
        """The co-occurrences of its cells with those of one column group."""
        kept = self._co[i]
        return self._counts.groups[i].co_with(self.anchor) if kept is None else kept

    def table(self, i: int) -> np.ndarray:
        """n(f, s) of one column group: (codes, codes of s)."""
        if i not in self._tables:
            table = self._counts.groups[i].pair_table(self.anchor, self.co(i))
            self._tables[i] = table
            self._report_growth(table)
        return self._tables[i]

    @property
    def complete_table(self) -> np.ndarray:
        """n(f, s) of all features: (codes, codes of s)."""
        return np.concatenate([self.table(i) for i in range(len(self._co))])

    @cached_property
    def n_sl(self) -> np.ndarray:
        """The rows of each of its cells with each label of two levels: (labels, cells)."""
        n_sl = np.ascontiguousarray(self._counts.labels.co_occurrences(self.anchor).T)
        self._report_growth(n_sl)
        return n_sl

    @cached_property
    def label_tables(self) -> np.ndarray:
        """n(s, l) for every label, masks included: (labels, levels of s, most levels of l)."""
        labels = self._counts.labels
        tables = labels.tables(self.anchor)
        full_tables.complete_given(tables, self.anchor.n, labels.modes)
        self._report_growth(tables)
        return tables

    @cached_property
    def rows_by_label(self) -> tuple[np.ndarray, np.ndarray]:
        """Its non-mode rows sorted by the labels that occur in them, and where each begins."""
        anchor = self.anchor
        indptr, columns = self._counts.labels.by_row
        rows = anchor.rows
        starts = np.zeros(len(self._counts.labels) + 2, np.int64)
        sorted_rows = np.empty(int((indptr[rows + 1] - indptr[rows]).sum()), np.int32)
        row_walks.group_rows(rows, indptr, columns, starts, sorted_rows)
        self._report_growth(sorted_rows, starts)
        return sorted_rows, starts

    @cached_property
    def label_sums(self) -> np.ndarray:
        """The sum of c log c over n(s,l) of every label."""
        sums = self._label_sums()
        self._report_growth(sums)
        return sums

    def _label_sums(self) -> np.ndarray:
        counts, labels, anchor = self._counts, self._counts.labels, self.anchor
        if anchor.levels == 2 and labels.all_two_levels:
            t_sl = np.empty(len(labels), np.int64)
            n_l, n_sl = labels.n_cells, self.n_sl[:, 0]
            co_sums.pairs_of_two(n_l, n_sl, anchor.non_mode, counts.total, counts.xlogx, t_sl)
            return t_sl
        tables = self.label_tables
        size, cells = len(tables), tables.shape[1] * tables.shape[2]
        out = np.empty((size, 2), np.int64)
        edges = np.arange(size + 1) * cells
        co_sums.singles(tables.ravel(), edges, np.full(size, cells), counts.xlogx, out)
        return out[:, 1].copy()
