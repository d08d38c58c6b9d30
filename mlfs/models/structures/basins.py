"""Directions of a skeleton of labels: causal basins first, then no new colliders."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mlfs.models.structures.spanning import away_from_roots, neighbours_of, strongest_first
from mlfs.search.label_parents import Edge

__all__ = ["directed_by_tests"]


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
    basins = _Basins(edges, weights, independent, max_parents)
    for label in basins.colliders(statistic):
        basins.grow(label)
    directed = basins.directed
    undirected = [(a, b) for a, b in edges if (a, b) not in directed and (b, a) not in directed]
    return sorted([*directed, *away_from_roots(undirected, len(weights), strongest_first(weights))])


class _Basins:
    """The directions found so far."""

    def __init__(
        self,
        edges: list[Edge],
        weights: np.ndarray,
        independent: np.ndarray,
        max_parents: int | None,
    ) -> None:
        self.neighbours = neighbours_of(edges, len(weights))
        self.weights, self.independent, self.max_parents = weights, independent, max_parents
        self.directed: set[Edge] = set()

    def colliders(self, statistic: np.ndarray) -> list[int]:
        """Labels with independent neighbours, the clearest pair first."""
        clearest = {}
        for label, neighbours in enumerate(self.neighbours):
            values = [
                float(statistic[a, b])
                for i, a in enumerate(neighbours)
                for b in neighbours[i + 1 :]
                if self.independent[a, b]
            ]
            if values:
                clearest[label] = min(values)
        return sorted(clearest, key=lambda label: (clearest[label], label))

    def grow(self, start: int) -> None:
        """Direct the open edges of a label, and of those that get a parent by it."""
        queue = [start]
        for label in queue:
            parents = self._parents(label)
            if not parents:
                continue
            for neighbour in self.neighbours[label]:
                if (neighbour, label) in self.directed or (label, neighbour) in self.directed:
                    continue
                if neighbour in parents:
                    self.directed.add((neighbour, label))
                else:
                    self.directed.add((label, neighbour))
                    queue.append(neighbour)

    def _parents(self, label: int) -> list[int]:
        """The neighbours that are its parents: those known, and those independent of another."""
        able = [
            neighbour
            for neighbour in self.neighbours[label]
            if (label, neighbour) not in self.directed
        ]
        known = [neighbour for neighbour in able if (neighbour, label) in self.directed]
        independent = [
            neighbour
            for neighbour in able
            if neighbour not in known
            and any(self.independent[neighbour, second] for second in able if second != neighbour)
        ]
        if self.max_parents is not None:
            independent = sorted(independent, key=lambda p: (-self.weights[p, label], p))
            independent = independent[: max(0, self.max_parents - len(known))]
        return [*known, *independent]
