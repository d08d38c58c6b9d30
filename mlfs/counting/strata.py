"""The information of columns about labels within strata of the rows, for labels in any order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from mlfs._kernels import strata_sums
from mlfs.counting.column_groups import FEW_LEVELS
from mlfs.counting.entries import edges_of
from mlfs.counting.parallel import Threads
from mlfs.counting.parts import Parts
from mlfs.counting.xlogx import XLogX, terms_of, xlogx_table

if TYPE_CHECKING:
    from mlfs.counting.counts import Counts

WORD = 64
MOST_ROWS, MEAN_ROWS, LEAST_STRATA = 63, 32, 64  # of small strata that are counted together
PIECE = 64  # columns


class _Planes:
    """Some strata, with a bit plane for each code of some columns.

    Parameters
    ----------
    counts : Counts
        The data.
    columns : ndarray of int
        The positions of the columns.
    rows : ndarray of int
        The row of the data of each telling row.
    own : ndarray of int
        Which of the telling rows are in these strata.
    place : ndarray of int
        The bit of each of these.
    words : int
        The words of a plane.
    """

    def __init__(
        self,
        counts: Counts,
        columns: np.ndarray,
        rows: np.ndarray,
        own: np.ndarray,
        place: np.ndarray,
        words: int,
    ) -> None:
        self._own, self._place, self._words = own, place, words
        levels = counts.levels[columns]
        self.first = edges_of(levels)
        self.planes = np.empty((int(self.first[-1]), words), np.uint64)
        codes = np.full(WORD * words, FEW_LEVELS, np.uint8)  # elsewhere none
        for start, n, j in zip(self.first, levels.tolist(), columns.tolist(), strict=False):
            codes[place] = counts.column(j)[rows[own]]
            self.planes[start : start + n] = _words(codes == np.arange(n)[:, None])
        self.all_rows = self.bits(np.ones((1, rows.size), bool))

    def bits(self, values: np.ndarray) -> np.ndarray:
        """Truth values of the telling rows as words."""
        wide = np.zeros((values.shape[0], WORD * self._words), bool)
        wide[:, self._place] = values[:, self._own]
        return _words(wide)


def _words(values: np.ndarray) -> np.ndarray:
    """Truth values as bits, 64 to the word."""
    packed: np.ndarray = np.packbits(values, axis=1, bitorder="little").view("<u8")
    return packed.astype(np.uint64, copy=False)


class _Large(_Planes):
    """Strata that begin with a word each."""

    def __init__(
        self, counts: Counts, columns: np.ndarray, rows: np.ndarray, own: np.ndarray, y: np.ndarray,
        sizes: np.ndarray, xlogx: XLogX,
    ) -> None:  # fmt: skip
        self._xlogx = xlogx
        words = edges_of(-(-sizes // WORD))
        self._words_of = words.astype(np.uint64)
        starts = WORD * words[:-1] - edges_of(sizes)[:-1]
        place = np.arange(own.size) + np.repeat(starts, sizes)
        super().__init__(counts, columns, rows, own, place, int(words[-1]))
        ends = edges_of(sizes)[:-1]
        self._n_l = np.add.reduceat(y[:, own] == 1, ends, axis=1).astype(np.int64)
        self._n_l[self._n_l == sizes] = 0  # as good as never
        self._n = np.empty((self.planes.shape[0], sizes.size), np.int32)
        strata_sums.count_rows(self.planes, self._words_of, self._n)

    def masks(self, y: np.ndarray) -> np.ndarray:
        """The labels as bits."""
        return self.bits(y == 1)

    def add(self, masks: np.ndarray, columns: slice, out: np.ndarray) -> None:
        """Add the information of some columns about the labels, but a constant."""
        first = self.first[columns.start : columns.stop + 1]
        strata_sums.add_planes(
            self.planes, first, masks, self._n, self._n_l, self._words_of, self._xlogx, out
        )


class _Small(_Planes):
    """Strata of few rows that are a bit of a word each, row after row; the largest come first."""

    def __init__(
        self, counts: Counts, columns: np.ndarray, rows: np.ndarray, own: np.ndarray, y: np.ndarray,
        sizes: np.ndarray, xlogx: XLogX,
    ) -> None:  # fmt: skip
        order = np.argsort(-sizes, kind="stable")
        lane = np.empty_like(order)
        lane[order] = np.arange(order.size)
        self._depths = sizes[order][::WORD].copy()
        widths = [int((self._depths > level).sum()) for level in range(int(self._depths[0]))]
        self._at = edges_of(widths).astype(np.uint64)
        level = np.arange(own.size) - np.repeat(edges_of(sizes)[:-1], sizes)
        place = WORD * edges_of(widths)[level] + np.repeat(lane, sizes)
        super().__init__(counts, columns, rows, own, place, int(self._at[-1]))
        self._table = terms_of(np.arange(MOST_ROWS + 1), xlogx)
        self._alone = np.zeros(columns.size, np.int64)
        self.add(self.all_rows, slice(0, columns.size), alone := self._alone.copy())
        self._alone = y.shape[0] * alone

    def masks(self, y: np.ndarray) -> np.ndarray:
        """The rows that have each label, and those that have not."""
        present = self.bits(y == 1)
        return np.concatenate([present, self.all_rows & ~present])

    def add(self, masks: np.ndarray, columns: slice, out: np.ndarray) -> None:
        """Add the information of some columns about the labels, but a constant."""
        first = self.first[columns.start : columns.stop + 1]
        strata_sums.add_small(self.planes, first, masks, self._at, self._depths, self._table, out)
        out -= self._alone[columns]


class Strata:
    """Rows that share the values of some columns; those that differ in no label are left out.

    A missing value is a value of its own here.

    Parameters
    ----------
    counts : Counts
        The data.
    parts : Parts
        The strata of more than one row.
    columns : ndarray of int
        The positions of the columns whose information is asked for.
    labels : ndarray of int
        The labels.
    """

    def __init__(
        self, counts: Counts, parts: Parts, columns: np.ndarray, labels: np.ndarray
    ) -> None:
        y = np.stack([counts.label_codes.column(label) for label in labels.tolist()])
        y = y[:, parts.rows]
        sizes = np.diff(parts.edges)
        firsts = np.repeat(parts.edges[:-1], sizes)
        differs = (y != y[:, firsts]).any(axis=0)
        tells = np.add.reduceat(differs, parts.edges[:-1]) > 0 if sizes.size else sizes > 0
        kept = np.repeat(tells, sizes)
        self._y, self._sizes = y[:, kept], sizes[tells]
        self._stratum = np.repeat(np.arange(self._sizes.size), self._sizes)
        self._levels = counts.label_codes.levels[labels].astype(np.int64)
        self.rows = int(self._y.shape[1])  # that tell anything
        self._xlogx = xlogx_table(counts.total, float(np.log2(self._levels).sum()))
        self._threads = Threads(counts.n_jobs)
        of_two = bool((self._levels == 2).all())
        in_planes = (counts.levels[columns] <= FEW_LEVELS) & of_two
        rows = parts.rows[kept]
        self._d = int(np.count_nonzero(in_planes))
        self._groups = self._joined(counts, columns[~in_planes], rows)
        is_small = self._sizes <= MOST_ROWS
        n, n_rows = np.count_nonzero(is_small), int(self._sizes[is_small].sum())
        is_small &= n >= LEAST_STRATA and n_rows <= MEAN_ROWS * n
        few, own = columns[in_planes], np.repeat(is_small, self._sizes)
        self._parts: list[_Large | _Small] = []
        if self._d and not is_small.all():
            large = np.flatnonzero(~own)
            sizes = self._sizes[~is_small]
            self._parts += [_Large(counts, few, rows, large, self._y, sizes, self._xlogx)]
        if self._d and is_small.any():
            small, sizes = np.flatnonzero(own), self._sizes[is_small]
            self._parts += [_Small(counts, few, rows, small, self._y, sizes, self._xlogx)]

    def _joined(self, counts: Counts, columns: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The joint codes of strata and some columns."""
        groups = np.zeros((columns.size, self.rows), np.int64)
        for group, j in zip(groups, columns.tolist(), strict=True):
            key = self._stratum * int(counts.levels[j]) + counts.column(j)[rows]
            group[:] = np.unique(key, return_inverse=True)[1]
        return groups

    def told(self, generator: np.random.Generator | None = None) -> np.ndarray:
        """The information of each column about the labels, given the strata, but a constant.

        With a generator the rows of labels are permuted within the strata.
        """
        return np.concatenate([np.zeros(0, np.int64), *self.told_by_piece(generator)])

    def told_by_piece(self, generator: np.random.Generator | None = None) -> Iterator[np.ndarray]:
        """Give the same of some columns after the other, for those who may have enough of them."""
        y = self._y
        if generator is not None:
            y = y[:, np.argsort(self._stratum + generator.random(self.rows))]
        masks = [part.masks(y) for part in self._parts]

        def told(start: int) -> np.ndarray:
            piece = slice(start, min(self._d, start + PIECE))
            out = np.zeros(piece.stop - start, np.int64)
            for part, part_masks in zip(self._parts, masks, strict=True):
                part.add(part_masks, piece, out)  # labels constant in a stratum as if not there
            return out

        together = self._threads.n
        for first in range(0, self._d, PIECE * together):
            starts = range(first, min(self._d, first + PIECE * together), PIECE)
            cost = PIECE * together * len(y) * max(self._sizes.size, self.rows // WORD)
            yield from self._threads.map(told, [(start,) for start in starts], cost)
        counts = np.zeros(self.rows * int(self._levels.max()), np.int64)
        for start in range(0, len(self._groups), PIECE):
            groups = self._groups[start : start + PIECE]
            wide = np.zeros(len(groups), np.int64)
            strata_sums.add_groups(groups, y, self._levels, counts, self._xlogx, wide)
            yield wide
