"""Along the order of the labels: greedy decisions, beams, the probability of label vectors."""

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
    whole,
)
from mlfs.models.inference.nodes import Nodes, best_leaves
from mlfs.models.inference.vectors import blocks, parents_in
from mlfs.models.storage.storable import storable

__all__ = ["Beam", "Greedy", "fan", "joint_log_proba", "log_proba_of", "walk"]

CELLS = 1 << 24


@storable
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


@storable
class Beam(Inference):
    """Keep the `width` most probable partial label vectors of each row, label after label.

    Width 1 follows the likelier value of each label. With ``width >= 2**q`` it is exhaustive.

    Parameters
    ----------
    width : int, default=10
        How many are kept.

    Examples
    --------
    >>> from mlfs.models.inference import Beam
    >>> Beam(width=3)
    Beam(width=3)
    """

    def __init__(self, width: int = 10) -> None:
        self.width = width

    def check(self) -> None:
        """Refuse parameters that cannot be, before anything is trained."""
        whole(self.width, "width")

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        refuse_without_probabilities(conditionals, "beam search")
        width = whole(self.width, "width")
        out = np.zeros((conditionals.n_rows, conditionals.q), dtype=np.int8)
        cells = min(width, 1 << min(conditionals.q, 40)) * conditionals.q
        for rows in blocks(conditionals.n_rows, cells, CELLS):
            out[rows] = fan(conditionals, rows, width).labels
        return out


def fan(conditionals: Conditionals, rows: Ints, width: int) -> Nodes:
    """The best leaf that a beam of some width finds for each of the rows."""
    n = len(rows)
    nodes = Nodes.roots(np.arange(n), conditionals.q)
    n_nodes = 1  # all rows have the same number of nodes at all times
    for _ in range(conditionals.q):
        scores = nodes.child_scores(conditionals, rows).reshape(n, 2 * n_nodes)
        keep = np.ones((n, 2 * n_nodes), dtype=bool)
        if 2 * n_nodes > width:
            ranked = np.argsort(-scores, axis=1, kind="stable")
            np.put_along_axis(keep, ranked[:, width:], values=False, axis=1)
        nodes = nodes.children(conditionals, scores.reshape(-1, 2), keep.reshape(-1, 2))
        n_nodes = min(2 * n_nodes, width)
    return best_leaves(nodes)


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
