"""Refuse data with missing values, where the user wants them refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Dataset
from mlfs.errors import DataError, plural, printable, setting

CELLS_AT_ONCE = 1 << 20


def refuse_missing(dataset: Dataset) -> None:
    """Refuse missing values of X, and name the first."""
    n, row, column = first_missing(dataset.table)
    if n:
        raise missing_error(dataset, n, row, column)


def missing_error(dataset: Dataset, n: int, row: int, column: int) -> DataError:
    """Say that n values of X are missing, and where the first is."""
    return DataError(
        f"{plural(n, 'value')} of X {'is' if n == 1 else 'are'} missing, the first in row "
        f"{row + 1} of the column {printable(dataset.names[column])!r}: "
        f"use {setting('missing', 'level')}"
    )


def first_missing(table: Any) -> tuple[int, int, int]:
    """How many values of a table are missing, and the row and the column of the first.

    Examples
    --------
    >>> first_missing(np.array([[1.0, 2.0], [np.nan, np.nan]]))
    (2, 1, 0)
    """
    if table.dtype.kind != "f" or not table.shape[0]:
        return 0, 0, 0
    if sp.issparse(table):
        stored = sp.coo_array(table)
        is_missing = np.isnan(stored.data)
        rows, columns = stored.row[is_missing], stored.col[is_missing]
    else:
        step = max(1, CELLS_AT_ONCE // table.shape[1])
        starts = range(0, table.shape[0], step)
        cells = [
            np.add(np.argwhere(np.isnan(table[start : start + step])), (start, 0))
            for start in starts
        ]
        rows, columns = np.concatenate(cells).T
    if not rows.size:
        return 0, 0, 0
    first = np.lexsort((columns, rows))[0]
    return int(rows.size), int(rows[first]), int(columns[first])


def refuse_missing_labels(dataset: Dataset) -> None:
    """Refuse missing values of Y, and name the first."""
    stored = sp.coo_array(dataset.Y) if sp.issparse(dataset.Y) else None
    if stored is None:
        rows, columns = np.nonzero(np.asarray(dataset.Y) < 0)
    else:
        rows, columns = stored.row[stored.data < 0], stored.col[stored.data < 0]
    if rows.size:
        first = np.lexsort((columns, rows))[0]
        msg = (
            f"{plural(rows.size, 'value')} of Y {'is' if rows.size == 1 else 'are'} missing, the "
            f"first in row {rows[first] + 1} of the label "
            f"{printable(dataset.labels[columns[first]].name)!r}: complete the labels, or use "
            f"{setting('missing', 'level')}, which leaves such rows out of the terms of the label"
        )
        raise DataError(msg)
