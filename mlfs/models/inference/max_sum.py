"""Max-sum: the joint mode on trees and polytrees, in time linear in the number of labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlfs.errors import UsageError, printable
from mlfs.models.inference.contract import (
    MOST_PARENTS,
    TIE,
    Conditionals,
    Inference,
    Labels,
    refuse_without_probabilities,
)
from mlfs.models.inference.factors import Factors, Plan
from mlfs.models.inference.vectors import blocks
from mlfs.models.storage.storable import storable
from mlfs.search.label_parents import closing_edge

__all__ = ["MaxSum", "is_small_polytree", "most_parents"]

CELLS = 1 << 22


@storable
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
        cells = conditionals.q << (most_parents(conditionals.structure.parents) + 1)
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
        factors.evidence[tied[:, open_rows].argmax(axis=0), np.arange(len(rows)), 1] = -np.inf
        scores = factors.max_marginals()


def is_small_polytree(parents: Sequence[Sequence[int]]) -> bool:
    """Whether there is no cycle, directions ignored, and no label has too many parents.

    Examples
    --------
    >>> is_small_polytree([(), (), (0, 1)]), is_small_polytree([(), (0,), (0, 1)])
    (True, False)
    """
    return closing_edge(parents) is None and most_parents(parents) <= MOST_PARENTS


def most_parents(parents: Sequence[Sequence[int]]) -> int:
    """The greatest number of parents of a label."""
    return max(map(len, parents), default=0)


def refuse_unless_polytree(conditionals: Conditionals, what: str, remedy: str) -> None:
    """Refuse a structure with a cycle, or with a label of too many parents, and name it."""
    structure = conditionals.structure
    closing = closing_edge(structure.parents)
    if closing is not None:
        first, second = (printable(repr(structure.names[label])) for label in closing)
        msg = (
            f"{what} is exact on trees and polytrees only, and the edge between {first} and "
            f"{second} closes a cycle: {remedy}"
        )
        raise UsageError(msg)
    most = most_parents(structure.parents)
    if most > MOST_PARENTS:
        label = [len(parents) for parents in structure.parents].index(most)
        name = printable(repr(structure.names[label]))
        msg = (
            f"{what} takes at most {MOST_PARENTS} parents for a label, and {name} has {most}: "
            f"{remedy}"
        )
        raise UsageError(msg)
