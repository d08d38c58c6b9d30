"""The tree of labels of greatest held-out conditional log-likelihood (CTBN)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mlfs.models.edmonds import maximum_arborescence
from mlfs.models.splits import clearly_less
from mlfs.models.storage.storable import storable
from mlfs.models.structures.held_out import HeldOut, held_out
from mlfs.models.structures.structure_learner import StructureLearner
from mlfs.search.label_parents import Edge, Structure, parents_first

if TYPE_CHECKING:
    from mlfs.models.problem import Problem

__all__ = ["Arborescence", "log_likelihoods"]

DECIMALS = 9  # of a nat; smaller differences are rounding errors of the solver


@storable
class Arborescence(StructureLearner):
    """The tree of greatest conditional log-likelihood on rows held out (Hong et al., 2014).

    The edge p -> l weighs ``sum_n w_n log P(l | x, p)`` over the rows held out, in nats. An
    artificial root precedes all labels; its edge to l carries the self-loop, the same sum of
    ``log P(l | x)``. The spanning arborescence from it of greatest weight is the structure; what
    hangs on the artificial root has no parent. The structure keeps the weight of every edge, and
    under ``(l, l)`` that of every self-loop taken.

    Parameters
    ----------
    folds : int or float
        How many folds, each held out once; below 1, the share that is held out in a single split.

    Notes
    -----
    q labels take up to q^2 fits of the base learner in each fold: q alone and q (q - 1) given
    another label. An edge that weighs less than the self-loop of its label is in no tree, so one
    that is behind it by ten nats and five standard errors is given up before the last fold. Rows
    in which l is missing are left out of the edges into l; where p is missing, the edge says what
    the label alone says. Labels with one value weigh 0 and stand alone.
    """

    def __init__(self, folds: float = 3) -> None:
        self.folds = folds

    def learn(self, problem: Problem) -> Structure:
        """The tree on the labels of a problem."""
        scores = np.round(log_likelihoods(problem, self.folds, race=True), DECIMALS)
        q = problem.q
        weights = np.full((q + 1, q + 1), -np.inf)
        weights[0, 1:] = scores.diagonal()
        weights[1:, 1:] = scores
        tails = maximum_arborescence(weights)[1:]
        parents = tuple((tail - 1,) if tail > 0 else () for tail in tails)
        kept: dict[Edge, float] = {
            (parent[0] if parent else label, label): float(
                scores[parent[0] if parent else label, label]
            )
            for label, parent in enumerate(parents)
        }
        note = (
            "spanning arborescence of greatest held-out log-likelihood "
            f"({_folds_in_words(self.folds)}), {float(np.sum(list(kept.values()))):.6g} nats"
        )
        return Structure("forest", problem.names, parents_first(parents), parents, kept, note)


def log_likelihoods(problem: Problem, folds: float = 3, *, race: bool = False) -> np.ndarray:
    """The log-likelihood of each label given each other, on rows held out, in nats.

    Parameters
    ----------
    problem : Problem
        What is learned from.
    folds : int or float
        See `Arborescence`.
    race : bool
        Leave edges out that no tree has, as soon as that is clear.

    Returns
    -------
    ndarray, shape (q, q)
        ``[p, l]`` is the sum of log P(l | x, p), ``[l, l]`` that of log P(l | x);
        ``-inf`` where there is no edge, because p or l has one value or by `race`.
    """
    held = replace(held_out(problem, folds), what="tree of labels")
    return held.for_each_label(_weights_into, race).T


def _weights_into(held: HeldOut, label: int, race: bool) -> np.ndarray:
    """The weights of the edges into a label, and of its self-loop.

    With `race` an edge that has fallen far behind the self-loop, which it would have to exceed to
    be in the tree, is given up before the last fold.
    """
    problem = held.problem
    out = np.full(problem.q, -np.inf)
    out[label] = 0.0
    others = [p for p in range(problem.q) if p != label and _varies(problem.Y[:, p])]
    if not _varies(problem.Y[:, label]):
        return out
    y = problem.Y[:, label]
    alone = _logs(held.alone(label), y)
    rows = np.flatnonzero((y >= 0) & np.isfinite(alone))
    weights = np.ones(rows.size) if problem.weights is None else problem.weights[rows]
    y, alone = y[rows], alone[rows]
    out[label] = float((weights * alone).sum())

    def logs(other: int, probabilities: np.ndarray) -> np.ndarray:
        values = problem.Y[rows, other]
        given_value = _logs(probabilities[np.maximum(values, 0), rows], y)
        return np.where(values >= 0, given_value, alone)

    def useful(other: int, probabilities: np.ndarray) -> bool:
        differences = logs(other, probabilities) - alone
        usable = np.isfinite(differences) & (problem.Y[rows, other] >= 0)
        return not clearly_less(differences[usable], weights[usable])

    for other, probabilities in held.given_each(label, others, useful if race else None):
        out[other] = float((weights * logs(other, probabilities)).sum())
    return out


def _logs(ones: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.log(np.where(y == 1, ones, 1.0 - ones))


def _varies(labels: np.ndarray) -> bool:
    return bool((labels == 0).any() and (labels == 1).any())


def _folds_in_words(folds: float) -> str:
    return f"{folds} folds" if folds >= 2 else f"{folds:.3g} of the rows"
