"""Lists of the rows in which columns are not at their modes: ends, from planes, by row, joined."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels import lists

FEW = 64  # columns that are put together one by one sooner than a kernel is loaded
SMALL = 1 << 20  # and their entries


def entries_of_planes(planes: np.ndarray, mode: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows, rising, that the planes of a column have, and its codes there.

    Examples
    --------
    >>> rows, codes = entries_of_planes(np.array([[0b100], [0b011]], np.uint64), 1)
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


def take_ragged(
    values: np.ndarray, offsets: np.ndarray, levels: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """The part of ragged values that some columns have.

    Examples
    --------
    >>> take_ragged(np.array([10, 11, 20]), np.array([0, 2, 3]), np.array([2, 1]), np.array([1, 0]))
    array([20, 10, 11])
    """
    sizes = levels[columns]
    ends = edges_of(sizes)
    return values[np.repeat(offsets[columns] - ends[:-1], sizes) + np.arange(ends[-1])]


def lists_by_row(
    n_rows: int, indptr: np.ndarray, rows: np.ndarray, codes: np.ndarray, first: int, last: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lists of columns as lists of rows; without codes where `codes` is of size 0."""
    size = int(indptr[last] - indptr[first])
    ends = np.zeros(n_rows + 1, np.int64)
    columns, by_row = np.empty(size, np.int32), np.empty(size if codes.size else 0, np.int32)
    lists.by_row(indptr, rows, codes, first, last, ends, np.empty_like(ends), columns, by_row)
    return ends, columns, by_row


def take_columns(
    indptr: np.ndarray, rows: np.ndarray, codes: np.ndarray | None, columns: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """The lists of some columns, in the order given."""
    starts, ends = indptr[columns], indptr[columns + 1]
    edges = edges_of(ends - starts)
    size = int(edges[-1])
    if (starts[1:] == ends[:-1]).all():  # they lie side by side
        start = int(starts[0]) if size else 0
        part = slice(start, start + size)
        return edges, rows[part], None if codes is None else codes[part]
    if columns.size <= FEW:
        spans = [slice(*span) for span in zip(starts.tolist(), ends.tolist(), strict=True)]
        if codes is None:
            return edges, np.concatenate([rows[span] for span in spans]), None
        return edges, *join_entries([(rows[span], codes[span]) for span in spans])
    taken_rows = np.empty(size, np.int32)
    taken_codes = np.empty(0 if codes is None else size, np.int32)
    lists.take(
        indptr,
        rows,
        taken_codes if codes is None else codes,
        columns,
        edges,
        taken_rows,
        taken_codes,
    )
    return edges, taken_rows, None if codes is None else taken_codes


def join_entries(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Rows and codes of all parts, one after the other."""
    rows, codes = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(codes)
