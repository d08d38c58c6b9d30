"""Counts of a table: how often codes occur, and occur together.

Nothing above this file asks in which layout columns are kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels import co_sums
from mlfs.counting.anchor import Anchor, ColumnAnchor, PairStatistics
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import ColumnGroup, LayoutKind, cut, kinds
from mlfs.counting.label_columns import Labels
from mlfs.counting.layouts import BitPlanes, RowLists
from mlfs.counting.parallel import Parallel
from mlfs.counting.xlogx import XLogX, xlogx_table

IN_PLANES = LayoutKind.BINARY_PLANES, LayoutKind.PLANES
WORD, FINISH = 0.12, 12.0  # nanoseconds: to AND two words and count, to sum a table of counts


class Counts:
    """Counts of features, of their co-occurrences, and their sums of c log c.

    Parameters
    ----------
    features, label_codes : Codes
        The coded columns.
    weights : ndarray of int or None
        The weights of the rows on a common grid; None where each row counts once.
    kind : ndarray
        The kind of each feature, ascending, see `mlfs.counting.column_groups.kinds`.
    n_jobs : int
        Threads; counts are whole numbers and do not depend on it.
    xlogx : AllCounts or AnyCounts, optional
        c log c of every count, if it is known from other counts of the same rows.
    """

    def __init__(
        self,
        features: Codes,
        label_codes: Codes,
        weights: np.ndarray | None,
        kind: np.ndarray,
        n_jobs: int = 1,
        xlogx: XLogX | None = None,
    ) -> None:
        self.features, self.label_codes, self.kind = features, label_codes, kind
        self.levels, self.modes, self.missing = features.levels, features.mode, features.missing
        self.d, self.n_rows = len(features), features.n_rows
        self.counts_rows = weights is None or bool((weights == 1).all())
        self.weights = np.ones(self.n_rows, np.int64) if weights is None else weights
        self.total = self.n_rows if self.counts_rows else int(self.weights.sum())
        self.rows = np.array(self.total)
        self.offsets = features.offsets
        self.n_f, self.non_mode = features.weighted_counts(self.weights), features.non_mode
        n_l = label_codes.weighted_counts(self.weights)
        self.labels = Labels(label_codes, self.weights, n_l)
        self.n_jobs = n_jobs
        self.xlogx = self.make_xlogx() if xlogx is None else xlogx
        self.parallel = Parallel(self, kind, n_jobs)
        self.edges = cut(kind, self.parallel.parts)
        self.kinds = [int(kind[a]) if a < b else LayoutKind.LISTS for a, b in self.edges]
        self.groups = [
            self._group(a, b, k) for (a, b), k in zip(self.edges, self.kinds, strict=True)
        ]

    @classmethod
    def of(
        cls,
        features: Codes,
        labels: Codes,
        weights: np.ndarray | None = None,
        n_jobs: int = 1,
    ) -> tuple[Counts, np.ndarray | None]:
        """Count coded columns, and give the place of each among the counted ones.

        The place is None where all columns stay in their order.
        """
        kind = kinds(features, labels, weighted=weights is not None)
        features, place = features.sorted_by(kind)
        kind.sort()
        return cls(features, labels, weights, kind, n_jobs), place

    def make_xlogx(self) -> XLogX:
        """C log c of every count."""
        nats = float(np.log2(self.labels.levels).sum())  # more than the sum of logarithms
        return xlogx_table(self.total, nats)

    def _group(self, first: int, last: int, kind: int) -> ColumnGroup:
        """The columns from `first` to `last` in the layout of their kind."""
        n = self.n_f[self.offsets[first] : self.offsets[last]]
        layout = BitPlanes if kind in IN_PLANES else RowLists
        return layout(self.features, first, last, n, self.weights)

    # ---- other views on the same rows ---------------------------------------------------------

    @property
    def given_weights(self) -> np.ndarray | None:
        """The weights of the rows; None where each row counts once."""
        return None if self.counts_rows else self.weights

    def take(self, columns: np.ndarray) -> Counts:
        """The counts of some of the features."""
        kind = self.kind[columns]
        planes = np.isin(kind, IN_PLANES)
        if (np.diff(kind) < 0).any() or (planes.any() and not self.counts_rows):
            kind = np.full(kind.size, LayoutKind.LISTS)
        return Counts(
            self.features.take(columns),
            self.label_codes,
            self.given_weights,
            kind,
            xlogx=self.xlogx,
        )

    def among_labels(self) -> Counts:
        """The labels in the place of the features."""
        codes = self.label_codes
        kind = kinds(codes, codes, weighted=not self.counts_rows)
        if (np.diff(kind) < 0).any():
            rows = LayoutKind.BINARY_LISTS if (codes.levels == 2).all() else LayoutKind.LISTS
            kind = np.full(len(codes), rows)
        return Counts(codes, codes, self.given_weights, kind)

    def among_rows(self, kept: np.ndarray, n_jobs: int = 1) -> Counts:
        """Count only the rows of a mask; nothing is coded again."""
        weights = None if self.counts_rows else self.weights[kept]
        features, labels = self.features.among_rows(kept), self.label_codes.among_rows(kept)
        return Counts(features, labels, weights, self.kind, n_jobs)

    @property
    def with_weight(self) -> np.ndarray | None:
        """A mask of the rows that have a weight; None for all."""
        return None if self.counts_rows else self.weights > 0

    # ---- single columns -----------------------------------------------------------------------

    def valid(self, *, ignore_missing: bool) -> np.ndarray:
        """The number of codes of each feature, without the last one if it is left out."""
        return (self.levels - ((self.missing >= 0) & ignore_missing)).astype(np.int32)

    def anchor_sum(self, anchor: Anchor) -> np.int64:
        """The sum of c log c of an anchor."""
        edges, valid = np.array([0, anchor.levels]), np.array([anchor.valid], np.int32)
        return self.single_sums(anchor.n, edges, valid)[0, 1]

    def single_sums(self, n: np.ndarray, offsets: np.ndarray, valid: np.ndarray) -> np.ndarray:
        """Rows and sums of c log c of each column: (columns, 2)."""
        out = np.empty((valid.size, 2), np.int64)
        co_sums.singles(n, offsets, valid, self.xlogx, out)
        return out

    # ---- anchors ------------------------------------------------------------------------------

    def feature(self, j: int, valid: int) -> Anchor:
        """A feature as an anchor; codes from `valid` are left out."""
        n = self.n_f[self.offsets[j] : self.offsets[j + 1]]
        return Anchor(self.features, j, valid, n)

    def column(self, j: int) -> np.ndarray:
        """The codes of a feature in all rows."""
        return self.features.column(j)

    def other_anchor(self, codes: np.ndarray, n_left_out: int = 0) -> Anchor:
        """Any coded column as an anchor; its last codes may be left out."""
        n = np.bincount(codes, minlength=1)
        levels, mode = n.size, int(n.argmax())
        if not self.counts_rows:
            n = np.zeros(levels, np.int64)
            np.add.at(n, codes, self.weights)  # np.bincount would round above 2**53
        return ColumnAnchor(codes, mode, levels, levels - n_left_out, n)

    def pair_statistics(
        self,
        anchor: Anchor,
        t_f: np.ndarray,
        label_co: Any = None,
    ) -> PairStatistics:
        """Count an anchor with all features, where no value is left out.

        Parameters
        ----------
        anchor : Anchor
            The column.
        t_f : ndarray
            The sums of c log c of the features.
        label_co : callable, optional
            Where the anchor is a label whose co-occurrences are known: gives those of a group.
        """
        co: list[np.ndarray | None] = [None] * len(self.groups)
        t_fs = np.zeros(self.d, np.int64)

        def work(i: int, a: int, b: int) -> None:
            group = self.groups[i]
            if label_co is None:
                group_co = group.add_counted_sums(anchor, self.xlogx, t_fs[a:b])
            else:
                group_co = label_co(i)
                group.add_pair_sums(anchor, group_co, self.xlogx, t_fs[a:b])
            if self.kinds[i] != LayoutKind.LISTS:  # tables are made of those
                co[i] = group_co

        self.parallel.over_groups(work, anchor=anchor)
        t_s = np.array(self.anchor_sum(anchor))
        return PairStatistics(self, anchor, co, self.rows, t_fs, t_f, t_s)

    def sweep_cost(self, labels: np.ndarray, *, triples: bool) -> float:
        """Estimate the nanoseconds of counting all features with an anchor, or with labels too.

        It is 0 where most features are in lists: counting all of them costs less than choosing.
        """
        in_planes = np.count_nonzero(np.isin(self.kind, IN_PLANES))
        if 2 * in_planes < self.d or self.d == 0:
            return 0.0
        codes = int(self.offsets[-1])
        cells, words = codes - self.d, -(-self.n_rows // 64)
        pairs = cells * max(1.0, cells / self.d)
        plain = pairs * words * WORD + codes * max(2.0, codes / self.d) / 4 * FINISH
        with_labels = float((self.labels.levels[labels] - 1).sum()) if triples else 0.0
        return plain * (1.0 + with_labels)

    # ---- what is reported ---------------------------------------------------------------------

    def layouts(self) -> dict[str, int]:
        """How many columns are counted in which layout."""
        columns: dict[str, int] = {}
        for (a, b), kind in zip(self.edges, self.kinds, strict=True):
            columns[LayoutKind.NAMES[kind]] = columns.get(LayoutKind.NAMES[kind], 0) + b - a
        return columns
