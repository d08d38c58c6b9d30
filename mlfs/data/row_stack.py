"""Sparse rows that come in pieces, put together without a second copy of the whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.data.assemble import compressed

__all__ = ["RowStack"]

MOST = 255  # a whole number up to this takes a byte


class RowStack:
    """Collects the rows of sparse tables.

    Parameters
    ----------
    keep_small : bool
        Whether whole numbers up to 255 may be kept in a byte each, if there are no others.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> stack = RowStack()
    >>> for value in (2.0, 3.0):
    ...     stack.add(sp.csr_array(np.array([[0.0, value]])))
    >>> table = stack.finish(3)
    >>> table.toarray().tolist(), table.dtype
    ([[0, 2, 0], [0, 3, 0]], dtype('uint8'))
    """

    def __init__(self, *, keep_small: bool = True) -> None:
        self._keep_small = keep_small
        self._values: list[np.ndarray] = []
        self._columns: list[np.ndarray] = []
        self._sizes: list[np.ndarray] = []

    def add(self, rows: Any) -> None:
        """Add the rows of a csr_array with rising columns."""
        values = rows.data
        if self._keep_small and _is_small(values):
            values = values.astype(np.uint8)
        self._values.append(values)
        self._columns.append(rows.indices)
        self._sizes.append(np.diff(rows.indptr).astype(np.int32))

    def finish(self, width: int, first: int = 0) -> Any:
        """The csr_array of all rows, whose columns count from `first`; the stack is then empty."""
        ends = np.concatenate([np.zeros(1, np.int64), *self._sizes])
        np.cumsum(ends, out=ends)
        small = all(values.dtype == np.uint8 for values in self._values)
        values = _joined(self._values, int(ends[-1]), np.uint8 if small else np.float64)
        kind = np.result_type(np.int32, *{columns.dtype for columns in self._columns})
        columns = _joined(self._columns, int(ends[-1]), kind)
        columns -= first
        return compressed(values, columns, ends, width)


def _is_small(values: np.ndarray) -> bool:
    if not values.size:
        return True
    with np.errstate(invalid="ignore"):
        least, most = values.min(), values.max()
    return bool(least >= 0 and most <= MOST and (values == np.floor(values)).all())


def _joined(parts: list[np.ndarray], size: int, kind: Any) -> np.ndarray:
    """The parts one after the other; each is dropped once it is copied."""
    whole, at = np.empty(size, kind), 0
    parts.reverse()
    while parts:
        part = parts.pop()
        whole[at : at + part.size] = part
        at += part.size
    return whole
