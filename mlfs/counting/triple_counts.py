"""Counts of three: a picked column, every feature, and some labels."""

from __future__ import annotations

import numpy as np

from mlfs._kernels import counting, meeting
from mlfs.counting.anchor import Given
from mlfs.counting.bit_planes import Planes
from mlfs.counting.column_groups import Meeting, TwoLevels
from mlfs.counting.counts import Counts
from mlfs.counting.row_lists import Lists

__all__ = ["TripleCounts"]


class TripleCounts:
    """How often the values of three columns meet, stripe by stripe of the features.

    Parameters
    ----------
    counts : Counts
        The counts of single columns and of pairs.
    """

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def triples(
        self,
        given: Given,
        labels: np.ndarray,
        n_sl: np.ndarray,
        n_fs: np.ndarray,
        n_fl: np.ndarray,
        i: int,
    ) -> np.ndarray:
        """n(f, s, l) of one stripe of features, for some labels.

        Parameters
        ----------
        given : Given
            s.
        labels : ndarray of int
            The labels l.
        n_sl : ndarray
            The pairs of s with each label (labels, levels of s, most levels of l).
        n_fs, n_fl : ndarray
            The pairs of the stripe's features with s (cells, levels of s), and with
            each label (labels, cells, most levels of l).
        i : int
            The stripe.
        """
        counts = self._counts
        a, b = counts.edges[i]
        offsets, _ = counts.cells(a, b)
        tables = np.zeros((labels.size, n_fs.shape[0], given.levels, n_fl.shape[2]), np.int64)
        for block, stripes in enumerate(counts.blocks):
            stripes[i].triples(self._meeting(given, labels, block), tables)
        y = counts.labels[0]
        counting.complete_triples(
            tables,
            n_fs,
            n_fl,
            n_sl,
            offsets,
            counts.base[a:b],
            given.base,
            y.levels[labels],
            y.base[labels],
        )
        return tables

    def add_joint(self, i: int, parts: TwoLevels, clogc: np.ndarray, out: np.ndarray) -> None:
        """Add the sums over n(f,s,l) of some labels, all of two levels, in one block of rows."""
        counts = self._counts
        masks = None if counts.label_masks is None else counts.label_masks[parts.labels]
        counts.stripes[i].add_joint(parts, masks, counts.off_f[i], counts.total, clogc, out)

    def add_joint_of_one(
        self,
        i: int,
        given: Given,
        label: int,
        off: tuple[np.ndarray, np.ndarray],
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """The like for one label, the features in row lists; `off` is of f with s and with l."""
        counts = self._counts
        lists = counts.stripes[i]
        assert isinstance(lists, Lists)
        meeting.joint_of_one(
            lists.indptr,
            lists.columns,
            given.rows[0],
            counts.labels[0].entries(label)[0],
            counts.weights[0],
            counts.off_f[i],
            *off,
            given.off_base,
            counts.off_l[label],
            counts.total,
            clogc,
            np.zeros_like(counts.off_f[i]),
            out,
        )

    def add_joint_of_levels(
        self,
        i: int,
        given: Given,
        labels: np.ndarray,
        n_fs: np.ndarray,
        n_sl: np.ndarray,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Add the sums over n(f,s,l), the features in row lists and the labels of two levels.

        n_sl is n(s,l) where they are off their bases.
        """
        counts = self._counts
        a, b = counts.edges[i]
        m = Meeting(given, 0, counts.labels[0], labels, counts.weights[0], None)
        lists = counts.stripes[i]
        assert isinstance(lists, Lists)
        lists.add_joint_of_levels(m, counts.base[a:b], n_fs, n_sl, clogc, out)

    def add_joint_of_planes(
        self,
        i: int,
        given: Given,
        labels: np.ndarray,
        off_fl: np.ndarray,
        n_sl: np.ndarray,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """The like for features in planes."""
        counts = self._counts
        off_s, off_sl = given.alone[given.others], n_sl[:, given.others]
        stripe, of_labels = counts.stripes[i], counts.label_masks
        assert isinstance(stripe, Planes)
        assert of_labels is not None
        own = counts.off_f[i], off_s, off_fl, counts.off_l[labels], off_sl
        stripe.add_joint_of_levels(given, of_labels[labels], *own, clogc, out)

    def meets_of_levels(self, given: Given, labels: np.ndarray, i: int) -> np.ndarray:
        """In how many rows features in planes, s and l are off their bases.

        (labels, cells, levels of s)
        """
        counts = self._counts
        a, b = counts.edges[i]
        cells = int(counts.offsets[b] - counts.offsets[a])
        met = np.zeros((labels.size, cells, given.levels), np.int64)
        for block, stripes in enumerate(counts.blocks):
            planes = stripes[i]
            assert isinstance(planes, Planes)
            planes.meets_of_levels(self._meeting(given, labels, block), met)
        return met

    def _meeting(self, given: Given, labels: np.ndarray, block: int) -> Meeting:
        counts = self._counts
        y, weights = counts.labels[block], counts.weights[block]
        masks = None if counts.label_masks is None else counts.label_masks[labels]
        return Meeting(given, block, y, labels, weights, masks)
