"""Pairs of every feature with labels: counted once, and kept as far as memory goes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mlfs._kernels import finishing, meeting

if TYPE_CHECKING:
    from mlfs.information.table import Table

__all__ = ["LabelPairs"]


class LabelPairs:
    """The pairs of a table's features with its labels."""

    def __init__(self, table: Table) -> None:
        self._table, self._counts = table, table.counts
        self._kept: dict[int, np.ndarray] = {}  # of all labels, where they are few enough

    def counts(self, label: int) -> np.ndarray:
        """Counts of all features with a label."""
        found: np.ndarray = self._table.cache.get(
            ("n_fl", label), lambda: self._counts.pairs_with_label(label)
        )
        return found

    def at_once(self, i: int) -> int:
        """Of how many labels the meetings with a stripe of features are held at once."""
        if self._every_label:
            return self._counts.q
        return max(1, self._table.budget.labels // max(1, self._counts.off_f[i].nbytes))

    @cached_property
    def _every_label(self) -> bool:
        """Whether the meetings of all features with all labels are few enough to be kept."""
        every = self._counts.q * sum(part.nbytes for part in self._counts.off_f)
        if not self._table.l_binary.all() or every > self._table.budget.kept:
            return False
        self._table.cache.limit -= min(every, self._table.cache.limit // 2)
        return True

    def off(self, i: int, labels: np.ndarray) -> np.ndarray:
        """In how many rows features of a stripe and labels, all of two levels, are off base."""
        counts = self._counts
        if not self._every_label:
            key = ("off_fl", i, labels.tobytes())
            found: np.ndarray = self._table.cache.get(key, lambda: counts.off_labels(i, labels))
            return found
        every = self._kept.get(i)
        if every is None:
            every = self._kept[i] = counts.off_labels(i, np.arange(counts.q))
        first, size = int(labels[0]), labels.size
        if int(labels[-1]) - first == size - 1 and (size < 3 or (np.diff(labels) == 1).all()):
            return every[first : first + size]
        return every[labels]

    def sums(self, label: int) -> np.ndarray:
        """The sums of c log c over n(f,l) of every feature."""
        found: np.ndarray = self._table.cache.get(
            ("t_fl", label), lambda: self._added(np.array([label]))
        )
        return found

    def added_sums(self, labels: np.ndarray) -> np.ndarray:
        """The like, added over some labels."""
        if labels.size == 1:
            return self.sums(int(labels[0]))
        found: np.ndarray = self._table.cache.get(
            ("t_fL", labels.tobytes()), lambda: self._added(labels)
        )
        return found

    def _added(self, labels: np.ndarray) -> np.ndarray:
        table, counts, total = self._table, self._counts, np.zeros(self._table.d, np.int64)
        two_levels = table.is_whole(labels) and table.in_table and table.l_binary[labels].all()
        in_one = two_levels and len(counts.features) == 1

        def work(i: int, a: int, b: int) -> None:
            out = total[a:b]
            if two_levels and counts.binary[i]:
                self._add_binary(i, labels, out)
            elif not (in_one and counts.add_label_sums_of(i, labels, table.clogc, out)):
                self._add_any(i, labels, out)

        counts.shares.over_stripes(work, counts.n_entries)
        return total

    def _add_binary(self, i: int, labels: np.ndarray, out: np.ndarray) -> None:
        """Where all have two levels, and the rows off the bases tell all."""
        counts, step = self._counts, self.at_once(i)
        for first in range(0, labels.size, step):
            some = labels[first : first + step]
            met = (self.off if self._every_label else counts.off_labels)(i, some)
            own, clogc = (counts.off_f[i], met, counts.off_l[some]), self._table.clogc
            meeting.add_label_sums(*own, counts.total, clogc, out)

    def _add_any(self, i: int, labels: np.ndarray, out: np.ndarray) -> None:
        """From complete tables."""
        table, (a, b) = self._table, self._counts.edges[i]
        offsets, where = self._counts.cells(a, b)
        four = np.empty((b - a, 4), np.int64)
        for label in labels.tolist():
            n_fl, valid = self.counts(label)[where], int(table.l_valid[label])
            finishing.pair_sums(n_fl, offsets, table.f_valid[a:b], valid, table.clogc, four)
            out += four[:, 1]
