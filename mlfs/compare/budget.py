"""A limit of processor time for a piece of work, so that one slow method does not hold up all."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

from mlfs.errors import MlfsError

__all__ = ["OverBudget", "limited"]


class OverBudget(MlfsError):
    """A cell took longer than its budget of processor time."""


@contextlib.contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise `OverBudget` where the block takes more processor time than that.

    It has an effect in the main thread of a process on a POSIX system; elsewhere there is no limit.

    Examples
    --------
    >>> with limited(0.05):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    mlfs.compare.budget.OverBudget: takes more than the budget of 0.05 s of processor time
    """
    main = threading.current_thread() is threading.main_thread()
    if seconds is None or not main or not hasattr(signal, "setitimer"):
        yield
        return

    def end(*_: Any) -> None:
        raise OverBudget(f"takes more than the budget of {seconds:g} s of processor time")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
