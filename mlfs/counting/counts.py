"""Counts of a table: how often codes occur, and occur together; added over blocks of rows.

Nothing above this file asks in which layout columns are kept, or in how many blocks.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlfs._kernels import co_sums
from mlfs.counting.added import AddedAnchor, AddedGroup, AddedLabels
from mlfs.counting.anchor import Anchor, PairStatistics
from mlfs.counting.blocks import Block
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import ColumnGroup, Kind, cut, kinds
from mlfs.counting.entries import edges_of
from mlfs.counting.label_columns import Labels
from mlfs.counting.memory import Budget
from mlfs.counting.parallel import Parallel
from mlfs.counting.recoded_modes import stack_blocks
from mlfs.counting.row_subsets import RowSubset
from mlfs.counting.subset_planes import SubsetPlanes
from mlfs.counting.xlogx import XLogX, xlogx_table

__all__ = ["Counts"]

IN_PLANES = Kind.BINARY_PLANES, Kind.PLANES
WORD, FINISH = 0.12, 12.0  # nanoseconds: to AND two words and count, to sum a table of counts


class Counts:
    """Counts of features, of their co-occurrences, and their sums of c log c.

    Parameters
    ----------
    blocks : sequence of Block
        The rows; all blocks are coded alike.
    kind : ndarray
        The kind of each feature, ascending, see `mlfs.counting.column_groups.kinds`.
    n_jobs : int
        Threads; counts are whole numbers and do not depend on it.
    xlogx : AllCounts or AnyCounts, optional
        c log c of every count, if it is known from other counts of the same rows.
    per_cell : float
        What a correction adds to c log c of each count, see `mlfs.counting.xlogx.xlogx_table`.
    """

    def __init__(
        self,
        blocks: Sequence[Any],
        kind: np.ndarray,
        n_jobs: int = 1,
        xlogx: XLogX | None = None,
        per_cell: float = 0.0,
    ) -> None:
        self.blocks, self._kind = tuple(blocks), kind
        features = self.blocks[0].features
        self.levels, self.modes, self.missing = features.levels, features.mode, features.missing
        self.d, self.n_rows = len(features), sum(block.n_rows for block in self.blocks)
        self.total = sum(block.total for block in self.blocks)
        self.rows = np.array(self.total)
        self.counts_rows = all(block.counts_rows for block in self.blocks)
        self.offsets = edges_of(self.levels)
        self.n_f = np.add.reduce([block.n for block in self.blocks])
        self.non_mode = np.add.reduce([block.non_mode for block in self.blocks])
        self.labels: Labels = self._added(AddedLabels, [block.labels for block in self.blocks])
        nats = float(np.log2(self.labels.levels).sum())  # more than the sum of logarithms
        self.per_cell = per_cell
        if xlogx is None:
            xlogx = xlogx_table(self.total, nats, per_cell=per_cell)
        self.xlogx = xlogx
        self.parallel = Parallel(self, kind, n_jobs)
        self.edges = cut(kind, self.parallel.parts)
        self.kinds = [int(kind[a]) if a < b else Kind.LISTS for a, b in self.edges]
        self.groups: list[ColumnGroup] = [
            self._added(AddedGroup, [block.group(a, b, k) for block in self.blocks])
            for (a, b), k in zip(self.edges, self.kinds, strict=True)
        ]

    @classmethod
    def of(
        cls,
        features: Codes,
        labels: Codes,
        weights: np.ndarray | None = None,
        n_jobs: int = 1,
        blocks: int = 1,
        per_cell: float = 0.0,
    ) -> tuple[Counts, np.ndarray | None]:
        """Count coded columns, and give the place of each among the counted ones.

        The place is None where all columns stay in their order.
        """
        kind = kinds(features, labels, weighted=weights is not None)
        features, place = features.sorted_by(kind)
        kind.sort()
        if blocks == 1:
            return cls([Block(features, labels, weights)], kind, n_jobs, per_cell=per_cell), place
        edges = np.linspace(0, features.n_rows, blocks + 1).astype(int).tolist()
        parts = []
        for a, b in itertools.pairwise(edges):
            part = None if weights is None else weights[a:b]
            parts.append(Block(features.between_rows(a, b), labels.between_rows(a, b), part))
        return cls(parts, kind, n_jobs, per_cell=per_cell), place

    @staticmethod
    def _added(added_class: Any, parts: list[Any]) -> Any:
        """The parts of all blocks as one; that of a single block as it is."""
        return parts[0] if len(parts) == 1 else added_class(parts)

    # ---- other views on the same rows ---------------------------------------------------------

    def take(self, columns: np.ndarray) -> Counts:
        """The counts of some of the features."""
        blocks = [block.take(columns) for block in self.blocks]
        kind = self._kind[columns]
        planes = np.isin(kind, IN_PLANES)
        if (np.diff(kind) < 0).any() or (planes.any() and not self.counts_rows):
            kind = np.full(kind.size, Kind.LISTS)
        return Counts(blocks, kind, xlogx=self.xlogx, per_cell=self.per_cell)

    def among_labels(self) -> Counts:
        """The labels in the place of the features."""
        blocks = [block.among_labels() for block in self.blocks]
        codes = blocks[0].features
        rows = Kind.BINARY_LISTS if (codes.levels == 2).all() else Kind.LISTS
        kind = np.full(len(codes), rows)
        if len(blocks) == 1:
            best = kinds(codes, codes, weighted=not self.counts_rows)
            kind = best if not (np.diff(best) < 0).any() else kind
        return Counts(blocks, kind, per_cell=self.per_cell)

    def among_rows(self, kept: np.ndarray) -> Counts:
        """The same columns with only some of the rows counted, by the packed data of all rows."""
        (block,) = self.blocks
        subset = RowSubset.of(kept)
        other = copy.copy(self)
        subset_block = block.among_rows(subset)
        other.blocks, other.labels, other.kept = (subset_block,), subset_block.labels, kept
        other.total, other.rows, other.counts_rows = subset.size, np.array(subset.size), False
        nats = float(np.log2(self.labels.levels).sum())
        other.xlogx = xlogx_table(other.total, nats, per_cell=self.per_cell)
        other.parallel = Parallel(other, self._kind, 1)
        other.groups = [group.among_rows(subset) for group in self.groups]
        other.n_f = subset_block.n = np.concatenate([group.n for group in other.groups])
        return other

    kept: np.ndarray | None = None  # a mask of the rows that count; None for all

    @property
    def with_weight(self) -> np.ndarray | None:
        """A mask of the rows that have a weight; None for all."""
        if self.kept is not None or self.counts_rows:
            return self.kept
        weights: np.ndarray = np.concatenate([block.weights for block in self.blocks])
        return weights > 0

    def shuffled(self, generator: np.random.Generator) -> Counts:
        """The same features with the rows of labels shuffled, over all blocks."""
        labels = stack_blocks([block.label_codes for block in self.blocks])
        return self.with_labels(labels.moved(generator.permutation(self.n_rows)))

    def with_labels(self, labels: Codes) -> Counts:
        """The same features with other labels."""
        other = copy.copy(self)
        if len(self.blocks) == 1:
            other.blocks = (self.blocks[0].with_labels(labels),)
        else:
            edges = itertools.pairwise(np.cumsum([0, *(block.n_rows for block in self.blocks)]))
            other.blocks = tuple(
                block.with_labels(labels.between_rows(a, b))
                for block, (a, b) in zip(self.blocks, edges, strict=True)
            )
        other.labels = self._added(AddedLabels, [block.labels for block in other.blocks])
        other.origin = self  # stays alive: `parallel`, which both use, refers to it weakly
        return other

    origin: Counts | None = None

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
        return self._added(AddedAnchor, [block.anchor(j, valid) for block in self.blocks])

    def column(self, j: int) -> np.ndarray:
        """The codes of a feature in all rows."""
        return np.concatenate([block.features.column(j) for block in self.blocks])

    def other_anchor(self, codes: np.ndarray, n_left_out: int = 0) -> Anchor:
        """Any coded column as an anchor; its last codes may be left out."""
        sizes = [block.n_rows for block in self.blocks]
        parts = np.split(codes, np.cumsum(sizes)[:-1])
        n = np.bincount(codes, minlength=1)
        levels, mode = n.size, int(n.argmax())
        valid = levels - n_left_out
        return self._added(
            AddedAnchor,
            [
                block.other_anchor(part, mode, levels, valid)
                for block, part in zip(self.blocks, parts, strict=True)
            ],
        )

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
            if self.kinds[i] != Kind.LISTS:  # tables are made of those
                co[i] = group_co

        self.parallel.over_groups(work, anchor=anchor)
        t_s = np.array(self.anchor_sum(anchor))
        return PairStatistics(self, anchor, co, self.rows, t_fs, t_f, t_s)

    def subset_planes(self, t_f: np.ndarray, budget: Budget) -> SubsetPlanes:
        """Count a few candidates without the others, see `SubsetPlanes`."""
        planes: SubsetPlanes = self.blocks[0].subset_planes(self, t_f, budget)
        return planes

    def sweep_cost(self, labels: np.ndarray, *, triples: bool) -> float:
        """Estimate the nanoseconds of counting all features with an anchor, or with labels too.

        It is 0 where most features are in lists: counting all of them costs less than choosing.
        """
        in_planes = np.count_nonzero(np.isin(self._kind, IN_PLANES))
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
            columns[Kind.NAMES[kind]] = columns.get(Kind.NAMES[kind], 0) + b - a
        return columns
