"""Nodes of the probability trees of many rows, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mlfs.models.inference.contract import TIE, Conditionals, Floats, Ints, Labels
from mlfs.models.inference.vectors import parents_in

__all__ = ["Nodes", "best_leaves", "later"]


@dataclass(frozen=True)
class Nodes:
    """Partial label vectors: the first `depth` labels of the order are decided.

    Parameters
    ----------
    depth : int
    rows : ndarray of int
        The row that each node belongs to.
    labels : ndarray of int8, shape (len(rows), q)
        The decided labels; 0 elsewhere.
    scores : ndarray of float64
        The logarithm of the product of the conditional probabilities so far.
    """

    depth: int
    rows: Ints
    labels: Labels
    scores: Floats

    @classmethod
    def roots(cls, rows: Ints, q: int) -> Nodes:
        """One tree for each row."""
        return cls(0, rows, np.zeros((len(rows), q), dtype=np.int8), np.zeros(len(rows)))

    @classmethod
    def join(cls, parts: Iterable[Nodes]) -> Nodes:
        """Nodes of one depth together."""
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]
        return cls(
            parts[0].depth,
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.labels for part in parts]),
            np.concatenate([part.scores for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.rows)

    def some(self, indices: Ints | np.ndarray) -> Nodes:
        """The nodes at some positions, or under a mask."""
        return Nodes(self.depth, self.rows[indices], self.labels[indices], self.scores[indices])

    def child_scores(self, conditionals: Conditionals, rows: Ints) -> Floats:
        """The scores of both children of each node; `rows` maps the nodes' rows to the model's."""
        label = conditionals.structure.order[self.depth]
        parents = parents_in(conditionals, label, self.labels)
        log_probas = conditionals.log_proba(label, rows[self.rows], parents)
        return np.asarray(self.scores[:, None] + log_probas)

    def children(self, conditionals: Conditionals, scores: Floats, keep: np.ndarray) -> Nodes:
        """The children that a mask of the shape of their scores keeps."""
        parent, bits = np.nonzero(keep)
        labels = self.labels[parent]
        labels[:, conditionals.structure.order[self.depth]] = bits
        return Nodes(self.depth + 1, self.rows[parent], labels, scores[parent, bits])


def best_leaves(leaves: Nodes, tops: Floats | None = None) -> Nodes:
    """The best leaf of each row that has one, by row; of equals the lowest label vector.

    Scores that differ from the best by no more than `TIE` are equal to it. The lowest of two
    vectors has the 0 at the first label, as the labels are numbered, in which they differ. The
    best score of each row, if it is known to be higher, is in `tops`; rows without a leaf that
    reaches it are left out.
    """
    leaves = leaves.some(np.lexsort((-leaves.scores, leaves.rows)))
    first = np.flatnonzero(np.diff(leaves.rows, prepend=-1))
    sizes = np.diff(first, append=len(leaves))
    best = np.repeat(leaves.scores[first], sizes) if tops is None else tops[leaves.rows]
    tied = leaves.scores >= best - TIE
    leaves = leaves.some(tied)
    first = np.flatnonzero(np.diff(leaves.rows, prepend=-1))
    if len(first) == len(leaves):
        return leaves
    lowest = np.lexsort((*leaves.labels.T[::-1], leaves.rows))
    leaves = leaves.some(lowest)
    return leaves.some(np.flatnonzero(np.diff(leaves.rows, prepend=-1)))


def later(labels: Labels, others: Labels) -> np.ndarray:
    """A mask of the label vectors that are greater, in lexicographic order, than the others.

    Examples
    --------
    >>> later(np.array([[0, 1], [0, 1]], np.int8), np.array([[0, 0], [1, 0]], np.int8)).tolist()
    [True, False]
    """
    differ = labels != others
    first = differ.argmax(axis=1)
    rows = np.arange(len(labels))
    return differ[rows, first] & (labels[rows, first] > others[rows, first])
