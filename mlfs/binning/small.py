"""The short way for dense tables of small whole numbers: counted row after row, never turned.

It learns and codes exactly as the general way does; columns that it cannot take are left to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import small
from mlfs.binning.record import Binning

__all__ = ["coded", "is_plain", "learned"]


def is_plain(table: Any) -> bool:
    """Whether a table can be walked row after row as it lies."""
    return bool(
        not sp.issparse(table)
        and table.dtype == np.float64
        and table.flags.c_contiguous
        and table.size
    )


def learned(table: np.ndarray, columns: Sequence[Any], nominal_limit: int) -> dict[int, Binning]:
    """The binnings of the columns that are taken as they are, by position.

    Parameters
    ----------
    table : ndarray of float64
        X.
    columns : sequence of Column
        What its columns are.
    nominal_limit : int
        How many distinct values a numeric column may have to be taken as it is.
    """
    d = table.shape[1]
    counts = np.zeros((d, small.LIMIT), np.int64)
    missing, is_small = np.zeros(d, np.int64), np.ones(d, np.uint8)
    small.count_values(table, counts, missing, is_small)
    found: dict[int, Binning] = {}
    seen = counts > 0
    distinct = seen.sum(axis=1)
    top = small.LIMIT - seen[:, ::-1].argmax(axis=1)
    kept: dict[bytes, tuple[float, ...]] = {}
    for j in np.flatnonzero(is_small & (distinct > 0)).tolist():
        column = columns[j]
        if column.kind == "nominal" and column.values:
            size = len(column.values)
            if not top[j] <= size <= small.LIMIT:
                continue
            values = tuple(map(float, range(size)))
            own = counts[j, :size]
        else:
            if column.kind != "nominal" and distinct[j] > nominal_limit:
                continue
            key = seen[j].tobytes()
            if key not in kept:
                kept[key] = tuple(np.flatnonzero(seen[j]).astype(float).tolist())
            values = kept[key]
            own = counts[j, seen[j]]
        lost = int(missing[j])
        most = int(own.argmax())
        fallback = len(values) if lost > own[most] else most
        found[j] = Binning(column.name, "nominal", (), values, lost > 0, fallback)
    return found


def coded(
    table: np.ndarray, binnings: Sequence[Binning]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Which columns are coded here; how many entries each has off its base; rows, codes, bases.

    Parameters
    ----------
    table : ndarray of float64
        X.
    binnings : sequence of Binning
        One for each column.
    """
    tables: dict[tuple[Any, ...], np.ndarray | None] = {}
    mine, codes = [], []
    for j, binning in enumerate(binnings):
        key = (binning.method, binning.values, binning.unknown)
        if key not in tables:
            tables[key] = _code_table(binning)
        own = tables[key]
        if own is not None:
            mine.append(j)
            codes.append(own)
    columns = np.array(mine, np.int64)
    of_values = np.array(codes, np.int64).reshape(columns.size, small.LIMIT + 1)
    counts = np.zeros((columns.size, small.LIMIT + 2), np.int64)
    small.count_codes(table, columns, of_values, counts)
    bases = counts.argmax(axis=1)
    sizes = table.shape[0] - counts.max(axis=1, initial=0)
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if ends.size else 0
    rows, entries = np.empty(total, np.int32), np.empty(total, np.int32)
    small.write_codes(table, columns, of_values, bases, ends - sizes, rows, entries)
    return columns, sizes, rows, entries, bases.astype(np.int32)


def _code_table(binning: Binning) -> np.ndarray | None:
    """The code of each small value, and of all others; None where a value is not small."""
    values = binning.values
    if binning.method != "nominal" or len(values) > small.LIMIT:
        return None
    if not all(0 <= value < small.LIMIT and value == int(value) for value in values):
        return None
    codes = np.full(small.LIMIT + 1, binning.unknown, np.int64)
    for code, value in enumerate(values):
        codes[int(value)] = code
    return codes
