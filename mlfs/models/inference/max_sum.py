"""Max-sum: the joint mode on trees and polytrees, in time linear in the number of labels."""

from __future__ import annotations

import numpy as np

from mlfs.models.inference.base import TIE, Inference, blocks, refuse_without_probabilities
from mlfs.models.inference.factors import Factors, Plan
from mlfs.models.inference.protocol import Conditionals, Labels
from mlfs.models.inference.skeleton import in_degree, refuse_unless_polytree

__all__ = ["MaxSum"]

CELLS = 1 << 22


class MaxSum(Inference):
    """The most probable label vector, by messages between the labels of a tree or polytree.

    Exact; refused for structures with a cycle (directions forgotten) and for labels of more than
    12 parents. Of equally probable vectors the lowest is returned, as by `BestFirst`.

    Examples
    --------
    >>> from mlfs.models.inference import MaxSum
    >>> MaxSum()
    MaxSum()
    """

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        refuse_without_probabilities(conditionals, "max-sum")
        refuse_unless_polytree(conditionals, "max-sum", "use BestFirst()")
        plan = Plan.of(conditionals.structure)
        cells = conditionals.q << (in_degree(conditionals.structure.parents) + 1)
        out = np.zeros((conditionals.n_rows, conditionals.q), dtype=np.int8)
        for rows in blocks(conditionals.n_rows, cells, CELLS):
            out[rows] = _mode(Factors.of(conditionals, rows, plan))
        return out


def _mode(factors: Factors) -> Labels:
    """Each label takes its better value; of tied ones the first takes 0, and all is redone."""
    scores = factors.max_marginals()
    best = scores.max(axis=2)  # of the connected part that a label belongs to
    labels = np.empty(best.shape, dtype=np.int8)
    rows = np.arange(best.shape[1])
    while True:
        labels[:, rows] = scores[:, :, 1] > scores[:, :, 0]
        tied = (scores >= best[:, :, None] - TIE).all(axis=2)
        open_rows = np.flatnonzero(tied.any(axis=0))
        if not open_rows.size:
            return labels.T
        factors, best, rows = factors.some(open_rows), best[:, open_rows], rows[open_rows]
        factors.known[tied[:, open_rows].argmax(axis=0), np.arange(len(rows)), 1] = -np.inf
        scores = factors.max_marginals()
