"""Walk over a table some columns at a time, dense and sparse alike, never densified."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import turning

__all__ = ["Block", "blocks"]

CELLS = 1 << 17
LINE = 8
TURNED_FROM = 1 << 18  # entries; below, numpy is as good


@dataclass(frozen=True)
class Block:
    """Some neighbouring columns, as the entries that are written out.

    Parameters
    ----------
    start, width, n_rows : int
        Columns `start` to `start + width` of a table of `n_rows` rows.
    values : ndarray
        The entries, shape (width, n_rows) if all are written out, else flat.
    bounds : ndarray, optional
        Flat entries only: column j has the entries bounds[j] to bounds[j + 1].
    rows : ndarray, optional
        Flat entries only: the row of each.
    implicit : ndarray of int64, shape (width,)
        How many further entries each column has that are 0.
    empty : ndarray of float64, shape (width,)
        The weight of these.
    """

    start: int
    width: int
    n_rows: int
    values: np.ndarray
    bounds: np.ndarray | None
    rows: np.ndarray | None
    implicit: np.ndarray
    empty: np.ndarray

    def spread(self, each: np.ndarray) -> np.ndarray:
        """Something known for each column, as an array that fits the entries."""
        return each[:, None] if self.bounds is None else np.repeat(each, np.diff(self.bounds))

    def reduce(self, ufunc: np.ufunc, entries: np.ndarray, initial: Any) -> np.ndarray:
        """Reduce the entries of each column."""
        if self.bounds is None:
            return np.asarray(ufunc.reduce(entries, axis=1, initial=initial))
        filled = np.diff(self.bounds) > 0
        result = np.full(self.width, initial, dtype=np.asarray(initial).dtype)
        if filled.any():
            starts = self.bounds[:-1][filled]
            result[filled] = ufunc(result[filled], ufunc.reduceat(entries, starts))
        return result

    def row_index(self) -> np.ndarray:
        """The row of each entry, in a shape that fits them."""
        return np.arange(self.n_rows)[None, :] if self.rows is None else self.rows

    def column(self, j: int) -> np.ndarray:
        """All entries of one column, the implicit ones too, in row order."""
        if self.bounds is None or self.rows is None:
            return np.asarray(self.values[j])
        part = slice(self.bounds[j], self.bounds[j + 1])
        if self.implicit[j] == 0:
            return np.asarray(self.values[part])
        whole = np.zeros(self.n_rows)
        whole[self.rows[part]] = self.values[part]
        return whole

    def take(self, columns: np.ndarray) -> Block:
        """The same for some of the columns."""
        if columns.size == self.width:
            return self
        if self.bounds is None:
            return self._with(self.values[columns], None, None, columns)
        chosen = self.entries(columns)
        rows = None if self.rows is None else self.rows[chosen]
        bounds = np.concatenate([[0], np.cumsum(np.diff(self.bounds)[columns])])
        return self._with(self.values[chosen], bounds, rows, columns)

    def entries(self, columns: np.ndarray) -> np.ndarray:
        """An index of the entries of some columns (rising)."""
        if self.bounds is None:
            return columns
        flags = np.zeros(self.width, dtype=bool)
        flags[columns] = True
        return np.flatnonzero(np.repeat(flags, np.diff(self.bounds)))

    def observed(self) -> tuple[Block, np.ndarray]:
        """The block without its missing values, and their number in each column."""
        gone = np.isnan(self.values)
        if not gone.any():
            return self, np.zeros(self.width, dtype=np.int64)
        lost = self.reduce(np.add, gone.astype(np.int64), np.int64(0))
        whole = np.full(self.width, self.n_rows)
        lengths = whole if self.bounds is None else np.diff(self.bounds)
        rows = np.broadcast_to(self.row_index(), self.values.shape)[~gone]
        bounds = np.concatenate([[0], np.cumsum(lengths - lost)])
        return self._with(self.values[~gone], bounds, rows), lost

    def chunks(self) -> Iterator[tuple[Block, slice]]:
        """The block cut by rows into pieces that fit the processor's cache."""
        if self.bounds is not None or self.values.size <= 2 * CELLS:
            yield self, slice(None)
            return
        step = max(1, CELLS // self.width)
        for first in range(0, self.n_rows, step):
            rows = slice(first, min(first + step, self.n_rows))
            yield self._with(self.values[:, rows], None, None), rows

    def _with(
        self,
        values: np.ndarray,
        bounds: np.ndarray | None,
        rows: np.ndarray | None,
        columns: Any = slice(None),
    ) -> Block:
        implicit, empty = self.implicit[columns], self.empty[columns]
        return Block(self.start, implicit.size, self.n_rows, values, bounds, rows, implicit, empty)


def blocks(table: Any, weights: np.ndarray | None = None, cells: int = CELLS) -> Iterator[Block]:
    """The columns of a dense or sparse table, as many at a time as `cells` entries hold.

    A block is to be done with before the next is asked for.

    The `weights` of the rows lie on a grid (`moments.on_grid`), so that their sums are exact.
    """
    n_rows, n_columns = table.shape
    if sp.issparse(table):
        yield from _sparse_blocks(sp.csc_array(table), weights, cells)
        return
    width = max(1, cells // max(1, n_rows))
    gather = max(LINE, width)
    turns = table.size >= TURNED_FROM and table.dtype == np.float64 and table.flags.c_contiguous
    room = np.empty((min(gather, n_columns) if turns else 0, n_rows))  # the same for all: it is hot
    for first in range(0, n_columns, gather):
        # A cache line holds several columns of a row: fetch it once.
        part = room[: n_columns - first]
        if turns:
            turning.columns_of(table, first, part)
        else:
            part = np.ascontiguousarray(table[:, first : first + gather].T, dtype=np.float64)
        for j in range(0, part.shape[0], width):
            values = part[j : j + width]
            none = np.zeros(values.shape[0], dtype=np.int64)
            yield Block(first + j, none.size, n_rows, values, None, None, none, none * 1.0)


def _sparse_blocks(table: Any, weights: np.ndarray | None, cells: int) -> Iterator[Block]:
    n_rows, n_columns = table.shape
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    total = n_rows if weights is None else weights.sum()
    indptr = table.indptr.astype(np.int64)
    first = 0
    while first < n_columns:
        last = int(np.searchsorted(indptr, indptr[first] + cells, side="right")) - 1
        last = min(max(last, first + 1), n_columns)
        part = slice(indptr[first], indptr[last])
        bounds = indptr[first : last + 1] - indptr[first]
        implicit = n_rows - np.diff(bounds)
        values = np.asarray(table.data[part], dtype=np.float64)
        rows = table.indices[part]
        none = np.zeros(last - first)
        block = Block(first, last - first, n_rows, values, bounds, rows, implicit, none)
        known = (n_rows - implicit) if weights is None else block.reduce(np.add, weights[rows], 0.0)
        yield replace(block, empty=np.asarray(total - known, dtype=np.float64))
        first = last
