"""Lists of the rows in which columns are not at their modes: ends, from planes, by row, joined."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels import lists

__all__ = ["edges_of", "joined", "listed", "rows_of_columns"]


def listed(planes: np.ndarray, mode: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows, rising, that the planes of a column have, and its codes there.

    Examples
    --------
    >>> rows, codes = listed(np.array([[0b100], [0b011]], np.uint64), 1)
    >>> rows.tolist(), codes.tolist()
    ([0, 1, 2], [2, 2, 0])
    """
    parts = [
        np.flatnonzero(np.unpackbits(plane.view(np.uint8), bitorder="little"))
        for plane in planes.astype("<u8", copy=False)
    ]
    rows = np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int32)
    codes = np.arange(len(parts), dtype=np.int32)
    codes = np.repeat(codes + (codes >= mode), [part.size for part in parts])
    if len(parts) > 1:
        order = rows.argsort(kind="stable")
        rows, codes = rows[order], codes[order]
    return rows, codes


def edges_of(sizes: Any) -> np.ndarray:
    """Where parts of these sizes begin, and the end of the last.

    Examples
    --------
    >>> edges_of([2, 0, 1]).tolist()
    [0, 2, 2, 3]
    """
    edges = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=edges[1:])
    return edges


def rows_of_columns(
    n_rows: int, indptr: np.ndarray, rows: np.ndarray, codes: np.ndarray, first: int, last: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lists of columns as lists of rows."""
    size = int(indptr[last] - indptr[first])
    ends = np.zeros(n_rows + 1, np.int64)
    columns, by_row = np.empty(size, np.int32), np.empty(size, np.int32)
    lists.by_row(indptr, rows, codes, first, last, ends, np.empty_like(ends), columns, by_row)
    return ends, columns, by_row


def joined(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Rows and codes of all parts, one after the other."""
    rows, codes = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(codes)
