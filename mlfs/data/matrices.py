"""Matrices in memory: the types of numbers that are counted as they are, and sparse tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs._kernels.column_values import is_beyond
from mlfs.data.columns import EIGHT, EXACT, column_of, first_merged, merged_error
from mlfs.data.dataset import Column, Uniform
from mlfs.errors import DataError, printable

COUNTED_TYPES = frozenset(map(np.dtype, ("?", "b", "B", "i2", "u2", "i4", "u4", "i8", "f4", "f8")))
UNFIT = "its arrays of places and values do not fit each other"


def as_counted(x: Any) -> Any:
    """Return numbers as they are if their type is one that is counted without a copy."""
    is_counted = x.dtype.newbyteorder("=") in COUNTED_TYPES and x.dtype.isnative
    return x if is_counted else x.astype(np.float64)


def needs_check(x: Any) -> bool:
    """Whether numbers need a closer look, as one may be missing, infinite or huge."""
    if x.dtype.kind != "f" and x.dtype.itemsize != EIGHT:
        return False
    if x.dtype not in COUNTED_TYPES or not x.flags.forc:
        return True
    return bool(is_beyond(x.ravel("K"), x.dtype.type(EXACT)))


def check_places(x: Any, name: str) -> None:
    """Refuse a sparse table with an entry outside of its shape, which scipy does not notice.

    Compiled code would read or write there.

    Examples
    --------
    >>> check_places(sp.csr_array((2, 3)), "X")
    """
    if x.ndim != 2:
        return
    try:
        if x.format == "coo":
            wrong = _entries_fault(x)
        elif x.format == "dia" and len(x.offsets) != len(x.data):
            wrong = UNFIT
        else:
            wrong = _edges_fault(x if x.format in ("csr", "csc", "bsr") else x.tocsr())
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError):
        wrong = UNFIT
    if wrong:
        raise DataError(f"{name} is a damaged sparse table: {wrong}")


def _edges_fault(x: Any) -> str:
    """The fault of a table in which entries are sorted by rows, columns or blocks."""
    across, along = ("column", "row") if x.format == "csc" else ("row", "column")
    n, width = x.shape[::-1] if x.format == "csc" else x.shape
    if x.format == "bsr":
        block_rows, block_columns = x.blocksize
        n, width = n // block_rows, width // block_columns
    indptr, indices = x.indptr, x.indices
    if not (_are_places(indptr) and _are_places(indices)) or x.data.ndim == 2:
        return UNFIT
    is_sound = indptr.size == n + 1 and indptr[0] == 0 and (indptr[1:] >= indptr[:-1]).all()
    if not is_sound or indptr[-1] > min(indices.size, len(x.data)):
        return f"the ends of its {across}s do not rise"
    return _index_fault(indices, width, along)


def _entries_fault(x: Any) -> str:
    """A fault of a table of entries: each has its row and its column."""
    rows, columns = x.row, x.col
    if not (_are_places(rows) and _are_places(columns)):
        return UNFIT
    if not rows.shape == columns.shape == x.data.shape:
        return UNFIT
    return _index_fault(rows, x.shape[0], "row") or _index_fault(columns, x.shape[1], "column")


def _are_places(indices: np.ndarray) -> bool:
    return indices.ndim == 1 and indices.dtype.kind in "iu" and indices.dtype.isnative


def _index_fault(indices: np.ndarray, size: int, name: str) -> str:
    """Which place lies outside; empty for none."""
    if not indices.size or (indices.min() >= 0 and indices.max() < size):
        return ""
    first = int(np.flatnonzero((indices < 0) | (indices >= size))[0])
    return f"an entry stands in {name} {indices[first]}, and there are {size}"


def from_sparse(x: Any, names: Sequence[str]) -> tuple[Any, Sequence[Column]]:
    """Return X as a csr_array without duplicates or stored zeros, and its named columns."""
    if x.ndim != 2:
        raise DataError(f"X is sparse with {x.ndim} dimension(s); expected 2: a row a sample")
    if x.dtype.kind == "c":
        raise DataError(
            "X is complex. Complex data not supported: give the real and imaginary parts as columns"
        )
    if x.dtype.kind not in "biuf":
        raise DataError(f"X is sparse of type {x.dtype}; a sparse X holds numbers or booleans")
    check_places(x, "X")
    matrix = sp.csr_array(x)
    merged = first_merged(matrix.data)
    if merged is not None:
        row = int(np.searchsorted(matrix.indptr, merged, side="right")) - 1
        raise merged_error(names[matrix.indices[merged]], matrix.data[merged], row)
    if not (matrix.has_canonical_format and matrix.data.all()):
        # Small whole numbers would not hold the sums of what is stored twice.
        matrix = sp.csr_array(matrix, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        if x.dtype.kind == "b":
            matrix.data[:] = 1.0
    else:
        data = as_counted(matrix.data)
        if data is not matrix.data:
            matrix = sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    bad = np.flatnonzero(np.isinf(matrix.data))
    if bad.size:
        row = int(np.searchsorted(matrix.indptr, bad[0], side="right")) - 1
        raise DataError(
            f"column {printable(names[matrix.indices[bad[0]]])!r} holds {matrix.data[bad[0]]} in "
            f"row {row + 1}: an infinite value cannot be used; replace it or make it NaN"
        )
    return matrix, Uniform(names, column_of("", np.zeros(0, x.dtype))[0])
