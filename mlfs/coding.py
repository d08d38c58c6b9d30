"""Columns coded to small integers, in the form that is counted.

A column keeps the rows in which its code is not its base (its most frequent code, the lowest
one when several are equally frequent). That is little for sparse data and exact for all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["Codes", "code_labels"]


@dataclass(frozen=True)
class Codes:
    """A coded table, column by column.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    indptr, rows, codes : ndarray
        Column j has the code ``codes[k]`` in the row ``rows[k]`` for k in
        ``indptr[j]:indptr[j + 1]``, rows ascending, and its base in all other rows.
    base : ndarray
        The base of each column.
    levels : ndarray
        The number of codes of each column, a level for missing values included.
    missing : ndarray
        The code that means missing (always the last one), or -1.
    """

    n_rows: int
    indptr: np.ndarray
    rows: np.ndarray
    codes: np.ndarray
    base: np.ndarray
    levels: np.ndarray
    missing: np.ndarray

    def __len__(self) -> int:
        return int(self.base.size)

    @classmethod
    def from_dense(cls, matrix: Any, *, missing_code: int | None = -1) -> Codes:
        """Code a matrix of small integers; `missing_code` marks missing values."""
        matrix = np.ascontiguousarray(np.asarray(matrix, dtype=np.int64))
        n_rows, n_columns = matrix.shape
        parts: list[tuple[np.ndarray, np.ndarray]] = []
        base = np.zeros(n_columns, np.int32)
        levels = np.ones(n_columns, np.int32)
        missing = np.full(n_columns, -1, np.int32)
        for j in range(n_columns):
            column = matrix[:, j]
            gone = column == missing_code
            known = column[~gone]
            levels[j] = int(known.max()) + 1 if known.size else 1
            if gone.any():
                missing[j] = levels[j]
                column = np.where(gone, levels[j], column)
                levels[j] += 1
            base[j] = int(np.bincount(column).argmax()) if n_rows else 0
            rows = np.flatnonzero(column != base[j])
            parts.append((rows, column[rows]))
        sizes = [rows.size for rows, _ in parts]
        return cls(
            n_rows,
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            _joined([rows for rows, _ in parts]),
            _joined([codes for _, codes in parts]),
            base,
            levels,
            missing,
        )

    @cached_property
    def column_of_entry(self) -> np.ndarray:
        """The column of each entry."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.indptr))

    def entries(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows in which column j is not at its base, and its codes there."""
        at = slice(self.indptr[j], self.indptr[j + 1])
        return self.rows[at], self.codes[at]

    def column(self, j: int) -> np.ndarray:
        """Column j in full."""
        full = np.full(self.n_rows, self.base[j], np.int32)
        rows, codes = self.entries(j)
        full[rows] = codes
        return full

    def by_row(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The columns from first to last, row by row: indptr, columns from 0, codes."""
        at = slice(self.indptr[first], self.indptr[last])
        own = self.indptr[first : last + 1] - self.indptr[first]
        shape = (self.n_rows, last - first)
        turned = sp.csc_array((self.codes[at], self.rows[at], own), shape=shape).tocsr()
        return turned.indptr.astype(np.int64), turned.indices.astype(np.int32), turned.data

    def take(self, columns: np.ndarray) -> Codes:
        """Some columns, in the order given."""
        sizes = np.diff(self.indptr)[columns]
        indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        at = np.repeat(self.indptr[columns] - indptr[:-1], sizes) + np.arange(indptr[-1])
        return Codes(
            self.n_rows,
            indptr,
            self.rows[at],
            self.codes[at],
            self.base[columns],
            self.levels[columns],
            self.missing[columns],
        )

    def sorted_by(self, keys: np.ndarray) -> tuple[Codes, np.ndarray | None]:
        """Put the columns in the order of some keys, and tell where each column went.

        None stands for: all stayed where they were.
        """
        if not (np.diff(keys) < 0).any():
            return self, None
        order = np.argsort(keys, kind="stable")
        place = np.empty(len(self), np.int64)
        place[order] = np.arange(len(self))
        return self.take(order), place

    def between_rows(self, first: int, last: int) -> Codes:
        """A block of the rows, coded alike."""
        kept = (self.rows >= first) & (self.rows < last)
        ends = np.concatenate([[0], np.cumsum(kept)])
        return Codes(
            last - first,
            ends[self.indptr].astype(np.int64),
            (self.rows[kept] - first).astype(np.int32),
            self.codes[kept],
            self.base,
            self.levels,
            self.missing,
        )

    def shuffled(self, generator: np.random.Generator) -> Codes:
        """The same rows in a random order."""
        place = generator.permutation(self.n_rows).astype(np.int32)
        return replace(self, rows=place[self.rows])

    def with_masks(self) -> tuple[Codes, np.ndarray]:
        """Append a mask for each pattern of missing values, and tell each column's mask.

        A mask is 0 where the columns of the pattern are known and missing elsewhere.
        """
        mask_of = np.full(len(self), -1, np.int64)
        known: dict[bytes, int] = {}
        masks: list[np.ndarray] = []
        for j in np.flatnonzero(self.missing >= 0).tolist():
            rows, codes = self.entries(j)
            gone = rows[codes == self.missing[j]]
            if self.missing[j] == self.base[j]:
                gone = np.setdiff1d(np.arange(self.n_rows, dtype=np.int32), rows)
            key = gone.tobytes()
            if key not in known:
                known[key] = len(self) + len(masks)
                masks.append(gone.astype(np.int32))
            mask_of[j] = known[key]
        if not masks:
            return self, mask_of
        n = len(masks)
        ends = self.indptr[-1] + np.cumsum([gone.size for gone in masks])
        return Codes(
            self.n_rows,
            np.concatenate([self.indptr, ends]).astype(np.int64),
            np.concatenate([self.rows, *masks]).astype(np.int32),
            np.concatenate([self.codes, np.ones(int(ends[-1] - self.indptr[-1]), np.int32)]),
            np.concatenate([self.base, np.zeros(n, np.int32)]),
            np.concatenate([self.levels, np.full(n, 2, np.int32)]),
            np.concatenate([self.missing, np.ones(n, np.int32)]),
        ), mask_of

    def valid(self, *, ignore_missing: bool) -> np.ndarray:
        """The number of leading levels that are looked at."""
        if ignore_missing:
            return (self.levels - (self.missing >= 0)).astype(np.int32)
        return self.levels


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.int32), *parts]).astype(np.int32)


def code_labels(labels: Any, n_values: list[int]) -> Codes:
    """Code the labels of a data set: positions of values, -1 for missing.

    Parameters
    ----------
    labels : ndarray or sparse array, shape (N, q)
        Y of a `Dataset`.
    n_values : list of int
        The number of values of each label.
    """
    n_rows, q = labels.shape
    if sp.issparse(labels):
        stored = sp.csc_array(labels)
        stored.sort_indices()
        kept = stored.data != 0
        counts = np.concatenate([[0], np.cumsum(kept)])
        indptr = counts[stored.indptr].astype(np.int64)
        rows = stored.indices[kept].astype(np.int32)
        codes = stored.data[kept].astype(np.int32)
    else:
        flipped = np.ascontiguousarray(np.asarray(labels).T)
        column, where = np.nonzero(flipped)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=q))]).astype(np.int64)
        rows = where.astype(np.int32)
        codes = flipped[column, where].astype(np.int32)
    levels = np.asarray(n_values, np.int32)
    missing = np.full(q, -1, np.int32)
    gone = codes < 0
    if gone.any():
        which = np.repeat(np.arange(q), np.diff(indptr))
        missing[np.unique(which[gone])] = levels[np.unique(which[gone])]
        codes[gone] = missing[which[gone]]
        levels = (levels + (missing >= 0)).astype(np.int32)
    return Codes(n_rows, indptr, rows, codes, np.zeros(q, np.int32), levels, missing)
