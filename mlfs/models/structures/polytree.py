"""Spanning trees of labels: directed away from a root (BCC), or by tests of independence (PACC).

The polytree of PACC directs a skeleton of labels: causal basins first, then no new colliders.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mlfs.errors import UsageError, check_name, printable
from mlfs.models.inference.contract import real
from mlfs.models.parameters import parameters
from mlfs.models.problem import Stream
from mlfs.models.structures.chains import LabelInformation, StructureLearner
from mlfs.models.structures.held_out import HeldOut, held_out
from mlfs.search.label_parents import Edge, Structure, parents_first

if TYPE_CHECKING:
    from mlfs.models.problem import Problem


NEAR = 1e-12  # weights that differ by less are equal: rounding must not decide
ROOTS = {
    "random": "the root is drawn",
    "strongest": "the root is the label that shares most with all others",
}


def spanning_forest(weights: np.ndarray) -> list[Edge]:
    """The spanning forest of greatest weight among pairs of positive weight; a < b in each.

    Of edges that weigh the same the lowest (a, b) is taken first.

    Parameters
    ----------
    weights : ndarray, shape (q, q)
        Symmetric.

    Examples
    --------
    >>> spanning_forest(np.array([[0, 3, 2, 0], [3, 0, 1, 0], [2, 1, 0, 0], [0, 0, 0, 0]]))
    [(0, 1), (0, 2)]
    """
    q = len(weights)
    a, b = np.triu_indices(q, 1)
    weight = weights[a, b]
    kept = weight > NEAR
    a, b, weight = a[kept], b[kept], weight[kept]
    group = np.arange(q)
    edges: list[Edge] = []
    for pair in _heaviest_first(weight):
        i, j = int(a[pair]), int(b[pair])
        if group[i] != group[j]:
            group[group == group[j]] = group[i]
            edges.append((i, j))
            if len(edges) == q - 1:
                break
    return sorted(edges)


def _heaviest_first(weight: np.ndarray) -> Iterable[int]:
    """Positions by falling weight; in a run of equal ones, by position."""
    by_weight = np.argsort(-weight, kind="stable")
    falling = weight[by_weight]
    differs = falling[:-1] - falling[1:] > NEAR * np.maximum(1.0, falling[:-1])
    run = np.concatenate([[0], np.cumsum(differs)]) if falling.size else np.zeros(0, int)
    return by_weight[np.lexsort((by_weight, run))].tolist()


def neighbours_of(edges: Iterable[Edge], q: int) -> list[list[int]]:
    """The neighbours of each label, ascending."""
    neighbours: list[list[int]] = [[] for _ in range(q)]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    return [sorted(labels) for labels in neighbours]


def away_from_roots(edges: Iterable[Edge], q: int, first: Sequence[int]) -> list[Edge]:
    """Direct each tree of a forest away from a root: its label that comes first in `first`.

    Examples
    --------
    >>> away_from_roots([(0, 1), (0, 2)], 3, [1, 0, 2])
    [(1, 0), (0, 2)]
    """
    neighbours = neighbours_of(edges, q)
    visited = [False] * q
    directed: list[Edge] = []
    for root in first:
        if visited[root]:
            continue
        visited[root] = True
        queue = [root]
        for parent in queue:
            for child in neighbours[parent]:
                if not visited[child]:
                    visited[child] = True
                    directed.append((parent, child))
                    queue.append(child)
    return directed


def strongest_first(weights: np.ndarray) -> list[int]:
    """The labels by falling sum of their weights; of equal ones, the lowest first."""
    total = np.zeros(len(weights))
    for row in weights:
        total += row
    return list(_heaviest_first(total))


@parameters
class OneParent(StructureLearner):
    """The maximum spanning tree on I(a;b) / min(H(a), H(b)), directed away from a root.

    Labels that share nothing with any other, constant ones among them, have no parent, so it may
    be several trees.

    Parameters
    ----------
    root : {"random", "strongest"}
        ``random``: drawn, as in the papers on BCC. ``strongest``: the label that shares most
        with all others together.

    Notes
    -----
    The weights of the structure are I(a;b) / min(H(a), H(b)).
    """

    root: str = "random"

    def learn(self, problem: Problem) -> Structure:
        """The tree on the labels of a problem."""
        check_name(self.root, "root of the tree", ROOTS)
        shared = LabelInformation.of(problem).normalised
        if self.root == "random":
            first = problem.generator(Stream.ROOT).permutation(problem.q).tolist()
        else:
            first = strongest_first(shared)
        edges = away_from_roots(spanning_forest(shared), problem.q, first)
        parents: list[tuple[int, ...]] = [()] * problem.q
        for parent, child in edges:
            parents[child] = (parent,)
        note = f"maximum spanning tree on I(a;b) / min(H(a), H(b)); {ROOTS[self.root]}"
        weights = {edge: float(shared[edge]) for edge in edges}
        return Structure(
            "tree", problem.names, parents_first(parents), tuple(parents), weights, note
        )


def directed_by_tests(
    edges: Iterable[Edge],
    weights: np.ndarray,
    independent: np.ndarray,
    statistic: np.ndarray,
    max_parents: int | None = None,
) -> list[Edge]:
    """Direct the edges of a forest.

    Two neighbours of a label that are independent of each other are its parents; its other
    neighbours are its children; a label that has got a parent tests its open neighbours against
    that parent, and so on: a causal basin. Tests may contradict each other, so the pair of
    neighbours with the smallest statistic comes first, and directed edges stay. Edges that no
    basin reaches are directed away from the label of greatest weight in their part.

    Parameters
    ----------
    edges : iterable of (a, b)
        The skeleton, a forest.
    weights : ndarray, shape (q, q)
        The weights of its edges.
    independent : ndarray of bool, shape (q, q)
        What the tests say of each pair.
    statistic : ndarray, shape (q, q)
        How far each pair is from independence.
    max_parents : int, optional
        The most parents that tests may give to a label.

    Returns
    -------
    list of (parent, child)
    """
    edges = list(edges)
    neighbours = neighbours_of(edges, len(weights))
    directed: set[Edge] = set()

    def parents_of(label: int) -> list[int]:
        """The neighbours that are its parents: those known, and those independent of another."""
        able = [other for other in neighbours[label] if (label, other) not in directed]
        known = [other for other in able if (other, label) in directed]
        tested = [
            other
            for other in able
            if other not in known
            and any(independent[other, second] for second in able if second != other)
        ]
        if max_parents is not None:
            tested.sort(key=lambda parent: (-weights[parent, label], parent))
            tested = tested[: max(0, max_parents - len(known))]
        return [*known, *tested]

    for start in _colliders(neighbours, independent, statistic):
        basin = [start]
        for label in basin:  # it grows by the labels that get a parent
            parents = parents_of(label)
            for other in neighbours[label] if parents else ():
                if (other, label) in directed or (label, other) in directed:
                    continue
                if other in parents:
                    directed.add((other, label))
                else:
                    directed.add((label, other))
                    basin.append(other)
    undirected = [(a, b) for a, b in edges if (a, b) not in directed and (b, a) not in directed]
    return sorted([*directed, *away_from_roots(undirected, len(weights), strongest_first(weights))])


def _colliders(
    neighbours: list[list[int]], independent: np.ndarray, statistic: np.ndarray
) -> list[int]:
    """Labels with independent neighbours, the clearest pair first."""
    clearest = {}
    for label, others in enumerate(neighbours):
        pairs = [pair for pair in itertools.combinations(others, 2) if independent[pair]]
        if pairs:
            clearest[label] = min(float(statistic[pair]) for pair in pairs)
    return sorted(clearest, key=lambda label: (clearest[label], label))


WEIGHTS = {
    "conditional": "I(a;b|x) by held-out classifiers, eq. (13)",
    "information": "I(a;b) / min(H(a), H(b)), eq. (25)",
}
DECIMALS = 9  # of a nat; smaller differences are rounding errors of the solver


@parameters
class Polytree(StructureLearner):
    """The polytree of Sun, Kudo & Kimura: any label may have several parents.

    The skeleton is the maximum spanning tree. Two neighbours a, b of a label that are independent
    by a G-test are both its parents, its other neighbours its children; from there directions run
    on (a causal basin). What is then still open is directed away from the label that shares most,
    so that no label gets a second parent by it.

    Parameters
    ----------
    weights : {"conditional", "information"}
        What the tree spans: conditional mutual information from held-out probabilistic
        classifiers, the mean of both directions of eq. (13); or normalised mutual information,
        eq. (25), which needs no classifiers, for large data.
    alpha : float
        The level of the G-test with one degree of freedom: a pair is independent where the
        hypothesis is not rejected.
    max_parents : int, optional
        The greatest number of parents by the tests, those of greatest weight; the others become
        children. Exact inference costs 2**parents for each label. None is no bound.
    folds : int or float
        For ``conditional``: how many folds, each held out once; below 1, the share that is held
        out in a single split, as in the paper.
    earlier : float, optional
        Labels that come earlier in the order are parents too where their normalised information,
        eq. (25), is above this. The result is no polytree any more and needs an inference along
        an order, such as ``greedy``. The authors' program does it with 0.0005, and their tables
        show it; the paper does not have it. None adds no parents.

    Notes
    -----
    ``conditional`` takes q^2 fits of the base learner in each fold.
    """

    weights: str = "conditional"
    alpha: float = 0.05
    max_parents: int | None = 4
    folds: float = 3
    earlier: float | None = None

    def learn(self, problem: Problem) -> Structure:
        """The polytree on the labels of a problem."""
        self._check()
        pairs = LabelInformation.of(problem)
        if self.weights == "information":
            shared = pairs.normalised
        else:
            shared = np.round(conditional_information(problem, self.folds), DECIMALS)
        edges = spanning_forest(shared)
        independent = independent_by_g(pairs.g, self.alpha)
        directed = directed_by_tests(edges, shared, independent, pairs.g, self.max_parents)
        parents: list[list[int]] = [[] for _ in range(problem.q)]
        for parent, child in directed:
            parents[child].append(parent)
        note = (
            f"maximum spanning tree on {WEIGHTS[self.weights]}; directed by G-tests at the level "
            f"{self.alpha:g}"
        )
        structure = Structure(
            "polytree",
            problem.names,
            parents_first(parents),
            tuple(tuple(sorted(label_parents)) for label_parents in parents),
            {edge: float(shared[edge]) for edge in directed},
            note,
        )
        return structure if self.earlier is None else with_earlier(structure, pairs, self.earlier)

    def _check(self) -> None:
        check_name(self.weights, "weights of the tree", WEIGHTS)
        most = self.max_parents
        real(self.alpha, "alpha is the level of a test, between 0 and 1", lambda x: 0 < x < 1)
        if most is not None and (not isinstance(most, (int, np.integer)) or most < 1):
            msg = f"max_parents is a whole number from 1 on, or None, not {printable(repr(most))}"
            raise UsageError(msg)
        if self.earlier is not None:
            what = "earlier is a number from 0 to 1, or None"
            real(self.earlier, what, lambda x: 0 <= x <= 1)


def with_earlier(polytree: Structure, pairs: LabelInformation, least: float) -> Structure:
    """A polytree with all earlier labels as parents that share more than a bound.

    Parameters
    ----------
    polytree : Structure
        Its order and parents stay.
    pairs : LabelPairs
        The labels, pair by pair.
    least : float
        The normalised information, eq. (25), above which an earlier label is a parent.
    """
    shared, order = pairs.normalised, polytree.order
    parents = [set(label_parents) for label_parents in polytree.parents]
    for place, label in enumerate(order):
        parents[label] |= {earlier for earlier in order[:place] if shared[earlier, label] > least}
    structure = Structure(
        "chain",
        polytree.names,
        order,
        tuple(tuple(sorted(label_parents)) for label_parents in parents),
        note=f"{polytree.note}; earlier labels of more than {least:g} by eq. (25) are parents too",
    )
    return replace(structure, weights=pairs.weights(structure))


def independent_by_g(g: np.ndarray, alpha: float) -> np.ndarray:
    """Which pairs of labels are independent by the G-test.

    Parameters
    ----------
    g : ndarray of float, shape (q, q)
        The statistics, chi-squared with one degree of freedom under independence.
    alpha : float
        The level.

    Examples
    --------
    >>> independent_by_g(np.array([[0.0, 3.8], [3.9, 0.0]]), 0.05)
    array([[ True,  True],
           [False,  True]])
    """
    tail = [math.erfc(math.sqrt(value / 2)) for value in g.ravel().tolist()]
    return np.array(tail).reshape(g.shape) >= alpha


def conditional_information(problem: Problem, folds: float = 3) -> np.ndarray:
    """Eq. (13), the mean of both directions, on rows held out; in nats.

    Parameters
    ----------
    problem : Problem
        What is learned from.
    folds : int or float
        See `Polytree`.

    Returns
    -------
    ndarray, shape (q, q)
        Symmetric, the diagonal 0; 0 where a label has one value.
    """
    held = held_out(problem, folds)
    alone = held.for_each_label(HeldOut.alone)
    directed = held.for_each_label(_information_given_others, alone)
    return (directed + directed.T) / 2


def _information_given_others(held: HeldOut, label: int, alone: np.ndarray) -> np.ndarray:
    """Eq. (13) of a label given each other one."""
    problem = held.problem
    out = np.zeros(problem.q)
    if label not in held.varying:
        return out
    others = [other for other in held.varying if other != label]
    for parent, probabilities in held.given_each(label, others):
        usable = (problem.Y[:, [label, parent]] >= 0).all(axis=1) & ~np.isnan(probabilities[0])
        if not usable.any():
            continue
        gain = _divergence(probabilities[:, usable], alone[label, usable])
        parent_ones = alone[parent, usable]
        expected = (1 - parent_ones) * gain[0] + parent_ones * gain[1]
        weights = np.ones(expected.size) if problem.weights is None else problem.weights[usable]
        total = float(weights.sum())
        out[parent] = float((weights * expected).sum()) / total if total > 0 else 0.0
    return out


def _divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The Kullback-Leibler divergence of the coin p from the coin q, in nats."""
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
