"""How the work on counts is shared out: by stripes of the features, and by labels."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from mlfs.counting.column_groups import Kind
from mlfs.counting.threads import THREADED_FROM, Threads, apart, at_work

if TYPE_CHECKING:
    from mlfs.counting.anchor import Given
    from mlfs.counting.counts import Counts

__all__ = ["Shares"]

Result = TypeVar("Result")
LABELS_EACH = 16  # labels of a thread, of which there must be so many to share out by labels
WORDS_A_NANOSECOND = 10  # of planes that meet
CELL_COST = 2  # nanoseconds to finish four counts of two levels, or one of more


class Shares:
    """Work on some counts, for threads that have something to do.

    Parameters
    ----------
    counts : Counts
        What is counted.
    kind : ndarray
        The kind of each column, see `mlfs.counting.column_groups.kinds`.
    n_jobs : int
        Threads that there may be.
    """

    def __init__(self, counts: Counts, kind: np.ndarray, n_jobs: int) -> None:
        self._counts: Counts = weakref.proxy(counts)  # no circle: its memory is free at its end
        self._listed = np.isin(kind, (Kind.LISTS, Kind.BINARY_LISTS))
        self._n = 1 if n_jobs == 1 else at_work(self._cost_of_a_pick(), n_jobs)
        self._threads = Threads(self._n)
        # lists of many labels are shared out by labels: by columns, each part walks all rows
        self._by_labels = counts.q >= LABELS_EACH * self._n

    def _cost_of_a_pick(self) -> int:
        """The nanoseconds of a dear one, before anything is cut."""
        counts, listed = self._counts, self._listed
        others = counts.levels[~listed] - 1
        planes, like = int(others.sum()), float(others.mean()) if others.size else 0.0
        words = planes * sum(-(-block.n_rows // 64) for block in counts.features)
        entries = sum(int(block.off[listed].sum()) for block in counts.features)
        swept = words * like * (1 + counts.q) / WORDS_A_NANOSECOND
        finished = (counts.d + (planes * like if like > 1 else 0)) * counts.q * CELL_COST
        return max(entries, int(swept + finished))

    @property
    def parts(self) -> np.ndarray:
        """Into how many parts the kind of each column is cut."""
        return np.where(self._listed & self._by_labels, 1, self._n)

    def over_stripes(
        self, work: Callable[[int, int, int], Result], cost: int = THREADED_FROM
    ) -> list[Result]:
        """Call work(stripe, first column, last column) for all, in threads where that pays."""
        jobs = [(i, a, b) for i, (a, b) in enumerate(self._counts.edges)]
        return self._threads.map(work, jobs, cost)

    def over_labels(
        self,
        work: Callable[[int, slice, np.ndarray], None],
        n_labels: int,
        cost: int,
        out: np.ndarray,
    ) -> None:
        """Let work(stripe, some of the labels, its part of out) add to `out`, in threads.

        `out` has a row for each label, or one for all. In this each job gets an array of its own,
        and they are added up here: threads that write to one array wait for each other.
        """
        if self._n == 1:
            for i, (a, b) in enumerate(self._counts.edges):
                work(i, slice(0, n_labels), out[:, a:b])
            return
        each = out.shape[0] > 1
        jobs = []
        for i, planes in enumerate(self._counts.is_planes):
            parts = 1 if planes or not self._by_labels else min(self._n, n_labels)
            edges = [n_labels * k // parts for k in range(parts + 1)]
            jobs += [(i, slice(*ends)) for ends in itertools.pairwise(edges)]

        def fill(i: int, at: slice) -> np.ndarray:
            a, b = self._counts.edges[i]
            part = out[at, a:b] if each else apart((1, b - a), out.dtype)
            work(i, at, part)
            return part

        for (i, _), part in zip(jobs, self._threads.map(fill, jobs, cost), strict=True):
            if not each:
                out[:, slice(*self._counts.edges[i])] += part

    def cost_of(self, given: Given, labels: np.ndarray | None = None) -> int:
        """About how many nanoseconds it takes to count a column with all features (and labels).

        Nobody asks where there are no threads to hand work to, and then it is 0.
        """
        if self._n == 1:
            return 0
        n_labels, met = 1, 1.0
        if labels is not None:
            y = self._counts.labels[0]
            n_labels, met = labels.size, float(y.off[labels].sum()) / max(1, y.n_rows)
        entries, words, binary, cells = self._work
        walked = entries * given.off_base / max(1, self._counts.total) * met
        swept = words * (given.levels - 1) * n_labels / WORDS_A_NANOSECOND
        finished = (binary + cells * given.levels) * n_labels * CELL_COST
        return int(walked + swept + finished)

    @cached_property
    def _work(self) -> tuple[int, int, int, int]:
        """The entries of all row lists, words of planes, columns of two levels, planes of more."""
        entries = words = binary = cells = 0
        for i, (a, b) in enumerate(self._counts.edges):
            planes = int((self._counts.levels[a:b] - 1).sum())
            if self._counts.is_planes[i]:
                words += planes * sum(-(-block.n_rows // 64) for block in self._counts.features)
            else:
                entries += sum(int(block.off[a:b].sum()) for block in self._counts.features)
            if self._counts.binary[i]:
                binary += b - a
            else:
                cells += planes
        return entries, words, binary, cells
