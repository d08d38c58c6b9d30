"""Divide the work of counting among threads: by column groups, and by labels.

Kernels release the lock, so that all processors count.
"""

from __future__ import annotations

import itertools
import math
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mlfs.counting.column_groups import LayoutKind

if TYPE_CHECKING:
    from mlfs.counting.anchor import Anchor
    from mlfs.counting.counts import Counts


Result = TypeVar("Result")
THREADED_FROM = 1 << 19  # nanoseconds or so; below, threads cost more than they save
LINE = 128  # bytes; two threads that write to one line wait for each other
LABELS_EACH = 16  # labels of a thread, of which there must be as many to share out by labels
WORDS_A_NANOSECOND = 10  # of two planes
CELL_COST = 2  # nanoseconds to sum four counts of two levels, or one of more
LISTED = (LayoutKind.LISTS, LayoutKind.BINARY_LISTS)
_here = threading.local()


def at_work(cost: int, n: int) -> int:
    """The number of threads, at most n, that work of so many nanoseconds is worth."""
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
        waiting: SimpleQueue[int] = SimpleQueue()
        for job in range(len(jobs)):
            waiting.put(job)
        done: dict[int, Result] = {}

        def take() -> None:
            _here.at_work = True  # what is called from here runs in this thread
            try:
                while True:
                    job = waiting.get_nowait()
                    done[job] = work(*jobs[job])
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
        return [done[job] for job in range(len(jobs))]


class Parallel:
    """Distributes counting over threads where the estimated cost justifies it.

    Parameters
    ----------
    counts : Counts
        What is counted.
    kind : ndarray
        The kind of each column.
    n_jobs : int
        Threads that there may be.
    """

    def __init__(self, counts: Counts, kind: np.ndarray, n_jobs: int) -> None:
        self._counts: Counts = weakref.proxy(counts)  # no cycle: memory is freed at its end
        self._listed = np.isin(kind, LISTED)
        self._n = 1 if n_jobs == 1 else at_work(self._cost_of_a_pick(), n_jobs)
        self._threads = Threads(self._n)
        # lists of many labels are shared out by labels: by columns, each part walks all rows
        self._by_labels = len(counts.labels) >= LABELS_EACH * self._n

    @property
    def alone(self) -> bool:
        """Whether there is one thread only."""
        return self._n == 1

    @property
    def _words(self) -> int:
        return -(-self._counts.n_rows // 64)

    def _cost_of_a_pick(self) -> int:
        """Estimate the nanoseconds of an expensive pick, before columns are cut into groups."""
        counts, listed = self._counts, self._listed
        others, q = counts.levels[~listed] - 1, len(counts.labels)
        planes, like = int(others.sum()), float(others.mean()) if others.size else 0.0
        entries = int(counts.non_mode[listed].sum())
        swept = planes * self._words * like * (1 + q) / WORDS_A_NANOSECOND
        summed = (counts.d + (planes * like if like > 1 else 0)) * q * CELL_COST
        return max(entries, int(swept + summed))

    @property
    def parts(self) -> np.ndarray:
        """The number of parts into which the kind of each column is cut."""
        return np.where(self._listed & self._by_labels, 1, self._n)

    def over_groups(
        self,
        work: Callable[[int, int, int], Result],
        cost: int = THREADED_FROM,
        *,
        anchor: Anchor | None = None,
        labels: np.ndarray | None = None,
    ) -> list[Result]:
        """Call work(group, first column, last column) for all, in threads where that pays.

        What it costs follows from the anchor (and the labels) that are counted, if they are given.
        """
        jobs = [(i, a, b) for i, (a, b) in enumerate(self._counts.edges)]
        if self._n == 1:
            return [work(*job) for job in jobs]
        if anchor is not None:
            cost = self.cost_of(anchor, labels)
        return self._threads.map(work, jobs, cost)

    def over_labels(
        self,
        work: Callable[[int, slice, np.ndarray], None],
        n_labels: int,
        cost: int,
        out: np.ndarray,
    ) -> None:
        """Let work(group, some of the labels, its part of out) add to `out`, in threads.

        `out` has a row for each label, or one for all. In this each job gets an array of its own,
        and they are added up here: threads that write to one array wait for each other.
        """
        if self._n == 1:
            for i, (a, b) in enumerate(self._counts.edges):
                work(i, slice(0, n_labels), out[:, a:b])
            return
        per_label = out.shape[0] > 1
        jobs = []
        for i, kind in enumerate(self._counts.kinds):
            parts = min(self._n, n_labels) if kind in LISTED and self._by_labels else 1
            parts = max(1, parts)
            edges = [n_labels * k // parts for k in range(parts + 1)]
            jobs += [(i, slice(*ends)) for ends in itertools.pairwise(edges)]

        def fill(i: int, labels: slice) -> np.ndarray:
            a, b = self._counts.edges[i]
            part = out[labels, a:b] if per_label else padded((1, b - a), out.dtype)
            work(i, labels, part)
            return part

        for (i, _), part in zip(jobs, self._threads.map(fill, jobs, cost), strict=True):
            if not per_label:
                out[:, slice(*self._counts.edges[i])] += part

    def cost_of(self, anchor: Anchor, labels: np.ndarray | None = None) -> int:
        """Estimate the nanoseconds to count an anchor with all features (and labels).

        It is 0 where there are no threads.
        """
        if self._n == 1:
            return 0
        n_labels, share = 1, 1.0
        if labels is not None:
            y = self._counts.labels
            n_labels = labels.size
            share = float(y.n_cells[labels].sum()) / max(1, self._counts.total)
        entries, words, binary, cells = self._work
        walked = entries * anchor.non_mode / max(1, self._counts.total) * share
        swept = words * anchor.cells * n_labels / WORDS_A_NANOSECOND
        summed = (binary + cells * anchor.levels) * n_labels * CELL_COST
        return int(walked + swept + summed)

    @cached_property
    def _work(self) -> tuple[int, int, int, int]:
        """The entries of all row lists, words of planes, columns of two levels, cells of more."""
        counts, listed = self._counts, self._listed
        two = counts.levels == 2
        entries = int(counts.non_mode[listed].sum())
        words = int((counts.levels[~listed] - 1).sum()) * self._words
        return entries, words, int(two.sum()), int((counts.levels[~two] - 1).sum())
