"""Columns that name a row: keys, counters, and texts that are different in nearly every row.

Such a column has all the information there can be about any label, and predicts nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Dataset

FEW = 10  # rows; where no more are known, a column names none
NEARLY = 0.95  # of the known values are different
SAMPLED = 16  # rows that show which columns can be a counter
GAPS = 0.05  # of a counter


def identifier_columns(dataset: Dataset) -> list[int]:
    """Find the columns that name a row.

    A nominal column does where nearly every known value is different; a numeric one where it
    counts: whole numbers, all different, with hardly a gap.

    Examples
    --------
    >>> from mlfs.data.dataset import Column, Label
    >>> names = Column("name", "nominal", tuple(f"name {i}" for i in range(12)))
    >>> X = np.c_[np.arange(12), np.arange(12) ** 2, np.arange(1, 13)].astype(float)
    >>> columns = (names, Column("area"), Column("row"))
    >>> identifier_columns(Dataset(X, np.ones((12, 1)), columns, (Label("x"),)))
    [0, 2]
    """
    n_rows, table = dataset.shape[0], dataset.table
    if n_rows <= FEW:
        return []
    sizes = dataset.sizes
    texts = [j for j in np.flatnonzero(sizes > FEW).tolist() if _is_text_key(table, j, sizes[j])]
    counters = [j for j in _may_count(table, sizes < 0) if _is_counter(_values(table, j))]
    return sorted(texts + counters)


def _values(table: Any, j: int) -> np.ndarray:
    part = table[:, [j]]
    return np.asarray(part.toarray() if sp.issparse(part) else part).ravel()


def _is_text_key(table: Any, j: int, n_values: int) -> bool:
    if sp.issparse(table) and n_values < NEARLY * table.shape[0]:
        return False  # what is not stored is a value
    x = _values(table, j)
    known = x[x == x] if x.dtype.kind == "f" else x  # noqa: PLR0124 - a NaN differs from itself
    if known.size <= FEW or n_values < NEARLY * known.size:
        return False
    return bool(np.unique(known).size >= NEARLY * known.size)


def _may_count(table: Any, is_numeric: np.ndarray) -> list[int]:
    """The numeric columns whose first values are different whole numbers."""
    columns, dtype = np.flatnonzero(is_numeric), np.dtype(table.dtype)
    if dtype.kind == "b" or (dtype.kind in "iu" and 256**dtype.itemsize < table.shape[0]):
        return []  # so many values do not fit
    first: Any = table[:SAMPLED]
    if sp.issparse(first):  # a counter has one 0 at most
        stored = np.bincount(sp.csr_array(first).indices, minlength=table.shape[1])
        columns = columns[stored[columns] >= first.shape[0] - 1]
        first = first[:, columns].toarray()
    else:
        top = np.asarray(first[:FEW])  # rules out most columns
        columns = columns[(top[1:] != top[:1]).all(axis=0)[columns]]
        first = np.asarray(first)[:, columns]
    differs = (first[1:] != first[:1]).all(axis=0)
    columns, first = columns[differs], first[:, differs]
    with np.errstate(invalid="ignore"):
        is_whole = (first == np.rint(first)).all(axis=0)
    rising = np.sort(first, axis=0)
    is_different = (rising[1:] > rising[:-1]).all(axis=0)
    found: list[int] = columns[is_whole & is_different].tolist()
    return found


def _is_counter(x: np.ndarray) -> bool:
    low, high = float(x.min()), float(x.max())
    if not high - low < (1 + GAPS) * x.size:  # also where a value is missing
        return False
    return bool((x == np.rint(x)).all() and np.unique(x).size == x.size)
