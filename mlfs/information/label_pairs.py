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
        self._kept: dict[int, np.ndarray] = {}  # by column group, with all labels, if they fit

    def labels_at_once(self, i: int) -> int:
        """The number of labels whose co-occurrences with a column group are held at a time."""
        if self._keeps_all:
            return len(self._counts.labels)
        return max(1, self._table.budget.labels // max(1, self._counts.groups[i].n_cells.nbytes))

    @cached_property
    def _keeps_all(self) -> bool:
        """Whether the co-occurrences of all features with all labels are few enough to be kept."""
        n_bytes = len(self._counts.labels) * sum(g.n_cells.nbytes for g in self._counts.groups)
        if not self._counts.labels.all_two_levels or n_bytes > self._table.budget.kept:
            return False
        self._table.cache.limit -= min(n_bytes, self._table.cache.limit // 2)
        return True

    def co(self, i: int, labels: np.ndarray) -> np.ndarray:
        """The co-occurrences of a column group with labels of two levels: (labels, cells)."""
        if not self._keeps_all:
            cache, key = self._table.cache, ("co_fl", i, labels.tobytes())
            co: np.ndarray | None = cache.find(key)
            return cache.keep(key, self._count(i, labels)) if co is None else co
        co_all = self._kept.get(i)
        if co_all is None:
            co_all = self._kept[i] = self._count(i, np.arange(len(self._counts.labels)))
        start, size = int(labels[0]), labels.size
        if int(labels[-1]) - start == size - 1 and (size < 3 or (np.diff(labels) == 1).all()):
            return co_all[start : start + size]
        return co_all[labels]

    def _count(self, i: int, labels: np.ndarray) -> np.ndarray:
        return self._counts.groups[i].co_with_labels(self._counts.labels, labels)

    def sums(self, label: int) -> np.ndarray:
        """The sums of c log c over n(f,l) of every feature."""
        cache, key = self._table.cache, ("t_fl", label)
        t_fl: np.ndarray | None = cache.find(key)
        return cache.keep(key, self._add_up(np.array([label]))) if t_fl is None else t_fl

    def added_sums(self, labels: np.ndarray) -> np.ndarray:
        """The sums of c log c over n(f,l) of every feature, added over some labels."""
        if labels.size == 1:
            return self.sums(int(labels[0]))
        cache, key = self._table.cache, ("t_fL", labels.tobytes())
        t_fL: np.ndarray | None = cache.find(key)
        return cache.keep(key, self._add_up(labels)) if t_fL is None else t_fL

    def _add_up(self, labels: np.ndarray) -> np.ndarray:
        """Count some labels and add their sums; no missing value may be left out."""
        table, counts, total = self._table, self._counts, np.zeros(self._table.d, np.int64)
        if not counts.labels.two_levels[labels].all():
            for label in labels.tolist():
                total += table.label(label).t_fs
            return total

        def work(i: int, a: int, b: int) -> None:
            group, step = counts.groups[i], self.labels_at_once(i)
            for start in range(0, labels.size, step):
                chunk = labels[start : start + step]
                is_kept = self._keeps_all and group.needs_label_pairs
                co = self.co(i, chunk) if is_kept else self._count(i, chunk)
                group.add_label_sums(counts.labels.n_cells[chunk], co, counts.xlogx, total[a:b])

        counts.parallel.over_groups(work, int(counts.non_mode.sum()))
        return total
