"""Columns that name their row, such as a key: they tell all and predict nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column, Dataset

__all__ = ["identifier_columns", "names_each_row"]


def identifier_columns(dataset: Dataset) -> list[int]:
    """The nominal columns that have another value in every row: they tell all, predict nothing.

    Examples
    --------
    >>> from mlfs.data.dataset import Column, Label
    >>> name = Column("name", "nominal", ("ann", "bob", "cid"))
    >>> data = Dataset(np.array([[0., 1], [1, 1], [2, 0]]), np.array([[1], [1], [0]]),
    ...                (name, Column("height")), (Label("x"),))
    >>> identifier_columns(data)
    [0]
    """
    rows = dataset.shape[0]

    def values_of(j: int) -> np.ndarray:
        part = dataset.X[:, [j]]
        return np.asarray(part.toarray() if sp.issparse(part) else part).ravel()

    return [
        j for j, column in enumerate(dataset.columns) if names_each_row(column, rows, values_of, j)
    ]


def names_each_row(
    column: Column, rows: int, values_of: Callable[[int], np.ndarray], j: int
) -> bool:
    """Whether column j, of which `values_of` tells the values, has another one in every row."""
    if column.kind != "nominal" or not 2 < rows <= len(column.values):
        return False
    return bool(np.unique(values_of(j)).size == rows)
