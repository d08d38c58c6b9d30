"""A cache of arrays with a limit in bytes; the least recently used go first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

__all__ = ["Cache"]


class Cache:
    """Arrays by key; the longest unused go first when the bytes run out."""

    def __init__(self, limit: int) -> None:
        self.limit, self.bytes = limit, 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value under a key, made if it is not there."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found[0]
        value = make()  # outside the lock: two threads may both make it, and make the same
        size = sum(array.nbytes for array in value) if isinstance(value, tuple) else value.nbytes
        with self._lock:
            if size <= self.limit // 2 and key not in self._kept:
                self._kept[key] = value, size
                self.bytes += size
                self._shrink()
        return value

    def grow(self, key: Hashable, more: int) -> None:
        """Say that what is kept under a key has become greater."""
        with self._lock:
            if key not in self._kept:
                return
            value, size = self._kept[key]
            self._kept[key] = value, size + more
            self.bytes += more
            self._shrink()

    def _shrink(self) -> None:
        while self.bytes > self.limit:
            _, (_, gone) = self._kept.popitem(last=False)
            self.bytes -= gone
