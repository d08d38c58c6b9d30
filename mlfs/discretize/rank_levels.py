"""Columns as a few levels that keep their order: for tests, at the resolution of the data.

A numeric column of more than ten values is cut at its sixteenths, and counts by its rank and the
square of it. Other columns count by an indicator of each level but the most frequent one; levels of
few rows count together. A missing value is a level of its own. All parts are small whole numbers,
so that sums of their products are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import level_sums

N_RANKS = 16
MAX_VALUES = 10  # of a numeric column that counts by its values
MAX_LEVELS = 64  # of a nominal column; the others count as one
FEWEST_ROWS = 5  # of a level that counts on its own
FETCHED = 32  # columns of a dense table at a time
NO_ROWS = np.zeros(0, np.int32)


class LevelColumn(NamedTuple):
    """A column as levels, and what each level counts.

    Parameters
    ----------
    levels : ndarray of uint8
        The level of each stored row.
    rows : ndarray of int
        The stored rows; of size 0 where all rows are stored.
    other_level : int
        The level of the rows that are not stored; -1 if there are none.
    parts : ndarray of int8, shape (levels, parts)
        What each level counts in each part of the column.
    """

    levels: np.ndarray
    rows: np.ndarray
    other_level: int
    parts: np.ndarray

    @property
    def is_ranked(self) -> bool:
        """Whether levels count by their rank, the last of them for missing values."""
        return bool(self.parts.min(initial=0) < 0)

    def sums(self, kernel: Any, total: np.ndarray, *args: Any) -> np.ndarray:
        """Sums of a kernel by level, where the sum over all rows is known."""
        out = np.zeros((len(self.parts), total.size))
        kernel(self.levels, self.rows, *args, out)
        if self.other_level >= 0:
            out[self.other_level] += total - out.sum(axis=0)
        return out

    def levels_of_rows(self, n_rows: int) -> np.ndarray:
        """The level of every row."""
        out = np.full(n_rows, max(0, self.other_level), np.uint8)
        out[self.rows if self.rows.size else slice(None)] = self.levels
        return out

    def rows_of_parts(self, n_rows: int) -> np.ndarray:
        """The parts of every row, (n_rows, parts)."""
        return np.asarray(self.parts[self.levels_of_rows(n_rows)])


class LevelColumns:
    """The columns of a table as levels, made when they are asked for.

    Parameters
    ----------
    table : ndarray or sparse array, shape (N, d)
        X of a data set; NaN is missing.
    sizes : ndarray of int
        The number of values of each nominal column, -1 for a numeric one.
    members : sequence of sequence of int, optional
        The columns of each candidate, where columns are grouped.
    weights : ndarray, optional
        How many rows each row counts for.
    """

    def __init__(
        self,
        table: Any,
        sizes: np.ndarray,
        members: Sequence[Sequence[int]] | None = None,
        weights: np.ndarray | None = None,
    ) -> None:
        self._table = sp.csc_array(table) if sp.issparse(table) else table
        if sp.issparse(table):
            self._table.sum_duplicates()
        self._sizes, self._members = sizes, members
        self._weights = weights

    def __getitem__(self, candidate: int) -> LevelColumn:
        if self._members is None:
            return self._column(candidate)
        members = self._members[candidate]
        if len(members) == 1:
            return self._column(members[0])
        n_rows = self._table.shape[0]
        joint = np.zeros(n_rows, np.int64)
        for j in members:
            levels = self._column(j).levels_of_rows(n_rows)
            joint = np.unique(joint * 256 + levels, return_inverse=True)[1].astype(np.int64)
        return by_values(
            StoredColumn(joint.astype(np.float64), NO_ROWS, n_rows, self._weights), nominal=True
        )

    def is_ordered(self, candidate: int) -> bool:
        """Whether a candidate is a numeric column."""
        members = [candidate] if self._members is None else self._members[candidate]
        return len(members) == 1 and bool(self._sizes[members[0]] < 0)

    def several(self, candidates: np.ndarray) -> Iterator[LevelColumn]:
        """Some candidates, one after the other; neighbours are fetched together."""
        together = self._members is None and not sp.issparse(self._table)
        for first in range(0, candidates.size, FETCHED):
            some = candidates[first : first + FETCHED]
            values = np.asarray(self._table[:, some].T, np.float64, order="C") if together else None
            for i, j in enumerate(some.tolist()):
                yield self[j] if values is None else self._column(j, values[i])

    def _column(self, j: int, values: np.ndarray | None = None) -> LevelColumn:
        table, rows = self._table, NO_ROWS
        if sp.issparse(table):
            part = slice(table.indptr[j], table.indptr[j + 1])
            values, rows = np.asarray(table.data[part], np.float64), table.indices[part]
        elif values is None:
            values = np.asarray(table[:, j], np.float64)
        stored = StoredColumn(values, rows, table.shape[0], self._weights)
        if self._sizes[j] >= 0:
            return by_values(stored, nominal=True)
        return by_ranks(stored)


class StoredColumn(NamedTuple):
    """The values of a column that are stored; all others are 0.

    Parameters
    ----------
    values : ndarray of float64
        The values.
    rows : ndarray of int
        Their rows; of size 0 where all are stored.
    n_rows : int
        The number of all rows.
    weights : ndarray or None
        How many rows each row counts for.
    """

    values: np.ndarray
    rows: np.ndarray
    n_rows: int
    weights: np.ndarray | None = None

    @property
    def own_weights(self) -> np.ndarray | None:
        """The weights of the stored rows."""
        if self.weights is None or not self.rows.size:
            return self.weights
        return np.asarray(self.weights[self.rows])

    @property
    def others(self) -> float:
        """The weight of the rows that are not stored."""
        if self.values.size == self.n_rows:
            return 0.0
        if self.weights is None:
            return float(self.n_rows - self.values.size)
        return float(self.weights.sum() - self.weights[self.rows].sum())

    def counts(self, levels: np.ndarray, n: int) -> np.ndarray:
        """The weight of the stored rows of each level."""
        return np.bincount(levels, self.own_weights, minlength=n)


def by_ranks(stored: StoredColumn) -> LevelColumn:
    """A numeric column, cut at its sixteenths where it has many values.

    Examples
    --------
    >>> column = by_ranks(StoredColumn(np.arange(32.0), NO_ROWS, 32))
    >>> int(column.levels.max()), column.parts[[0, 7, 8, 15]].tolist()
    (15, [[-15, 28], [-1, 0], [1, 0], [15, 28]])
    """
    values, others = stored.values, stored.others
    small = _small_codes(values)
    if small is not None:
        n_values = np.count_nonzero(np.bincount(small)) + (others > 0 and bool(small.all()))
        if n_values <= MAX_VALUES:
            return by_values(stored, nominal=False)
    order = None if stored.weights is None else values.argsort()
    ordered = np.sort(values) if order is None else values[order]
    known = ordered.size - int(np.isnan(ordered).sum())
    ordered = ordered[:known]
    if others:
        place = int(np.searchsorted(ordered, 0.0))
        ordered = np.insert(ordered, place, 0.0)
    if np.count_nonzero(ordered[1:] != ordered[:-1]) < MAX_VALUES:
        return by_values(stored, nominal=False)
    if order is None:
        upto = np.arange(1.0, known + 1)
    else:
        upto = np.cumsum(stored.own_weights[order[:known]])  # type: ignore[index]
    if others:
        upto = np.insert(upto, place, upto[place - 1] if place else 0.0)
        upto[place:] += others
    at_cuts = np.searchsorted(upto, np.arange(1, N_RANKS) * upto[-1] / N_RANKS)
    cuts = np.unique(ordered[at_cuts])
    cuts = cuts[cuts < ordered[-1]]
    levels = np.empty(values.size, np.uint8)
    level_sums.cut_levels(values, cuts, levels)
    other = int((cuts < 0).sum()) if others else -1
    counts = stored.counts(levels, cuts.size + 2).astype(np.float64)
    if others:
        counts[other] += others
    middle = np.cumsum(counts[:-1]) - counts[:-1] / 2
    rank = 2 * np.floor(N_RANKS * middle / counts[:-1].sum()).astype(np.int64) - (N_RANKS - 1)
    has_missing = counts[-1] >= FEWEST_ROWS
    parts = np.zeros((cuts.size + 2, 2 + has_missing), np.int8)
    parts[:-1, 0], parts[:-1, 1] = rank, (rank**2 - 1) // 8
    if has_missing:
        parts[-1, 2] = 1
    return LevelColumn(levels, stored.rows, other, parts)


def by_values(stored: StoredColumn, *, nominal: bool) -> LevelColumn:
    """A column by an indicator of each value but the most frequent one.

    Of a numeric column a value of few rows counts with the one below it, of a nominal one with all
    other such values.
    """
    values, others = stored.values, stored.others
    codes, n_missing_levels = _small_codes(values), 0
    if codes is None:
        is_missing = np.isnan(values)
        distinct = np.unique(np.append(values[~is_missing], [0.0] if others else []))
        codes = np.where(is_missing, distinct.size, np.searchsorted(distinct, values))
        n_missing_levels = int(is_missing.any())
        zero = int(np.searchsorted(distinct, 0.0)) if others else 0
        n_codes = distinct.size + n_missing_levels
    else:
        zero, n_codes = 0, 1
    counts = stored.counts(codes, n_codes).astype(np.float64)
    if others:
        counts[zero] += others
    present = np.flatnonzero(counts)
    level_of = np.zeros(counts.size, np.uint8)
    level_of[present] = merged = _merged(counts[present], n_missing_levels, nominal=nominal)
    totals = np.bincount(merged, counts[present])
    other = int(level_of[zero]) if others else -1
    return LevelColumn(
        level_of[codes], stored.rows, other, _indicators(totals.size, int(totals.argmax()))
    )


def _small_codes(values: np.ndarray) -> np.ndarray | None:
    """The values as bytes; None unless they are whole numbers below 256."""
    if not values.size or not (values.min() >= 0 and values.max() < 256):
        return None
    codes = values.astype(np.uint8)
    return codes if (codes == values).all() else None


@cache
def _indicators(n_levels: int, left_out: int) -> np.ndarray:
    """A column for each level but one."""
    return np.delete(np.eye(n_levels, dtype=np.int8), left_out, axis=1)


def _merged(counts: np.ndarray, n_missing_levels: int, *, nominal: bool) -> np.ndarray:
    """The level of each value: those of few rows count together."""
    if counts.size <= MAX_VALUES and counts.min(initial=FEWEST_ROWS) >= FEWEST_ROWS:
        return np.arange(counts.size)
    n_known = counts.size - n_missing_levels
    level = np.zeros(counts.size, np.int64)
    if nominal:
        order = np.argsort(-counts, kind="stable")
        kept = order[:MAX_LEVELS][counts[order[:MAX_LEVELS]] >= FEWEST_ROWS]
        level[:] = kept.size
        level[kept] = np.arange(kept.size)
        rest = counts[level == kept.size].sum()
        if 0 < rest < FEWEST_ROWS and kept.size:
            level[level == kept.size] = 0
        return np.unique(level, return_inverse=True)[1]
    rows_so_far, at = 0.0, 0
    for value in range(n_known):  # at most ten of them
        if rows_so_far >= FEWEST_ROWS and counts[value:n_known].sum() >= FEWEST_ROWS:
            at, rows_so_far = at + 1, 0
        level[value] = at
        rows_so_far += counts[value]
    if n_missing_levels:
        level[-1] = at + 1 if counts[-1] >= FEWEST_ROWS else 0
    return level
