"""Columns of numbers taken as nominal because the user says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import as_nominal, number_text
from mlfs.data.dataset import Column
from mlfs.errors import DataError, printable

__all__ = ["force_nominal"]


def force_nominal(
    matrix: Any, columns: Sequence[Column], categorical: Iterable[str | int]
) -> tuple[Any, Sequence[Column]]:
    """Make the numeric columns named (or counted) nominal on the numbers they hold."""
    position = {column.name: j for j, column in enumerate(columns)}
    changed = list(columns)
    chosen: set[int] = set()
    for asked in [categorical] if isinstance(categorical, str) else categorical:
        j = position.get(asked) if isinstance(asked, str) else int(asked)
        if j is None or not -len(columns) <= j < len(columns):
            raise DataError(
                f"categorical= names {printable(asked)!r}, which is not among the {len(columns)} "
                "columns of X"
            )
        chosen.add(j % len(columns))
    chosen = {j for j in chosen if columns[j].kind == "numeric"}
    if not chosen:
        return matrix, columns
    matrix = matrix.astype(np.float64)
    if sp.issparse(matrix):
        _force_sparse(matrix, changed, chosen)
        return matrix, tuple(changed)
    for j in sorted(chosen):
        changed[j], matrix[:, j] = as_nominal(columns[j], matrix[:, j])
    return matrix, tuple(changed)


def _force_sparse(matrix: Any, columns: list[Column], chosen: set[int]) -> None:
    """What is not stored is the number 0, so 0 is the first value."""
    order = np.argsort(matrix.indices, kind="stable")
    starts = np.searchsorted(matrix.indices[order], np.arange(len(columns) + 1))
    for j in sorted(chosen):
        at = order[starts[j] : starts[j + 1]]
        x = matrix.data[at]
        distinct = np.unique(x[~np.isnan(x)])
        codes = np.searchsorted(distinct, x) + 1.0
        matrix.data[at] = np.where(np.isnan(x), np.nan, codes)
        values = ("0", *(number_text(value) for value in distinct.tolist()))
        columns[j] = Column(columns[j].name, "nominal", values)
