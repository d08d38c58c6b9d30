"""Inference on fitted models: the same answers by every exact way, and few questions asked."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from mlfs.models.conditionals import FittedConditionals
from mlfs.models.inference import (
    BestFirst,
    Exhaustive,
    Greedy,
    MaxSum,
    joint_log_proba,
    marginals,
)
from mlfs.models.problem import Problem
from mlfs.search.label_parents import Structure
from tests.any_conditionals import Shape, Tabled, as_tuples, vectors

LEARNERS = [LogisticRegression(C=3.0), DecisionTreeClassifier(max_depth=3, random_state=0)]
PARENTS = {
    "chain": ((), (0,), (0, 1), (0, 1, 2), (0, 1, 2, 3)),
    "polytree": ((), (), (0, 1), (2,), (2,)),
}


def held(learner, parents):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    Y = (X @ rng.normal(size=(4, 5)) + rng.normal(size=(120, 5)) > 0).astype(np.int8)
    Y[:, 2] ^= Y[:, 0]
    Y[:, 4] = 1  # constant in training
    names = tuple("abcde")
    problem = Problem(
        X=X[:90], Y=Y[:90], names=names, feature_names=tuple("wxyz"), base_estimator=learner
    )
    structure = Structure("given", names, (0, 1, 2, 3, 4), parents)
    return FittedConditionals.fit(problem, structure).on(X[90:])


@pytest.mark.parametrize("learner", LEARNERS, ids=["logistic", "tree"])
@pytest.mark.parametrize("kind", PARENTS)
def test_all_exact_ways_agree_on_fitted_models(kind, learner) -> None:
    model = held(learner, PARENTS[kind])
    found = BestFirst().predict(model)
    scores = np.array(
        [joint_log_proba(model, np.tile(np.array(v, np.int8), (30, 1))) for v in vectors(5)]
    )
    assert np.exp(scores).sum(axis=0) == pytest.approx(np.ones(30))
    assert joint_log_proba(model, found) == pytest.approx(scores.max(axis=0))
    assert np.array_equal(found, Exhaustive().predict(model))
    if kind == "polytree":
        assert np.array_equal(found, MaxSum().predict(model))
    assert (found[:, 4] == 1).all()
    shares = np.einsum("vr,vl->rl", np.exp(scores), np.array(vectors(5)))
    assert marginals(model) == pytest.approx(shares, abs=1e-9)


def test_what_is_estimated_for_a_row_does_not_depend_on_the_others_to_the_last_bit() -> None:
    for parents in PARENTS.values():
        rng = np.random.default_rng(1)
        ones = [rng.uniform(0.1, 0.9, (50, 2 ** len(p))) for p in parents]
        one = Tabled(Shape(tuple("abcde"), (0, 1, 2, 3, 4), parents), ones)
        for method in ("exact", "sample"):
            whole = marginals(one, method=method)
            for rows in ([3], [49, 7, 8], list(range(10, 40))):
                assert np.array_equal(marginals(one.only(rows), method=method), whole[rows])


def test_the_search_asks_little_and_for_all_rows_at_once() -> None:
    q, n = 12, 300
    rng = np.random.default_rng(5)
    parents = tuple(tuple(range(i)) for i in range(q))
    ones = [1 / (1 + np.exp(-rng.normal(-1, 2, (n, 2**i)))) for i in range(q)]
    one = Tabled(Shape(tuple(map(str, range(q))), tuple(range(q)), parents), ones)
    found = BestFirst().predict(one)
    assert one.calls <= 3 * q + 2
    best = np.exp(joint_log_proba(one, found))
    one.nodes = 0
    BestFirst().predict(one)
    beam = 1 + 2 + 4 * (q - 2)
    assert one.nodes <= n * (q + beam) + (q / best).sum()
    for epsilon in (0.5, 0.25, 0.05):
        one.calls = one.nodes = 0
        BestFirst(epsilon).predict(one)
        assert one.nodes <= n * q * (2 + 2 / epsilon)
        assert one.calls <= q * (q + 4)
    one.calls = 0
    Greedy().predict(one)
    assert one.calls == 0
    assert as_tuples(found)
