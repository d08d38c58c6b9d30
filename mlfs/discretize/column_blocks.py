"""Walk over a table some columns at a time; dense and sparse columns have one form.

The mean and standard deviation of a column are the same in both, whatever the order of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import column_values
from mlfs._kernels.column_values import add_parts
from mlfs.counting.entries import edges_of
from mlfs.data.packed_table import PackedTable

__all__ = ["Block", "blocks", "column_sums", "mean_sd", "round_weights", "two_product"]

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

    def spread(self, each: np.ndarray) -> np.ndarray:
        """Repeat a number for each column once for each of its values."""
        return np.repeat(each, np.diff(self.bounds))

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
        lost = np.zeros(self.width, np.int64)
        if np.isnan(low).any():
            gone = np.isnan(self.values)
            lost = self.reduce(np.add, gone.astype(np.int64), np.int64(0))
            low = self.reduce(np.fmin, self.values, np.inf)
            high = self.reduce(np.fmax, self.values, -np.inf)
        hidden = self.implicit > 0
        low = np.where(hidden, np.minimum(low, 0.0), low) + 0.0  # -0.0 becomes 0.0
        return low, np.where(hidden, np.maximum(high, 0.0), high) + 0.0, lost

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
        whole = np.zeros(self.n_rows)
        whole[self.rows[part]] = self.values[part]
        return whole

    def take(self, columns: np.ndarray) -> Block:
        """Some of the columns, in rising order."""
        if columns.size == self.width:
            return self
        sizes = np.diff(self.bounds)
        chosen = np.zeros(self.width, bool)
        chosen[columns] = True
        stored = np.repeat(chosen, sizes)
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
    if isinstance(table, PackedTable):
        for first, part in table.column_parts():
            yield from _dense_blocks(first, np.asarray(part, np.float64), width)
        return
    gather = max(LINE, width)  # a cache line holds several columns of a row: fetch it once
    is_plain = table.dtype == np.float64 and table.flags.c_contiguous
    transposes = is_plain and table.size >= TRANSPOSED_FROM
    room = np.empty((min(gather, n_columns) if transposes else 0, n_rows))
    for first in range(0, n_columns, gather):
        part = room[: n_columns - first]
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


PARTS = 12
FEW = 64  # columns that are summed one by one faster than as arrays
SPLIT = 134217729.0  # 2**27 + 1


def column_sums(
    block: Block,
    center: np.ndarray,
    bound: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    squared: bool = False,
    more: tuple[np.ndarray, ...] = (),
) -> np.ndarray:
    """The sum of the deviations from a center in each column, rounded once as `math.fsum` does.

    Every term is cut into parts that are multiples of a common power of two and have few enough
    bits that their sums are exact in any order.

    Parameters
    ----------
    block : Block
        The columns; missing values and rows that are not stored are left out.
    center : ndarray
        What is subtracted from the values of each column.
    bound : ndarray
        No deviation (squared, with `squared`) is larger in magnitude.
    weights : ndarray, optional
        The factor of each row of the table.
    squared : bool
        Sum the squares of the deviations, each rounded as usual.
    more : tuple of ndarray
        Further terms for each column.
    """
    width, n_terms, heaviest = block.width, block.n_rows, 1.0
    pieces = [(block.values, center, squared)]
    if weights is not None:
        deviations = block.values - block.spread(center)
        if squared:
            deviations *= deviations
        products = two_product(deviations, block.weights(weights))
        pieces = [(product, np.zeros(width), False) for product in products]
        n_terms, heaviest = 2 * n_terms, max(1.0, float(weights.max()))
    top = np.frexp(bound * heaviest * 2)[1]
    bits = 51 - max(1, n_terms).bit_length()
    parts, rest = np.zeros((PARTS, width)), np.empty(block.values.size)
    left: list[np.ndarray] = []
    for values, middle, squares in pieces:
        if add_parts(values, block.bounds, middle, squares, top, bits, parts, rest):
            left.append(rest.copy())
    terms = [term for term in (*parts, *more) if term.any()]
    sums, is_exact = np.zeros(width), np.zeros(width, bool)
    if width > FEW:  # selecting from a sparse table of 47,236 columns takes a third less time
        sums, is_exact = _rounded_once(terms, width)
    for j in np.flatnonzero(~is_exact | bool(left)).tolist():
        own = slice(block.bounds[j], block.bounds[j + 1])
        extra = [each[own].tolist() for each in left]  # magnitudes that differ very much
        sums[j] = math.fsum(chain([term[j] for term in terms], *extra))
    return sums


def _rounded_once(terms: list[np.ndarray], size: int) -> tuple[np.ndarray, np.ndarray]:
    """The sums of some terms, and where they are known to be rounded only once.

    They are the sums of two floats each, the rounded sum and its error, unless the sum of the
    errors is not exact.
    """
    total, error, is_exact = np.zeros(size), np.zeros(size), np.ones(size, bool)
    for term in terms:
        total, lost = _two_sum(total, term)
        error, beyond = _two_sum(error, lost)
        is_exact &= beyond == 0
    return total + error, is_exact


def _two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rounded sum and its error: a + b = total + error exactly (Knuth)."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def two_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rounded product and its error: a * b = product + error exactly (Dekker, 1971).

    Examples
    --------
    >>> product, error = two_product(np.array([0.1]), np.array([3.0]))
    >>> product.tolist(), error.tolist()
    ([0.30000000000000004], [-2.7755575615628914e-17])
    """
    product = a * b
    wide_a, wide_b = SPLIT * a, SPLIT * b
    high_a, high_b = wide_a - (wide_a - a), wide_b - (wide_b - b)
    low_a, low_b = a - high_a, b - high_b
    error = low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)
    return product, error


def mean_sd(
    block: Block,
    low: np.ndarray,
    high: np.ndarray,
    lost: np.ndarray,
    weights: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and population standard deviation (ddof = 0) of each column of a block.

    The sum of the values, and that of the squared deviations (each rounded as usual), are
    rounded once; so dense and sparse tables, rows in any order, and rows repeated instead of
    weighted by integers give the same bits.

    Parameters
    ----------
    block : Block
        Missing values are left out; every column has at least one other.
    low, high, lost : ndarray
        The least and the greatest value of each column, and how many are missing.
    weights : ndarray, optional
        One positive weight for each row of the table.
    """
    # Squares of very large or small numbers overflow: bring these columns near 1.
    exponents = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
    shift = np.where(np.abs(exponents) > 300, -exponents, 0)
    if shift.any():
        block = block._replace(values=np.ldexp(block.values, block.spread(shift)))
        low, high = np.ldexp(low, shift), np.ldexp(high, shift)
    empty = block.implicit_weights(weights)
    amount = (block.n_rows - lost) * 1.0
    if weights is not None:
        known = block.weights(weights) * ~np.isnan(block.values)
        amount = block.reduce(np.add, known, 0.0) + empty
    largest = np.maximum(np.abs(low), np.abs(high))
    mean = column_sums(block, np.zeros(block.width), largest, weights) / amount

    furthest = np.maximum(np.abs(low - mean), np.abs(high - mean))
    zeros = (0.0 - mean) * (0.0 - mean)
    more = two_product(zeros, empty)
    sums = column_sums(block, mean, furthest * furthest, weights, squared=True, more=more)
    return np.ldexp(mean, -shift), np.ldexp(np.sqrt(sums / amount), -shift)


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
