"""From a table of values with some label columns to X and Y, dense and sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column, Label
from mlfs.data.label_values import label_matrix, map_label, map_numbers
from mlfs.data.request import Request

__all__ = ["compressed", "dense_labels", "side_by_side", "sparse_labels"]

BLOCK = 1 << 16


def _dtype(columns: Sequence[np.ndarray]) -> Any:
    return np.int32 if any(column.dtype == np.int32 for column in columns) else np.int8


def dense_labels(
    values: np.ndarray,
    chosen: Sequence[int],
    columns: Sequence[Column],
    request: Request,
    path: str,
) -> tuple[np.ndarray, list[Label]]:
    """Map label columns of a dense table.

    Parameters
    ----------
    values : ndarray of float64, shape (N, D)
        All columns; a nominal one holds positions, NaN is missing.
    chosen : sequence of int
        Which of them are labels.
    columns : sequence of Column
        What each of the D columns is.
    """
    mapped: list[np.ndarray] = []
    labels: list[Label] = []
    for j in chosen:
        column = values[:, j]
        if columns[j].kind == "nominal":
            codes = np.where(np.isnan(column), -1.0, column).astype(np.int64)
            y, label = map_label(columns[j].name, columns[j].values, codes, request, path)
        else:
            y, label = map_numbers(columns[j].name, column, request, path)
        mapped.append(y)
        labels.append(label)
    Y = np.empty((len(values), len(mapped)), dtype=_dtype(mapped))
    for k, y in enumerate(mapped):
        Y[:, k] = y
    return Y, labels


def sparse_labels(
    table: Any, chosen: Sequence[int], columns: Sequence[Column], request: Request, path: str
) -> tuple[Any, list[Label]]:
    """Map label columns of a sparse table (csr_array with the columns of `columns`).

    What is not stored is the first value of a nominal column, or the number 0.
    """
    n_rows = table.shape[0]
    position = np.full(table.shape[1], -1, dtype=np.int64)
    position[list(chosen)] = np.arange(len(chosen))
    entries = position[table.indices]
    kept = np.flatnonzero(entries >= 0)
    rows = np.repeat(np.arange(n_rows), np.diff(table.indptr))[kept]
    where = entries[kept]
    values = table.data[kept]
    order = np.argsort(where, kind="stable")
    rows, where, values = rows[order], where[order], values[order]
    starts = np.searchsorted(where, np.arange(len(chosen) + 1))
    codes = np.empty(len(values), dtype=np.int64)
    base = np.zeros(len(chosen), dtype=np.int64)
    labels: list[Label] = []
    memory: dict[tuple[str, ...], tuple[np.ndarray, tuple[str, ...]]] = {}
    for k, j in enumerate(chosen):
        part = slice(starts[k], starts[k + 1])
        column = columns[j]
        if column.kind == "nominal":
            if column.values not in memory:
                every = np.array([*range(len(column.values)), -1])
                y, label = map_label(column.name, column.values, every, request, path)
                memory[column.values] = y, label.values
            y, meant = memory[column.values]
            labels.append(Label(column.name, meant))
            here = values[part]
            codes[part] = y[np.where(np.isnan(here), len(y) - 1, here).astype(np.int64)]
            base[k] = y[0]
        else:
            implicit = part.stop - part.start < n_rows
            here = np.append(values[part], 0.0) if implicit else values[part]
            y, label = map_numbers(column.name, here, request, path)
            labels.append(label)
            codes[part] = y[: part.stop - part.start]
            base[k] = y[-1] if implicit else 0
    if base.any():
        rows, where, codes = _filled(rows, where, codes, base, n_rows)
    kind = np.int8 if not len(codes) or codes.max() <= 127 else np.int32
    kind = np.int32 if any(len(label.values) > 127 for label in labels) else kind
    return label_matrix(rows, where, codes.astype(kind), (n_rows, len(chosen))), labels


def _filled(
    rows: np.ndarray, where: np.ndarray, codes: np.ndarray, base: np.ndarray, n_rows: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Store what a sparse row leaves out where that does not mean 0."""
    parts = [(rows, where, codes)]
    for k in np.flatnonzero(base):
        absent = np.ones(n_rows, dtype=bool)
        absent[rows[where == k]] = False
        empty = np.flatnonzero(absent)
        parts.append((empty, np.full(len(empty), k), np.full(len(empty), base[k])))
    stacked = [np.concatenate(part) for part in zip(*parts, strict=True)]
    return stacked[0], stacked[1], stacked[2]


def compressed(values: np.ndarray, columns: np.ndarray, ends: np.ndarray, width: int) -> Any:
    """A csr_array of rows whose columns rise; `ends` starts with 0.

    Examples
    --------
    >>> import numpy as np
    >>> compressed(np.ones(2), np.array([2, 0]), np.array([0, 1, 2]), 3).toarray().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    kind = np.int32 if max(len(values), width) < 2**31 else np.int64
    indices, indptr = columns.astype(kind, copy=False), ends.astype(kind)
    X = sp.csr_array((values, indices, indptr), shape=(len(ends) - 1, width))
    X.has_sorted_indices = True
    return X


def side_by_side(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Put columns into one table, by blocks of rows that a cache holds.

    Examples
    --------
    >>> import numpy as np
    >>> side_by_side([np.zeros(2), np.ones(2)]).tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    base = columns[0].base
    if base is not None and base.ndim == 2 and all(_is_column(x, base) for x in columns):
        where = np.array([x.ctypes.data - base.ctypes.data for x in columns]) // base.itemsize
        return base[: len(columns[0])].take(where, axis=1)
    table = np.empty((len(columns[0]), len(columns)))
    step = max(BLOCK // len(columns), 64)
    for start in range(0, len(table), step):
        rows = slice(start, start + step)
        for k, column in enumerate(columns):
            table[rows, k] = column[rows]
    return table


def _is_column(x: np.ndarray, table: np.ndarray) -> bool:
    """Whether x is a column of a table, from its first row on."""
    inside = 0 <= x.ctypes.data - table.ctypes.data < table.strides[0]
    return x.base is table and x.dtype == table.dtype and x.strides == table.strides[:1] and inside
