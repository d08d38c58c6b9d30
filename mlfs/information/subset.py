"""Terms of a few candidates, counted without the other columns; the same bits."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mlfs.counting.subset_planes import SubsetPlanes
from mlfs.information.info import read_only
from mlfs.information.label_block import LabelBlock
from mlfs.information.table import Table
from mlfs.information.triples import Sums

if TYPE_CHECKING:
    from mlfs._kernels.plane_subsets import Results
    from mlfs.counting.anchor import Anchor

__all__ = ["Subset"]

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
    where : ndarray of int
        The positions of the candidates among the counted columns.
    """

    def __init__(self, table: Table, labels: np.ndarray, where: np.ndarray) -> None:
        self._table, self._labels, self._where = table, labels, where
        if table.subset_planes is None:
            table.subset_planes = table.counts.subset_planes(table.t_f, table.budget)
        self._planes: SubsetPlanes = table.subset_planes
        whole = self._planes.fits and table.is_whole(labels)
        self._fits = whole and self._planes.mostly_planes(where)
        self._asked_triples = self._asked_block = False
        self._anchors: dict[int, int] = {}
        self._forget(np.zeros(0, np.int64))

    def expect(self, anchors: Sequence[int], start: np.ndarray) -> None:
        """Note which columns will be asked for, and from which of them on each candidate.

        Before that the answers are zero. All of them are counted at the first question.
        """
        self._anchors = {self._table.position(s): at for at, s in enumerate(anchors)}
        self._forget(start)

    def _forget(self, start: np.ndarray) -> None:
        self._start = start
        self._mi: np.ndarray | None = None
        self._both: tuple[np.ndarray, np.ndarray] | None = None
        self._sums: dict[tuple[tuple[int, ...], bytes], list[Sums]] = {}

    def cost(self) -> float:
        """Estimate the nanoseconds that counting all columns would have taken for the same terms.

        It is 0 where all columns are counted anyway.
        """
        if not self._fits:
            return 0.0
        cost = self._planes.cost(self._labels, triples=self._asked_triples)
        return cost / BLOCK if self._asked_block else cost

    def _place(self, s: int) -> int:
        """The place of s among the columns that are expected; the only one, if it was not."""
        if s not in self._anchors:
            self._anchors = {s: 0}
            self._forget(np.zeros(self._where.size, np.int64))
        return self._anchors[s]

    def mi_fs(self, s: int) -> np.ndarray:
        """I(f;s)."""
        if not self._fits:
            return read_only(self._small.mi_with_feature(s, self._labels))
        at = self._place(s)
        if self._mi is None:
            anchors = list(self._anchors)
            self._mi = read_only(self._planes.pairs(self._where, anchors, self._start))
            self._table.pairs_counted += int((len(anchors) - self._start).sum())
        return self._mi[at]

    def cmi(self, s: int) -> tuple[np.ndarray, np.ndarray]:
        """sum_l I(s;l|f) and sum_l I(f;l|s)."""
        self._asked_triples = True
        if not self._fits or not self._planes.has_room(self._labels):
            found = self._small.triples.cmi_sums(self._small.feature(s), self._labels)
            return read_only(found[0]), read_only(found[1])
        at = self._place(s)
        if self._both is None:
            made = self._triples(list(self._anchors), self._start, self._labels)
            self._both = read_only(made.sl_given_f), read_only(made.fl_given_s)
        return self._both[0][at], self._both[1][at]

    def block(self, labels: np.ndarray) -> LabelBlock:
        """What `Info.sum_over_labels` hands to its function."""
        self._asked_triples = self._asked_block = True
        if not self._fits or not self._planes.has_room(self._labels):
            return LabelBlock(self._small, labels, None)
        return _Block(self, self._table, labels, self._where)

    def sums(self, s: int, labels: np.ndarray) -> Sums:
        """All sums, for one anchor and some labels."""
        self._place(s)
        values = 4 * len(self._anchors) * labels.size * self._where.size
        keeps = SUM_BYTES * values <= self._table.budget.block
        anchors = list(self._anchors) if keeps else [s]
        key = (tuple(anchors), labels.tobytes())
        if key not in self._sums:
            start = self._start if keeps else np.zeros_like(self._start)
            found = self._triples(anchors, start, labels, with_sums=True)
            made = [self._sums_of(one, labels, found.sums[:, at]) for at, one in enumerate(anchors)]
            self._sums = {**self._sums, key: made} if keeps else {key: made}
        return self._sums[key][anchors.index(s)]

    def _sums_of(self, s: int, labels: np.ndarray, sums: np.ndarray) -> Sums:
        table, shape = self._table, (labels.size, self._where.size)
        t_fsl, t_fs, t_fl, t_sl = sums
        t_f, t_s, t_l = table.t_f[self._where], table.t_f[s], table.t_l[labels, None]
        alone = (np.broadcast_to(part, shape) for part in (t_f, t_s, t_l))
        return Sums(table.rows, t_fsl, t_fs, t_fl, t_sl, *alone)

    def _triples(
        self, anchors: list[int], start: np.ndarray, labels: np.ndarray, *, with_sums: bool = False
    ) -> Results:
        pairs = int((len(anchors) - start).sum())
        self._table.pairs_counted += pairs
        self._table.triples.counted += pairs * labels.size
        return self._planes.triples(self._where, anchors, start, labels, with_sums=with_sums)

    @cached_property
    def _small(self) -> Table:
        made = _SmallTable(self._table, self._where)
        weakref.finalize(self, made.release)
        return made


class _Block(LabelBlock):
    """A block of labels for some candidates."""

    def __init__(self, subset: Subset, table: Table, labels: np.ndarray, where: np.ndarray) -> None:
        super().__init__(table, labels, None)
        self._subset, self._some = subset, where

    @property
    def mi_fl(self) -> np.ndarray:
        """I(f;l)."""
        values = [self._table.pair_with_label(l).mi[self._some] for l in self._labels.tolist()]
        return np.stack(values, axis=1)

    def _sums(self, s: int) -> Sums:
        return self._subset.sums(self._table.position(s), self._labels)


class _SmallTable(Table):
    """A table of some columns; the anchors are still those of the whole."""

    def __init__(self, whole: Table, where: np.ndarray) -> None:
        self._whole = whole
        super().__init__(
            whole.counts.take(where),
            whole.q,
            whole.mask_of,
            ignore_missing=whole.ignore_missing,
            budget=whole.budget.small(),
        )

    def position(self, column: int) -> int:
        """The position of a column of the data among all counted columns."""
        return self._whole.position(column)

    def anchor(self, s: int) -> Anchor:
        """A feature of the whole as an anchor."""
        self._whole.pairs_counted += self.d
        return self._whole.anchor(s)
