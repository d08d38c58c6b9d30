"""Greedy inference: each label decided once, in the order of the chain."""

from __future__ import annotations

import numpy as np

from mlfs.models.inference.base import Inference, parents_in
from mlfs.models.inference.protocol import Conditionals, Floats, Ints, Labels

__all__ = ["Greedy", "walk"]


class Greedy(Inference):
    """Decide label after label, each fed with the decisions about its parents.

    Algorithm 1 of Dembczynski, Waegeman & Huellermeier (2012), and the prediction of classifier
    chains ever since: one decision per label, by the base learner's own rule, so that it needs
    no probabilities.

    Examples
    --------
    >>> from mlfs.models.inference import Greedy
    >>> Greedy()
    Greedy()
    """

    needs_probabilities = False

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        # a label is a row while it is decided: what is read and written then lies together
        decided = np.zeros((conditionals.q, conditionals.n_rows), dtype=np.int8)
        every = slice(None)
        for label in conditionals.structure.order:
            parents = decided[list(conditionals.structure.parents[label])].T
            decided[label] = conditionals.decide(label, every, parents)
        return np.ascontiguousarray(decided.T)


def walk(
    conditionals: Conditionals, rows: Ints, labels: Labels, scores: Floats, depth: int = 0
) -> None:
    """Go down from nodes at one depth, always to the likelier child (on a tie, to 0), in place."""
    for label in conditionals.structure.order[depth:]:
        parents = parents_in(conditionals, label, labels)
        both = conditionals.log_proba(label, rows, parents)
        ones = both[:, 1] > both[:, 0]
        labels[:, label] = ones
        scores += np.where(ones, both[:, 1], both[:, 0])
