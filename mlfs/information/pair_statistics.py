"""A column held against all features, with all that pairs say of it; made once, used often."""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mlfs._kernels import finishing, meeting, sweeping
from mlfs.counting.counts import Counts, Given

if TYPE_CHECKING:
    from mlfs.information.cache import Cache

__all__ = ["Grouped", "Held"]


class Grouped(NamedTuple):
    """The rows in which a column is off its base, sorted by the labels that are off theirs."""

    rows: np.ndarray
    starts: np.ndarray
    weight: np.ndarray


class Held:
    """A picked feature, a parent label, or any coded column, beside all features.

    Parameters
    ----------
    counts : Counts
        The data.
    given : Given
        The column.
    parts : list of ndarray
        For each stripe of features n(f, s): (cells, levels of s), or, where all have two levels,
        in how many rows both are off their bases.
    rows, t_fs, t_f, t_s : ndarray
        For each feature the rows, and the sums of c log c over fs, f and s.
    """

    def __init__(
        self,
        counts: Counts,
        given: Given,
        parts: list[np.ndarray],
        rows: np.ndarray,
        t_fs: np.ndarray,
        t_f: np.ndarray,
        t_s: np.ndarray,
    ) -> None:
        self._counts = counts
        self.given, self.parts = given, parts
        self.rows, self.t_fs, self.t_f, self.t_s = rows, t_fs, t_f, t_s
        self._tables: dict[int, np.ndarray] = {}
        self._cache: weakref.ref[Cache] | None = None  # no circle: it holds this

    @property
    def nbytes(self) -> int:
        """What keeping it costs, as it is made; `kept_in` is told what is made later."""
        own = sum(part.nbytes for part in self.parts)
        apart = 0 if self.rows.ndim == 0 else 3 * self.t_fs.nbytes
        return int(own + self.t_fs.nbytes + apart + self.given.nbytes)

    def kept_in(self, cache: Cache, key: Hashable) -> Held:
        """Say where it is kept, if it is, and under which key."""
        self._cache, self._key = weakref.ref(cache), key
        return self

    def _grown(self, *made: np.ndarray) -> None:
        cache = None if self._cache is None else self._cache()
        if cache is not None:
            cache.grow(self._key, sum(part.nbytes for part in made))

    def table(self, i: int) -> np.ndarray:
        """n(f, s) of one stripe of features: (cells, levels of s)."""
        if self.parts[i].ndim == 2:
            return self.parts[i]
        if i not in self._tables:
            a, b = self._counts.edges[i]
            cells = int(self._counts.offsets[b] - self._counts.offsets[a])
            zeros = np.zeros((cells, self.given.levels), np.int64)
            self._tables[i] = self._counts.pairs_of(i, self.given, zeros)
            self._grown(zeros)
        return self._tables[i]

    @property
    def pairs(self) -> np.ndarray:
        """n(f, s) of all features."""
        return np.concatenate([self.table(i) for i in range(len(self.parts))])

    @cached_property
    def with_labels(self) -> np.ndarray:
        """n(s, l) for every label, masks included: (labels, levels of s, most levels of l)."""
        made = self._counts.given_with_labels(self.given)
        self._grown(made)
        return made

    @cached_property
    def grouped(self) -> Grouped:
        """Its rows by label."""
        indptr, labels = self._counts.labels_by_row
        rows = self.given.rows[0]
        starts = np.zeros(self._counts.q + 2, np.int64)
        off_sl = np.zeros(self._counts.q, self._counts.small)
        size = int((indptr[rows + 1] - indptr[rows]).sum())
        grouped = np.empty(size, np.int32)
        weights = self._counts.weights[0]
        meeting.group_rows(rows, indptr, labels, weights, starts, grouped, off_sl)
        self._grown(grouped, starts, off_sl)
        return Grouped(grouped, starts, off_sl)

    @cached_property
    def off_sl(self) -> np.ndarray:
        """In how many rows it and each label are off their bases, all of two levels."""
        masks = self._counts.label_masks
        if masks is None:
            return self.grouped.weight
        out = np.zeros((1, self._counts.q), self._counts.small)
        sweeping.sweep(masks, self.given.masks[0], out)
        return out[0]

    def label_sums(self, clogc: np.ndarray) -> np.ndarray:
        """The sums of c log c over n(s,l) of every label."""
        if self._label_sums is None:
            self._label_sums = self._made_label_sums(clogc)
            self._grown(self._label_sums)
        return self._label_sums

    def _made_label_sums(self, clogc: np.ndarray) -> np.ndarray:
        counts = self._counts
        if self._in_two_levels and counts.total < clogc.size - 1:
            t_sl = np.empty(counts.q, np.int64)
            off_s, off_sl = self.given.off_base, self.off_sl
            meeting.pairs_of_two(counts.off_l, off_sl, off_s, counts.total, clogc, t_sl)
            return t_sl
        cells = self.with_labels.shape[1] * self.with_labels.shape[2]
        out = np.empty((self.with_labels.shape[0], 2), np.int64)
        edges = np.arange(len(out) + 1) * cells
        finishing.singles(self.with_labels.ravel(), edges, np.full(len(out), cells), clogc, out)
        return out[:, 1]

    @property
    def _in_two_levels(self) -> bool:
        counts = self._counts
        only = self.given.levels == 2 and len(counts.labels) == 1
        return only and bool((counts.labels[0].levels == 2).all())

    _label_sums: np.ndarray | None = None
