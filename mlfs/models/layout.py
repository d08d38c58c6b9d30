"""Where the labels of a structure stand in a picture: in layers, or in a row."""

from __future__ import annotations

import numpy as np

from mlfs.models.structure import Structure

__all__ = ["in_a_row", "in_layers"]


def in_a_row(structure: Structure) -> np.ndarray:
    """The labels side by side in their order: (q, 2), x and y."""
    places = np.zeros((structure.q, 2))
    places[list(structure.order), 0] = np.arange(structure.q)
    return places


def in_layers(structure: Structure) -> np.ndarray:
    """The labels of a polytree in layers, parents above their children: (q, 2), x and y.

    Labels of a layer stand at least 1 apart, each near the middle of what hangs on it.

    Examples
    --------
    >>> in_layers(Structure("tree", ("a", "b", "c"), (0, 1, 2), ((), (0,), (0,)))).tolist()
    [[0.5, 0.0], [0.0, -1.0], [1.0, -1.0]]
    """
    depth = _depths(structure)
    wish = _middles(structure)
    places = np.zeros((structure.q, 2))
    for level in sorted(set(depth)):
        there = [label for label in range(structure.q) if depth[label] == level]
        there.sort(key=lambda label: (wish[label], label))
        at = _apart([wish[label] for label in there])
        for label, x in zip(there, at, strict=True):
            places[label] = x, -level
    return places


def _depths(structure: Structure) -> list[int]:
    """The levels, each label as low as its children let it stand."""
    depth = list(structure.levels)
    for label in reversed(structure.order):
        below = [depth[child] for child in structure.children[label]]
        if below:
            depth[label] = max(depth[label], min(below) - 1)
    return depth


def _middles(structure: Structure) -> list[float]:
    """Ends of the tree one after another, and every other label in the middle of its own."""
    beside = [
        (*parents, *children)
        for parents, children in zip(structure.parents, structure.children, strict=True)
    ]
    middle = [0.0] * structure.q
    met = [False] * structure.q
    ends = 0
    for root in structure.order:
        if met[root]:
            continue
        met[root] = True
        walk: list[int] = []
        hangs: dict[int, list[int]] = {root: []}
        stack = [root]
        while stack:
            label = stack.pop()
            walk.append(label)
            for other in beside[label]:
                if not met[other]:
                    met[other] = True
                    hangs[label].append(other)
                    hangs[other] = []
            stack += reversed(hangs[label])
        for label in walk:
            if not hangs[label]:
                middle[label], ends = float(ends), ends + 1
        for label in reversed(walk):
            if hangs[label]:
                middle[label] = float(np.mean([middle[other] for other in hangs[label]]))
    return middle


def _apart(wishes: list[float]) -> list[float]:
    """Rising places at least 1 apart, in runs around the mean of what they wish."""
    runs: list[tuple[float, int]] = []  # where a run starts, and how many stand in it
    for wish in wishes:
        start, size = wish, 1
        while runs and start < runs[-1][0] + runs[-1][1]:
            before, n = runs.pop()
            start = (before * n + (start - n) * size) / (n + size)
            size += n
        runs.append((start, size))
    return [start + k for start, size in runs for k in range(size)]
