"""Measure the seconds and the peak memory of a block of code."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cost", "measured"]

STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@dataclass
class Cost:
    """Wall-clock seconds, and the peak of resident memory in megabytes above its start."""

    seconds: float = 0.0
    peak_mb: float = 0.0


@contextlib.contextmanager
def measured() -> Iterator[Cost]:
    """Measure a block.

    On Linux it is the peak of the block alone; elsewhere it is the increase of the peak of the
    whole process, which may be 0.

    Examples
    --------
    >>> with measured() as cost:
    ...     kept = bytearray(50_000_000)
    >>> cost.seconds > 0
    True
    """
    cost = Cost()
    exact = _forget_peak()
    before = _resident_mb("VmRSS") if exact else _peak_mb()
    began = time.perf_counter()
    try:
        yield cost
    finally:
        cost.seconds = time.perf_counter() - began
        after = _resident_mb("VmHWM") if exact else _peak_mb()
        cost.peak_mb = max(0.0, after - before)


def _forget_peak() -> bool:
    try:
        REFERENCES.write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _resident_mb(field: str) -> float:
    for line in STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0


def _peak_mb() -> float:
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return 0.0
    import sys

    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
