"""How likely the labels that are still open can be at most, row by row."""

from __future__ import annotations

import numpy as np

from mlfs.models.inference.base import table_of
from mlfs.models.inference.protocol import Conditionals, Floats, Ints

__all__ = ["rests"]

FEW_PARENTS = 4


def rests(conditionals: Conditionals, rows: Ints) -> Floats:
    """An upper bound of log P(labels from a depth on | x, labels before), (q + 1, len(rows)).

    For a label with few parents it is the best of its table, which makes the search as quick as
    greedy inference where labels are independent. Where a label has all its predecessors as
    parents, 0 is taken: all that is known when it matters is known exactly.
    """
    structure = conditionals.structure
    bounds = np.zeros((conditionals.q + 1, len(rows)))
    for place in range(conditionals.q - 1, -1, -1):
        label = structure.order[place]
        bounds[place] = bounds[place + 1]
        k = len(structure.parents[label])
        if k <= FEW_PARENTS and k < place:
            bounds[place] += table_of(conditionals, label, rows).max(axis=(1, 2))
    return bounds
