"""Columns kept row by row: for each row those that are not at their base there."""

from __future__ import annotations

import numpy as np

from mlfs._kernels import counting, meeting, touching
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import Column, Meeting, TwoLevels
from mlfs.counting.threads import apart

__all__ = ["Lists"]


class Lists:
    """Columns kept row by row."""

    def __init__(self, codes: Codes, first: int, last: int) -> None:
        self.indptr, self.columns, self._codes = codes.by_row(first, last)
        levels = codes.levels[first:last]
        self._offsets = np.concatenate([[0], np.cumsum(levels)]).astype(np.int64)

    def pairs(self, given: Column, block: int, weights: np.ndarray, table: np.ndarray) -> None:
        """Walk the rows."""
        rows, off = given.rows[block], given.off[block]
        counting.count_pairs(
            self.indptr, self.columns, self._codes, self._offsets, rows, off, weights, table
        )

    def triples(self, m: Meeting, tables: np.ndarray) -> None:
        """Walk the rows of each label in which s is off its base."""
        counting.count_triples(
            self.indptr,
            self.columns,
            self._codes,
            self._offsets,
            m.s_codes,
            m.s_base,
            m.y.indptr,
            m.y.rows,
            m.y.codes,
            m.labels,
            m.weights,
            tables,
        )

    def off_pairs(self, given: Column, block: int, weights: np.ndarray, out: np.ndarray) -> None:
        """Walk the rows."""
        meeting.meet_rows(self.indptr, self.columns, given.rows[block], weights, out)

    def off_labels(
        self,
        y: Codes,
        labels: np.ndarray,
        masks: np.ndarray | None,
        weights: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Walk the rows of each label."""
        del masks
        meeting.meet_labels(self.indptr, self.columns, y.indptr, y.rows, labels, weights, out)

    def add_joint(
        self,
        parts: TwoLevels,
        masks: np.ndarray | None,
        off_f: np.ndarray,
        n_rows: int,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Walk the rows of each label in which s is off its base, and finish at once."""
        del masks
        meeting.joint_of_lists(
            self.indptr,
            self.columns,
            parts.first,
            parts.last,
            parts.rows,
            parts.weights,
            off_f,
            parts.off_fs,
            parts.off_fl,
            parts.off_s,
            parts.off_l,
            parts.off_sl,
            n_rows,
            clogc,
            apart(off_f.shape, off_f.dtype),
            out,
        )

    def pair_sums(
        self,
        given_rows: tuple[np.ndarray, np.ndarray],
        alone: tuple[np.ndarray, int],
        features: tuple[np.ndarray, np.ndarray],
        weights: np.ndarray,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Set out[column] to the sum over n(f,s), any levels; see `touching.pairs_of_levels`."""
        n_f, bases = features
        t_off = np.empty(bases.size, np.int64)
        touching.off_base_sums(n_f[:, None], self._offsets, bases, clogc, t_off)
        touching.pairs_of_levels(
            self.indptr,
            self.columns,
            self._codes,
            self._offsets,
            bases,
            n_f,
            t_off,
            *given_rows,
            weights,
            *alone,
            clogc,
            *self._scratch(alone[0].size),
            out,
        )

    def add_joint_of_levels(
        self,
        m: Meeting,
        bases: np.ndarray,
        n_fs: np.ndarray,
        n_sl: np.ndarray,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Add the sums over n(f,s,l), labels of two levels; see `touching.joint_of_levels`."""
        t_off = np.empty(bases.size, np.int64)
        touching.off_base_sums(n_fs, self._offsets, bases, clogc, t_off)
        touching.joint_of_levels(
            self.indptr,
            self.columns,
            self._codes,
            self._offsets,
            bases,
            m.s_codes,
            m.y.indptr,
            m.y.rows,
            m.labels,
            m.weights,
            n_fs,
            n_fs[self._offsets[:-1] + bases],
            t_off,
            n_sl,
            clogc,
            *self._scratch(n_fs.shape[1]),
            out,
        )

    def _scratch(self, levels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What is met, which columns are, and whether one is already."""
        size = self._offsets.size - 1
        met = apart((int(self._offsets[-1]), levels), np.int64)
        return met, np.empty(size, np.int32), apart((size,), np.uint8)
