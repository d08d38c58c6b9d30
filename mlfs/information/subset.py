"""Terms of a few candidates, counted without a sweep over all; the same bits as a sweep."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mlfs.counting.counts import Counts
from mlfs.information.label_block import LabelBlock
from mlfs.information.meetings import Meetings, Part
from mlfs.information.table import Table

if TYPE_CHECKING:
    from mlfs.information.pair_statistics import Held
    from mlfs.information.triples import Sums

__all__ = ["Few"]

SUM_BYTES = 16  # of a sum of a pick that is expected, and of what it is made of
BLOCK = 8.0  # how much dearer it is to ask through blocks of labels, one pick at a time


class Few:
    """What picked features say of a few candidates, for some labels.

    Parameters
    ----------
    table : Table
        The counts of all.
    labels : ndarray of int
        The labels in play.
    where : ndarray of int
        Where the candidates stand among the counted columns.
    """

    def __init__(self, table: Table, labels: np.ndarray, where: np.ndarray) -> None:
        self._table, self._labels, self._where = table, labels, where
        self._meetings = meetings = Meetings.of(table)
        whole = meetings.fits and table.is_whole(labels)
        self.fits = whole and meetings.mostly_planes(where)
        self.asked_triples = self._asked_block = False
        self._picks: dict[int, int] = {}
        self._start = np.zeros(0, np.int64)
        self._mi: np.ndarray | None = None
        self._both: tuple[np.ndarray, np.ndarray] | None = None
        self._sums: dict[tuple[tuple[int, ...], bytes], list[Sums]] = {}

    def expect(self, picks: Sequence[int], start: np.ndarray) -> None:
        """Say which columns will be asked for, and from which of them on each candidate.

        Before that the answers are zero. All of them are counted at the first question.
        """
        self._picks = {self._table.position(s): at for at, s in enumerate(picks)}
        self._start = start
        self._mi = self._both = None
        self._sums = {}

    def cost(self) -> float:
        """About how many nanoseconds a sweep for what was asked takes; 0 where it is the rule."""
        if not self.fits:
            return 0.0
        cost = self._meetings.cost(self._labels, triples=self.asked_triples)
        return cost / BLOCK if self._asked_block else cost

    def _place(self, s: int) -> int:
        """Where s stands among the columns that are expected; the only one, if it was not."""
        if s not in self._picks:
            self._picks, self._start = {s: 0}, np.zeros(self._where.size, np.int64)
            self._mi = self._both = None
            self._sums = {}
        return self._picks[s]

    def mi_fs(self, s: int) -> np.ndarray:
        """I(f;s)."""
        if not self.fits:
            return self._small.mi_with_feature(s, self._labels)
        at = self._place(s)
        if self._mi is None:
            self._mi = self._meetings.pairs(
                self._where, list(self._picks), self._start, self._parts
            )
        return self._mi[at]

    def cmi(self, s: int) -> tuple[np.ndarray, np.ndarray]:
        """sum_l I(s;l|f) and sum_l I(f;l|s)."""
        self.asked_triples = True
        if not self.fits or not self._has_room:
            return self._small.triples.cmi_sums(self._small.feature(s), self._labels)
        at = self._place(s)
        if self._both is None:
            self._both = self._meetings.informations(
                self._where, list(self._picks), self._start, self._labels, self._parts
            )
        return self._both[0][at], self._both[1][at]

    def block(self, labels: np.ndarray) -> LabelBlock:
        """What `Info.sum_over_labels` hands to its function."""
        self.asked_triples = self._asked_block = True
        if not self.fits or not self._has_room:
            return LabelBlock(self._small, labels, None)
        return _Block(self, self._table, labels, self._where)

    def sums(self, s: int, labels: np.ndarray) -> Sums:
        """All sums, for one pick and some labels."""
        self._place(s)
        values = 4 * len(self._picks) * self._labels.size * self._where.size
        keeps = SUM_BYTES * values <= self._table.budget.block
        picks = list(self._picks) if keeps else [s]
        key = (tuple(picks), labels.tobytes())
        if key not in self._sums:
            start = self._start if keeps else np.zeros_like(self._start)
            made = self._meetings.sums(self._where, picks, start, labels, self._parts)
            self._sums = {**self._sums, key: made} if keeps else {key: made}
        return self._sums[key][picks.index(s)]

    @cached_property
    def _has_room(self) -> bool:
        return self._meetings.has_room(self._labels)

    @cached_property
    def _parts(self) -> list[Part]:
        return list(self._meetings.parts(self._where))

    @cached_property
    def _small(self) -> Table:
        made = _Small(self._table, self._where)
        weakref.finalize(self, made.let_go)
        return made


class _Block(LabelBlock):
    """A block of labels of which only the sums of some candidates are made."""

    def __init__(self, few: Few, table: Table, labels: np.ndarray, where: np.ndarray) -> None:
        super().__init__(table, labels, None)
        self._few, self._some = few, where

    @property
    def mi_fl(self) -> np.ndarray:
        """I(f;l)."""
        values = [self._table.pair_with_label(l).mi[self._some] for l in self._labels.tolist()]
        return np.stack(values, axis=1)

    def _sums(self, s: int) -> Sums:
        return self._few.sums(self._table.position(s), self._labels)


class _Small(Table):
    """A table of some columns; the picked ones are still those of the whole."""

    def __init__(self, whole: Table, where: np.ndarray) -> None:
        self._whole = whole
        counts = whole.counts
        super().__init__(
            Counts([x.take(where) for x in counts.features], counts.labels, counts.weights),
            whole.q,
            whole.mask_of,
            ignore_missing=whole.ignore_missing,
            budget=whole.budget.small(),
            clogc=whole.clogc,
        )

    def position(self, column: int) -> int:
        """Where a column of the data stands among all counted columns."""
        return self._whole.position(column)

    def feature(self, s: int) -> Held:
        """A picked feature, beside the few."""

        def make() -> Held:
            self._whole.pairs_counted += self.d
            held = self.held(self._whole.counts.feature(s, int(self._whole.f_valid[s])))
            return held.kept_in(self.cache, ("s", s))

        found: Held = self.cache.get(("s", s), make)
        return found
