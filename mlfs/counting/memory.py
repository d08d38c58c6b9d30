"""The memory that counting may take, and how it is divided."""

from __future__ import annotations

import math
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from mlfs.errors import UsageError, printable

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
UNITS |= {f"{unit}i": 1 << (10 * power) for power, unit in enumerate("kmgt", 1)}
AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)
REPORT_BYTES = 1024  # of the system's report, which contain the amount
UNKNOWN = 4 << 30  # on machines that do not report their memory
LEAST_CACHE = 34 << 20  # kept beside the packed features by default, and as much as these
KEPT_EACH = 4  # bytes of counts with the labels, which every pick needs, to a byte of the features
SIXTEENTHS = {"cache": 4, "recent": 1, "kept": 2, "labels": 1, "picked": 2, "masks": 1, "block": 2}


@dataclass(frozen=True)
class Budget:
    """The limits of the parts of a table, in bytes.

    Parameters
    ----------
    cache : int
        Pair statistics and results that are kept for later.
    kept : int
        Co-occurrences of all labels with one column group.
    labels : int
        The same for the labels counted at a time, if all are too many.
    recent : int
        Results that are used again within one step.
    picked : int
        The planes of picked columns.
    masks : int
        The planes of labels; there may be two sets of them.
    block : int
        Counts of one thread before they are summed.
    """

    cache: int = 512 << 20
    kept: int = 128 << 20
    labels: int = 4 << 20
    recent: int = 4 << 20
    picked: int = 64 << 20
    masks: int = 64 << 20
    block: int = 16 << 20

    @classmethod
    def of(cls, free: int, packed: int | None = None, n_jobs: int = 1) -> Budget:
        """Divide the memory that is left; no part gets more than it can use.

        Parameters
        ----------
        free : int
            The memory that is left.
        packed : int, optional
            The bytes of the packed features, if the user gave no limit: then what is
            kept stays in proportion to them.
        n_jobs : int
            Threads.

        Examples
        --------
        >>> Budget.of(1600).cache, Budget.of(1 << 40).cache >> 20, Budget.of(1 << 40, 0).cache >> 20
        (400, 512, 34)
        """
        most = vars(ROOMY).copy()
        if packed is not None:
            most["cache"] = min(most["cache"], LEAST_CACHE + packed)
            most["kept"] = min(most["kept"], LEAST_CACHE + KEPT_EACH * packed)
        share = {part: free * sixteenths // 16 for part, sixteenths in SIXTEENTHS.items()}
        share["block"] //= n_jobs
        return cls(**{part: min(most[part], share[part]) for part in most})

    def among_labels(self) -> Budget:
        """The budget of the table that has the labels in the place of the features."""
        return replace(self, cache=self.cache // 2)

    def shared(self, parts: int) -> Budget:
        """The budget of each of several tables that are asked together."""
        cache, kept, recent = (size // parts for size in (self.cache, self.kept, self.recent))
        return replace(self, cache=cache, kept=kept, recent=recent)

    def small(self) -> Budget:
        """The budget of a table of a few columns, beside the table of all."""
        return replace(self, cache=self.cache // 8, kept=self.kept // 8)


ROOMY = Budget()


def bytes_of(max_memory: Any) -> int:
    """Read an amount of memory; None stands for half of what is available now.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("1.5 MiB"), bytes_of(4096)
    (2000000000, 1572864, 4096)
    """
    if max_memory is None:
        return _available() // 2
    if isinstance(max_memory, (int, np.integer)) and not isinstance(max_memory, bool):
        if max_memory > 0:
            return int(max_memory)
    elif isinstance(max_memory, str):
        match = AMOUNT.fullmatch(max_memory)
        amount = float(match[1]) * UNITS[(match[2] or "").lower()] if match else 0.0
        if 1 <= amount < math.inf:
            return int(amount)
    msg = (
        f"is a number of bytes, or text like '2GB' or '500 MiB', not {printable(repr(max_memory))}"
    )
    raise UsageError(msg, option="max_memory")


def _available() -> int:
    """The memory that could be taken now, as the system reports it."""
    try:
        with open("/proc/meminfo", "rb", buffering=0) as report:  # noqa: PTH123  # asked for often
            for line in report.read(REPORT_BYTES).splitlines():
                if line.startswith(b"MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return UNKNOWN


Value = TypeVar("Value")


class Cache:
    """Arrays by key; the longest unused go first when the bytes run out."""

    def __init__(self, limit: int) -> None:
        self.limit, self.bytes = limit, 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def find(self, key: Hashable) -> Any:
        """The value under a key; None if there is none."""
        with self._lock:
            entry = self._kept.get(key)
            if entry is None:
                return None
            self._kept.move_to_end(key)
            return entry[0]

    def keep(self, key: Hashable, value: Value) -> Value:
        """Keep a value under a key, as far as there is room, and return it.

        Two threads may both make a value; they make the same, and the first is kept.
        """
        size = sum(array.nbytes for array in value) if isinstance(value, tuple) else value.nbytes  # type: ignore[attr-defined]
        with self._lock:
            if size <= self.limit // 2 and key not in self._kept:
                self._kept[key] = value, size
                self.bytes += size
                self._shrink()
        return value

    def grow(self, key: Hashable, n_bytes: int) -> None:
        """Record that the value under a key has grown."""
        with self._lock:
            if key not in self._kept:
                return
            value, size = self._kept[key]
            self._kept[key] = value, size + n_bytes
            self.bytes += n_bytes
            self._shrink()

    def _shrink(self) -> None:
        while self.bytes > self.limit:
            _, (_, size) = self._kept.popitem(last=False)
            self.bytes -= size
