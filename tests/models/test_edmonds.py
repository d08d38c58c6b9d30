"""Edmonds' algorithm against all arborescences of small graphs, and against networkx."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlfs.models.structures.arborescence import maximum_arborescence


def arborescences(weights, root):
    """Every spanning arborescence as the tuple of its parents."""
    n = len(weights)
    others = [node for node in range(n) if node != root]
    for tails in itertools.product(range(n), repeat=len(others)):
        parent = dict(zip(others, tails, strict=True))
        if any(weights[parent[node]][node] == -np.inf or parent[node] == node for node in others):
            continue
        if all(reaches(parent, node, root) for node in others):
            yield tuple(parent.get(node, -1) for node in range(n))


def reaches(parent, node, root):
    for _ in parent:
        node = parent[node]
        if node == root:
            return True
    return False


def total(weights, parents):
    return sum(weights[p][node] for node, p in enumerate(parents) if p >= 0)


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 5))
    few = st.integers(-3, 3).map(float)  # ties
    many = st.floats(-1e3, 1e3).map(lambda w: round(w, 3))
    edge = st.one_of(few, many, st.just(-np.inf))
    rows = draw(st.lists(st.lists(edge, min_size=n, max_size=n), min_size=n, max_size=n))
    return rows, draw(st.integers(0, n - 1))


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_no_arborescence_weighs_more(graph):
    weights, root = graph
    everything = list(arborescences(weights, root))
    if not everything:
        return
    found = maximum_arborescence(weights, root)
    assert found in everything
    best = max(total(weights, one) for one in everything)
    assert total(weights, found) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_larger_graphs_as_networkx(seed):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    rng = np.random.default_rng(seed)
    n = 30
    weights = rng.integers(-50, 0, (n, n)).astype(float)
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(
        (a, b, weights[a, b]) for a in range(n) for b in range(1, n) if a != b
    )
    theirs = networkx.maximum_spanning_arborescence(graph)
    found = maximum_arborescence(weights)
    assert total(weights, found) == sum(weights[a, b] for a, b in theirs.edges)


def test_one_weight_above_all_gives_the_lowest_tails():
    assert maximum_arborescence(np.zeros((4, 4))) == (-1, 0, 0, 0)
    assert maximum_arborescence(np.zeros((4, 4)), root=2) == (2, 0, -1, 0)
    assert maximum_arborescence([[7.0]]) == (-1,)


def test_a_tie_of_circles_is_decided_by_the_lowest_edge():
    # 1 and 2 want each other; the root may enter at either for the same loss
    weights = [[0, 1, 1], [0, 0, 5], [0, 5, 0]]
    assert maximum_arborescence(weights) == (-1, 0, 1)


def test_circles_within_circles():
    weights = np.full((5, 5), -20.0)
    weights[1, 2] = weights[2, 1] = 0  # a circle
    weights[2, 3] = weights[3, 1] = -1  # around it another
    weights[3, 4] = weights[4, 3] = -2
    weights[0, 4] = -10
    everything = list(arborescences(weights.tolist(), 0))
    best = max(total(weights, one) for one in everything)
    found = maximum_arborescence(weights)
    assert total(weights, found) == best


def test_rounding_decides_nothing():
    # equal on paper: the sums differ in their last bit
    weights = [[0, 0.3, 0.3], [0, 0, 0.3], [0, 0.1 + 0.2, 0]]
    assert maximum_arborescence(weights) == (-1, 0, 0)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e12, 1e300])
def test_the_unit_does_not_matter(scale):
    weights = np.random.default_rng(5).normal(size=(7, 7))
    assert maximum_arborescence(weights * scale) == maximum_arborescence(weights)
