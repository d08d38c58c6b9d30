"""Feature-by-label arrays of a few labels, for what does not commute with the sum over them.

`Subset` gives the terms of a few candidates, counted without the other columns; the same bits.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs.counting.memory import Budget
from mlfs.counting.subset_planes import SubsetPlanes
from mlfs.counting.xlogx import entropies
from mlfs.information.info import read_only
from mlfs.information.table import PairInfo, Table
from mlfs.information.triples import Sums

if TYPE_CHECKING:
    from mlfs._kernels.plane_subsets import SubsetSums
    from mlfs.counting.anchor import Anchor


LABELS_AT_ONCE = 32
BLOCK_BYTES = 80  # of a feature and a label in a block: their sums, and what is made of these


class LabelBlock:
    """The (f, block of labels) arrays that `Info.sum_over_labels` hands to its function.

    Parameters
    ----------
    table : Table
        The counts.
    labels : ndarray of int
        The labels of the block.
    positions : ndarray of int or None
        The positions of the candidates among the counted columns; None for all in order.
    """

    def __init__(self, table: Table, labels: np.ndarray, positions: np.ndarray | None) -> None:
        self._table, self._labels, self._positions = table, labels, positions
        self.q = int(labels.size)
        self._last_sums: dict[int, Sums] = {}

    @property
    def mi_fl(self) -> np.ndarray:
        """I(f;l)."""
        values = [self._table.pair_with_label(label).mi for label in self._labels.tolist()]
        return self._cut(np.stack(values))

    def cmi_sl_given_f(self, s: int) -> np.ndarray:
        """I(s;l|f)."""
        return self._cut(self._sums(s).sl_given_f(self._table.counts.xlogx))

    def cmi_fl_given_s(self, s: int) -> np.ndarray:
        """I(f;l|s)."""
        return self._cut(self._sums(s).fl_given_s(self._table.counts.xlogx))

    def interaction_fsl(self, s: int) -> np.ndarray:
        """I(f;s;l) = I(f;l) - I(f;l|s), both on the rows in which all three are known."""
        return self._mi_fl(s) - self.cmi_fl_given_s(s)

    def joint_fsl(self, s: int) -> np.ndarray:
        """I(f,s;l) = I(f;l) + I(s;l|f), both on the rows in which all three are known."""
        return self._mi_fl(s) + self.cmi_sl_given_f(s)

    def mi_fs(self, s: int) -> np.ndarray:
        """I(f;s) on the rows in which each label is known."""
        sums = self._sums(s)
        return self._entropy(sums.rows, sums.f + sums.s - sums.fs)

    def h_fsl(self, s: int) -> np.ndarray:
        """H(f,s,l)."""
        sums = self._sums(s)
        return self._entropy(sums.rows, sums.fsl)

    def _mi_fl(self, s: int) -> np.ndarray:
        sums = self._sums(s)
        return self._entropy(sums.rows, sums.f + sums.l - sums.fl)

    def _sums(self, s: int) -> Sums:
        if s not in self._last_sums:
            pairs = self._table.feature(self._table.position(s))
            self._last_sums = {s: self._table.triples.sums(pairs, self._labels)}
        return self._last_sums[s]

    def _entropy(self, rows: np.ndarray, t: np.ndarray) -> np.ndarray:
        return self._cut(entropies(rows, t, self._table.counts.xlogx))

    def _cut(self, values: np.ndarray) -> np.ndarray:
        return (values if self._positions is None else values[:, self._positions]).T


def sum_over_labels(
    d: int,
    labels: np.ndarray,
    budget: Budget,
    block_of: Callable[[np.ndarray], Any],
    g: Callable[[Any], np.ndarray],
) -> np.ndarray:
    """Sum g(block) over the labels, as many at a time as memory allows."""
    total = np.zeros(d)
    step = min(LABELS_AT_ONCE, max(1, budget.block // (BLOCK_BYTES * max(1, d))))
    for start in range(0, labels.size, step):
        block = block_of(labels[start : start + step])
        values = g(block)
        for i in range(block.q):
            total += values[:, i]
    return total


SUM_BYTES = 16  # of a sum of an anchor that is expected, and of what it is made of
BLOCK = 8.0  # how much slower it is to ask through blocks of labels, one anchor at a time


class Subset:
    """Terms of a few candidates with given anchors, for some labels.

    Parameters
    ----------
    table : Table
        The counts of all.
    labels : ndarray of int
        The labels in play.
    positions : ndarray of int
        The positions of the candidates among the counted columns.
    """

    def __init__(self, table: Table, labels: np.ndarray, positions: np.ndarray) -> None:
        self._table, self._labels, self._positions = table, labels, positions
        if table.subset_planes is None:
            table.subset_planes = SubsetPlanes(table.counts, table.t_f, table.budget)
        self._planes = table.subset_planes
        self._fits = (
            self._planes.fits and table.all_valid(labels) and self._planes.mostly_planes(positions)
        )
        self._needs_triples = self._needs_blocks = False
        self._anchors: dict[int, int] = {}
        self._forget(np.zeros(0, np.int64))

    def expect(self, anchors: Sequence[int], start: np.ndarray) -> None:
        """Note which columns will be asked for, and from which of them on each candidate.

        Before that the answers are zero. All of them are counted at the first question.
        """
        self._anchors = {self._table.position(s): i for i, s in enumerate(anchors)}
        self._forget(start)

    def _forget(self, start: np.ndarray) -> None:
        self._start = start
        self._mi: np.ndarray | None = None
        self._cmi: tuple[np.ndarray, np.ndarray] | None = None
        self._sums: dict[tuple[tuple[int, ...], bytes], list[Sums]] = {}

    def cost(self) -> tuple[float, float]:
        """Estimate the nanoseconds that counting all columns would have taken for the same terms.

        They are 0 where all columns are counted anyway. Also how much slower it is to ask here.
        """
        if not self._fits:
            return 0.0, 1.0
        cost = self._planes.cost(self._labels, triples=self._needs_triples)
        return cost, BLOCK if self._needs_blocks else 1.0

    def _index(self, s: int) -> int:
        """The index of s among the expected columns; if it was not expected, it is the only one."""
        if s not in self._anchors:
            self._anchors = {s: 0}
            self._forget(np.zeros(self._positions.size, np.int64))
        return self._anchors[s]

    def mi_fs(self, s: int) -> np.ndarray:
        """I(f;s)."""
        if not self._fits:
            return read_only(self._small_table.mi_with_feature(s, self._labels))
        i = self._index(s)
        if self._mi is None:
            anchors = list(self._anchors)
            self._mi = read_only(self._planes.pairs(self._positions, anchors, self._start))
            self._table.pairs_counted += int((len(anchors) - self._start).sum())
        return self._mi[i]

    def pair_with(self, s: int) -> PairInfo:
        """I(f;s) and the entropies, where rows are left out."""
        return PairInfo(*map(read_only, self._small_table.pair_with_feature(s, self._labels)))

    def cmi(self, s: int) -> tuple[np.ndarray, np.ndarray]:
        """sum_l I(s;l|f) and sum_l I(f;l|s)."""
        self._needs_triples = True
        if not self._fits or not self._planes.has_room(self._labels):
            sl_given_f, fl_given_s = self._small_table.triples.cmi_sums(
                self._small_table.feature(s), self._labels
            )
            return read_only(sl_given_f), read_only(fl_given_s)
        i = self._index(s)
        if self._cmi is None:
            results = self._triples(list(self._anchors), self._start, self._labels)
            self._cmi = read_only(results.sl_given_f), read_only(results.fl_given_s)
        return self._cmi[0][i], self._cmi[1][i]

    def block(self, labels: np.ndarray) -> LabelBlock:
        """The block that `Info.sum_over_labels` hands to its function."""
        self._needs_triples = self._needs_blocks = True
        if not self._fits or not self._planes.has_room(self._labels):
            return LabelBlock(self._small_table, labels, None)
        return _SubsetBlock(self, self._table, labels, self._positions)

    def sums(self, s: int, labels: np.ndarray) -> Sums:
        """All sums, for one anchor and some labels."""
        self._index(s)
        values = 4 * len(self._anchors) * labels.size * self._positions.size
        keeps = SUM_BYTES * values <= self._table.budget.block
        anchors = list(self._anchors) if keeps else [s]
        key = (tuple(anchors), labels.tobytes())
        if key not in self._sums:
            start = self._start if keeps else np.zeros_like(self._start)
            results = self._triples(anchors, start, labels, with_sums=True)
            sums = [self._sums_of(a, labels, results.sums[:, i]) for i, a in enumerate(anchors)]
            self._sums = {**self._sums, key: sums} if keeps else {key: sums}
        return self._sums[key][anchors.index(s)]

    def _sums_of(self, s: int, labels: np.ndarray, sums: np.ndarray) -> Sums:
        table, shape = self._table, (labels.size, self._positions.size)
        t_fsl, t_fs, t_fl, t_sl = sums
        t_f, t_s, t_l = table.t_f[self._positions], table.t_f[s], table.t_l[labels, None]
        single = (np.broadcast_to(t, shape) for t in (t_f, t_s, t_l))
        return Sums(table.rows, t_fsl, t_fs, t_fl, t_sl, *single)

    def _triples(
        self, anchors: list[int], start: np.ndarray, labels: np.ndarray, *, with_sums: bool = False
    ) -> SubsetSums:
        pairs = int((len(anchors) - start).sum())
        self._table.pairs_counted += pairs
        self._table.triples.counted += pairs * labels.size
        return self._planes.triples(self._positions, anchors, start, labels, with_sums=with_sums)

    @cached_property
    def _small_table(self) -> Table:
        table = _SmallTable(self._table, self._positions)
        weakref.finalize(self, table.release)
        return table


class _SubsetBlock(LabelBlock):
    """A block of labels for some candidates."""

    def __init__(
        self, subset: Subset, table: Table, labels: np.ndarray, positions: np.ndarray
    ) -> None:
        super().__init__(table, labels, None)
        self._subset, self._candidates = subset, positions

    @property
    def mi_fl(self) -> np.ndarray:
        """I(f;l)."""
        values = [
            self._table.pair_with_label(l).mi[self._candidates] for l in self._labels.tolist()
        ]
        return np.stack(values, axis=1)

    def _sums(self, s: int) -> Sums:
        return self._subset.sums(self._table.position(s), self._labels)


class _SmallTable(Table):
    """A table of some columns; the anchors are still those of the whole."""

    def __init__(self, full: Table, positions: np.ndarray) -> None:
        self._full = full
        super().__init__(
            full.counts.take(positions),
            full.q,
            full.mask_of,
            ignore_missing=full.ignore_missing,
            budget=full.budget.small(),
        )

    def position(self, column: int) -> int:
        """The position of a column of the data among all counted columns."""
        return self._full.position(column)

    def anchor(self, s: int) -> Anchor:
        """A feature of the whole as an anchor."""
        self._full.pairs_counted += self.d
        return self._full.anchor(s)
