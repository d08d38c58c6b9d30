"""A spool: arrays written one after the other and read again, beyond some size on disk."""

from __future__ import annotations

import tempfile
import threading
import weakref
from typing import Any

import numpy as np

from mlfs.errors import DataError

IN_MEMORY = 128 << 20  # bytes that are kept in memory


class Spool:
    """Arrays of one type, kept in memory while they are few and then in a temporary file.

    The file has no name where the system allows it, so it is gone with the process however that
    ends; the variable TMPDIR says in which folder it lies.

    Parameters
    ----------
    dtype : dtype
        The type of the arrays.
    max_memory : int, optional
        The memory that is there for them and others: a quarter may be taken.

    Examples
    --------
    >>> spool = Spool(np.dtype(float))
    >>> spool.append(np.ones(2)), spool.append(np.zeros(3)), spool.read(1, 2).tolist()
    (0, 2, [1.0, 0.0])
    """

    def __init__(self, dtype: Any, max_memory: int | None = None) -> None:
        self._in_memory = IN_MEMORY if max_memory is None else min(IN_MEMORY, max_memory // 4)
        self.dtype = np.dtype(dtype)
        self.size = 0  # items
        self._lock = threading.Lock()
        self._file: Any = None
        self._parts: list[np.ndarray] = []
        self._starts: list[int] = []

    @property
    def on_disk(self) -> int:
        """The bytes of the temporary file."""
        return self.size * self.dtype.itemsize if self._file is not None else 0

    @property
    def nbytes(self) -> int:
        """The bytes in memory."""
        return self.size * self.dtype.itemsize - self.on_disk

    def append(self, array: np.ndarray) -> int:
        """Add an array of one dimension and return the place of its first item."""
        start = self.size
        with self._lock:
            if self._file is None:
                self._parts.append(np.array(array, self.dtype))
                self._starts.append(start)
                if (start + array.size) * self.dtype.itemsize > self._in_memory:
                    self._to_disk()
            else:
                self._write(np.ascontiguousarray(array, self.dtype))
            self.size = start + array.size
        return start

    def read(self, start: int, size: int) -> np.ndarray:
        """The items from `start` on."""
        with self._lock:
            if self._file is None:
                return self._join(start, size)
            array = np.empty(size, self.dtype)
            try:
                self._file.seek(start * self.dtype.itemsize)
                read = self._file.readinto(array.view(np.uint8).data)
            except OSError as error:
                raise self._error("read", error) from None
            if read != array.nbytes:
                raise self._error("read", OSError("it is shorter than it was"))
            return array

    def _join(self, start: int, size: int) -> np.ndarray:
        k = int(np.searchsorted(self._starts, start, side="right")) - 1 if self._starts else 0
        arrays = [np.zeros(0, self.dtype)]
        while size:
            offset = start - self._starts[k]
            array = self._parts[k][offset : offset + size]
            arrays.append(array)
            start, size, k = start + array.size, size - array.size, k + 1
        return arrays[1] if len(arrays) == 2 else np.concatenate(arrays)

    def _to_disk(self) -> None:
        try:
            self._file = tempfile.TemporaryFile(prefix="mlfs-", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise self._error("make", error) from None
        weakref.finalize(self, self._file.close)
        for part in self._parts:
            self._write(part)
        self._parts.clear()
        self._starts.clear()

    def _write(self, array: np.ndarray) -> None:
        remaining = array.view(np.uint8).data
        try:
            self._file.seek(0, 2)
            while remaining:
                remaining = remaining[self._file.write(remaining) :]
        except OSError as error:
            raise self._error("write", error) from None

    def _error(self, action: str, error: OSError) -> DataError:
        reason = error.strerror or str(error)
        return DataError(
            f"cannot {action} the temporary file for columns that are to be cut: {reason}; "
            f"set TMPDIR to a folder with more room than {tempfile.gettempdir()}"
        )
