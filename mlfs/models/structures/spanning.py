"""Spanning forests of labels, directions away from a root, and the tree of such edges (BCC)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlfs.errors import check_name
from mlfs.models.problem import Stream
from mlfs.models.storage.storable import storable
from mlfs.models.structures.chains import LabelInformation, StructureLearner
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


@storable
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

    def __init__(self, root: str = "random") -> None:
        self.root = root

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
