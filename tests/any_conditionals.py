"""Models made of tables over any structure, and their label vectors weighed one by one."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

KINDS = ("dag", "chain", "tree", "forest", "polytree", "none")
FLAVOURS = ("smooth", "coarse", "certain")
LEAST = 1e-12


class Shape(NamedTuple):
    names: tuple[str, ...]
    order: tuple[int, ...]
    parents: tuple[tuple[int, ...], ...]


class Tabled:
    """P(label = 1 | parents) by a table for each row; it counts what it is asked."""

    def __init__(self, structure: Shape, ones: list[np.ndarray], *, probabilistic=True):
        self.structure, self.ones, self.probabilistic = structure, ones, probabilistic
        self.q, self.n_rows = len(ones), len(ones[0])
        self.calls = self.nodes = 0

    def log_proba(self, label: int, rows: Any, parents: np.ndarray) -> np.ndarray:
        assert self.probabilistic
        self.calls += 1
        self.nodes += len(parents)
        assert parents.dtype == np.int8
        assert parents.shape[1] == len(self.structure.parents[label])
        number = np.zeros(len(parents), dtype=int)
        for bit in range(parents.shape[1]):
            number += parents[:, bit].astype(int) * 2**bit
        at = np.arange(self.n_rows)[rows]
        assert len(at) == len(parents)
        one = self.ones[label][at, number]
        return np.column_stack([np.log1p(-one), np.log(one)])

    def decide(self, label: int, rows: Any, parents: np.ndarray) -> np.ndarray:
        number = np.zeros(len(parents), dtype=int)
        for bit in range(parents.shape[1]):
            number += parents[:, bit].astype(int) * 2**bit
        return (self.ones[label][np.arange(self.n_rows)[rows], number] > 0.5).astype(np.int8)

    def only(self, rows: list[int]) -> Tabled:
        return Tabled(self.structure, [one[rows] for one in self.ones])


def shape(kind: str, q: int, rng: np.random.Generator) -> Shape:
    """A random structure; the order is a random one in which parents come first."""
    order = [int(label) for label in rng.permutation(q)]
    parents: list[list[int]] = [[] for _ in range(q)]
    if kind in {"dag", "chain"}:
        for place, label in enumerate(order):
            parents[label] = [p for p in order[:place] if kind == "chain" or rng.random() < 0.5]
    elif kind in {"tree", "forest"}:
        for place, label in enumerate(order[1:], start=1):
            if kind == "tree" or rng.random() < 0.7:
                parents[label] = [order[rng.integers(place)]]
    elif kind == "polytree":
        for place, label in enumerate(order[1:], start=1):
            if rng.random() < 0.9:
                other = order[rng.integers(place)]
                one, two = (label, other) if rng.random() < 0.5 else (other, label)
                parents[two].append(one)
        order = _parents_first(parents, order)
    names = tuple(f"label {label}" for label in range(q))
    return Shape(names, tuple(order), tuple(tuple(sorted(given)) for given in parents))


def _parents_first(parents: list[list[int]], order: list[int]) -> list[int]:
    out: list[int] = []
    while len(out) < len(order):
        out.append(next(l for l in order if l not in out and set(parents[l]) <= set(out)))
    return out


def model(kind: str, q: int, flavour: str, seed: int, n_rows: int = 4) -> Tabled:
    rng = np.random.default_rng(seed)
    structure = shape(kind, q, rng)
    ones = []
    for given in structure.parents:
        size = (n_rows, 2 ** len(given))
        if flavour == "smooth":
            one = rng.uniform(0.02, 0.98, size)
        elif flavour == "coarse":  # ties
            one = rng.choice([0.25, 0.5, 0.75], size)
        else:  # what a constant label, or a base learner that is sure, gives
            one = rng.choice([LEAST, 0.3, 0.5, 1 - LEAST], size)
        ones.append(one)
    if flavour == "certain" and q > 1:
        ones[rng.integers(q)][:] = LEAST
    return Tabled(structure, ones)


@st.composite
def models(draw: Any, kinds: tuple[str, ...] = KINDS, most: int = 7) -> Tabled:
    return model(
        draw(st.sampled_from(kinds)),
        draw(st.integers(1, most)),
        draw(st.sampled_from(FLAVOURS)),
        draw(st.integers(0, 10_000)),
    )


def vectors(q: int) -> list[tuple[int, ...]]:
    """All label vectors, the lowest first."""
    return list(itertools.product((0, 1), repeat=q))


def naive_log_proba(given: Tabled, row: int, vector: tuple[int, ...]) -> float:
    total = 0.0
    for label, parents in enumerate(given.structure.parents):
        one = given.ones[label][row, sum(vector[p] << bit for bit, p in enumerate(parents))]
        total += math.log(one) if vector[label] else math.log1p(-one)
    return total


def naive_joint(given: Tabled, row: int) -> dict[tuple[int, ...], float]:
    """log P of every label vector of a row."""
    return {vector: naive_log_proba(given, row, vector) for vector in vectors(given.q)}


def naive_mode(given: Tabled, row: int) -> tuple[int, ...]:
    """The lowest of the most probable label vectors."""
    joint = naive_joint(given, row)
    best = max(joint.values())
    return min(vector for vector, score in joint.items() if score >= best - 1e-10)


def naive_modes(given: Tabled) -> list[tuple[int, ...]]:
    return [naive_mode(given, row) for row in range(given.n_rows)]


def naive_marginals(given: Tabled) -> np.ndarray:
    out = np.zeros((given.n_rows, given.q))
    for row in range(given.n_rows):
        for vector, score in naive_joint(given, row).items():
            out[row] += math.exp(score) * np.array(vector)
    return out


def as_tuples(labels: np.ndarray) -> list[tuple[int, ...]]:
    assert labels.dtype == np.int8
    return [tuple(int(value) for value in row) for row in labels]
