"""Triples: what a picked feature, every candidate and the labels say together.

There are two ways to the same bits. Where no level is left out and all counts fit the table of
c log c, only the joint sum is made for each triple; all others come from pairs. Else the complete
table n(f,s,l) is made and everything is summed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mlfs._kernels import finishing, joint
from mlfs.counting.column_groups import Kind, TwoLevels
from mlfs.counting.triple_counts import TripleCounts
from mlfs.information.pair_statistics import Held
from mlfs.information.xlogx import per_row, wrapped

if TYPE_CHECKING:
    from mlfs.information.table import Table

__all__ = ["Sums", "Triples"]

CELL_BYTES = 32  # of a triple count that is made before it is finished: it, its pairs, its sums
VALUES_AT_ONCE = 1 << 16  # joint sums that are made before they are added up: half a cache
EACH_BYTES = 16  # of a joint sum of a single label, and of what it is made of


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

    def sl_given_f(self, clogc: np.ndarray) -> np.ndarray:
        """I(s;l|f)."""
        return per_row(self.fsl + self.f - self.fs - self.fl, self.rows, clogc)

    def fl_given_s(self, clogc: np.ndarray) -> np.ndarray:
        """I(f;l|s)."""
        return per_row(self.fsl + self.s - self.fs - self.sl, self.rows, clogc)


class Triples:
    """The triples of a table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._counts = TripleCounts(table.counts)
        self.counted = 0
        levels = table.counts.labels[0].levels
        # the plain way: what is counted is what is looked at
        self._in_one = table.in_table and len(table.counts.features) == 1
        self._l_binary = levels == 2
        only_two = table.counts.only_binary_lists and bool(self._l_binary.all())
        self._lists = self._in_one and only_two

    # ---- what is asked for ------------------------------------------------------------------

    def cmi_sums(self, held: Held, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """sum_l I(s;l|f) and sum_l I(f;l|s)."""
        if self.table.is_whole(labels, held.given):
            total = self.joint_sums(held, labels)
            return self.sl_given_f(held, labels, total), self.fl_given_s(held, labels, total)
        d, clogc = self.table.d, self.table.clogc
        sl_given_f, fl_given_s = np.zeros(d), np.zeros(d)

        def add(a: int, b: int, at: slice, sums: Sums) -> None:
            del at
            both = sums.sl_given_f(clogc), sums.fl_given_s(clogc)
            for out, values in zip((sl_given_f, fl_given_s), both, strict=True):
                for value in values:
                    out[a:b] += value

        self._complete(held, labels, add)
        return sl_given_f, fl_given_s

    def joint_sums(self, held: Held, labels: np.ndarray) -> np.ndarray:
        """The sums of c log c over n(f,s,l), added over the labels; nothing may be left out."""
        if labels.size == 1 and self._lists and held.given.levels == 2:
            return self._one(held, labels)
        total = np.zeros((1, self.table.d), np.int64)
        if self._in_one:
            self._plain(held, labels, total)
        else:

            def add(a: int, b: int, at: slice, sums: Sums) -> None:
                del at
                total[0, a:b] += sums.fsl.sum(axis=0)

            self._complete(held, labels, add)
        return total[0]

    def sl_given_f(self, held: Held, labels: np.ndarray, joint_sums: np.ndarray) -> np.ndarray:
        """sum_l I(s;l|f), where nothing is left out."""
        table = self.table
        apart = table.t_f - held.t_fs
        apart = apart if labels.size == 1 else apart * labels.size
        total = joint_sums + apart - table.with_labels.added_sums(labels)
        return per_row(total, table.rows, table.clogc)

    def fl_given_s(self, held: Held, labels: np.ndarray, joint_sums: np.ndarray) -> np.ndarray:
        """sum_l I(f;l|s), where nothing is left out."""
        table = self.table
        t_sl = int(held.label_sums(table.clogc)[labels].sum())
        total = joint_sums + wrapped(labels.size * int(held.t_s) - t_sl)
        return per_row(total - labels.size * held.t_fs, table.rows, table.clogc)

    def over_features(self, held: Held, labels: np.ndarray) -> np.ndarray:
        """sum_f I(s;l|f) of each label, where nothing is left out."""
        table = self.table
        added = np.zeros((labels.size, 2), np.int64)
        alone = table.t_f - held.t_fs
        at_once = max(1, table.budget.block // (EACH_BYTES * max(1, table.d)))
        for at in _slices(slice(0, labels.size), at_once):
            some = labels[at]
            t_fsl = self.sums_of_each(held, some)
            for k, label in enumerate(some.tolist()):
                joint.add_features(t_fsl[k], alone, table.with_labels.sums(label), added[at][k])
        scale = 2.0 ** int(table.clogc[-1]) * float(table.rows)
        total: np.ndarray = (added[:, 0] * 2.0**joint.LOW_BITS + added[:, 1]) / scale
        return total

    def sums_of_each(self, held: Held, labels: np.ndarray) -> np.ndarray:
        """The sums of c log c over n(f,s,l), where nothing is left out: (labels, d)."""
        t_fsl = np.zeros((labels.size, self.table.d), np.int64)
        if self._in_one:
            self._plain(held, labels, t_fsl)
        else:

            def keep(a: int, b: int, at: slice, sums: Sums) -> None:
                t_fsl[at, a:b] = sums.fsl

            self._complete(held, labels, keep)
        return t_fsl

    def sums(self, held: Held, labels: np.ndarray) -> Sums:
        """All sums, for all features and some labels."""
        table = self.table
        if self._in_one and table.is_whole(labels, held.given):
            t_fsl = self.sums_of_each(held, labels)
            t_fl = np.zeros((labels.size, table.d), np.int64)
            for at, label in enumerate(labels.tolist()):
                t_fl[at] = table.with_labels.sums(label)
            t_sl, t_l = held.label_sums(table.clogc)[labels, None], table.t_l[labels, None]
            t_s = held.t_s
            whole = (table.rows, t_fsl, held.t_fs, t_fl, t_sl, table.t_f, t_s, t_l)
            return Sums(*(np.broadcast_to(part, t_fsl.shape) for part in whole))
        out = np.empty((8, labels.size, table.d), np.int64)

        def spread(a: int, b: int, at: slice, sums: Sums) -> None:
            for place, part in enumerate(sums):
                out[place, at, a:b] = part

        self._complete(held, labels, spread)
        return Sums(*out)

    # ---- from pairs and one joint sum -------------------------------------------------------

    def _plain(self, held: Held, labels: np.ndarray, out: np.ndarray) -> None:
        """Add the joint sums to the rows of `out`, one for each label or one for all."""
        table, counts, given = self.table, self.table.counts, held.given
        self.counted += table.d * labels.size
        two_levels = bool(self._l_binary[labels].all())
        each = out.shape[0] > 1
        met = self._meetings(held, labels) if two_levels and given.levels == 2 else None

        def work(i: int, part: slice, own: np.ndarray) -> None:
            a, b = counts.edges[i]
            binary = met is not None and counts.binary[i]
            cells = (b - a) if binary else int(counts.offsets[b] - counts.offsets[a]) * given.levels
            masks = given.levels * max(1, counts.total) // 8  # bytes, where there are planes
            at_once = table.with_labels.at_once(i) if binary else VALUES_AT_ONCE // max(1, cells)
            if counts.is_planes[i]:
                at_once = min(at_once, table.budget.block // max(1, masks))
            at_once = labels.size if counts.kinds[i] == Kind.LISTS and two_levels else at_once
            for at in _slices(part, max(1, at_once)):
                sums = own[at.start - part.start : at.stop - part.start] if each else own
                if met is not None and binary:
                    self._binary(held, labels, at, met, i, sums)
                    continue
                if two_levels and self._short(held, labels[at], i, sums):
                    continue
                t_fsl = np.empty((labels[at].size, b - a), np.int64)
                if two_levels:
                    self._levels(held, labels[at], i, t_fsl)
                else:
                    self._any(held, labels[at], i, t_fsl)
                sums += t_fsl if each else t_fsl.sum(axis=0)

        counts.shares.over_labels(work, labels.size, counts.shares.cost_of(given, labels), out)

    def _one(self, held: Held, labels: np.ndarray) -> np.ndarray:
        """The joint sums of one label, all of two levels and kept row by row."""
        table, counts = self.table, self.table.counts
        label, out = int(labels[0]), np.zeros(table.d, np.int64)
        self.counted += table.d
        for i, (a, b) in enumerate(counts.edges):
            off = held.parts[i], table.with_labels.off(i, labels)[0]
            self._counts.add_joint_of_one(i, held.given, label, off, table.clogc, out[a:b])
        return out

    def _meetings(self, held: Held, labels: np.ndarray) -> tuple[np.ndarray, ...]:
        """Where s and each label are off their bases: rows, from, to, and how many."""
        if self.table.counts.label_masks is not None and all(self.table.counts.is_planes):
            none = np.zeros(0, np.int64)
            return none, none, none, held.off_sl[labels]
        grouped = held.grouped
        return (
            grouped.rows,
            grouped.starts[labels],
            grouped.starts[labels + 1],
            held.off_sl[labels],
        )

    def _binary(
        self,
        held: Held,
        labels: np.ndarray,
        at: slice,
        met: tuple[np.ndarray, ...],
        i: int,
        out: np.ndarray,
    ) -> None:
        """Add joint sums where f, s and l have two levels."""
        counts = self.table.counts
        rows, first, last, off_sl = met
        parts = TwoLevels(
            held.given,
            labels[at],
            rows,
            first[at],
            last[at],
            counts.weights[0],
            held.given.off_base,
            counts.off_l[labels[at]],
            off_sl[at],
            held.parts[i],
            self.table.with_labels.off(i, labels[at]),
        )
        self._counts.add_joint(i, parts, self.table.clogc, out)

    def _short(self, held: Held, labels: np.ndarray, i: int, out: np.ndarray) -> bool:
        """Add joint sums where l has two levels, if the form of the features allows it."""
        counts, clogc = self.table.counts, self.table.clogc
        planes = counts.is_planes[i]
        if planes and counts.label_masks is None:
            return False
        off = 1 - counts.labels[0].base[labels]
        n_sl = held.with_labels[labels, :, off]
        if planes:
            off_fl = self.table.with_labels.off(i, labels)
            self._counts.add_joint_of_planes(i, held.given, labels, off_fl, n_sl, clogc, out)
        else:
            self._counts.add_joint_of_levels(i, held.given, labels, held.table(i), n_sl, clogc, out)
        return True

    def _levels(self, held: Held, labels: np.ndarray, i: int, out: np.ndarray) -> None:
        """Joint sums where l has two levels."""
        counts, given = self.table.counts, held.given
        a, b = counts.edges[i]
        offsets, where = counts.cells(a, b)
        n_fl = [self.table.with_labels.counts(label)[where][:, 1] for label in labels.tolist()]
        joint.joint_levels(
            self._counts.meets_of_levels(given, labels, i),
            offsets,
            counts.base[a:b],
            given.base,
            held.table(i),
            counts.labels[0].base[labels],
            np.stack(n_fl),
            held.with_labels[labels][:, :, 1].copy(),
            self.table.clogc,
            out,
        )

    def _any(self, held: Held, labels: np.ndarray, i: int, out: np.ndarray) -> None:
        """Joint sums from complete tables."""
        a, b = self.table.counts.edges[i]
        levels = self.table.counts.labels[0].levels[labels]
        for part, tables, offsets in self._tables(held, labels, i, a, b):
            joint.joint_tables(tables, offsets, levels[part], self.table.clogc, out[part])

    # ---- from the complete table ------------------------------------------------------------

    def _complete(
        self,
        held: Held,
        labels: np.ndarray,
        use: Callable[[int, int, slice, Sums], None],
    ) -> None:
        """Hand over all sums, some labels and features at a time."""
        table = self.table
        self.counted += table.d * labels.size
        valid, s_valid = table.l_valid[labels], held.given.valid

        def work(i: int, a: int, b: int) -> None:
            for at, tables, offsets in self._tables(held, labels, i, a, b):
                out = np.empty((valid[at].size, b - a, 8), np.int64)
                finishing.triple_sums(
                    tables, offsets, table.f_valid[a:b], s_valid, valid[at], table.clogc, out
                )
                use(a, b, at, Sums(*np.moveaxis(out, 2, 0)))

        table.counts.shares.over_stripes(work)

    def _tables(
        self, held: Held, labels: np.ndarray, i: int, a: int, b: int
    ) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """n(f,s,l), some labels at a time."""
        counts, given = self.table.counts, held.given
        levels = counts.labels[0].levels
        offsets, where = counts.cells(a, b)
        cells = int(offsets[-1])
        width = int(levels[labels].max(initial=1))
        made = CELL_BYTES * max(1, cells * given.levels * width)
        at_once = max(1, self.table.budget.block // made)
        for at in _slices(slice(0, labels.size), at_once):
            block = labels[at]
            n_fl = np.zeros((block.size, cells, width), np.int64)
            for k, label in enumerate(block.tolist()):
                n_fl[k, :, : levels[label]] = self.table.with_labels.counts(label)[where]
            n_sl = held.with_labels[block]
            yield at, self._counts.triples(given, block, n_sl, held.table(i), n_fl, i), offsets


def _slices(part: slice, step: int) -> list[slice]:
    firsts = range(part.start, part.stop, step)
    return [slice(first, min(first + step, part.stop)) for first in firsts]
