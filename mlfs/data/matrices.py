"""Matrices in memory: the types of numbers that are counted as they are, and sparse tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs._kernels.column_values import is_beyond
from mlfs.data.columns import EIGHT, EXACT, column_of, first_merged, merged_error
from mlfs.data.dataset import Column
from mlfs.data.packed_table import PackedTable
from mlfs.data.uniform import UniformColumns
from mlfs.errors import DataError, printable

__all__ = ["COUNTED_TYPES", "EXACT", "as_counted", "check_places", "from_sparse", "needs_check"]

COUNTED_TYPES = frozenset(map(np.dtype, ("?", "b", "B", "i2", "u2", "i4", "u4", "i8", "f4", "f8")))


def as_counted(x: Any) -> Any:
    """Return numbers as they are if their type is one that is counted without a copy."""
    is_counted = x.dtype.newbyteorder("=") in COUNTED_TYPES and x.dtype.isnative
    return x if is_counted else x.astype(np.float64)


def needs_check(x: Any) -> bool:
    """Whether numbers need a closer look, as one may be missing, infinite or huge."""
    if isinstance(x, PackedTable):  # looked at when it was packed
        return False
    if x.dtype.kind != "f" and x.dtype.itemsize != EIGHT:
        return False
    if x.dtype not in COUNTED_TYPES or not x.flags.forc:
        return True
    return bool(is_beyond(x.ravel("K"), x.dtype.type(EXACT)))


def check_places(x: Any, what: str) -> None:
    """Refuse a sparse table with an entry outside of its shape, which scipy does not notice.

    Examples
    --------
    >>> check_places(sp.csr_array((2, 3)), "X")
    """
    if x.format not in ("csr", "csc") or x.ndim != 2:
        return
    rows, columns = ("row", "column") if x.format == "csr" else ("column", "row")
    n, width = x.shape if x.format == "csr" else x.shape[::-1]
    indptr, indices = x.indptr, x.indices
    whole = indptr.size == n + 1 and indptr[0] == 0 and (np.diff(indptr) >= 0).all()
    if not whole or indptr[-1] > min(indices.size, x.data.size):
        raise DataError(f"{what} is a damaged sparse table: the ends of its {rows}s do not rise")
    if indices.size and (indices.min() < 0 or indices.max() >= width):
        at = int(np.flatnonzero((indices < 0) | (indices >= width))[0])
        raise DataError(
            f"{what} is a damaged sparse table: an entry stands in {columns} {indices[at]}, "
            f"and there are {width}"
        )


def from_sparse(x: Any, own: Sequence[str]) -> tuple[Any, Sequence[Column]]:
    """Return X as a csr_array without duplicates or stored zeros, and its columns, named `own`."""
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
        raise merged_error(own[matrix.indices[merged]], matrix.data[merged], row)
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
            f"column {printable(own[matrix.indices[bad[0]]])!r} holds {matrix.data[bad[0]]} in row "
            f"{row + 1}: an infinite value cannot be used; replace it or make it NaN"
        )
    return matrix, UniformColumns(own, column_of("", np.zeros(0, x.dtype))[0])
