"""A column held against all features, with all that pairs say of it; made once, used often."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from mlfs.counts import Counts, Given

__all__ = ["Held"]


class Held:
    """A picked feature, a parent label, or any coded column, beside all features.

    Parameters
    ----------
    counts : Counts
        The data.
    given : Given
        The column.
    pairs : ndarray
        n(f, s): (cells, levels of s).
    sums : ndarray
        For each feature the rows, and the sums of c log c over fs, f and s: (d, 4).
    """

    def __init__(self, counts: Counts, given: Given, pairs: np.ndarray, sums: np.ndarray) -> None:
        self._counts = counts
        self.given, self.pairs = given, pairs
        self.rows, self.t_fs, self.t_f, self.t_s = np.ascontiguousarray(sums.T)

    @property
    def nbytes(self) -> int:
        """What keeping it costs, its parts that may still be made included."""
        labels = int(self._counts.l_offsets[-1]) * self.given.levels
        return int(2 * self.pairs.nbytes + 5 * self.rows.nbytes + 16 * labels + self.given.nbytes)

    @cached_property
    def ones(self) -> list[np.ndarray]:
        """n(f=1, s=1) of each stripe of features; empty where there are other levels."""
        counts = self._counts
        return [
            self.pairs[counts.cells(a, b)[1]][1::2, 1].copy() if binary else np.zeros(0, np.int64)
            for (a, b), binary in zip(counts.edges, counts.binary, strict=True)
        ]

    @cached_property
    def with_labels(self) -> np.ndarray:
        """n(s, l) for every label, masks included: (labels, levels of s, most levels of l)."""
        return self._counts.given_with_labels(self.given)

    def label_sums(self, clogc: np.ndarray) -> tuple[np.ndarray, float]:
        """The sums of c log c over n(s,l) of every label, and over n(s)."""
        if self._label_sums is None:
            t_sl = np.zeros(self.with_labels.shape[0])
            for cells in self.with_labels.reshape(t_sl.size, -1).T:
                t_sl += clogc[cells]
            t_s = 0.0
            for count in self.given.alone.tolist():
                t_s += float(clogc[count])
            self._label_sums = t_sl, t_s
        return self._label_sums

    _label_sums: tuple[np.ndarray, float] | None = None
