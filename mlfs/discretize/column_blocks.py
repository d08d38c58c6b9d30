"""Walk over a table some columns at a time; dense and sparse columns have one form."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import column_values
from mlfs.counting.entries import edges_of

CELLS = 1 << 17
LINE = 8
TRANSPOSED_FROM = 1 << 18  # entries; below, numpy is as fast
NO_ROWS = np.zeros(0, np.int32)


class Block(NamedTuple):
    """Some neighbouring columns: their stored values, one column after the other.

    Parameters
    ----------
    start, n_rows : int
        The first column, and the number of rows of the table.
    values : ndarray of float64
        The stored values.
    bounds : ndarray of int64, shape (width + 1,)
        Column j has the values bounds[j] to bounds[j + 1].
    rows : ndarray of int
        The row of each value; of size 0 where every column stores all its rows.
    """

    start: int
    n_rows: int
    values: np.ndarray
    bounds: np.ndarray
    rows: np.ndarray

    @property
    def width(self) -> int:
        """The number of columns."""
        return int(self.bounds.size) - 1

    @property
    def is_dense(self) -> bool:
        """Whether every column stores all its rows."""
        return self.values.size == self.width * self.n_rows

    @property
    def implicit(self) -> np.ndarray:
        """The number of rows of each column that are not stored and hold 0."""
        return np.asarray(self.n_rows - np.diff(self.bounds))

    def spread(self, numbers: np.ndarray) -> np.ndarray:
        """Repeat a number for each column once for each of its values."""
        return np.repeat(numbers, np.diff(self.bounds))

    def reduce(self, ufunc: np.ufunc, entries: np.ndarray, initial: Any) -> np.ndarray:
        """Reduce the entries of each column."""
        filled = np.diff(self.bounds) > 0
        result = np.full(self.width, initial, dtype=np.asarray(initial).dtype)
        if filled.any():
            starts = self.bounds[:-1][filled]
            result[filled] = ufunc(result[filled], ufunc.reduceat(entries, starts))
        return result

    def extremes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The least and greatest value of each column, and how many are missing.

        Without any value they are inf and -inf.
        """
        low = self.reduce(np.minimum, self.values, np.inf)
        high = self.reduce(np.maximum, self.values, -np.inf)
        n_missing = np.zeros(self.width, np.int64)
        if np.isnan(low).any():
            is_missing = np.isnan(self.values)
            n_missing = self.reduce(np.add, is_missing.astype(np.int64), np.int64(0))
            low = self.reduce(np.fmin, self.values, np.inf)
            high = self.reduce(np.fmax, self.values, -np.inf)
        has_zeros = self.implicit > 0
        low = np.where(has_zeros, np.minimum(low, 0.0), low) + 0.0  # -0.0 becomes 0.0
        return low, np.where(has_zeros, np.maximum(high, 0.0), high) + 0.0, n_missing

    def weights(self, weights: np.ndarray | None) -> np.ndarray:
        """The weight of each stored value, 1 without weights."""
        if weights is None:
            return np.ones(self.values.size)
        return np.tile(weights, self.width) if self.is_dense else weights[self.rows]

    def implicit_weights(self, weights: np.ndarray | None) -> np.ndarray:
        """The weight of the rows of each column that are not stored."""
        if weights is None or self.is_dense:
            return self.implicit.astype(np.float64)
        return np.asarray(weights.sum() - self.reduce(np.add, self.weights(weights), 0.0))

    def column(self, j: int) -> np.ndarray:
        """All values of one column in row order, those that are not stored too."""
        part = slice(self.bounds[j], self.bounds[j + 1])
        if self.bounds[j + 1] - self.bounds[j] == self.n_rows:
            return self.values[part]
        column = np.zeros(self.n_rows)
        column[self.rows[part]] = self.values[part]
        return column

    def take(self, columns: np.ndarray) -> Block:
        """Some of the columns, in rising order."""
        if columns.size == self.width:
            return self
        sizes = np.diff(self.bounds)
        is_taken = np.zeros(self.width, bool)
        is_taken[columns] = True
        stored = np.repeat(is_taken, sizes)
        rows = self.rows[stored] if self.rows.size else self.rows
        return self._replace(values=self.values[stored], bounds=edges_of(sizes[columns]), rows=rows)


def blocks(table: Any) -> Iterator[Block]:
    """The columns of a dense or sparse table, as many at a time as fit the processor's cache.

    Dense blocks share their memory: use each before taking the next.
    """
    if sp.issparse(table):
        yield from _sparse_blocks(sp.csc_array(table))
        return
    n_rows, n_columns = table.shape
    width = max(1, CELLS // max(1, n_rows))
    gather = max(LINE, width)  # a cache line holds several columns of a row: fetch it once
    is_plain = table.dtype == np.float64 and table.flags.c_contiguous
    transposes = is_plain and table.size >= TRANSPOSED_FROM
    buffer = np.empty((min(gather, n_columns) if transposes else 0, n_rows))
    for first in range(0, n_columns, gather):
        part = buffer[: n_columns - first]
        if transposes:
            column_values.transpose(table, first, part)
        else:
            part = np.ascontiguousarray(table[:, first : first + gather].T, dtype=np.float64)
        yield from _dense_blocks(first, part, width)


def _dense_blocks(first: int, part: np.ndarray, width: int) -> Iterator[Block]:
    """Some columns, the rows of an array, in blocks."""
    n_rows = part.shape[1]
    for j in range(0, part.shape[0], width):
        values = part[j : j + width]
        bounds = np.arange(values.shape[0] + 1) * n_rows
        yield Block(first + j, n_rows, values.reshape(-1), bounds, NO_ROWS)


def _sparse_blocks(table: Any) -> Iterator[Block]:
    n_rows, n_columns = table.shape
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    indptr = table.indptr.astype(np.int64)
    first = 0
    while first < n_columns:
        last = int(np.searchsorted(indptr, indptr[first] + CELLS, side="right")) - 1
        last = min(max(last, first + 1), n_columns)
        part = slice(indptr[first], indptr[last])
        values = np.asarray(table.data[part], dtype=np.float64)
        bounds = indptr[first : last + 1] - indptr[first]
        yield Block(first, n_rows, values, bounds, table.indices[part])
        first = last


def round_weights(weights: np.ndarray) -> np.ndarray:
    """The weights rounded to a common fixed-point grid, so that sums are exact in any order.

    Integers stay what they are (up to a total of 2**51). Counts have a grid of their own, of
    integers (`mlfs.counting.weights.on_grid`): MDLP needs the size of the weights as it is.
    """
    total = math.fsum(weights.tolist())
    if total <= 0:
        return weights
    # At most 2**51 steps of the grid in the whole sum: every partial sum fits a float.
    steps = 51 - math.frexp(total)[1]
    return np.asarray(np.ldexp(np.rint(np.ldexp(weights, steps)), -steps))
