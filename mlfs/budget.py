"""The memory that counting may take: how much there is, and what of it goes where."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.clogc import TABLE_SIZE
from mlfs.coding import Codes
from mlfs.errors import DataError, UsageError, printable

__all__ = ["ROOMY", "Budget", "bytes_of", "checked"]

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
UNITS |= {f"{unit}i": 1 << (10 * power) for power, unit in enumerate("kmgt", 1)}
AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)
AT_FRONT = 1024  # bytes of what the system tells, among which the amount stands
UNKNOWN = 4 << 30  # where the machine does not tell what it has
MOST_CACHED, MOST_KEPT, MOST_LABELS = 512 << 20, 64 << 20, 4 << 20
COLUMN_BYTES = 160  # what is said of a column while one is held against all


@dataclass(frozen=True)
class Budget:
    """What the parts of a table may take, in bytes.

    Parameters
    ----------
    cache : int
        Everything that is kept because it may be asked for again.
    kept : int
        What pairs say of all labels and one stripe of features.
    labels : int
        The same of as many labels as are counted at once, where all are too many.
    """

    cache: int = MOST_CACHED
    kept: int = MOST_KEPT
    labels: int = MOST_LABELS

    @classmethod
    def of(cls, free: int) -> Budget:
        """Divide what is left.

        Examples
        --------
        >>> Budget.of(800).cache
        400
        """
        parts = {"cache": 2, "kept": 8, "labels": 16}
        most = {"cache": MOST_CACHED, "kept": MOST_KEPT, "labels": MOST_LABELS}
        return cls(**{part: min(most[part], free // by) for part, by in parts.items()})


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
        found = AMOUNT.fullmatch(max_memory)
        amount = found and int(float(found[1]) * UNITS[(found[2] or "").lower()])
        if amount:
            return int(amount)
    msg = (
        "max_memory is a number of bytes, or text like '2GB' or '500 MiB', "
        f"not {printable(repr(max_memory))}"
    )
    raise UsageError(msg)


def checked(max_memory: Any, features: Codes, labels: Codes) -> Budget:
    """Divide the memory that may be taken, or say that the data do not fit into it.

    Parameters
    ----------
    max_memory : int, str or None
        See `bytes_of`.
    features, labels : Codes
        What will be counted.
    """
    most = bytes_of(max_memory)
    least = _least(features, labels)
    if least > most:
        rows, share = features.n_rows, most / least
        fits = f"about {max(1, int(rows * share)):,} of the {rows:,} rows would fit"
        msg = (
            f"counting takes at least {_told(least)}, but max_memory is {_told(most)}: "
            f"raise it, or give less data ({fits})"
        )
        raise DataError(msg)
    return Budget.of(most - least)


def _least(features: Codes, labels: Codes) -> int:
    """What counting cannot do without: forms to count, a table of logarithms, a column each."""
    rows = features.n_rows
    entries = 8 * (features.n_entries + labels.n_entries)
    if features.packed is not None:
        packed = features.packed.first >= 0
        entries += features.packed.planes.nbytes - 8 * int(features.off[packed].sum())
    of_rows = 8 * min(rows + 1, TABLE_SIZE) + 16 * rows
    return int(entries + of_rows + COLUMN_BYTES * (len(features) + len(labels)))


def _told(size: int) -> str:
    """An amount in words, rounded up.

    Examples
    --------
    >>> _told(1_999_001), _told(12)
    ('2 MB', '1 MB')
    """
    if size < 10**9:
        return f"{-(-size // 10**6):,} MB"
    return f"{-(-size // 10**8) / 10:,} GB"


def _available() -> int:
    """The memory that could be taken now, as the system tells it."""
    try:
        with open("/proc/meminfo", "rb", buffering=0) as told:  # noqa: PTH123  # asked for often
            for line in told.read(AT_FRONT).splitlines():
                if line.startswith(b"MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return UNKNOWN
