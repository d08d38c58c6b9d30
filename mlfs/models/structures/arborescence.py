"""The tree of labels of greatest held-out conditional log-likelihood (CTBN).

Edmonds' algorithm: the spanning arborescence of greatest weight, from a given root.

Every node but the root takes its best incoming edge; as long as these make a circle, the circle is
drawn together to one node, and what enters it is weighed by what it would replace. Weights are
compared as whole numbers on a grid of 2**-50 of the greatest one, so rounding decides nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs.models.parameters import parameters
from mlfs.models.structures.chains import StructureLearner
from mlfs.models.structures.held_out import HeldOut, held_out
from mlfs.search.label_parents import Edge, Structure, parents_first

if TYPE_CHECKING:
    from mlfs.models.problem import Problem


GRID_BITS = 50
NO_EDGE = -(1 << 60)
LAST = np.iinfo(np.int64).max


def maximum_arborescence(weights: Any, root: int = 0) -> tuple[int, ...]:
    """The parent of every node in the spanning arborescence of greatest total weight.

    Of edges that weigh the same into a node, the one from the lowest node is taken; of those into
    a circle, the one from the lowest node into the lowest. The cost is O(n^3) at worst, O(n^2)
    without circles.

    Parameters
    ----------
    weights : array-like of float, shape (n, n)
        ``weights[a, b]`` is the weight of the edge from a to b; ``-inf`` where there is none.
        The diagonal and what enters the root are not looked at. A way leads from the root to
        every node.
    root : int
        Where the arborescence starts.

    Returns
    -------
    tuple of int
        The parent of each node; -1 for the root.

    Examples
    --------
    >>> maximum_arborescence([[0, 1, 1], [0, 0, 5], [0, 9, 0]])
    (-1, 2, 0)
    """
    table = np.array(weights, dtype=np.float64)
    n = len(table)
    if n == 1:
        return (-1,)
    np.fill_diagonal(table, -np.inf)
    table[:, root] = -np.inf
    edges = np.arange(n)[:, None] * n + np.arange(n)  # tail * n + head
    chosen = _best_edges(_round_to_grid(table), edges, root)
    parents = {int(edge) % n: int(edge) // n for edge in chosen}
    return tuple(parents.get(node, -1) for node in range(n))


def _best_edges(weight: np.ndarray, edge: np.ndarray, root: int) -> np.ndarray:
    """The edges of the data in the arborescence of a table; ``edge[a, b]`` is that from a to b."""
    best = np.where(weight == weight.max(axis=0), edge, LAST)
    into = best.argmin(axis=0)  # of equal ones, the lowest edge of the data
    circle = _find_circle(into, root)
    if not circle.size:
        nodes = np.delete(np.arange(len(weight)), root)
        return edge[into[nodes], nodes]
    others = np.setdiff1d(np.arange(len(weight)), circle)
    entering = weight[np.ix_(others, circle)]
    gain = np.where(entering > NO_EDGE, entering - weight[into[circle], circle], NO_EDGE)
    weight_in, edge_in = _keep_best(gain, edge[np.ix_(others, circle)])
    weight_out, edge_out = _keep_best(
        weight[np.ix_(circle, others)].T, edge[np.ix_(circle, others)].T
    )

    def smaller(table: np.ndarray, to: np.ndarray, away: np.ndarray, filled: int) -> np.ndarray:
        """The table in which the circle is the last node."""
        return np.block([[table[np.ix_(others, others)], to[:, None]], [away, filled]])

    chosen = _best_edges(
        smaller(weight, weight_in, weight_out, NO_EDGE),
        smaller(edge, edge_in, edge_out, LAST),
        int(np.flatnonzero(others == root)[0]),
    )
    opened = np.isin(edge[:, circle], chosen).any(axis=0)  # where the edge into the circle ends
    return np.append(chosen, edge[into[circle], circle][~opened])


def _round_to_grid(table: np.ndarray) -> np.ndarray:
    present = np.isfinite(table)
    most = float(np.abs(table[present]).max())
    grid = np.full(table.shape, NO_EDGE)
    shift = GRID_BITS - int(np.frexp(most)[1])
    grid[present] = np.rint(np.ldexp(table[present], shift)).astype(np.int64)
    return grid


def _find_circle(into: np.ndarray, root: int) -> np.ndarray:
    """The nodes of a cycle among the chosen edges; empty if there is none."""
    start_of = {root: root}
    for start in range(len(into)):
        node = start
        while node not in start_of:
            start_of[node] = start
            node = int(into[node])
        if start_of[node] == start != root:
            members = [node]
            while into[members[-1]] != node:
                members.append(int(into[members[-1]]))
            return np.array(members)
    return np.zeros(0, np.intp)


def _keep_best(weight: np.ndarray, edge: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The best weight of each row and its edge; of equal ones, the lowest edge of the data."""
    best = weight.max(axis=1)
    return best, np.where(weight == best[:, None], edge, LAST).min(axis=1)


DECIMALS = 9  # of a nat; smaller differences are rounding errors of the solver


@parameters
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
    another label. Rows in which l is missing are left out of the edges into l; where p is missing,
    the edge says what the label alone says. Labels with one value weigh 0 and stand alone.
    """

    folds: float = 3

    def learn(self, problem: Problem) -> Structure:
        """The tree on the labels of a problem."""
        scores = np.round(log_likelihoods(problem, self.folds), DECIMALS)
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


def log_likelihoods(problem: Problem, folds: float = 3) -> np.ndarray:
    """The log-likelihood of each label given each other, on rows held out, in nats.

    Parameters
    ----------
    problem : Problem
        What is learned from.
    folds : int or float
        See `Arborescence`.

    Returns
    -------
    ndarray, shape (q, q)
        ``[p, l]`` is the sum of log P(l | x, p), ``[l, l]`` that of log P(l | x);
        ``-inf`` where there is no edge, because p or l has one value.
    """
    held = held_out(problem, folds, "tree of labels")
    return held.for_each_label(_weights_into).T


def _weights_into(held: HeldOut, label: int) -> np.ndarray:
    """The weights of the edges into a label, and of its self-loop."""
    problem = held.problem
    out = np.full(problem.q, -np.inf)
    out[label] = 0.0
    if label not in held.varying:
        return out
    others = [other for other in held.varying if other != label]
    y = problem.Y[:, label]
    alone = _logs(held.alone(label), y)
    rows = np.flatnonzero((y >= 0) & np.isfinite(alone))
    weights = np.ones(rows.size) if problem.weights is None else problem.weights[rows]
    y, alone = y[rows], alone[rows]
    out[label] = float((weights * alone).sum())
    for other, probabilities in held.given_each(label, others):
        values = problem.Y[rows, other]
        given_value = _logs(probabilities[np.maximum(values, 0), rows], y)
        out[other] = float((weights * np.where(values >= 0, given_value, alone)).sum())
    return out


def _logs(ones: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.log(np.where(y == 1, ones, 1.0 - ones))


def _folds_in_words(folds: float) -> str:
    return f"{folds} folds" if folds >= 2 else f"{folds:.3g} of the rows"
