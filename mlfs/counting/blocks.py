"""Blocks of rows: what `Counts` needs of one block, wherever it is."""

from __future__ import annotations

import copy
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mlfs.counting.anchor import BlockAnchor, ColumnAnchor
from mlfs.counting.bit_planes import BitPlanes
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import ColumnGroup, Kind
from mlfs.counting.label_columns import LabelColumns
from mlfs.counting.row_lists import RowLists
from mlfs.counting.row_subsets import RowSubset
from mlfs.counting.subset_planes import SubsetPlanes

if TYPE_CHECKING:
    from mlfs.counting.counts import Counts
    from mlfs.counting.memory import Budget

__all__ = ["Block"]


class Block:
    """A block of rows in memory.

    A block elsewhere, on disk or on a worker, has the same attributes and methods; all blocks
    are coded alike, with the levels and the modes of the whole.

    Parameters
    ----------
    features, labels : Codes
        The coded columns.
    weights : ndarray of int, optional
        The weights of the rows on a common grid.
    """

    def __init__(self, features: Codes, labels: Codes, weights: np.ndarray | None = None) -> None:
        self.features, self.label_codes = features, labels
        self.n_rows = features.n_rows
        self.counts_rows = weights is None or bool((weights == 1).all())
        self.weights = np.ones(self.n_rows, np.int64) if weights is None else weights
        self.n = features.weighted_counts(self.weights)
        self.non_mode = features.non_mode
        self.labels = LabelColumns(labels, self.weights, labels.weighted_counts(self.weights))

    @cached_property
    def total(self) -> int:
        """The weight of all rows."""
        return self.n_rows if self.counts_rows else int(self.weights.sum())

    kept: np.ndarray | None = None  # a mask of the rows that count; None for all

    def group(self, first: int, last: int, kind: int) -> ColumnGroup:
        """The columns from `first` to `last` in the layout of their kind."""
        offsets = self.features.offsets
        n = self.n[offsets[first] : offsets[last]]
        layout = BitPlanes if kind in {Kind.BINARY_PLANES, Kind.PLANES} else RowLists
        return layout(self.features, first, last, n, self.weights)

    def anchor(self, j: int, valid: int) -> BlockAnchor:
        """A feature, to be counted with all features."""
        offsets = self.features.offsets
        n = self.n[offsets[j] : offsets[j + 1]]
        return BlockAnchor(self.features, j, valid, n, self.kept)

    def other_anchor(self, codes: np.ndarray, mode: int, levels: int, valid: int) -> BlockAnchor:
        """Any coded column, to be counted with all features."""
        if self.counts_rows:
            n = np.bincount(codes, minlength=levels)
        else:
            n = np.zeros(levels, np.int64)
            np.add.at(n, codes, self.weights)  # np.bincount would round above 2**53
        return ColumnAnchor(codes, mode, levels, valid, n)

    def take(self, columns: np.ndarray) -> Block:
        """Some of the features, and all labels."""
        return Block(self.features.take(columns), self.label_codes, self._weights())

    def with_labels(self, codes: Codes) -> Block:
        """The same features and weights with other labels."""
        other = copy.copy(self)
        other.label_codes = codes
        other.labels = LabelColumns(codes, self.weights, codes.weighted_counts(self.weights))
        other.labels.limit_masks(self.labels.most_masks)
        return other

    def among_rows(self, subset: RowSubset) -> Block:
        """The same columns, with only some of the rows counted; `n` is still that of all."""
        other = copy.copy(self)
        vars(other).pop("total", None)
        other.weights, other.counts_rows, other.kept = subset.weights, False, subset.kept
        return other.with_labels(self.label_codes.among_rows(subset.kept))

    def among_labels(self) -> Block:
        """The labels in the place of the features."""
        return Block(self.label_codes, self.label_codes, self._weights())

    def release(self) -> None:
        """Do nothing: the rows are in memory."""

    def subset_planes(self, counts: Counts, t_f: np.ndarray, budget: Budget) -> SubsetPlanes:
        """Count a few candidates without the others."""
        return SubsetPlanes(counts, t_f, budget)

    def _weights(self) -> np.ndarray | None:
        return None if self.counts_rows else self.weights
