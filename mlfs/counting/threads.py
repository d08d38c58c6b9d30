"""Threads that are kept alive: kernels release the lock, so that all processors count."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import numpy as np

__all__ = ["THREADED_FROM", "Threads", "at_work", "padded"]

Result = TypeVar("Result")
THREADED_FROM = 1 << 19  # nanoseconds or so; below, threads cost more than they save
LINE = 128  # bytes; two threads that write to one line wait for each other
_here = threading.local()


def at_work(cost: int, n: int) -> int:
    """Of n threads, how many have something to do where work takes so many nanoseconds."""
    return min(n, max(1, 2 * cost // max(1, THREADED_FROM))) if cost >= THREADED_FROM else 1


def padded(shape: tuple[int, ...], kind: Any) -> np.ndarray:
    """Zeros that share no cache line with anything else: for what a thread writes often.

    Examples
    --------
    >>> padded((2, 3), np.int64).tolist()
    [[0, 0, 0], [0, 0, 0]]
    """
    size, pad = math.prod(shape), LINE // np.dtype(kind).itemsize
    return np.zeros(size + 2 * pad, kind)[pad : pad + size].reshape(shape)


class Threads:
    """Threads that share out work, or none.

    Parameters
    ----------
    n : int
        How many, the one that calls included.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._pool = ThreadPoolExecutor(n - 1) if n > 1 else None
        self._process = os.getpid()

    def map(
        self, work: Callable[..., Result], jobs: Sequence[tuple[Any, ...]], cost: int
    ) -> list[Result]:
        """Call work(*job) for all jobs; what costs little in all is done without threads."""
        busy = getattr(_here, "at_work", False)
        forked = os.getpid() != self._process  # the threads of the pool stayed behind
        if self._pool is None or len(jobs) < 2 or cost < THREADED_FROM or busy or forked:
            return [work(*job) for job in jobs]
        left: SimpleQueue[int] = SimpleQueue()
        for at in range(len(jobs)):
            left.put(at)
        done: dict[int, Result] = {}

        def take() -> None:
            _here.at_work = True  # what is called from here is shared out no further
            try:
                while True:
                    at = left.get_nowait()
                    done[at] = work(*jobs[at])
            except Empty:
                return
            finally:
                _here.at_work = False

        helpers = [self._pool.submit(take) for _ in range(min(self.n, len(jobs)) - 1)]
        try:
            take()
        finally:
            wait(helpers)
        for helper in helpers:
            helper.result()
        return [done[at] for at in range(len(jobs))]
