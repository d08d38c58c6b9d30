"""Monte Carlo classifier chains: the search for an order and the best of the samples."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from mlfs.errors import UsageError
from mlfs.models.chain import MonteCarloChain, StructuredClassifier
from mlfs.models.inference import BestFirst, BestSample, Greedy, joint_log_proba
from mlfs.models.problem import Problem
from mlfs.models.structures import Chain, SwappedOrder, chains

NAMES = ("a", "b", "c", "d")
SLOW = settings(max_examples=8)


def data(seed, n=60, q=4):
    """The last label is the parity of the others, so the order matters."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, 3))
    Y = (X @ draw.normal(size=(3, q)) + draw.logistic(size=(n, q)) > 0).astype(np.int8)
    Y[:, -1] = np.where(draw.random(n) < 0.9, Y[:, 0] & Y[:, 1], Y[:, -1])
    return X, Y


def problem_of(X, Y, **more):
    return Problem(X, Y, NAMES[: Y.shape[1]], base_estimator=LogisticRegression(), **more)


def chain_of(order, X, Y, weights=None):
    model = StructuredClassifier(Chain(list(order)), base_estimator=LogisticRegression())
    return model.fit(X, Y, sample_weight=weights)


def payoff(order, X, Y, on=None, weights=None):
    """The mean log-likelihood of rows under a chain that is trained in that order."""
    A, B = (X, Y) if on is None else on
    return chain_of(order, X, Y, weights).joint_log_proba(A, B).mean()


def swapped(order):
    for a, b in itertools.combinations(range(len(order)), 2):
        other = list(order)
        other[a], other[b] = other[b], other[a]
        yield tuple(other)


# ---- The order


@SLOW
@given(seed=st.integers(0, 2**16))
def test_no_swap_of_the_order_found_by_many_is_better(seed):
    X, Y = data(seed, q=3)
    found = SwappedOrder(n_swaps=60).learn(problem_of(X, Y, seed=seed)).order
    best = payoff(found, X, Y)
    assert all(payoff(other, X, Y) <= best + 1e-6 for other in swapped(found))


def test_more_swaps_are_never_worse_on_the_training_rows():
    X, Y = data(1)
    worth = []
    for n_swaps in (0, 1, 3, 10, 40):
        order = SwappedOrder(n_swaps).learn(problem_of(X, Y, seed=3)).order
        worth.append(payoff(order, X, Y))
    assert all(b >= a - 1e-9 for a, b in itertools.pairwise(worth))
    assert worth[-1] > worth[0]


def test_the_note_tells_the_payoff_before_and_after():
    X, Y = data(1)
    problem = problem_of(X, Y, seed=3)
    first = SwappedOrder(0).learn(problem)
    found = SwappedOrder(40).learn(problem)
    assert found.kind == "chain"
    before, after = (f"{payoff(one.order, X, Y):.4g}" for one in (first, found))
    assert f"mean log-likelihood {before} before and {after} after" in found.note
    assert "after 40 swaps" in found.note


def test_no_label_is_fitted_twice_on_the_same_predecessors(monkeypatch):
    asked = []

    def counted(problem, label, parents, weights):
        asked.append((label, parents))
        return real(problem, label, parents, weights)

    real = chains.fit_learner
    monkeypatch.setattr(chains, "fit_learner", counted)
    X, Y = data(2)
    SwappedOrder(40).learn(problem_of(X, Y))
    assert len(asked) == len(set(asked)) <= 4 * 2**3


def test_orders_can_be_compared_on_rows_kept_aside():
    X, Y = data(3, n=200)
    inside = SwappedOrder(15).learn(problem_of(X, Y))
    aside = SwappedOrder(15, validation=0.5).learn(problem_of(X, Y))
    assert inside.note != aside.note
    with pytest.raises(UsageError, match="validation is a share of the rows"):
        SwappedOrder(validation=1.5).learn(problem_of(X, Y))
    with pytest.raises(UsageError, match="n_swaps is a whole number from 0 on"):
        SwappedOrder(n_swaps=-1).learn(problem_of(X, Y))


def test_weights_and_missing_labels_are_heeded():
    X, Y = data(4)
    twice = np.concatenate([X, X[:20]]), np.concatenate([Y, Y[:20]])
    weights = np.where(np.arange(60) < 20, 2.0, 1.0)
    weighted = SwappedOrder(10).learn(problem_of(X, Y, weights=weights))
    assert weighted.order == SwappedOrder(10).learn(problem_of(*twice)).order
    Y[::5, 0] = -1
    Y[:, 2] = -1
    assert sorted(SwappedOrder(5).learn(problem_of(X, Y)).order) == [0, 1, 2, 3]


def test_the_number_of_jobs_changes_nothing():
    X, Y = data(5)
    one, two = (SwappedOrder(6).learn(problem_of(X, Y, n_jobs=n)) for n in (1, 2))
    assert one == two


def test_one_label_has_one_order():
    X, Y = data(6)
    assert SwappedOrder().learn(problem_of(X, Y[:, :1])).order == (0,)


# ---- The answer


@SLOW
@given(seed=st.integers(0, 2**16), n_samples=st.sampled_from([1, 5, 30]))
def test_the_best_sample_is_never_less_probable_than_the_greedy_answer(seed, n_samples):
    X, Y = data(seed)
    held = chain_of(range(4), X, Y).conditionals(X)
    found = joint_log_proba(held, BestSample(n_samples, seed).predict(held))
    greedy = joint_log_proba(held, Greedy().predict(held))
    best = joint_log_proba(held, BestFirst().predict(held))
    assert (greedy - 1e-9 <= found).all()
    assert (found <= best + 1e-9).all()


def test_many_samples_find_the_mode():
    X, Y = data(7)
    held = chain_of(range(4), X, Y).conditionals(X)
    assert (BestSample(2000).predict(held) == BestFirst().predict(held)).all()


def test_a_row_is_answered_whatever_the_other_rows_are():
    X, Y = data(8)
    chain = chain_of(range(4), X, Y)
    whole = BestSample(3, 1).predict(chain.conditionals(X))
    assert (BestSample(3, 1).predict(chain.conditionals(X[5:8])) == whole[5:8]).all()


def test_best_sample_needs_probabilities_and_samples():
    X, Y = data(9)
    model = StructuredClassifier(Chain(), base_estimator=LinearSVC(), inference=BestSample())
    with pytest.raises(UsageError, match="LinearSVC"):
        model.fit(X, Y)
    with pytest.raises(UsageError, match="n_samples is a whole number"):
        BestSample(0).predict(chain_of(range(4), X, Y).conditionals(X))


# ---- The model


def test_the_model_is_a_chain_with_both():
    X, Y = data(10)
    model = MonteCarloChain(base_estimator=LogisticRegression(), n_swaps=10, random_state=4)
    model.fit(X, Y)
    parts = StructuredClassifier(
        SwappedOrder(10),
        base_estimator=LogisticRegression(),
        inference=BestSample(random_state=4),
        random_state=4,
    ).fit(X, Y)
    assert model.order_ == parts.order_
    assert (model.predict(X) == parts.predict(X)).all()
    assert (model.predict_proba(X) == parts.predict_proba(X)).all()
    assert model.joint_log_proba(X, Y) == pytest.approx(payoffs(model.order_, X, Y))


def payoffs(order, X, Y):
    return chain_of(order, X, Y).joint_log_proba(X, Y)


def test_same_seed_same_answer():
    X, Y = data(11)
    one, again, other = (
        MonteCarloChain(n_swaps=4, random_state=seed).fit(X, Y) for seed in (0, 0, 5)
    )
    assert one.order_ == again.order_
    assert (one.predict(X) == again.predict(X)).all()
    assert one.order_ != other.order_
    drawn = MonteCarloChain(n_swaps=2, random_state=np.random.RandomState(0)).fit(X, Y)
    assert (drawn.predict(X) == drawn.predict(X)).all()


def test_sparse_rows_are_the_same():
    X, Y = data(12)
    dense = MonteCarloChain(n_swaps=5).fit(X, Y)
    sparse = MonteCarloChain(n_swaps=5).fit(sp.csr_array(X), Y)
    assert dense.order_ == sparse.order_
    assert (dense.predict(X) == sparse.predict(sp.csr_array(X))).all()
