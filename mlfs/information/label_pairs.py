"""Pairs of every feature with labels: counted once, and kept as far as memory allows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mlfs.information.table import Table

__all__ = ["LabelPairs"]


class LabelPairs:
    """The pairs of a table's features with its labels.

    Parameters
    ----------
    table : Table
        The table.
    """

    def __init__(self, table: Table) -> None:
        self._table, self._counts = table, table.counts
        self._kept: dict[int, np.ndarray] = {}  # of all labels, where they are few enough

    def at_once(self, i: int) -> int:
        """The number of labels whose co-occurrences with a column group are held at a time."""
        if self._every_label:
            return len(self._counts.labels)
        return max(1, self._table.budget.labels // max(1, self._counts.groups[i].n_cells.nbytes))

    @cached_property
    def _every_label(self) -> bool:
        """Whether the co-occurrences of all features with all labels are few enough to be kept."""
        every = len(self._counts.labels) * sum(g.n_cells.nbytes for g in self._counts.groups)
        if not self._counts.labels.all_two_levels or every > self._table.budget.kept:
            return False
        self._table.cache.limit -= min(every, self._table.cache.limit // 2)
        return True

    def co(self, i: int, labels: np.ndarray) -> np.ndarray:
        """The co-occurrences of a column group with labels of two levels: (labels, cells)."""
        if not self._every_label:
            cache, key = self._table.cache, ("co_fl", i, labels.tobytes())
            found: np.ndarray | None = cache.find(key)
            return cache.keep(key, self._counted(i, labels)) if found is None else found
        every = self._kept.get(i)
        if every is None:
            every = self._kept[i] = self._counted(i, np.arange(len(self._counts.labels)))
        first, size = int(labels[0]), labels.size
        if int(labels[-1]) - first == size - 1 and (size < 3 or (np.diff(labels) == 1).all()):
            return every[first : first + size]
        return every[labels]

    def _counted(self, i: int, labels: np.ndarray) -> np.ndarray:
        return self._counts.groups[i].co_with_labels(self._counts.labels, labels)

    def sums(self, label: int) -> np.ndarray:
        """The sums of c log c over n(f,l) of every feature."""
        cache, key = self._table.cache, ("t_fl", label)
        found: np.ndarray | None = cache.find(key)
        return cache.keep(key, self._added(np.array([label]))) if found is None else found

    def added_sums(self, labels: np.ndarray) -> np.ndarray:
        """The sums of c log c over n(f,l) of every feature, added over some labels."""
        if labels.size == 1:
            return self.sums(int(labels[0]))
        cache, key = self._table.cache, ("t_fL", labels.tobytes())
        found: np.ndarray | None = cache.find(key)
        return cache.keep(key, self._added(labels)) if found is None else found

    def _added(self, labels: np.ndarray) -> np.ndarray:
        """Count some labels and add their sums; no missing value may be left out."""
        table, counts, total = self._table, self._counts, np.zeros(self._table.d, np.int64)
        two = counts.labels.two_levels[labels]
        if not two.all():
            for label in labels.tolist():
                total += table.label(label).t_fs
            return total

        def work(i: int, a: int, b: int) -> None:
            group, step = counts.groups[i], self.at_once(i)
            for first in range(0, labels.size, step):
                some = labels[first : first + step]
                keep = self._every_label and group.needs_label_pairs
                co = self.co(i, some) if keep else self._counted(i, some)
                group.add_label_sums(counts.labels.n_cells[some], co, counts.xlogx, total[a:b])

        counts.parallel.over_groups(work, int(counts.non_mode.sum()))
        return total
