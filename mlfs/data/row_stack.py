"""Rows that come in pieces, put together without a second copy of the whole."""

from __future__ import annotations

import contextlib
import mmap
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mlfs.data.assemble import csr_rows
from mlfs.data.request import refuse_memory
from mlfs.errors import DataError

LEAST = 1 << 16  # items that an array grows by, and the share of them: numpy writes zeros there
GROWTH = 32
BLOCK = 1 << 16
ROWS = 1 << 12  # that are recoded at a time, at least


class DenseStack:
    """Collects dense rows: a byte for each cell while all are whole numbers up to 255, else floats.

    Parameters
    ----------
    max_memory : int, optional
        The memory that is there for the rows and others: a table of more than half of it lies in a
        temporary file.

    Examples
    --------
    >>> stack = DenseStack()
    >>> stack.add(np.array([[1.0, 0.0]]))
    >>> stack.add(np.array([[0.5, np.nan]]))
    >>> stack.finish().tolist()
    [[1.0, 0.0], [0.5, nan]]
    """

    def __init__(self, max_memory: int | None = None) -> None:
        self._cells = _GrowingArray(np.uint8, None if max_memory is None else max_memory // 2)
        self._width: int | None = None
        self.n_rows = 0

    def add(self, rows: np.ndarray) -> None:
        """Add some rows, all of the same width."""
        self._width = rows.shape[1]
        self.n_rows += len(rows)
        if self._cells.kind == np.uint8 and rows.dtype not in (bool, np.uint8):
            if not is_small(rows):
                self._cells.widen(_float_for(rows.dtype))
        elif self._cells.kind == np.float32 and _float_for(rows.dtype) == np.float64:
            self._cells.widen(np.float64)
        step = max(1, BLOCK // max(1, rows.shape[1]))
        self._cells.make_room(rows.size)
        for start in range(0, len(rows), step):
            self._cells.add(rows[start : start + step].reshape(-1))

    def finish(self) -> np.ndarray:
        """The table of all rows, of which there is one at least; the stack is then empty."""
        assert self._width is not None
        return self._cells.finish().reshape(self.n_rows, self._width)


class LabelledRows:
    """Collects the rows of a table of all columns: features and labels, each in a table of its own.

    Parameters
    ----------
    width : int
        The number of columns.
    label_columns : sequence of int
        Which are labels, rising.
    max_memory : int, optional
        As for `DenseStack`.
    """

    def __init__(self, width: int, label_columns: Sequence[int], max_memory: int | None) -> None:
        is_label = np.zeros(width, bool)
        is_label[list(label_columns)] = True
        self.features, self.labels = np.flatnonzero(~is_label), np.flatnonzero(is_label)
        self._X, self._labels = DenseStack(max_memory), DenseStack()

    def add(self, rows: np.ndarray) -> None:
        """Add some rows."""
        self._X.add(rows[:, _run(self.features)])
        self._labels.add(rows[:, _run(self.labels)])

    def finish(self, cells: dict[int, np.ndarray] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The features and the labels of all rows; `cells` takes the place of whole columns."""
        X, labels = self._X.finish(), self._labels.finish()
        if cells:
            X, labels = (
                with_columns(table, {k: cells[j] for k, j in enumerate(columns) if j in cells})
                for columns, table in ((self.features.tolist(), X), (self.labels.tolist(), labels))
            )
        return X, labels

    def recoded(
        self, tables: tuple[np.ndarray, np.ndarray], codes: dict[int, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Give the tables, where the number k of column j of all becomes ``codes[j][k]``."""
        X, labels = (
            recoded(table, {k: codes[j] for k, j in enumerate(columns.tolist()) if j in codes})
            for columns, table in zip((self.features, self.labels), tables, strict=True)
        )
        return X, labels


def with_columns(table: np.ndarray, cells: dict[int, np.ndarray]) -> np.ndarray:
    """A table, which may be changed, with other columns in the place of some."""
    if cells and table.dtype != np.float64 and not all(map(is_small, cells.values())):
        table = table.astype(np.float64)
    for j, column in cells.items():
        table[:, j] = column
    return table


def recoded(table: np.ndarray, codes: dict[int, np.ndarray]) -> np.ndarray:
    """A table, which may be changed, whose number k of column j becomes ``codes[j][k]``."""
    if codes and table.dtype != np.float64 and not all(map(is_small, codes.values())):
        table = table.astype(np.float64)
    step = max(ROWS, BLOCK // max(1, table.shape[1]))
    for start in range(0, len(table) if codes else 0, step):
        rows = table[start : start + step]
        for j, values in codes.items():
            rows[:, j] = values[rows[:, j].astype(np.int64)]
    return table


def _run(columns: np.ndarray) -> Any:
    """Columns as a slice where they follow one another, which takes no copy."""
    if columns.size and columns[-1] - columns[0] == columns.size - 1:
        return slice(int(columns[0]), int(columns[-1]) + 1)
    return columns


def is_in_file(array: Any) -> bool:
    """Whether the numbers of an array lie in a file, as those of a large table may.

    Examples
    --------
    >>> is_in_file(np.zeros(2))
    False
    """
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(array, mmap.mmap)


def _float_for(kind: np.dtype) -> Any:
    """The type of floats that holds the numbers of a type, or bytes among them."""
    return np.float32 if kind in (bool, np.uint8, np.float32) else np.float64


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
        if self._values.kind == np.uint8:
            if small is None:
                small = is_small(values)
            if not small:
                self._values.widen(values.dtype)
        self._values.add(values)
        if rows.indices.dtype != self._columns.kind:
            self._columns.widen(np.promote_types(rows.indices.dtype, self._columns.kind))
        self._columns.add(rows.indices)
        self._sizes.append(np.diff(rows.indptr).astype(np.int32))
        refuse_memory(self._values.nbytes + self._columns.nbytes, self._max_memory)

    def finish(self, width: int, first: int = 0) -> Any:
        """The csr_array of all rows, whose columns count from `first`; the stack is then empty."""
        ends = np.concatenate([np.zeros(1, np.int64), *self._sizes])
        np.cumsum(ends, out=ends)
        columns = self._columns.finish()
        columns -= first
        return csr_rows(self._values.finish(), columns, ends, width)


class _GrowingArray:
    """An array that grows in its place, as far as the system can do that.

    Parameters
    ----------
    kind : dtype
        The type of the items.
    most : int, optional
        The most bytes in memory: an array of more lies in a temporary file, which has no name where
        the system allows it and is gone with the array; TMPDIR says in which folder.
    """

    def __init__(self, kind: Any, most: int | None = None) -> None:
        self.kind, self.size, self._most = np.dtype(kind), 0, most
        self._array = np.empty(0, kind)
        self._file: Any = None

    @property
    def nbytes(self) -> int:
        """The bytes in memory."""
        return self._array.nbytes

    def make_room(self, size: int) -> None:
        """Make room for some more items, that the array does not grow with each of them."""
        end = self.size + size
        if self._file is None and self._most is not None and end * self.kind.itemsize > self._most:
            self._move_to(self.kind)
        if self._file is None and end > self._array.size:
            room = max(end, self._array.size + self._array.size // GROWTH + LEAST)
            self._array.resize(room, refcheck=False)

    def add(self, part: np.ndarray) -> None:
        """Append some items."""
        self.make_room(part.size)
        if self._file is None:
            self._array[self.size : self.size + part.size] = part
        else:
            with _naming_the_folder():
                self._file.write(part.astype(self.kind))
        self.size += part.size

    def widen(self, kind: Any) -> None:
        """Change the type of the items."""
        if self._file is None:
            self._array = self._array[: self.size].astype(kind)
            self.kind = np.dtype(kind)
        else:
            self._move_to(np.dtype(kind))

    def finish(self) -> np.ndarray:
        """The array, which is then empty here."""
        array: np.ndarray
        if self._file is None:
            self._array.resize(self.size, refcheck=False)
            array = self._array
        else:
            array = self._mapped()
            self._file.close()
            self._file = None
        self._array, self.size = np.empty(0, self.kind), 0
        return array

    def _mapped(self) -> np.ndarray:
        with _naming_the_folder():
            self._file.flush()
            return np.asarray(np.memmap(self._file, self.kind, "r+", shape=(self.size,)))

    def _move_to(self, kind: np.dtype) -> None:
        """Write the items to a new file, with another type."""
        items = self._array[: self.size] if self._file is None else self._mapped()
        with _naming_the_folder():
            file: Any = tempfile.TemporaryFile(prefix="mlfs-")  # noqa: SIM115
            weakref.finalize(self, file.close)
            for start in range(0, self.size, BLOCK):
                file.write(items[start : start + BLOCK].astype(kind))
        self._file, self._array, self.kind = file, np.empty(0, kind), kind


@contextlib.contextmanager
def _naming_the_folder() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(
            f"cannot write the temporary file for rows beyond max_memory: {reason}; "
            f"set TMPDIR to a folder with more room than {tempfile.gettempdir()}"
        ) from None


def is_small(values: np.ndarray) -> bool:
    """Whether all are whole numbers from 0 to 255.

    Examples
    --------
    >>> is_small(np.array([0.0, 255.0])), is_small(np.array([-1.0])), is_small(np.array([np.nan]))
    (True, False, False)
    """
    step = max(1, BLOCK // max(1, values[:1].size))
    with np.errstate(invalid="ignore"):
        for start in range(0, len(values), step):
            part = values[start : start + step]
            if not (part.astype(np.uint8) == part).all():
                return False
    return True
