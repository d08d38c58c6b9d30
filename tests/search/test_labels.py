"""Label structures against the oracle: chain orders, parents, the tree, given networks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mlfs
from mlfs import Info, UnknownName, UsageError
from mlfs.api.prepared import prepare
from mlfs.search.label_parents import Structure, from_order
from mlfs.search.networks import (
    chain_order_cheap,
    chain_order_full,
    given_network,
    information_tree,
    k_parents,
)
from tests import naive
from tests.problems import columns

NEAR = 1e-9


def table(seed, *, q=5, missing=0.0, n=40, d=4):
    """Labels that depend on one another (one of them constant now and then), and features."""
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, (n, q))
    for l in range(1, q):
        follows = rng.random(n) < 0.6
        Y[follows, l] = Y[follows, rng.integers(0, l)]
    if seed % 3 == 0:
        Y[:, rng.integers(q)] = 1
    X = rng.integers(0, 3, (n, d))
    X[:, 0] = Y[:, 0] + Y[:, -1]
    Y = Y.astype(float)
    Y[rng.random(Y.shape) < missing] = np.nan
    return X, Y


def info_of(X, Y, **options):
    return Info.from_codes(X, np.nan_to_num(Y, nan=-1).astype(int), **options)


def check_order(order, X, Y, *, second):
    assert sorted(order) == list(range(len(Y)))
    for k, label in enumerate(order):
        gains = {a: naive.order_gain(a, order[:k], X, Y, second=second) for a in order[k:]}
        assert gains[label] >= max(gains.values()) - NEAR
        ties = [a for a, gain in gains.items() if gain >= gains[label] - 1e-13]
        assert label == min(ties), "of equal labels the lowest goes first"


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("missing", [0, 0.2])
def test_full_order(seed, missing):
    X, Y = table(seed, missing=missing)
    order = chain_order_full(info_of(X, Y))
    check_order(list(order), columns(X, None), columns(Y, None), second=True)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("missing", [0, 0.2])
def test_cheap_order(seed, missing):
    X, Y = table(seed, missing=missing)
    component = np.random.default_rng(seed).integers(0, 3, len(X))
    order = chain_order_cheap(info_of(X, Y), component)
    check_order(list(order), [tuple(component.tolist())], columns(Y, None), second=False)


def test_order_with_a_component_that_tells_nothing():
    X, Y = table(1)
    order = chain_order_cheap(info_of(X, Y), np.ones(len(X), np.int32))
    check_order(list(order), [(1,) * len(X)], columns(Y, None), second=False)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [0, 1, 2, 9, None])
@pytest.mark.parametrize("missing", [0, 0.2])
def test_parents_are_the_best_predecessors(seed, k, missing):
    X, Y = table(seed, missing=missing)
    labels = columns(Y, None)
    order = np.random.default_rng(seed).permutation(5).tolist()
    network = k_parents(info_of(X, Y), tuple(order), k)
    most = 4 if k is None else k
    assert network.order == tuple(order)
    for at, label in enumerate(order):
        before, left = order[:at], set(network.parents[label])
        assert left <= set(before)
        assert len(left) == min(most, len(before))
        picked = []
        while left:
            gains = {
                p: naive.parent_gain(p, label, picked, labels) for p in before if p not in picked
            }
            best = max(left, key=gains.get)
            assert gains[best] >= max(gains.values()) - NEAR
            picked.append(best)
            left.remove(best)


def test_the_default_number_of_parents_is_the_paper_s():
    rng = np.random.default_rng(0)
    for q, most in ((1, 0), (2, 1), (6, 5), (10, 8)):
        info = Info.from_codes(rng.integers(0, 2, (20, 1)), rng.integers(0, 2, (20, q)))
        parents = k_parents(info, tuple(range(q))).parents
        assert max(map(len, parents)) == most


def spanning_trees(q):
    edges = list(itertools.combinations(range(q), 2))
    for tree in itertools.combinations(edges, q - 1):
        group = list(range(q))
        for a, b in tree:
            group = [group[b] if g == group[a] else g for g in group]
        if len(set(group)) == 1:
            yield tree


def closeness(a, b):
    a, b = naive.whole(a, b)
    return naive.ratio(naive.I(a, b), min(naive.H(a), naive.H(b)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("missing", [0, 0.2])
def test_the_tree_is_a_maximum_spanning_tree(seed, missing):
    X, Y = table(seed, missing=missing)
    labels = columns(Y, None)
    network = information_tree(info_of(X, Y))
    shared = {
        frozenset(ab): closeness(labels[ab[0]], labels[ab[1]])
        for ab in itertools.combinations(range(5), 2)
    }
    best = max(sum(shared[frozenset(e)] for e in tree) for tree in spanning_trees(5))
    links = {frozenset((l, p)) for l, pa in enumerate(network.parents) for p in pa}
    assert len(links) == 4
    assert sum(shared[link] for link in links) == pytest.approx(best, abs=NEAR)
    root, *others = network.order
    assert network.parents[root] == ()
    for at, label in enumerate(others, start=1):
        (parent,) = network.parents[label]
        assert parent in network.order[:at]
    strength = [sum(v for pair, v in shared.items() if l in pair) for l in range(5)]
    assert strength[root] == pytest.approx(max(strength), abs=NEAR)


@pytest.mark.parametrize("make", [information_tree, lambda info: k_parents(info, (0,))])
def test_one_label_has_no_parents(make):
    network = make(Info.from_codes([[0], [1], [1]], [[0], [1], [0]]))
    assert (network.order, network.parents) == ((0,), ((),))


@pytest.mark.parametrize("fill", [0.0, 1.0, np.nan])
def test_labels_that_tell_nothing_have_a_structure_all_the_same(fill):
    X, Y = table(1)
    info = info_of(X, np.full_like(Y, fill))
    assert information_tree(info).parents == ((), (0,), (0,), (0,), (0,))
    assert chain_order_full(info) == tuple(range(5))
    assert k_parents(info, tuple(range(5)), 1).parents == ((), (0,), (0,), (0,), (0,))


def test_weights_and_the_order_of_rows_change_no_structure():
    X, Y = table(2, missing=0.1)
    times = np.random.default_rng(2).integers(0, 3, len(X))
    one = info_of(X, Y, weights=times)
    rows = np.random.default_rng(3).permutation(np.repeat(np.arange(len(X)), times))
    other, order = info_of(X[rows], Y[rows]), chain_order_full(one)
    assert order == chain_order_full(other)
    assert k_parents(one, order, 2) == k_parents(other, order, 2)
    assert information_tree(one) == information_tree(other)


# Given networks -------------------------------------------------------------------------------

NAMES = ["a", "b", "c"]


def test_a_given_network():
    network = given_network({"a": ["c", "b", "c"], "c": [1]}, NAMES)
    assert network == Structure(
        "given", ("a", "b", "c"), (1, 2, 0), ((1, 2), (), (1,)), note="given"
    )
    assert given_network({}, NAMES).parents == ((), (), ())


@pytest.mark.parametrize(
    ("parents", "sentence"),
    [
        ({"a": ["b"], "b": ["a"]}, "the network has a circle through the label 'a'"),
        ({"a": ["a"]}, "the network has a circle through the label 'a'"),
        ({"c": ["b"], "b": ["a"], "a": ["c"]}, "the network has a circle through the label 'a'"),
    ],
)
def test_a_network_with_a_circle_is_refused(parents, sentence):
    with pytest.raises(UsageError, match=sentence):
        given_network(parents, NAMES)


@pytest.mark.parametrize("parents", [{"z": ["a"]}, {"a": ["z"]}, {"a": [3]}, {-1: ["a"]}])
def test_a_network_of_unknown_labels_is_refused(parents):
    with pytest.raises(UnknownName, match="unknown label in the network"):
        given_network(parents, NAMES)


@pytest.mark.parametrize("parents", [{"a": "b"}, {"a": 1}, {"a": None}])
def test_parents_that_are_no_list_are_read_as_one_or_refused_in_a_sentence(parents):
    try:
        network = given_network(parents, NAMES)
    except mlfs.MlfsError as error:
        assert "'a'" in str(error)  # noqa: PT017  # either answer is right
    else:
        assert network.parents[0] in {(1,), ()}


# What a criterion gets --------------------------------------------------------------------------


def wanted(name, network=None, order="cheap", k=None):
    X, Y = table(1)
    ready = prepare((X, Y))
    if (order, k) != ("cheap", None):
        network = ready.network("chain", order, k)
    return mlfs.select(ready, name, 1, network=network).network


def test_the_kind_is_what_the_criterion_names():
    assert wanted("mim") is None
    assert wanted("mlfs_global").kind == "chain"
    assert wanted("mlcfs").kind == "tree"
    assert wanted("mlcfs", "chain").kind == "chain"
    assert wanted("mlfs_local", {"y0": ["y1"]}).parents[0] == (1,)
    assert wanted("mlfs_local", order="given").order == (0, 1, 2, 3, 4)
    assert wanted("mlfs_local", k=1).parents[wanted("mlfs_local").order[0]] == ()


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"name": "mim", "network": "chain"}, UsageError, "uses no label network"),
        ({"name": "mlcfs", "network": "chian"}, UnknownName, "did you mean 'chain'"),
        ({"name": "mlcfs", "network": 7}, UnknownName, "unknown label network '7'"),
        ({"name": "mlcfs", "order": "fulll"}, UnknownName, "did you mean 'full'"),
        ({"name": "mlcfs", "k": -1}, UsageError, "k is the greatest number of parents"),
        ({"name": "mlcfs", "k": 1.5}, UsageError, "k is the greatest number of parents"),
        ({"name": "mlcfs", "k": True}, UsageError, "k is the greatest number of parents"),
        (
            {"name": "mlcfs", "network": Structure("given", ("a",), (0,), ((),))},
            UsageError,
            "5 labels",
        ),
        ({"name": "mlcfs", "network": from_order(range(5), "abcde")}, UsageError, "'a' is not in"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, sentence):
    with pytest.raises(error, match=sentence):
        wanted(**options)
