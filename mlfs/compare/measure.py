"""Measure the seconds and the peak memory of a block of code, and limit its processor time."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


class OverBudget(BaseException):
    """A cell took longer than its budget.

    It is no `Exception`, so that a classifier that catches these does not swallow it.
    """


BY_THE_CLOCK = 10  # times the budget of processor time that a block may take in all
AGAIN = 1.0  # seconds after which it is raised again, where something swallowed it


@contextlib.contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise `OverBudget` where the block takes more processor time, or ten times that by the clock.

    It has an effect in the main thread of a process on a POSIX system; elsewhere there is no limit.

    Examples
    --------
    >>> with limited(0.05):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    mlfs.compare.measure.OverBudget: takes more than the budget of 0.05 s of processor time
    """
    main = threading.current_thread() is threading.main_thread()
    if seconds is None or not main or not hasattr(signal, "setitimer"):
        yield
        return

    wall = BY_THE_CLOCK * seconds

    def end(number: int, _: Any) -> None:
        spent = f"of {seconds:g} s of processor time"
        if number == signal.SIGALRM:
            spent = f"of {seconds:g} s, {wall:g} s by the clock"
        raise OverBudget(f"takes more than the budget {spent}")

    timers = (
        (signal.SIGPROF, signal.ITIMER_PROF, seconds),
        (signal.SIGALRM, signal.ITIMER_REAL, wall),
    )
    before = [signal.signal(number, end) for number, _, _ in timers]
    for _, timer, limit in timers:
        signal.setitimer(timer, limit, AGAIN)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)
