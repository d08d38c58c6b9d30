"""Triples: what a picked feature, every candidate and the labels say together.

There are two ways to the same bits. Where no level is left out and all counts fit the table of
c log c, only the joint sum is made for each triple; all others come from pairs. Else the complete
table n(f,s,l) is made and everything is summed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mlfs._kernels import finishing, joint
from mlfs.counts import Given
from mlfs.held import Held

if TYPE_CHECKING:
    from mlfs.table import Table

__all__ = ["Sums", "Triples"]

CELLS_AT_ONCE = 1 << 19  # triple counts that are made before they are finished
KEPT_BYTES = 64 << 20  # what pairs say of all labels is kept for one stripe up to here
MASK_BITS_AT_ONCE = 1 << 28
VALUES_AT_ONCE = 1 << 16  # joint sums that are made before they are added up: half a cache


@dataclass(frozen=True)
class Sums:
    """Rows, and sums of c log c over the cells of tables; each broadcasts to (labels, d)."""

    rows: np.ndarray
    fsl: np.ndarray
    fs: np.ndarray
    fl: np.ndarray
    sl: np.ndarray
    f: np.ndarray
    s: np.ndarray
    l: np.ndarray  # the label, as everywhere

    def sl_given_f(self) -> np.ndarray:
        """I(s;l|f)."""
        return self._per_row(self.fsl + self.f - self.fs - self.fl)

    def fl_given_s(self) -> np.ndarray:
        """I(f;l|s)."""
        return self._per_row(self.fsl + self.s - self.fs - self.sl)

    def _per_row(self, total: np.ndarray) -> np.ndarray:
        out = np.divide(total, self.rows, out=np.zeros(total.shape), where=self.rows > 0)
        return np.maximum(out, 0.0, out=out)


@dataclass(frozen=True)
class _Labels:
    """What pairs say of a block of labels and one stripe of features."""

    n_fl: np.ndarray  # n(f=1, l=1), where f and l have two levels
    n_cells: np.ndarray  # n(f, l=1) of all cells, where l has two levels
    t_fl: np.ndarray
    n_l: np.ndarray

    def part(self, labels: slice) -> _Labels:
        """Neighbouring labels, nothing copied."""
        return _Labels(self.n_fl[labels], self.n_cells[labels], self.t_fl[labels], self.n_l[labels])

    @property
    def nbytes(self) -> int:
        return int(self.n_fl.nbytes + self.n_cells.nbytes + self.t_fl.nbytes + self.n_l.nbytes)


class Triples:
    """The triples of a table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.counted = 0
        counts, levels = table.counts, table.counts.labels[0].levels
        # the plain way: what is counted is what is looked at
        self._in_table = counts.total < table.clogc.size and len(counts.features) == 1
        self._l_whole = table.l_valid == levels
        self._l_binary = levels == 2

    def _is_plain(self, given: Given, labels: np.ndarray) -> bool:
        return (
            self._in_table
            and self.table.f_whole
            and given.valid == given.levels
            and bool(self._l_whole[labels].all())
        )

    # ---- what is asked for ------------------------------------------------------------------

    def cmi_sums(
        self, held: Held, labels: np.ndarray, shares: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """sum_l share_l I(s;l|f) and sum_l share_l I(f;l|s), label after label."""
        d = self.table.d
        sl_given_f, fl_given_s = np.zeros(d), np.zeros(d)
        if self._is_plain(held.given, labels):
            t_sl, t_s = held.label_sums(self.table.clogc)

            def add_up(a: int, b: int, at: slice, t_fsl: np.ndarray, t_fl: np.ndarray) -> None:
                joint.add_informations(
                    t_fsl,
                    held.t_f[a:b],
                    held.t_fs[a:b],
                    t_fl,
                    t_sl[labels[at]],
                    t_s,
                    self.table.counts.total,
                    shares[at],
                    sl_given_f[a:b],
                    fl_given_s[a:b],
                )

            self._plain(held, labels, add_up)
            return sl_given_f, fl_given_s

        def add(a: int, b: int, at: slice, sums: Sums) -> None:
            for out, values in ((sl_given_f, sums.sl_given_f()), (fl_given_s, sums.fl_given_s())):
                for share, value in zip(shares[at], values, strict=True):
                    out[a:b] += share * value

        self._complete(held, labels, add)
        return sl_given_f, fl_given_s

    def sums(self, held: Held, labels: np.ndarray) -> Sums:
        """All sums, for all features and some labels."""
        if self._is_plain(held.given, labels):
            t_sl, t_s = held.label_sums(self.table.clogc)
            t_fsl = np.empty((labels.size, self.table.d))
            t_fl = np.empty((labels.size, self.table.d))

            def keep(a: int, b: int, at: slice, joint: np.ndarray, fl: np.ndarray) -> None:
                t_fsl[at, a:b] = joint
                t_fl[at, a:b] = fl

            self._plain(held, labels, keep)
            t_l = self.label_sums(labels)
            rows = np.full((1, 1), float(self.table.counts.total))
            whole = (rows, t_fsl, held.t_fs, t_fl, t_sl[labels, None], held.t_f, t_s, t_l[:, None])
            return Sums(*(np.broadcast_to(part, t_fsl.shape) for part in whole))
        out = np.empty((8, labels.size, self.table.d))

        def spread(a: int, b: int, at: slice, sums: Sums) -> None:
            for place, name in enumerate(Sums.__dataclass_fields__):
                out[place, at, a:b] = getattr(sums, name)

        self._complete(held, labels, spread)
        return Sums(*out)

    # ---- from pairs and one joint sum -------------------------------------------------------

    def _plain(
        self,
        held: Held,
        labels: np.ndarray,
        use: Callable[[int, int, slice, np.ndarray, np.ndarray], None],
    ) -> None:
        """Hand over the joint sums and those of f with l, some labels and features at a time."""
        table, counts, given = self.table, self.table.counts, held.given
        self.counted += table.d * labels.size
        two_levels = bool(self._l_binary[labels].all())

        def work(i: int, a: int, b: int) -> None:
            binary = two_levels and given.levels == 2 and counts.binary[i]
            cells = (b - a) if binary else int(counts.offsets[b] - counts.offsets[a]) * given.levels
            masks = 2 * given.levels * max(1, counts.total)  # bits, where there are planes
            at_once = min(VALUES_AT_ONCE // max(1, cells), MASK_BITS_AT_ONCE // masks)
            for at in _slices(labels.size, max(1, at_once)):
                known = self._labels(labels[at], i, a, b)
                t_fsl = np.empty((known.n_l.size, b - a))
                if binary:
                    self._binary(held, labels[at], known, i, t_fsl)
                elif two_levels:
                    self._levels(held, labels[at], known, i, t_fsl)
                else:
                    self._any(held, labels[at], i, t_fsl)
                use(a, b, at, t_fsl, known.t_fl)

        counts.over_stripes(work)

    def _binary(
        self, held: Held, labels: np.ndarray, known: _Labels, i: int, out: np.ndarray
    ) -> None:
        """Joint sums where f, s and l have two levels."""
        counts, given = self.table.counts, held.given
        a, b = counts.edges[i]
        joint.joint_binary(
            counts.meets(given, labels, i),
            counts.base[a:b],
            counts.ones[i],
            given.base,
            int(given.alone[1]),
            held.ones[i],
            counts.labels[0].base[labels],
            known.n_l,
            known.n_fl,
            held.with_labels[labels, 1, 1],
            counts.total,
            self.table.clogc,
            out,
        )

    def _levels(
        self, held: Held, labels: np.ndarray, known: _Labels, i: int, out: np.ndarray
    ) -> None:
        """Joint sums where l has two levels."""
        counts, given = self.table.counts, held.given
        a, b = counts.edges[i]
        offsets, where = counts.cells(a, b)
        joint.joint_levels(
            counts.meets_of_levels(given, labels, i),
            offsets,
            counts.base[a:b],
            given.base,
            held.pairs[where],
            counts.labels[0].base[labels],
            known.n_cells,
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

    def _labels(self, labels: np.ndarray, i: int, a: int, b: int) -> _Labels:
        """What pairs say of some labels: a part of what is kept of all, if that is little."""
        every = len(self._l_binary)
        first, last = int(labels[0]), int(labels[-1]) + 1
        cells = int(self.table.counts.offsets[b] - self.table.counts.offsets[a])
        if every * (cells + 2 * (b - a)) * 8 > KEPT_BYTES or not (np.diff(labels) == 1).all():
            key = ("labels", labels.tobytes(), i)
            found: _Labels = self.table.cache.get(key, lambda: self._made(labels, i, a, b))
            return found
        whole: _Labels = self.table.cache.get(
            ("all labels", i), lambda: self._made(np.arange(every), i, a, b)
        )
        return whole.part(slice(first, last))

    def _made(self, labels: np.ndarray, i: int, a: int, b: int) -> _Labels:
        table, counts = self.table, self.table.counts
        _, where = counts.cells(a, b)
        n_cells = np.zeros((labels.size, where.stop - where.start), np.int64)
        t_fl = np.empty((labels.size, b - a))
        n_l = np.zeros(labels.size, np.int64)
        for at, label in enumerate(labels.tolist()):
            t_fl[at] = table.label_sums(label)[a:b]
            if self._l_binary[label]:
                n_cells[at] = table.n_fl(label)[where][:, 1]
                n_l[at] = counts.n_l[counts.l_offsets[label] + 1]
        n_fl = n_cells[:, 1::2].copy() if counts.binary[i] else n_cells[:, :0].copy()
        return _Labels(n_fl, n_cells, t_fl, n_l)

    def label_sums(self, labels: np.ndarray) -> np.ndarray:
        """The sums of c log c over n(l)."""
        counts = self.table.counts
        valid = self.table.l_valid
        out = np.empty((valid.size, 2))
        finishing.singles(counts.n_l, counts.l_offsets, valid, self.table.clogc, out)
        return out[labels, 1]

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
                out = np.empty((valid[at].size, b - a, 8))
                finishing.triple_sums(
                    tables, offsets, table.f_valid[a:b], s_valid, valid[at], table.clogc, out
                )
                use(a, b, at, Sums(*np.moveaxis(out, 2, 0)))

        table.counts.over_stripes(work)

    def _tables(
        self, held: Held, labels: np.ndarray, i: int, a: int, b: int
    ) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """n(f,s,l), some labels at a time."""
        counts, given = self.table.counts, held.given
        levels = counts.labels[0].levels
        offsets, where = counts.cells(a, b)
        cells = int(offsets[-1])
        width = int(levels[labels].max(initial=1))
        at_once = max(1, CELLS_AT_ONCE // max(1, cells * given.levels * width))
        for at in _slices(labels.size, at_once):
            block = labels[at]
            n_fl = np.zeros((block.size, cells, width), np.int64)
            for k, label in enumerate(block.tolist()):
                n_fl[k, :, : levels[label]] = self.table.n_fl(label)[where]
            n_sl = held.with_labels[block]
            yield at, counts.triples(given, block, n_sl, held.pairs[where], n_fl, i), offsets


def _slices(total: int, step: int) -> list[slice]:
    return [slice(first, min(first + step, total)) for first in range(0, total, step)]
