"""Threads that are kept alive: kernels release the lock, so that all processors count."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["THREADED_FROM", "Threads", "is_worth"]

Result = TypeVar("Result")
THREADED_FROM = 1 << 19  # nanoseconds or so; below, threads cost more than they save
_here = threading.local()


def is_worth(cost: int) -> bool:
    """Whether work that takes about so many nanoseconds is worth handing out."""
    return cost >= THREADED_FROM


class Threads:
    """A pool of threads, or none.

    Parameters
    ----------
    n : int
        How many.
    """

    def __init__(self, n: int) -> None:
        self._pool = ThreadPoolExecutor(n) if n > 1 else None
        self._process = os.getpid()

    def map(
        self, work: Callable[..., Result], jobs: Iterable[tuple[Any, ...]], cost: int
    ) -> list[Result]:
        """Call work(*job) for all jobs; what costs little in all is done without threads."""
        waits_for_itself = getattr(_here, "at_work", False)
        forked = os.getpid() != self._process  # the threads of the pool stayed behind
        if self._pool is None or not is_worth(cost) or waits_for_itself or forked:
            return [work(*job) for job in jobs]

        def mark_and_work(job: tuple[Any, ...]) -> Result:
            _here.at_work = True
            return work(*job)

        return list(self._pool.map(mark_and_work, jobs))
