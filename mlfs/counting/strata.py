"""The information of columns about labels within strata of the rows, for labels in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mlfs._kernels import strata_sums
from mlfs.counting.column_groups import FEW_LEVELS
from mlfs.counting.entries import edges_of
from mlfs.counting.parts import Parts
from mlfs.counting.xlogx import xlogx_table

if TYPE_CHECKING:
    from mlfs.counting.counts import Counts

WORD = 64


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
        self._words = edges_of(-(-self._sizes // WORD))
        starts = WORD * self._words[:-1] - edges_of(self._sizes)[:-1]
        self._place = np.arange(self.rows) + starts[self._stratum]
        of_two = bool((self._levels == 2).all())
        in_planes = (counts.levels[columns] <= FEW_LEVELS) & of_two
        rows = parts.rows[kept]
        self._planes, self._first = self._packed(counts, columns[in_planes], rows)
        self._groups = self._joined(counts, columns[~in_planes], rows)
        self._all_rows = self._bits(np.ones((1, self.rows), bool))[0]
        ends = edges_of(self._sizes)[:-1]
        self._n_l = np.add.reduceat(self._y == 1, ends, axis=1).astype(np.int64)
        self._n_l[self._n_l == self._sizes] = 0  # as good as never

    def _bits(self, values: np.ndarray) -> np.ndarray:
        """Rows of truth values as words, each stratum from a new word on."""
        wide = np.zeros((values.shape[0], WORD * int(self._words[-1])), bool)
        wide[:, self._place] = values
        return np.packbits(wide, axis=1, bitorder="little").view("<u8").astype(np.uint64)

    def _packed(
        self, counts: Counts, columns: np.ndarray, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """A plane for each code but the last of some columns, and the first of each column."""
        cells = counts.levels[columns] - 1
        first = edges_of(cells)
        planes = np.empty((int(first[-1]), int(self._words[-1])), np.uint64)
        for start, n, j in zip(first.tolist(), cells.tolist(), columns.tolist(), strict=False):
            if n:
                codes = counts.column(j)[rows]
                planes[start : start + n] = self._bits(codes == np.arange(n)[:, None])
        return planes, first

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
        y = self._y
        if generator is not None:
            y = y[:, np.argsort(self._stratum + generator.random(self.rows))]
        out = np.zeros(self._first.size - 1, np.int64)
        wide = np.zeros(self._groups.shape[0], np.int64)
        if out.size:
            strata_sums.add_planes(
                self._planes, self._first, self._bits(y == 1), self._n_l, self._words,
                self._all_rows, self._xlogx, out,
            )  # fmt: skip
            # labels that are constant in a stratum count as if they were not there
        if wide.size:
            counts = np.zeros(self.rows * int(self._levels.max()), np.int64)
            strata_sums.add_groups(self._groups, y, self._levels, counts, self._xlogx, wide)
        return np.concatenate([out, wide])
