"""How structures are learned: against the oracle, against naive fits, on known polytrees."""

from __future__ import annotations

import itertools
import math
import pickle
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from mlfs import DataError, UnknownName, UsageError
from mlfs.models.logistic import fit_each, solvable, with_last
from mlfs.models.problem import Problem
from mlfs.models.structures import (
    OURS,
    Arborescence,
    Chain,
    Given,
    Independent,
    KParents,
    OneParent,
    Polytree,
    learner_for,
)
from mlfs.models.structures.arborescence import log_likelihoods
from mlfs.models.structures.chains import LabelInformation, labels_alone
from mlfs.models.structures.held_out import held_out
from mlfs.models.structures.polytree import (
    conditional_information,
    directed_by_tests,
    independent_by_g,
    spanning_forest,
)
from mlfs.search.label_parents import Structure
from mlfs.search.networks import information_tree
from tests import naive
from tests.problems import columns

NEAR = 1e-9
LOGISTIC = LogisticRegression()
LEARNERS = [
    Independent(),
    Chain(),
    Chain("given"),
    Chain("cheap"),
    Chain("full"),
    KParents(),
    KParents(k=1, order="random"),
    OneParent(),
    OneParent(root="strongest"),
    Polytree(weights="information"),
    Polytree(folds=2),
    Arborescence(folds=2),
    Arborescence(folds=0.4),
]


def problem(seed, *, q=5, n=60, d=3, missing=0.0, constant=None, base=None, **more):
    """Labels that depend on x and on one another."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X[:, [0]] + rng.normal(size=(n, q)) > 0).astype(np.int8)
    for l in range(1, q):
        follows = rng.random(n) < 0.6
        Y[follows, l] = Y[follows, rng.integers(0, l)]
    if constant is not None:
        Y[:, constant] = seed % 2
    Y[rng.random(Y.shape) < missing] = -1
    names = tuple(f"label {l}" for l in range(q))
    return Problem(
        X, Y, names, base_estimator=LOGISTIC if base is None else base, seed=seed, **more
    )


def labels_of(one):
    return columns(np.where(one.Y < 0, np.nan, one.Y.astype(float)), None)


# What holds for all -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_every_structure_is_tried(name):
    kind = OURS[name]
    assert kind in {type(learner) for learner in LEARNERS}, "add it to LEARNERS"


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("missing", [0, 0.2])
def test_a_learner_gives_a_structure_of_the_labels(learner, missing):
    one = problem(1, missing=missing, constant=2)
    found = clone(learner).learn(one)
    assert isinstance(found, Structure)
    assert found.names == one.names
    assert Structure.from_dict(found.to_dict()) == found
    assert found == clone(learner).learn(one)


FORESTS = [learner for learner in LEARNERS if not isinstance(learner, (Chain, KParents))]


@pytest.mark.parametrize("learner", FORESTS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_trees_are_trees_and_leave_constant_labels_alone(learner, seed):
    found = learner.learn(problem(seed, constant=3, missing=0.1 * (seed % 2)))
    assert found.is_polytree, "a structure that is no tree is to be left out of FORESTS"
    assert len(found.edges) <= 4
    assert found.is_forest or isinstance(learner, Polytree)
    assert found.parents[3] == ()
    assert found.children[3] == ()
    assert found.weights.get((3, 3), 0.0) == 0.0
    assert set(found.edges) <= set(found.weights)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_names_change_nothing_but_names(learner):
    one = problem(2)
    other = replace(one, names=tuple("vwxyz"), feature_names=("c", "b", "a"), shared=[])
    found, again = learner.learn(one), learner.learn(other)
    assert again.names == tuple("vwxyz")
    assert replace(again, names=found.names) == found


@pytest.mark.parametrize(
    "learner",
    [Chain("cheap"), KParents(2), Polytree(folds=2), Arborescence(folds=2)],
    ids=str,
)
def test_as_many_workers_as_you_like(learner):
    one = problem(3, missing=0.1)
    assert learner.learn(one) == learner.learn(replace(one, n_jobs=2, shared=[]))


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("q", [1, 2])
def test_few_labels(learner, q):
    assert learner.learn(problem(1, q=q)).q == q


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("fill", [0, 1, -1])
def test_labels_that_tell_nothing(learner, fill):
    one = problem(1)
    one = replace(one, Y=np.full_like(one.Y, fill), shared=[])
    found = learner.learn(one)
    assert sorted(found.order) == list(range(5))
    if learner in FORESTS:
        assert found.edges == ()


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_sparse_rows_are_the_same_rows(learner):
    one = problem(4, base=LogisticRegression(tol=1e-10, max_iter=1000))
    found = learner.learn(one)
    other = learner.learn(replace(one, X=sp.csr_array(one.X), shared=[]))
    assert other.parents == found.parents
    assert other.order == found.order
    for edge, weight in found.weights.items():
        assert other.weights[edge] == pytest.approx(weight, abs=1e-5)


@pytest.mark.parametrize(
    "learner", [KParents(2), OneParent("strongest"), Polytree("information")], ids=str
)
def test_weights_are_repetition_where_labels_are_counted(learner):
    one = problem(5)
    times = np.random.default_rng(0).integers(0, 3, one.n_rows)
    rows = np.repeat(np.arange(one.n_rows), times)
    kept = np.flatnonzero(times)
    weighted = one.rows(kept, times[kept].astype(float))
    repeated = one.rows(rows)
    if isinstance(learner, KParents):
        learner = KParents(2, order="given")
    assert learner.learn(weighted) == learner.learn(repeated)


# Orders -----------------------------------------------------------------------------------------


def test_orders():
    one = problem(6)
    assert Chain("given").learn(one).order == (0, 1, 2, 3, 4)
    drawn = {Chain().learn(replace(one, seed=seed)).order for seed in range(20)}
    assert len(drawn) > 10
    assert Chain(["label 4", 0, 2, np.int64(1), "label 3"]).learn(one).order == (4, 0, 2, 1, 3)
    found = Chain(np.array([4, 3, 2, 1, 0])).learn(one)
    assert found.order == (4, 3, 2, 1, 0)
    assert found.parents == ((1, 2, 3, 4), (2, 3, 4), (3, 4), (4,), ())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("missing", [0, 0.15])
@pytest.mark.parametrize("kind", ["cheap", "full"])
def test_algorithm_2_picks_what_the_oracle_would(seed, missing, kind):
    one = problem(seed, missing=missing, q=4)
    labels = labels_of(one)
    X = one.X
    if kind == "cheap":
        centred = X - X.mean(axis=0)
        loadings = np.linalg.svd(centred)[2][0]
        loadings *= np.sign(loadings[np.abs(loadings).argmax()])
        X = (centred @ loadings)[:, None]
    coded = [
        tuple(int(v) for v in (x > x.mean() + x.std()).astype(int) - (x < x.mean() - x.std()))
        for x in X.T
    ]
    order = Chain(kind).learn(one).order
    for k, label in enumerate(order):
        gains = {
            a: naive.order_gain(a, order[:k], coded, labels, second=kind == "full")
            for a in order[k:]
        }
        assert gains[label] >= max(gains.values()) - NEAR


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [0, 1, 2, None])
def test_parents_by_eq_33(seed, k):
    one = problem(seed, missing=0.1)
    labels = labels_of(one)
    found = KParents(k, order="given").learn(one)
    for label, parents in enumerate(found.parents):
        left, picked = set(parents), []
        assert len(left) == min(label, 4 if k is None else k)
        while left:
            gains = {
                p: naive.parent_gain(p, label, picked, labels)
                for p in range(label)
                if p not in picked
            }
            best = max(left, key=gains.get)
            assert gains[best] >= max(gains.values()) - NEAR
            picked.append(best)
            left.remove(best)


@pytest.mark.parametrize(
    ("learner", "error", "sentence"),
    [
        (Chain("chep"), UnknownName, "did you mean 'cheap'"),
        (Chain(3), UsageError, "order is one of given, random, cheap, full, or the labels"),
        (Chain([0, 1, 2, 3]), UsageError, "'label 4' is not in it"),
        (Chain([0, 1, 2, 3, 4, 4]), UsageError, "one stands there twice"),
        (Chain([0, 1, 2, 3, "label 9"]), UnknownName, "unknown label in the order 'label 9'"),
        (Chain([0, 1, 2, 3, -1]), UnknownName, "unknown label in the order '-1'"),
        (KParents(-1), UsageError, "k is the greatest number of parents"),
        (KParents(True), UsageError, "k is the greatest number of parents"),
        (OneParent("best"), UnknownName, "unknown root of the tree 'best'"),
        (OneParent(["best"]), UnknownName, "unknown root of the tree"),
        (Polytree(["marginal"]), UnknownName, "unknown weights of the tree"),
        (Polytree("marginal"), UnknownName, "unknown weights of the tree 'marginal'"),
        (Polytree(alpha=0), UsageError, "alpha is the level of a test"),
        (Polytree(alpha="x"), UsageError, "alpha is the level of a test"),
        (Polytree(max_parents=0), UsageError, "max_parents is a whole number from 1 on"),
        (Polytree(folds=1), UsageError, "folds is a number of folds from 2 on"),
        (Arborescence(folds=1.5), UsageError, "folds is a number of folds from 2 on"),
        (Arborescence(folds=True), UsageError, "folds is a number of folds from 2 on"),
        (Arborescence(folds="x"), UsageError, "folds is a number of folds from 2 on, .*'x'"),
        (Given(3), UsageError, "a given structure is a Structure, or a mapping"),
        (Given({"label 9": []}), UnknownName, "unknown label in the network"),
        (Given({"label 1": [1]}), UsageError, "circle"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(learner, error, sentence):
    with pytest.raises(error, match=sentence):
        learner.learn(problem(0))


def test_given_structures():
    one = problem(0, q=3)
    wanted = ((), (0,), (0, 1))
    assert Given({"label 1": [0], "label 2": ["label 0", 1]}).learn(one).parents == wanted
    turned = Structure("x", ("label 2", "label 0", "label 1"), (1, 2, 0), ((1, 2), (), (1,)))
    assert Given(turned).learn(one).parents == wanted
    with pytest.raises(UsageError, match="the label 'z' is not in the data"):
        Given(Structure("x", ("z", "label 0", "label 1"), (0, 1, 2), ((),) * 3)).learn(one)


def test_what_a_user_may_mean_by_a_structure():
    tree = OneParent()
    assert isinstance(learner_for(None), Independent)
    assert learner_for(tree) is tree
    assert isinstance(learner_for("polytree"), Polytree)
    assert isinstance(learner_for(Structure("given", ("a",), (0,), ((),))), Given)
    assert isinstance(learner_for({"a": ["b"]}), Given)

    class Mine:
        def learn(self, problem):
            return Independent().learn(problem)

    assert isinstance(learner_for(Mine()), Mine)
    with pytest.raises(UnknownName, match="did you mean 'polytree'"):
        learner_for("polytre")
    for nonsense in (3, Polytree, ["a"]):
        with pytest.raises(UsageError, match="structure is a learner"):
            learner_for(nonsense)


# One parent -------------------------------------------------------------------------------------


def normalised(a, b):
    a, b = naive.whole(a, b)
    return naive.ratio(naive.I(a, b), min(naive.H(a), naive.H(b)))


def skeletons(q):
    pairs = list(itertools.combinations(range(q), 2))
    for tree in itertools.combinations(pairs, q - 1):
        group = list(range(q))
        for a, b in tree:
            group = [group[b] if g == group[a] else g for g in group]
        if len(set(group)) == 1:
            yield tree


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("missing", [0, 0.2])
@pytest.mark.parametrize("root", ["random", "strongest"])
def test_one_parent_is_a_maximum_spanning_tree(seed, missing, root):
    one = problem(seed, missing=missing)
    labels = labels_of(one)
    found = OneParent(root).learn(one)
    best = max(sum(normalised(labels[a], labels[b]) for a, b in tree) for tree in skeletons(5))
    assert len(found.edges) == 4
    assert sum(found.weights.values()) == pytest.approx(best, abs=NEAR)
    for (a, b), weight in found.weights.items():
        assert weight == pytest.approx(normalised(labels[a], labels[b]), abs=NEAR)
    if root == "strongest":
        total = [
            sum(normalised(labels[a], labels[b]) for b in range(5) if a != b) for a in range(5)
        ]
        assert total[found.roots[0]] == pytest.approx(max(total), abs=NEAR)
        network = information_tree(labels_alone(one))
        assert found.parents == network.parents


def test_any_label_may_be_the_drawn_root():
    one = problem(0)
    roots = {OneParent().learn(replace(one, seed=seed)).roots for seed in range(40)}
    assert roots == {(label,) for label in range(5)}


def test_equal_weights_span_the_lowest_edges():
    assert spanning_forest(np.ones((4, 4))) == [(0, 1), (0, 2), (0, 3)]
    wobbly = np.ones((4, 4)) + 1e-15 * np.arange(16).reshape(4, 4)
    assert spanning_forest(wobbly) == [(0, 1), (0, 2), (0, 3)]
    assert spanning_forest(np.zeros((3, 3))) == []
    assert spanning_forest(np.zeros((0, 0))) == []


# The polytree -----------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 30), min_size=4, max_size=4), st.sampled_from([0.01, 0.05, 0.3]))
def test_the_test_of_independence_is_the_g_test(counts, alpha):
    a = np.repeat([0, 0, 1, 1], counts)
    b = np.repeat([0, 1, 0, 1], counts)
    if a.size == 0:
        return
    Y = np.stack([a, b], axis=1).astype(np.int8)
    pairs = LabelInformation.of(Problem(np.zeros((a.size, 1)), Y, ("a", "b")))
    table = np.array(counts).reshape(2, 2)
    if (table.sum(axis=0) == 0).any() or (table.sum(axis=1) == 0).any():
        assert pairs.g[0, 1] == pytest.approx(0, abs=1e-9)
        return
    known = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert pairs.g[0, 1] == pytest.approx(known.statistic, abs=1e-7)
    assert independent_by_g(pairs.g, alpha)[0, 1] == (known.pvalue >= alpha)


@st.composite
def polytrees(draw):
    """The parents of the labels of a random polytree, and its skeleton."""
    q = draw(st.integers(2, 9))
    parents = [set() for _ in range(q)]
    edges = []
    for label in range(1, q):
        other = draw(st.integers(0, label - 1))
        edges.append((other, label))
        child, parent = (label, other) if draw(st.booleans()) else (other, label)
        parents[child].add(parent)
    return parents, edges


def independent_in(parents, edges):
    """Two labels of a polytree are independent if a collider stands between them."""
    q = len(parents)
    beside = [{b for e in edges for b in e if label in e} - {label} for label in range(q)]
    out = np.zeros((q, q), bool)

    def walk(start, path):
        here = path[-1]
        colliders = [
            b for a, b, c in zip(path, path[1:], path[2:], strict=False) if {a, c} <= parents[b]
        ]
        out[start, here] = bool(colliders)
        for other in beside[here] - set(path):
            walk(start, [*path, other])

    for label in range(q):
        walk(label, [label])
    return out


def colliders(parents):
    return {
        (label, pair)
        for label, pa in enumerate(parents)
        for pair in itertools.combinations(sorted(pa), 2)
    }


@settings(deadline=None, max_examples=30)
@given(polytrees(), st.integers(0, 99))
def test_with_true_tests_every_collider_is_found_and_no_other_made(tree, seed):
    parents, edges = tree
    q = len(parents)
    weights = np.random.default_rng(seed).random((q, q))
    weights += weights.T
    independent = independent_in(parents, edges)
    statistic = np.where(independent, weights, weights + 9)
    directed = directed_by_tests(edges, weights, independent, statistic)
    assert {frozenset(e) for e in directed} == {frozenset(e) for e in edges}
    found = [{p for p, c in directed if c == label} for label in range(q)]
    assert colliders(found) == colliders(parents)


@settings(deadline=None, max_examples=30)
@given(polytrees(), st.integers(0, 99), st.sampled_from([1, 2, 3, None]))
def test_whatever_the_tests_say_every_edge_gets_one_direction(tree, seed, most):
    _, edges = tree
    q = len(tree[0])
    rng = np.random.default_rng(seed)
    weights, statistic = rng.random((2, q, q))
    independent = rng.random((q, q)) < 0.5
    independent |= independent.T
    directed = directed_by_tests(edges, weights + weights.T, independent, statistic, most)
    assert sorted(tuple(sorted(e)) for e in directed) == sorted(edges)
    counts = [sum(c == label for _, c in directed) for label in range(q)]
    assert most is None or max(counts) <= max(most, 1)


def sampled(parents, n, seed):
    """Labels of a polytree: a root is a coin, a child is mostly its parents' majority."""
    rng = np.random.default_rng(seed)
    q = len(parents)
    Y = np.zeros((n, q), np.int8)
    done = []
    while len(done) < q:
        for label in range(q):
            if label not in done and set(parents[label]) <= set(done):
                pa = sorted(parents[label])
                coin = rng.random(n) < 0.5
                share = Y[:, pa].mean(axis=1) if pa else np.full(n, 0.5)
                Y[:, label] = np.where(share == 0.5, coin, share > 0.5)
                flipped = rng.random(n) < (0.08 if pa else 0.0)
                Y[flipped, label] ^= 1
                done.append(label)
    return Y


KNOWN = [
    ((), (), (0, 1), (2,), (3,)),
    ((), (0,), (1,), (2,)),
    ((2, 3), (0,), (), (), (0,)),
    ((), (), (0, 1), (), (2, 3), (4,)),
    ((), (0,), (0,), (1, 4), ()),
]


@pytest.mark.parametrize("parents", KNOWN, ids=str)
@pytest.mark.parametrize("weights", ["information", "conditional"])
def test_a_known_polytree_is_found_again(parents, weights):
    n = 3000
    Y = sampled(parents, n, 7)
    X = np.random.default_rng(1).normal(size=(n, 2))
    names = tuple(f"l{i}" for i in range(len(parents)))
    one = Problem(X, Y, names, base_estimator=LogisticRegression())
    found = Polytree(weights=weights, alpha=0.01).learn(one)
    assert {frozenset(e) for e in found.edges} == {
        frozenset((p, c)) for c, pa in enumerate(parents) for p in pa
    }
    assert colliders(found.parents) == colliders(parents)


def test_parents_are_bounded():
    Y = sampled(((), (), (), (), (), (0, 1, 2, 3, 4)), 3000, 1)
    one = Problem(np.zeros((3000, 1)), Y, tuple("abcdef"))
    assert Polytree("information", max_parents=None).learn(one).most_parents == 5
    found = Polytree("information", max_parents=2).learn(one)
    assert found.most_parents == 2
    best = sorted(range(5), key=lambda p: -LabelInformation.of(one).normalised[p, 5])[:2]
    assert set(found.parents[5]) == set(best)


def naive_normalised(a, b):
    """I(a;b) / min(H(a), H(b)), eq. (25), from counts."""
    n = len(a)
    h = [
        -sum(c / n * math.log(c / n) for c in Counter(values).values())
        for values in (a, b, list(zip(a, b, strict=True)))
    ]
    return (h[0] + h[1] - h[2]) / min(h[:2])


def test_earlier_labels_that_share_enough_become_parents():
    Y = sampled(KNOWN[3], 400, 5)
    one = Problem(np.zeros((400, 1)), Y, tuple("abcdef"))
    before = Polytree("information").learn(one)
    assert Polytree("information", earlier=1.0).learn(one).parents == before.parents
    found = Polytree("information", earlier=0.01).learn(one)
    assert found.order == before.order
    for place, label in enumerate(found.order):
        enough = {
            other
            for other in found.order[:place]
            if naive_normalised(Y[:, label].tolist(), Y[:, other].tolist()) > 0.01
        }
        assert set(found.parents[label]) == enough | set(before.parents[label])
    assert len(found.edges) > len(before.edges)
    with pytest.raises(UsageError, match="earlier is a number from 0 to 1"):
        Polytree("information", earlier=2).learn(one)


def naive_fit(one, rows, label, parents):
    """P(label = 1 | x, parents) as scikit-learn has it, or a share that is never 0 or 1."""
    rows = [r for r in rows if one.Y[r, label] >= 0 and all(one.Y[r, p] >= 0 for p in parents)]
    y = one.Y[rows, label]
    if len(set(y.tolist())) < 2:
        return lambda row, values: (sum(y) + 0.5) / (len(y) + 1)
    chosen = range(one.X.shape[1]) if one.features[label] is None else one.features[label]
    table = np.array([[*one.X[r, list(chosen)], *one.Y[r, list(parents)]] for r in rows])
    weights = None if one.weights is None else one.weights[rows]
    model = clone(one.base_estimator).fit(table, y, sample_weight=weights)

    told = {
        values: model.predict_proba(
            np.array([[*one.X[r, list(chosen)], *values] for r in range(one.n_rows)])
        )[:, 1]
        for values in ([(0,), (1,)] if parents else [()])
    }
    return lambda row, values: min(max(told[tuple(values)][row], 1e-12), 1 - 1e-12)


def weight_of(one, row):
    return 1.0 if one.weights is None else one.weights[row]


class Generic(LogisticRegression):
    """The same regression, but not known to be one: fitted pair by pair."""


EXACT = LogisticRegression(solver="newton-cholesky", tol=1e-10, max_iter=1000)
SETTINGS = [
    {},
    {"base": Generic(solver="newton-cholesky", tol=1e-10, max_iter=1000, C=3.0), "missing": 0.1},
    {"missing": 0.15},
    {"constant": 1, "base": GaussianNB()},
    {"weights": np.random.default_rng(0).uniform(0.5, 2, 40)},
    {"features": (np.array([0, 2]), None, np.array([1]))},
]


@pytest.mark.parametrize(
    "more", SETTINGS, ids=["plain", "pair by pair", "missing", "bayes", "weights", "features"]
)
@pytest.mark.parametrize("folds", [3, 0.3])
def test_conditional_information_is_eq_13(more, folds):
    one = problem(8, q=3, n=40, **({"base": EXACT} | more))
    sums = np.zeros((3, 3))
    sizes = np.zeros((3, 3))
    for learn, test in held_out(one, folds).splits:
        for j, k in itertools.permutations(range(3), 2):
            if len(set(one.Y[:, j].tolist())) < 2 or len(set(one.Y[:, k].tolist())) < 2:
                continue
            of_j, of_k = naive_fit(one, learn, j, ()), naive_fit(one, learn, k, ())
            of_jk = naive_fit(one, learn, j, (k,))
            for row in test.tolist():
                if one.Y[row, j] < 0 or one.Y[row, k] < 0:
                    continue
                expected = 0.0
                for yk in (0, 1):
                    p_k = of_k(row, ()) if yk else 1 - of_k(row, ())
                    for yj in (0, 1):
                        p_jk = of_jk(row, (yk,)) if yj else 1 - of_jk(row, (yk,))
                        p_j = of_j(row, ()) if yj else 1 - of_j(row, ())
                        expected += p_k * p_jk * math.log(p_jk / p_j)
                sums[k, j] += weight_of(one, row) * expected
                sizes[k, j] += weight_of(one, row)
    directed = np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0)
    found = conditional_information(one, folds)
    assert found == pytest.approx((directed + directed.T) / 2, abs=2e-6)
    assert (found >= -1e-15).all()


# The arborescence -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more", SETTINGS, ids=["plain", "pair by pair", "missing", "bayes", "weights", "features"]
)
@pytest.mark.parametrize("folds", [3, 0.3])
def test_the_arborescence_has_the_greatest_held_out_log_likelihood(more, folds):
    one = problem(9, q=3, n=40, **({"base": EXACT} | more))
    scores = np.full((3, 3), -np.inf)
    varies = [{0, 1} <= set(one.Y[:, l].tolist()) for l in range(3)]
    for p, l in itertools.product(range(3), repeat=2):
        if p == l or (varies[p] and varies[l]):
            scores[p, l] = 0.0
        if not varies[l] or not varies[p]:
            continue
        for learn, test in held_out(one, folds).splits:
            alone = naive_fit(one, learn, l, ())
            told = naive_fit(one, learn, l, (p,)) if p != l else alone
            for row in test.tolist():
                y, value = one.Y[row, l], one.Y[row, p]
                if y < 0:
                    continue
                p_one = alone(row, ()) if p == l or value < 0 else told(row, (value,))
                scores[p, l] += weight_of(one, row) * math.log(p_one if y else 1 - p_one)
    found = log_likelihoods(one, folds)
    assert found == pytest.approx(scores, abs=2e-5)
    structure = Arborescence(folds).learn(one)
    totals = []
    for tails in itertools.product(range(3), repeat=3):
        parents = [() if t == l else (t,) for l, t in enumerate(tails)]
        if acyclic(parents):
            totals.append(sum(scores[t, l] for l, t in enumerate(tails)))
    assert sum(structure.weights.values()) == pytest.approx(max(totals), abs=1e-4)


def acyclic(parents):
    for label in range(len(parents)):
        at, steps = label, 0
        while parents[at] and steps <= len(parents):
            at, steps = parents[at][0], steps + 1
        if steps > len(parents):
            return False
    return True


def test_labels_that_help_no_other_stand_alone():
    rng = np.random.default_rng(0)
    one = Problem(
        rng.normal(size=(300, 2)),
        rng.integers(0, 2, (300, 3)).astype(np.int8),
        tuple("abc"),
        base_estimator=LogisticRegression(),
    )
    found = Arborescence(folds=10).learn(one)
    assert sum(len(pa) == 0 for pa in found.parents) >= 2
    assert all((root, root) in found.weights for root in found.roots)


# Held-out classifiers ---------------------------------------------------------------------------


@pytest.mark.parametrize("folds", [2, 3, 7, 0.3])
def test_rows_are_held_out_of_what_is_learned(folds):
    held = held_out(problem(0), folds)
    every = np.arange(60)
    for learn, test in held.splits:
        assert sorted([*learn.tolist(), *test.tolist()]) == every.tolist()
    tested = np.concatenate([test for _, test in held.splits])
    assert len(set(tested.tolist())) == tested.size == (60 if folds >= 2 else 18)
    other = held_out(problem(1), folds)
    assert any((a[1] != b[1]).any() for a, b in zip(held.splits, other.splits, strict=True))


@pytest.mark.parametrize(
    "base", [RandomForestClassifier(5, random_state=0), KNeighborsClassifier(3)], ids=str
)
def test_any_probabilistic_learner_will_do_and_gives_one_answer(base):
    one = problem(3, q=3, base=base)
    for learner in (Polytree(folds=2), Arborescence(folds=2)):
        assert learner.learn(one) == learner.learn(one)


@pytest.mark.parametrize("learner", [Polytree(), Arborescence()], ids=str)
def test_a_learner_without_what_is_needed_is_named(learner):
    with pytest.raises(UsageError, match="LinearSVC has no predict_proba: use LogisticRegression"):
        learner.learn(problem(0, base=LinearSVC()))
    with pytest.raises(UsageError, match="KNeighborsClassifier takes no sample_weight"):
        learner.learn(problem(0, base=KNeighborsClassifier(), weights=np.ones(60)))
    with pytest.raises(DataError, match="needs rows to hold out, and there is only 1"):
        learner.learn(problem(0, n=1))


@pytest.mark.parametrize("learner", [Polytree(folds=2), Arborescence(folds=2)], ids=str)
def test_labels_without_columns_of_their_own(learner):
    none = np.array([], int)
    found = learner.learn(problem(1, q=3, features=(none, None, none)))
    assert found.is_polytree


def test_features_of_a_label_are_all_that_its_classifiers_see():
    one = problem(2, q=3)
    columns_ = (np.array([0]), np.array([1]), np.array([0, 1]))
    noisy = one.X.copy()
    noisy[:, 2] = 1e6
    few = one.on(columns_)
    other = replace(few, X=noisy, shared=[])
    assert Arborescence().learn(few) == Arborescence().learn(other)
    assert Polytree().learn(few) == Polytree().learn(other)


# Regressions side by side -----------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize("c", [0.1, 20.0])
def test_regressions_side_by_side_are_scikit_learn_s(intercept, form, scale, c):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(90, 5)) * [1, scale, 1, 1, 0] + [0, 0, 3, 0, 0]
    y = (x[:, 0] + rng.normal(size=90) > 0).astype(float)
    others = rng.integers(0, 2, (90, 4)).astype(float)
    others[:, 1] = y  # tells all
    others[:, 2] = 0  # tells nothing
    shares = rng.uniform(0.5, 2, (90, 1)) * (rng.random((90, 4)) < 0.9)
    found = fit_each(with_last(form(x), intercept), y, c, shares, others, np.zeros(6))
    for k in range(4):
        known = LogisticRegression(
            C=c, fit_intercept=intercept, solver="newton-cholesky", tol=1e-12, max_iter=1000
        ).fit(np.c_[x, others[:, k]], y, sample_weight=shares[:, k])
        theirs = known.decision_function(np.c_[x, others[:, k]])
        ours = with_last(x, intercept) @ found.of_x[:, k] + others[:, k] * found.of_other[k]
        assert ours == pytest.approx(theirs, abs=2e-5)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize("sizes", [(10, 110, 60, 30), (50,), (8,)], ids=str)
def test_regressions_on_parts_of_the_rows_are_scikit_learn_s(intercept, form, scale, sizes):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(120, 24)) * np.r_[scale, np.ones(22), 0]  # 8 and 10 rows: few
    y = (x[:, 1] + rng.normal(size=120) > 0).astype(float)
    shares = np.zeros((120, len(sizes)))
    for k, size in enumerate(sizes):
        half = [rng.permutation(np.flatnonzero(y == value))[: size // 2] for value in (0, 1)]
        rows = np.concatenate(half)
        shares[rows, k] = rng.uniform(0.5, 2, rows.size)
    found = fit_each(with_last(form(x), intercept), y, 2.0, shares, None, np.zeros(25))
    for k in range(len(sizes)):
        rows = shares[:, k] > 0
        known = LogisticRegression(
            C=2.0, fit_intercept=intercept, solver="newton-cholesky", tol=1e-12, max_iter=1000
        ).fit(x[rows], y[rows], sample_weight=shares[rows, k])
        ours = with_last(x, intercept) @ found.of_x[:, k]
        assert ours == pytest.approx(known.decision_function(x), rel=1e-4, abs=1e-3)


@pytest.mark.parametrize(
    ("estimator", "width", "can"),
    [
        (LogisticRegression(C=3, tol=1, max_iter=7), 10, True),
        (LogisticRegression(fit_intercept=False, solver="sag"), 10, True),
        (LogisticRegression(), 10_000, False),
        (LogisticRegression(C=np.inf), 10, False),
        (LogisticRegression(solver="liblinear"), 10, False),
        (LogisticRegression(class_weight="balanced"), 10, False),
        (Generic(), 10, False),
        (GaussianNB(), 10, False),
    ],
    ids=str,
)
def test_only_plain_regressions_are_solved_by_ours(estimator, width, can):
    assert solvable(estimator, width) == can


def test_wide_rows_of_zeros_are_the_same_rows():
    rng = np.random.default_rng(2)
    one = problem(2, q=3)
    wide = np.hstack([one.X, (rng.random((60, 600)) < 0.02).astype(float)])
    found = log_likelihoods(replace(one, X=wide, feature_names=(), shared=[]), 2)
    base = Generic(max_iter=1000)
    same = replace(one, X=wide, feature_names=(), base_estimator=base, shared=[])
    assert found == pytest.approx(log_likelihoods(same, 2), abs=1e-6)


@pytest.mark.parametrize("learner", [Polytree(folds=2), Arborescence(folds=2)], ids=str)
def test_what_is_not_finite_is_refused_by_the_learner(learner):
    one = problem(2, q=3)
    one.X[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        learner.learn(one)


def test_a_problem_that_has_counted_goes_to_workers():
    one = problem(1)
    KParents().learn(one)
    assert one.shared
    sent = pickle.loads(pickle.dumps(one))
    assert not sent.shared
    assert KParents().learn(sent) == KParents().learn(one)
