"""Time and memory: the best of several runs, the peak beyond what was there before."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["Timing", "best_of", "memory_now", "peak_memory", "reset_peak"]

STATUS = Path("/proc/self/status")


class Timing(dict[str, Any]):
    """seconds (the best), runs, spread (the median over the best)."""


def best_of(
    work: Callable[[Any], object],
    prepare: Callable[[], Any] = lambda: None,
    *,
    budget: float = 2.0,
    least: int = 1,
    most: int = 50,
) -> Timing:
    """Run again and again within a budget of seconds; what `prepare` makes is not timed."""
    times: list[float] = []
    stop = time.perf_counter() + budget
    while len(times) < least or (len(times) < most and time.perf_counter() < stop):
        ready = prepare()
        start = time.perf_counter()
        work(ready)
        times.append(time.perf_counter() - start)
    times.sort()
    spread = times[len(times) // 2] / times[0] if times[0] else 1.0
    return Timing(seconds=times[0], runs=len(times), spread=round(spread, 2))


def memory_now() -> int:
    """Bytes that the process holds in memory."""
    return _status("VmRSS") or peak_memory()


def peak_memory() -> int:
    """The most bytes that it held, since the last reset where the system can reset."""
    kilobytes = _status("VmHWM")
    if kilobytes:
        return kilobytes
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def reset_peak() -> None:
    """Forget the peak so far; where the system cannot, it is the peak of the whole process."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _status(field: str) -> int:
    if not STATUS.exists():
        return 0
    for line in STATUS.read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    return 0
