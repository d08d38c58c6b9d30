"""Pairs of features and labels, and triples of an anchor, features and labels, from counts.

There are two methods with the same results, bit for bit. Where no value is left out, only the joint
sum is made for each triple, from co-occurrences if the label has two levels; all other sums come
from pairs. Otherwise everything is summed from the complete table n(f,s,l).

The gain in Gini impurity of a label, which the criterion jim takes in place of information.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mlfs._kernels import co_sums, full_tables
from mlfs._kernels.full_tables import gini_of_tables
from mlfs._kernels.row_walks import LabelCells
from mlfs.counting.anchor import PairStatistics
from mlfs.counting.column_groups import Triples
from mlfs.counting.xlogx import XLogX, per_row, wrap_int64

if TYPE_CHECKING:
    from mlfs.counting.anchor import PairStatistics
    from mlfs.information.table import Table


NONE = np.zeros((0, 0), np.int32)

CELLS_AT_ONCE = 1 << 16  # of co-occurrences that are counted before they are summed: half a cache
SPLIT_BYTES = 12  # of what is made of the cells of a column and a label, in `LabelCells`
EACH_BYTES = 16  # of the joint sum of a feature and a label, and of what it is made from


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
        self._kept_cells: dict[int, LabelCells] = {}

    def labels_at_once(self, i: int) -> int:
        """The number of labels whose co-occurrences with a column group are held at a time."""
        if self._keeps_all:
            return len(self._counts.labels)
        return max(1, self._table.budget.labels // max(1, self._counts.groups[i].n_cells.nbytes))

    @cached_property
    def _keeps_all(self) -> bool:
        """Whether the co-occurrences of all features with all labels are few enough to be kept."""
        groups = self._counts.groups
        each = sum(g.n_cells.nbytes + SPLIT_BYTES * g.size * (not g.two_levels) for g in groups)
        n_bytes = len(self._counts.labels) * each
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
        return co_all[_places(labels)]

    def cells(self, i: int, labels: np.ndarray) -> LabelCells:
        """Counts of a group with labels, and the numbers that are made of them for every anchor."""
        group, xlogx = self._counts.groups[i], self._counts.xlogx
        if not self._keeps_all:
            return group.label_cells(self.co(i, labels), xlogx)
        if i not in self._kept_cells:
            every = np.arange(len(self._counts.labels))
            self._kept_cells[i] = group.label_cells(self.co(i, every), xlogx)
        return LabelCells(*(part[_places(labels)] for part in self._kept_cells[i]))

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
            group, y, out = counts.groups[i], counts.labels, total[a:b]
            if self._keeps_all:
                group.add_label_sums(y.n_cells[labels], self.co(i, labels), counts.xlogx, out)
            else:
                at_once = self.labels_at_once(i)
                group.add_sums_with_labels(y, labels, counts.xlogx, out, at_once)

        counts.parallel.over_groups(work, int(counts.non_mode.sum()))
        return total


def _places(labels: np.ndarray) -> slice | np.ndarray:
    """A slice where labels follow one another, so that nothing is copied."""
    start, size = int(labels[0]), labels.size
    if int(labels[-1]) - start == size - 1 and (size < 3 or (np.diff(labels) == 1).all()):
        return slice(start, start + size)
    return labels


class Sums(NamedTuple):
    """Rows, and sums of c log c over the cells of tables; each broadcasts to (labels, d)."""

    rows: np.ndarray
    fsl: np.ndarray
    fs: np.ndarray
    fl: np.ndarray
    sl: np.ndarray
    f: np.ndarray
    s: np.ndarray
    l: np.ndarray  # the label, as everywhere

    def sl_given_f(self, xlogx: XLogX) -> np.ndarray:
        """I(s;l|f)."""
        return per_row(self.fsl + self.f - self.fs - self.fl, self.rows, xlogx)

    def fl_given_s(self, xlogx: XLogX) -> np.ndarray:
        """I(f;l|s)."""
        return per_row(self.fsl + self.s - self.fs - self.sl, self.rows, xlogx)


class TripleSums:
    """The triples of a table.

    Parameters
    ----------
    table : Table
        The table.
    """

    def __init__(self, table: Table) -> None:
        self.table, self.counts = table, table.counts
        self.counted = 0

    # ---- results ----------------------------------------------------------------------------

    def cmi_sums(self, pairs: PairStatistics, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """sum_l I(s;l|f) and sum_l I(f;l|s)."""
        if self.table.all_valid(labels, pairs.anchor):
            total = self.joint_sums(pairs, labels)
            return self.sl_given_f(pairs, labels, total), self.fl_given_s(pairs, labels, total)
        d, xlogx = self.table.d, self.counts.xlogx
        sl_given_f, fl_given_s = np.zeros(d), np.zeros(d)

        def add(a: int, b: int, k: int, sums: Sums) -> None:
            del k
            sl_given_f[a:b] += sums.sl_given_f(xlogx)
            fl_given_s[a:b] += sums.fl_given_s(xlogx)

        self._complete(pairs, labels, add)
        return sl_given_f, fl_given_s

    def joint_sums(self, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
        """The sums of c log c over n(f,s,l), added over the labels; nothing may be left out."""
        total = np.zeros((1, self.table.d), np.int64)
        self._joint(pairs, labels, total)
        return total[0]

    def sums_of_each(self, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
        """The sums of c log c over n(f,s,l) of each label: (labels, d)."""
        t_fsl = np.zeros((labels.size, self.table.d), np.int64)
        self._joint(pairs, labels, t_fsl)
        return t_fsl

    def sl_given_f(
        self, pairs: PairStatistics, labels: np.ndarray, joint_sums: np.ndarray
    ) -> np.ndarray:
        """sum_l I(s;l|f), where nothing is left out."""
        table = self.table
        difference = table.t_f - pairs.t_fs
        difference = difference if labels.size == 1 else difference * labels.size
        total = joint_sums + difference - table.label_pairs.added_sums(labels)
        return per_row(total, table.rows, self.counts.xlogx)

    def fl_given_s(
        self, pairs: PairStatistics, labels: np.ndarray, joint_sums: np.ndarray
    ) -> np.ndarray:
        """sum_l I(f;l|s), where nothing is left out."""
        table = self.table
        t_sl = int(pairs.label_sums[labels].sum())
        total = joint_sums + wrap_int64(labels.size * int(pairs.t_s) - t_sl)
        return per_row(total - labels.size * pairs.t_fs, table.rows, self.counts.xlogx)

    def over_features(self, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
        """N sum_f I(s;l|f) of each label, as high and low bits, where nothing is left out."""
        table = self.table
        added = np.zeros((labels.size, 2), np.int64)
        difference = table.t_f - pairs.t_fs
        at_once = max(1, table.budget.block // (EACH_BYTES * max(1, table.d)))
        for start in range(0, labels.size, at_once):
            chunk, chunk_sums = labels[start : start + at_once], added[start : start + at_once]
            t_fsl = self.sums_of_each(pairs, chunk)
            for k, label in enumerate(chunk.tolist()):
                t_fl = table.label_pairs.sums(label)
                co_sums.add_features(t_fsl[k], difference, t_fl, chunk_sums[k])
        return added

    def sums(self, pairs: PairStatistics, labels: np.ndarray) -> Sums:
        """All sums, for all features and some labels."""
        table = self.table
        if not table.all_valid(labels, pairs.anchor):
            out = np.empty((8, labels.size, table.d), np.int64)

            def keep(a: int, b: int, k: int, sums: Sums) -> None:
                out[:, k, a:b] = sums

            self._complete(pairs, labels, keep)
            return Sums(*out)
        t_fsl = self.sums_of_each(pairs, labels)
        t_fl = np.zeros((labels.size, table.d), np.int64)
        for k, label in enumerate(labels.tolist()):
            t_fl[k] = table.label_pairs.sums(label)
        t_sl, t_l = pairs.label_sums[labels, None], table.t_l[labels, None]
        arrays = (table.rows, t_fsl, pairs.t_fs, t_fl, t_sl, table.t_f, pairs.t_s, t_l)
        return Sums(*(np.broadcast_to(array, t_fsl.shape) for array in arrays))

    # ---- from pairs and one joint sum -------------------------------------------------------

    def _joint(self, pairs: PairStatistics, labels: np.ndarray, out: np.ndarray) -> None:
        """Add the joint sums to the rows of `out`, one for each label or one for all."""
        counts, per_label = self.counts, out.shape[0] > 1
        if not (counts.labels.all_two_levels or counts.labels.two_levels[labels].all()):

            def add(a: int, b: int, k: int, sums: Sums) -> None:
                out[k if per_label else 0, a:b] += sums.fsl

            self._complete(pairs, labels, add, out)
            return
        self.counted += self.table.d * labels.size
        if labels.size == 1 and counts.parallel.alone:  # dividing it up takes longer
            for i, (a, b) in enumerate(counts.edges):
                self._add(Triples(pairs, i, counts.labels, labels), out[:, a:b])
            return

        def work(i: int, part: slice, part_sums: np.ndarray) -> None:
            step = self.labels_at_once(i, pairs)
            for start in range(part.start, part.stop, step):
                chunk = slice(start, min(start + step, part.stop))
                sums = (
                    part_sums[chunk.start - part.start : chunk.stop - part.start]
                    if per_label
                    else part_sums
                )
                triples = Triples(pairs, i, counts.labels, labels[chunk])
                self._add(triples, sums)

        counts.parallel.over_labels(
            work, labels.size, counts.parallel.cost_of(pairs.anchor, labels), out
        )

    def _add(self, triples: Triples, out: np.ndarray) -> None:
        group, i = self.counts.groups[triples.group], triples.group
        needed = group.needs_label_pairs(triples.pairs.anchor)
        pairs = self.table.label_pairs
        known = pairs.cells if group.walks_levels(triples.pairs.anchor) else pairs.co
        co_fl = known(i, triples.indices) if needed else NONE
        group.add_triple_sums(triples, co_fl, self.counts.xlogx, out)

    def labels_at_once(self, i: int, pairs: PairStatistics) -> int:
        """How many labels may be counted at a time with an anchor and a column group."""
        group = self.counts.groups[i]
        if not group.needs_label_pairs(pairs.anchor):  # it counts label by label
            return len(self.counts.labels)
        at_once = self.table.label_pairs.labels_at_once(i)
        if not group.by_label and (not group.two_levels or pairs.anchor.cells != 1):
            at_once = min(at_once, CELLS_AT_ONCE // max(1, group.cells * pairs.anchor.cells))
        planes = pairs.anchor.levels * max(1, self.counts.n_rows) // 8  # bytes
        return max(1, min(at_once, self.table.budget.block // max(1, planes)))

    # ---- from the complete table ------------------------------------------------------------

    def _complete(
        self,
        pairs: PairStatistics,
        labels: np.ndarray,
        use: Callable[[int, int, int, Sums], None],
        joint: np.ndarray | None = None,
    ) -> None:
        """Make all sums, one label and one column group at a time, and pass them on.

        Where only the `joint` sums are wanted, tables that would be much larger than the data are
        not made: the sums are added to its rows, one for each label or one for all.
        """
        table = self.table
        self.counted += table.d * labels.size
        l_valid, s_valid = table.l_valid[labels], pairs.anchor.valid

        def work(i: int, a: int, b: int) -> None:
            group, y = self.counts.groups[i], self.counts.labels
            if joint is not None and group.is_wide(pairs.anchor):
                for k, label in enumerate(labels.tolist()):
                    sums = joint[k if joint.shape[0] > 1 else 0, a:b]
                    column = y.codes.column(label)
                    group.add_walked_sums(pairs.anchor, self.counts.xlogx, sums, column)
                return
            if group.is_wide(pairs.anchor):
                for k, label in enumerate(labels.tolist()):
                    table_sums = group.known_sums(
                        pairs.anchor,
                        table.f_valid[a:b],
                        self.counts.xlogx,
                        y.codes.column(label),
                        int(l_valid[k]),
                    )
                    use(a, b, k, Sums(*table_sums))
                return
            for k, full, offsets in self.tables(pairs, labels, i):
                out = np.empty((8, b - a), np.int64)
                full_tables.triple_sums(
                    full,
                    offsets,
                    table.f_valid[a:b],
                    s_valid,
                    int(l_valid[k]),
                    self.counts.xlogx,
                    out,
                )
                use(a, b, k, Sums(*out))

        self.counts.parallel.over_groups(work)

    def tables(
        self, pairs: PairStatistics, labels: np.ndarray, i: int
    ) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """n(f,s,l) of one label after the other: its index, the table, the edges of columns."""
        group, y = self.counts.groups[i], self.counts.labels
        n_fs = pairs.table(i)
        for k, label in enumerate(labels.tolist()):
            n_fl = self.table.label(label).table(i)
            n_sl = np.ascontiguousarray(pairs.label_tables[label, :, : y.levels[label]])
            yield k, group.triple_table(pairs.anchor, y, label, n_fs, n_fl, n_sl), group.offsets


def gini_gain(table: Table, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
    """sum_l G(f,s;l) of all features f with an anchor s.

    G(x;l) = sum_xl p(x,l)^2 / p(x) - sum_l p(l)^2, on the rows in which f, s and l are known.
    """
    counts, unit = table.counts, table.counts.xlogx.unit
    if not (table.all_valid(labels, pairs.anchor) and counts.labels.two_levels[labels].all()):
        return _gain_of_tables(table, pairs, labels)
    within = np.zeros(table.d, np.int64)

    def work(i: int, a: int, b: int) -> None:
        step = table.triples.labels_at_once(i, pairs)
        for start in range(0, labels.size, step):
            triples = Triples(pairs, i, counts.labels, labels[start : start + step])
            co_fl = table.label_pairs.co(i, triples.indices)
            counts.groups[i].add_gini_sums(triples, co_fl, unit, within[a:b])

    counts.parallel.over_groups(work, anchor=pairs.anchor, labels=labels)
    n, n_l = float(table.rows), counts.labels.n_cells[labels].astype(float)
    constant = sum(
        np.floor(2 * n_l * (n - n_l) / max(1.0, n) * unit + 0.5).astype(np.int64).tolist()
    )
    gain: np.ndarray = np.maximum(wrap_int64(constant) - within, 0) / (max(1.0, n) * unit)
    return gain


def _gain_of_tables(table: Table, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
    """sum_l G(f,s;l) from complete tables."""
    counts, unit = table.counts, table.counts.xlogx.unit
    added = np.zeros(table.d)
    valid = table.l_valid[labels]

    def work(i: int, a: int, b: int) -> None:
        for k, full, offsets in table.triples.tables(pairs, labels, i):
            l_valid = int(valid[k])
            out = np.empty((3 + l_valid, b - a), np.int64)
            gini_of_tables(
                full, offsets, table.f_valid[a:b], pairs.anchor.valid, l_valid, unit, out
            )
            rows, alone, within = out[:3]
            added[a:b] += np.maximum(alone - within, 0) / (np.maximum(rows, 1) * unit)

    counts.parallel.over_groups(work)
    return added
