"""A spool: arrays written one after the other and read again, beyond some size on disk."""

from __future__ import annotations

import tempfile
import threading
import weakref
from typing import Any

import numpy as np

from mlfs.errors import DataError

__all__ = ["IN_MEMORY", "Spool"]

IN_MEMORY = 128 << 20  # bytes that are kept in memory


class Spool:
    """Arrays of one type, kept in memory while they are few and then in a temporary file.

    The file has no name where the system allows it, so it is gone with the process however that
    ends; the variable TMPDIR says in which folder it lies.

    Parameters
    ----------
    dtype : dtype
        The type of the arrays.
    most : int, optional
        The memory that is there for them and others: a quarter may be taken.

    Examples
    --------
    >>> spool = Spool(np.dtype(float))
    >>> spool.append(np.ones(2)), spool.append(np.zeros(3)), spool.read(1, 2).tolist()
    (0, 2, [1.0, 0.0])
    """

    def __init__(self, dtype: Any, most: int | None = None) -> None:
        self._in_memory = IN_MEMORY if most is None else min(IN_MEMORY, most // 4)
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
        at = self.size
        with self._lock:
            if self._file is None:
                self._parts.append(np.array(array, self.dtype))
                self._starts.append(at)
                if (at + array.size) * self.dtype.itemsize > self._in_memory:
                    self._to_disk()
            else:
                self._write(np.ascontiguousarray(array, self.dtype))
            self.size = at + array.size
        return at

    def read(self, at: int, size: int) -> np.ndarray:
        """The items from a place on."""
        with self._lock:
            if self._file is None:
                return self._joined(at, size)
            found = np.empty(size, self.dtype)
            try:
                self._file.seek(at * self.dtype.itemsize)
                read = self._file.readinto(found.view(np.uint8).data)
            except OSError as error:
                raise self._failed("read", error) from None
            if read != found.nbytes:
                raise self._failed("read", OSError("it is shorter than it was"))
            return found

    def _joined(self, at: int, size: int) -> np.ndarray:
        k = int(np.searchsorted(self._starts, at, side="right")) - 1 if self._starts else 0
        parts = [np.zeros(0, self.dtype)]
        while size:
            start = at - self._starts[k]
            part = self._parts[k][start : start + size]
            parts.append(part)
            at, size, k = at + part.size, size - part.size, k + 1
        return parts[1] if len(parts) == 2 else np.concatenate(parts)

    def _to_disk(self) -> None:
        try:
            self._file = tempfile.TemporaryFile(prefix="mlfs-", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise self._failed("make", error) from None
        weakref.finalize(self, self._file.close)
        for part in self._parts:
            self._write(part)
        self._parts.clear()
        self._starts.clear()

    def _write(self, array: np.ndarray) -> None:
        left = array.view(np.uint8).data
        try:
            self._file.seek(0, 2)
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise self._failed("write", error) from None

    def _failed(self, what: str, error: OSError) -> DataError:
        reason = error.strerror or str(error)
        return DataError(
            f"cannot {what} the temporary file for columns that are to be cut: {reason}; "
            f"set TMPDIR to a folder with more room than {tempfile.gettempdir()}"
        )
