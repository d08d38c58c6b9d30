"""Pair statistics: an anchor column counted with all features; made once, used often."""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mlfs._kernels import co_sums, full_tables, row_walks
from mlfs.counting.anchor import Anchor, BlockAnchor
from mlfs.counting.label_columns import LabelColumns
from mlfs.counting.xlogx import terms_of

if TYPE_CHECKING:
    from mlfs.counting.counts import Counts
    from mlfs.counting.memory import Cache

__all__ = ["PairStatistics"]


class PairStatistics:
    """What is known of an anchor and all features.

    Parameters
    ----------
    counts : Counts
        The data.
    anchor : Anchor
        The column.
    co : list of ndarray or None
        The co-occurrences with each column group (cells of s, cells), or None where they are
        counted again when they are asked for.
    rows, t_fs, t_f, t_s : ndarray
        For each feature the rows, and the sums of c log c over fs, f and s.
    """

    def __init__(
        self,
        counts: Counts,
        anchor: Anchor,
        co: list[np.ndarray | None],
        rows: np.ndarray,
        t_fs: np.ndarray,
        t_f: np.ndarray,
        t_s: np.ndarray,
    ) -> None:
        self._counts, self._co = counts, co
        self.anchor = anchor
        self.rows, self.t_fs, self.t_f, self.t_s = rows, t_fs, t_f, t_s
        self._tables: dict[int, np.ndarray] = {}
        self._cells: dict[int, row_walks.Pairs] = {}
        self._cache: weakref.ref[Cache] | None = None  # not a reference: the cache holds this

    @property
    def nbytes(self) -> int:
        """The memory that it takes when it is made; `kept_in` is notified of later growth."""
        own = sum(part.nbytes for part in self._co if part is not None)
        each = 0 if self.rows.ndim == 0 else 3 * self.t_fs.nbytes
        return int(own + self.t_fs.nbytes + each + self.anchor.nbytes)

    def kept_in(self, cache: Cache, key: Hashable) -> PairStatistics:
        """Note the cache that keeps it, and the key."""
        self._cache, self._key = weakref.ref(cache), key
        return self

    def _grown(self, *made: np.ndarray) -> None:
        cache = None if self._cache is None else self._cache()
        if cache is not None:
            cache.grow(self._key, sum(part.nbytes for part in made))

    def co(self, i: int) -> np.ndarray:
        """The co-occurrences of its cells with those of one column group."""
        found = self._co[i]
        return self._counts.pair_co(i, self.anchor) if found is None else found

    def table(self, i: int) -> np.ndarray:
        """n(f, s) of one column group: (codes, codes of s)."""
        if i not in self._tables:
            made = self._counts.groups[i].pair_table(self.anchor, self.co(i))
            self._tables[i] = made
            self._grown(made)
        return self._tables[i]

    @property
    def complete_table(self) -> np.ndarray:
        """n(f, s) of all features: (codes, codes of s)."""
        return np.concatenate([self.table(i) for i in range(len(self._co))])

    def cells(self, i: int) -> row_walks.Pairs:
        """n(f, s) of one column group by cells and modes, with the sums over the cells."""
        if i not in self._cells:
            group, anchor = self._counts.groups[i], self.anchor
            co = self.co(i)
            n_fs = np.empty((group.cells, anchor.levels), np.int64)
            n_fs[:, anchor.non_modes] = co.T
            n_fs[:, anchor.mode] = group.n_cells - co.sum(axis=0)
            totals = np.zeros((group.cells + 1, anchor.levels), np.int64)
            np.cumsum(n_fs, axis=0, out=totals[1:])
            modes = anchor.n - (totals[group.first[1:]] - totals[group.first[:-1]])
            terms = np.zeros(group.cells + 1, np.int64)
            np.cumsum(terms_of(n_fs, self._counts.xlogx).sum(axis=1), out=terms[1:])
            sums = terms[group.first[1:]] - terms[group.first[:-1]]
            self._cells[i] = row_walks.Pairs(n_fs, modes, sums)
            self._grown(n_fs, modes, sums)
        return self._cells[i]

    @cached_property
    def n_sl(self) -> np.ndarray:
        """The rows of each of its cells with each label of two levels: (labels, cells)."""
        made = np.ascontiguousarray(self._counts.labels.co_occurrences(self.anchor).T)
        self._grown(made)
        return made

    @cached_property
    def label_tables(self) -> np.ndarray:
        """n(s, l) for every label, masks included: (labels, levels of s, most levels of l)."""
        labels = self._counts.labels
        made = labels.tables(self.anchor)
        full_tables.complete_given(made, self.anchor.n, labels.modes)
        self._grown(made)
        return made

    @cached_property
    def grouped(self) -> tuple[np.ndarray, np.ndarray]:
        """Its non-mode rows sorted by the labels that occur in them, and where each begins."""
        labels, anchor = self._counts.labels, self.anchor
        assert isinstance(labels, LabelColumns)
        assert isinstance(anchor, BlockAnchor)
        indptr, columns = labels.by_row
        rows = anchor.rows
        starts = np.zeros(len(labels) + 2, np.int64)
        grouped = np.empty(int((indptr[rows + 1] - indptr[rows]).sum()), np.int32)
        row_walks.group_rows(rows, indptr, columns, starts, grouped)
        self._grown(grouped, starts)
        return grouped, starts

    @cached_property
    def label_sums(self) -> np.ndarray:
        """The sum of c log c over n(s,l) of every label."""
        made = self._label_sums()
        self._grown(made)
        return made

    def _label_sums(self) -> np.ndarray:
        counts, labels, anchor = self._counts, self._counts.labels, self.anchor
        if anchor.levels == 2 and labels.all_two_levels:
            t_sl = np.empty(len(labels), np.int64)
            own = labels.n_cells, self.n_sl[:, 0], anchor.non_mode, counts.total
            co_sums.pairs_of_two(*own, counts.xlogx, t_sl)
            return t_sl
        tables = self.label_tables
        size, cells = len(tables), tables.shape[1] * tables.shape[2]
        out = np.empty((size, 2), np.int64)
        edges = np.arange(size + 1) * cells
        co_sums.singles(tables.ravel(), edges, np.full(size, cells), counts.xlogx, out)
        return out[:, 1].copy()
