"""Along the order of the labels: greedy decisions, and the probability of whole label vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.errors import UsageError
from mlfs.models.inference.contract import (
    Conditionals,
    Floats,
    Inference,
    Ints,
    Labels,
    refuse_without_probabilities,
)
from mlfs.models.inference.vectors import parents_in

__all__ = ["Greedy", "joint_log_proba", "log_proba_of", "walk"]


class Greedy(Inference):
    """Decide label after label, each given the decisions about its parents.

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
        # a label is a row while it is decided, so that its values are contiguous
        decided = np.zeros((conditionals.q, conditionals.n_rows), dtype=np.int8)
        all_rows = slice(None)
        for label in conditionals.structure.order:
            parents = decided[list(conditionals.structure.parents[label])].T
            decided[label] = conditionals.decide(label, all_rows, parents)
        return np.ascontiguousarray(decided.T)


def walk(
    conditionals: Conditionals, rows: Ints, labels: Labels, scores: Floats, depth: int = 0
) -> None:
    """Go down from nodes at one depth, always to the likelier child (on a tie, to 0), in place."""
    for label in conditionals.structure.order[depth:]:
        parents = parents_in(conditionals, label, labels)
        log_probas = conditionals.log_proba(label, rows, parents)
        ones = log_probas[:, 1] > log_probas[:, 0]
        labels[:, label] = ones
        scores += np.where(ones, log_probas[:, 1], log_probas[:, 0])


def joint_log_proba(conditionals: Conditionals, Y: Any) -> Floats:
    """Logarithm of P(Y | x) of one label vector for each row, by the chain rule.

    Parameters
    ----------
    conditionals : Conditionals
        A model applied to rows.
    Y : array of 0 and 1, shape (n_rows, q)
        The label vectors.

    Returns
    -------
    ndarray of float64, shape (n_rows,)
    """
    refuse_without_probabilities(conditionals, "the probability of a label vector")
    labels = _checked(Y, conditionals.n_rows, conditionals.q)
    return log_proba_of(conditionals, np.arange(len(labels)), labels)


def log_proba_of(conditionals: Conditionals, rows: Ints, labels: Labels) -> Floats:
    """Log P of label vectors of some rows; a row may come more than once."""
    total = np.zeros(len(rows))
    indices = np.arange(len(rows))
    for label in conditionals.structure.order:
        log_probas = conditionals.log_proba(label, rows, parents_in(conditionals, label, labels))
        total += log_probas[indices, labels[:, label].astype(np.intp)]
    return total


def _checked(Y: Any, n_rows: int, q: int) -> Labels:
    values = np.asarray(Y)
    if values.shape != (n_rows, q):
        msg = f"the label vectors have shape {values.shape}, not ({n_rows}, {q}): one for each row"
        raise UsageError(msg)
    if not ((values == 0) | (values == 1)).all():
        msg = "the label vectors hold values other than 0 and 1: give every label of every row"
        raise UsageError(msg)
    return values.astype(np.int8)
