"""Sparse rows that come in pieces, put together without a second copy of the whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.data.assemble import csr_rows
from mlfs.data.request import refuse_memory

LEAST = 1 << 16  # items that an array grows by
BLOCK = 1 << 16


class RowStack:
    """Collects the rows of sparse tables.

    Parameters
    ----------
    keep_small : bool
        Whether whole numbers up to 255 may be kept in a byte each, if there are no others.
    max_memory : int, optional
        The most bytes that they may take in memory.

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

    def __init__(self, *, keep_small: bool = True, max_memory: int | None = None) -> None:
        self._max_memory = max_memory
        self._values = _GrowingArray(np.uint8 if keep_small else np.float64)
        self._columns = _GrowingArray(np.int32)
        self._sizes: list[np.ndarray] = []

    def add(self, rows: Any, *, small: bool | None = None) -> None:
        """Add the rows of a csr_array with rising columns.

        `small` says whether their values are whole numbers up to 255, if that is known.
        """
        values = rows.data
        if self._values.array.dtype == np.uint8:
            if small is None:
                small = _is_small(values)
            if not small:
                self._values.widen(values.dtype)
        self._values.add(values)
        if rows.indices.dtype != self._columns.array.dtype:
            self._columns.widen(np.result_type(rows.indices, self._columns.array))
        self._columns.add(rows.indices)
        self._sizes.append(np.diff(rows.indptr).astype(np.int32))
        refuse_memory(self._values.array.nbytes + self._columns.array.nbytes, self._max_memory)

    def finish(self, width: int, first: int = 0) -> Any:
        """The csr_array of all rows, whose columns count from `first`; the stack is then empty."""
        ends = np.concatenate([np.zeros(1, np.int64), *self._sizes])
        np.cumsum(ends, out=ends)
        columns = self._columns.finish()
        columns -= first
        return csr_rows(self._values.finish(), columns, ends, width)


class _GrowingArray:
    """An array that grows in its place, as far as the system can do that."""

    def __init__(self, kind: Any) -> None:
        self.array, self.size = np.empty(0, kind), 0

    def add(self, part: np.ndarray) -> None:
        """Append some items."""
        end = self.size + part.size
        if end > self.array.size:
            room = max(end, self.array.size + self.array.size // 8 + LEAST)
            self.array.resize(room, refcheck=False)
        self.array[self.size : end] = part
        self.size = end

    def widen(self, kind: Any) -> None:
        """Change the type of the items."""
        self.array = self.array[: self.size].astype(kind)

    def finish(self) -> np.ndarray:
        """The array."""
        self.array.resize(self.size, refcheck=False)
        array, self.array, self.size = self.array, np.empty(0, self.array.dtype), 0
        return array


def _is_small(values: np.ndarray) -> bool:
    with np.errstate(invalid="ignore"):
        for start in range(0, values.size, BLOCK):
            part = values[start : start + BLOCK]
            if not (part.astype(np.uint8) == part).all():
                return False
    return True
