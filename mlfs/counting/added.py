"""Several blocks of rows as one: what each block counts is added.

The classes have the interfaces of a column group, an anchor and labels, and hand every question on
to their parts, wherever these are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlfs._kernels.row_walks import Lists
from mlfs.counting.anchor import Anchor
from mlfs.counting.column_groups import ColumnGroup
from mlfs.counting.entries import edges_of
from mlfs.counting.label_columns import Labels

__all__ = ["AddedAnchor", "AddedGroup", "AddedLabels", "stack_lists"]


class AddedAnchor(Anchor):
    """An anchor in several blocks of rows.

    Parameters
    ----------
    parts : sequence of Anchor
        The same column in each block.
    """

    def __init__(self, parts: Sequence[Anchor]) -> None:
        first = parts[0]
        n = np.add.reduce([part.n for part in parts])
        super().__init__(first.mode, first.levels, first.valid, n)
        self.parts = tuple(parts)

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return sum(part.nbytes for part in self.parts)


class AddedGroup(ColumnGroup):
    """The same columns in several blocks of rows: what each counts is added.

    Parameters
    ----------
    parts : sequence of ColumnGroup
        The columns in each block. The anchors and labels that are handed in have as many parts.
    """

    def __init__(self, parts: Sequence[ColumnGroup]) -> None:
        first = parts[0]
        n = np.add.reduce([part.n for part in parts])
        super().__init__(first.levels, first.modes, n, sum(part.total for part in parts))
        self.parts = tuple(parts)

    def pairs(self, anchor: AddedAnchor, out: np.ndarray) -> None:
        """Add the co-occurrences of all blocks."""
        for part, s in zip(self.parts, anchor.parts, strict=True):
            part.pairs(s, out)

    def columns_at_once(self, entries: int) -> int:
        """The number of columns that every block can take."""
        return min(part.columns_at_once(entries // len(self.parts)) for part in self.parts)

    def lists(self, first: int, last: int) -> Lists:
        """The cells by row of all blocks, one below the other."""
        return stack_lists([part.lists(first, last) for part in self.parts])

    def label_pairs(self, labels: AddedLabels, indices: np.ndarray, out: np.ndarray) -> None:
        """Add the co-occurrences of all blocks."""
        for part, l in zip(self.parts, labels.parts, strict=True):
            part.label_pairs(l, indices, out)

    def triples(
        self, anchor: AddedAnchor, labels: AddedLabels, indices: np.ndarray, out: np.ndarray
    ) -> None:
        """Add the co-occurrences of all blocks."""
        for part, s, l in zip(self.parts, anchor.parts, labels.parts, strict=True):
            part.triples(s, l, indices, out)

    def triples_of(
        self, anchor: AddedAnchor, labels: AddedLabels, label: int, out: np.ndarray
    ) -> None:
        """Add the co-occurrences of all blocks."""
        for part, s, l in zip(self.parts, anchor.parts, labels.parts, strict=True):
            part.triples_of(s, l, label, out)


def stack_lists(parts: Sequence[Lists]) -> Lists:
    """The lists of blocks of rows, one below the other."""
    begins = edges_of([part.indptr[-1] for part in parts]).tolist()
    ends = [part.indptr[1:] + begin for part, begin in zip(parts, begins, strict=False)]
    return parts[0]._replace(
        indptr=np.concatenate([parts[0].indptr[:1], *ends]),
        cells=np.concatenate([part.cells for part in parts]),
        weights=np.concatenate([part.weights for part in parts]),
    )


class AddedLabels(Labels):
    """The labels of several blocks of rows, whose counts are added.

    Parameters
    ----------
    parts : sequence of Labels
        The labels in each block.
    """

    def __init__(self, parts: Sequence[Labels]) -> None:
        first = parts[0]
        super().__init__(first.levels, first.modes, np.add.reduce([part.n for part in parts]))
        self.parts = tuple(parts)

    def anchor(self, j: int, valid: int) -> Anchor:
        """One label, to be counted with all features."""
        return AddedAnchor([part.anchor(j, valid) for part in self.parts])

    def co_occurrences(self, anchor: AddedAnchor) -> np.ndarray:
        """The rows of each cell of an anchor with each label."""
        parts = zip(self.parts, anchor.parts, strict=True)
        return np.add.reduce([labels.co_occurrences(part) for labels, part in parts])

    def tables(self, anchor: AddedAnchor) -> np.ndarray:
        """n(s, l) for every label."""
        parts = zip(self.parts, anchor.parts, strict=True)
        return np.add.reduce([labels.tables(part) for labels, part in parts])

    def limit_masks(self, most: int) -> None:
        """Keep the bit planes of all labels only if they take at most so many bytes."""
        for part in self.parts:
            part.limit_masks(most // len(self.parts))
