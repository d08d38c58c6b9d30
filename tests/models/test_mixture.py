"""Mixtures of trees: against the formulas with plain loops, brute force, and the laws of EM."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from mlfs.errors import UsageError
from mlfs.models.chain import StructuredClassifier
from mlfs.models.conditionals import FittedConditionals
from mlfs.models.features import LDF
from mlfs.models.inference import MaxSum
from mlfs.models.mixture import Mixture, MixtureOfTrees, em, em_step, responsibilities
from mlfs.models.problem import Problem, split_aside
from mlfs.models.structures import Arborescence
from mlfs.models.switching import Switching
from mlfs.models.tuned import PENALTIES, TunedLogistic
from mlfs.search.label_parents import Structure

TREES = [((), (0,), (0,), (1,)), ((3,), (0,), (3,), ()), ((), (), (1,), (2,))]
ORDERS = [(0, 1, 2, 3), (3, 0, 2, 1), (0, 1, 2, 3)]
NAMES = ("a", "b", "c", "d")
SLOW = settings(max_examples=6)


def data(seed, n=60, d=3, q=4):
    """Labels that depend on X and on each other, in two groups of rows of different kind."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d))
    group = draw.random(n) < 0.5
    Y = np.zeros((n, q), dtype=np.int8)
    for label in range(q):
        before = Y[:, label - 1] if label else np.zeros(n)
        drive = X[:, label % d] + np.where(group, 2, -2) * (before - 0.5)
        Y[:, label] = drive + draw.logistic(size=n) * 0.7 > 0
    return X, Y


def exact(C=1.0):
    return LogisticRegression(C=C, tol=1e-10, max_iter=2000)


def problem_of(X, Y, base=None, weights=None):
    return Problem(X, Y.astype(np.int8), NAMES, weights=weights, base_estimator=base or exact())


def mixture_of(problem, seed=0, trees=3):
    """Trees of different structure, each fitted on rows that count at random."""
    draw = np.random.default_rng(seed)
    fitted = tuple(
        FittedConditionals.fit(
            problem,
            Structure("tree", NAMES, ORDERS[k], TREES[k]),
            draw.random(problem.n_rows) + 0.1,
        )
        for k in range(trees)
    )
    shares = draw.random(trees) + 0.2
    return Mixture(fitted, shares / shares.sum())


# ---- The formulas with plain loops, from the estimators alone


def p_one(learner, x, parents):
    if learner.estimator is None:
        return min(max(float(learner.constant), 1e-12), 1 - 1e-12)
    return float(learner.estimator.predict_proba([[*x, *parents]])[0, 1])


def p_tree(tree, x, y):
    total = 1.0
    for label, learner in enumerate(tree.learners):
        one = p_one(learner, x, [y[p] for p in tree.structure.parents[label]])
        total *= one if y[label] else 1 - one
    return total


def p_mixture(mixture, x, y):
    pairs = zip(mixture.shares, mixture.trees, strict=True)
    return sum(share * p_tree(tree, x, y) for share, tree in pairs)


def vectors(q):
    return list(itertools.product((0, 1), repeat=q))


@SLOW
@given(seed=st.integers(0, 2**32 - 1))
def test_the_joint_is_formula_5_and_the_responsibilities_are_formula_8(seed):
    X, Y = data(seed, n=12)
    problem = problem_of(X, Y)
    mixture = mixture_of(problem, seed)
    held = mixture.on(X)
    gammas = responsibilities(held.parts(problem.Y))
    for n, (x, y) in enumerate(zip(X, Y, strict=True)):
        whole = p_mixture(mixture, x, y)
        assert math.exp(held.log_proba(problem.Y)[n]) == pytest.approx(whole, rel=1e-9)
        assert math.exp(held.joint()(problem.Y)[n]) == pytest.approx(whole, rel=1e-9)
        for k, tree in enumerate(mixture.trees):
            expected = mixture.shares[k] * p_tree(tree, x, y) / whole
            assert gammas[n, k] == pytest.approx(expected, rel=1e-9)


def test_the_joint_sums_to_one():
    X, Y = data(1, n=5)
    held = mixture_of(problem_of(X, Y)).on(X)
    every = [np.tile(np.array(y, np.int8), (5, 1)) for y in vectors(4)]
    assert sum(np.exp(held.log_proba(y)) for y in every) == pytest.approx(np.ones(5))


@SLOW
@given(seed=st.integers(0, 2**32 - 1))
def test_missing_labels_are_summed_out(seed):
    X, Y = data(seed, n=10)
    draw = np.random.default_rng(seed)
    mixture = mixture_of(problem_of(X, Y), seed)
    gaps = np.where(draw.random(Y.shape) < 0.4, -1, Y).astype(np.int8)
    found = mixture.on(X).log_proba(gaps)
    for x, y, log in zip(X, gaps, found, strict=True):
        fits = [v for v in vectors(4) if all(a in {-1, b} for a, b in zip(y, v, strict=True))]
        expected = sum(p_mixture(mixture, x, v) for v in fits)
        assert math.exp(log) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_m_step_weighs_by_the_responsibilities_scaled_to_all_rows(weighted):
    X, Y = data(3)
    own = np.random.default_rng(0).random(60) + 0.5 if weighted else np.ones(60)
    problem = problem_of(X, Y, weights=own if weighted else None)
    mixture = mixture_of(problem)
    gammas = responsibilities(mixture.on(X).parts(problem.Y))
    step = em_step(problem, mixture, gammas)
    for k, tree in enumerate(step.trees):
        total = sum(float(own[n] * gammas[n, k]) for n in range(60))
        assert step.shares[k] == pytest.approx(total / own.sum())
        weights = [own.sum() * own[n] * gammas[n, k] / total for n in range(60)]
        for label, learner in enumerate(tree.learners):
            parents = list(TREES[k][label])
            direct = exact().fit(
                np.column_stack([X, Y[:, parents]]), Y[:, label], sample_weight=weights
            )
            assert learner.estimator.coef_ == pytest.approx(direct.coef_, abs=1e-6)


# ---- The laws of EM


BASES = {
    "additive": lambda: exact(1e7),
    "switching": lambda: Switching(exact(1e7)),
    "tuned": lambda: Switching(TunedLogistic(C=1e7)),
}


@pytest.mark.parametrize("base", BASES.values(), ids=BASES.keys())
@SLOW
@given(seed=st.integers(0, 2**32 - 1))
def test_no_step_of_em_lowers_the_likelihood_of_the_training_rows(base, seed):
    X, Y = data(seed, n=100, d=2)
    problem = problem_of(X, Y, base())
    mixture = mixture_of(problem, seed, trees=2)
    before = -math.inf
    for _ in range(5):
        held = mixture.on(X)
        now = held.log_proba(problem.Y).sum()
        assert now >= before - 1e-2  # a penalty that is nearly none, and the solver's tolerance
        before = now
        mixture = em_step(problem, mixture, responsibilities(held.parts(problem.Y)))


def test_em_ends_when_it_has_converged_and_returns_the_best():
    X, Y = data(5, n=120)
    problem = problem_of(X, Y, exact(1e4))
    start = mixture_of(problem)
    best, trace = em(problem, start, tol=0.01, max_iter=30)
    assert len(trace) < 31
    assert np.diff(trace)[:-1].min() > 0.01 >= np.diff(trace)[-1]
    assert best.on(X).log_proba(problem.Y).mean() == pytest.approx(max(trace[1:]))
    _, short = em(problem, start, tol=0.0, max_iter=1)
    assert len(short) == 2


def test_weights_of_rows_are_repetitions():
    X, Y = data(6, n=50)
    times = np.random.default_rng(0).integers(1, 4, 50)
    options = {"structure": {1: [0], 2: [1]}, "base_estimator": exact(), "n_trees": 2, "tol": 0}
    weighted = MixtureOfTrees(**options, max_iter=4).fit(X, Y, sample_weight=times)
    repeated = MixtureOfTrees(**options, max_iter=4)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0))
    assert weighted.weights_ == pytest.approx(repeated.weights_, abs=1e-6)
    first, second = (model.joint_log_proba(X, Y) for model in (weighted, repeated))
    assert first == pytest.approx(second, abs=1e-4)


# ---- The model


def fitted(seed=0, **options):
    X, Y = data(seed, n=120)
    options = {"base_estimator": LogisticRegression(), "n_trees": 3, "max_iter": 5} | options
    return MixtureOfTrees(**options).fit(X, Y), X, Y


@pytest.mark.parametrize("base", [exact, lambda: Switching(TunedLogistic())], ids=["own", "ours"])
def test_one_tree_is_the_conditional_tree_structured_network(base):
    X, Y = data(7, n=100)
    one = MixtureOfTrees(base_estimator=base(), n_trees=1).fit(X, Y)
    chain = StructuredClassifier(Arborescence(), base_estimator=base(), inference=MaxSum())
    chain.fit(X, Y)
    assert one.structures_ == [chain.structure_]
    assert one.weights_.tolist() == [1.0]
    assert (one.predict(X) == chain.predict(X)).all()
    assert one.joint_log_proba(X, Y) == pytest.approx(chain.joint_log_proba(X, Y))
    assert one.predict_proba(X) == pytest.approx(chain.predict_proba(X))


@settings(max_examples=3)
@given(seed=st.integers(0, 2**16))
def test_annealing_finds_the_mode_of_brute_force(seed):
    model, X, _ = fitted(seed, structure="one_parent")
    rows = X[:15]
    joint = np.array([model.joint_log_proba(rows, [y] * len(rows)) for y in vectors(4)])
    assert model.joint_log_proba(rows, model.predict(rows)) == pytest.approx(joint.max(axis=0))


def test_annealing_is_never_worse_than_the_trees_modes():
    model, X, _ = fitted(3, n_steps=0)
    found = model.joint_log_proba(X, model.predict(X))
    for tree in model._mixture.trees:
        assert (found >= model.joint_log_proba(X, MaxSum().predict(tree.on(X))) - 1e-9).all()
    more = model.set_params(n_steps=150)
    assert (more.joint_log_proba(X, more.predict(X)) >= found - 1e-12).all()


def test_marginals_are_those_of_the_joint():
    model, X, _ = fitted(4)
    chances = {y: np.exp(model.joint_log_proba(X, [y] * len(X))) for y in vectors(4)}
    for label in range(4):
        expected = sum(p for y, p in chances.items() if y[label])
        assert model.predict_proba(X)[:, label] == pytest.approx(expected)


def test_samples_follow_the_joint():
    model, X, _ = fitted(5)
    drawn = model.sample(X[:3], n=4000, seed=1)
    assert drawn.shape == (4000, 3, 4)
    for y in vectors(4):
        share = (drawn == y).all(axis=2).mean(axis=0)
        expected = np.exp(model.joint_log_proba(X[:3], [y] * 3))
        assert share == pytest.approx(expected, abs=0.04)
    assert (model.sample(X, seed=2) == model.sample(X, seed=2)).all()
    assert (model.sample(X, seed=2) != model.sample(X, seed=3)).any()


def copies_or_noise(seed, n=400):
    """Some rows have all labels alike, the others labels that know nothing of each other."""
    draw = np.random.default_rng(seed)
    alike = np.repeat(draw.integers(0, 2, (n, 1)), 4, axis=1)
    Y = np.where(draw.random((n, 1)) < 0.6, alike, draw.integers(0, 2, (n, 4)))
    return draw.normal(size=(n, 2)), Y


def test_a_mixture_explains_what_one_tree_cannot():
    X, Y = copies_or_noise(8)
    one, more = (
        MixtureOfTrees(base_estimator=LogisticRegression(), n_trees=n).fit(X, Y) for n in (1, 2)
    )
    X, Y = copies_or_noise(9)
    assert more.joint_log_proba(X, Y).mean() > one.joint_log_proba(X, Y).mean() + 0.05


def test_growing_stops_when_rows_kept_aside_become_less_likely():
    X, Y = data(10, n=150)
    base = LogisticRegression(C=100)
    model = MixtureOfTrees(base_estimator=base, structure="one_parent").fit(X, Y)
    assert len(model.structures_) < 20
    assert len(model.held_out_) == len(model.structures_) + 1
    assert model.held_out_[-1] < model.held_out_[-2]
    assert (np.diff(model.held_out_)[:-1] >= 0).all()
    few = MixtureOfTrees(base_estimator=base, structure="one_parent", max_trees=1).fit(X, Y)
    assert len(few.structures_) == len(few.held_out_) == 1


def test_same_seed_same_answer_whatever_the_number_of_jobs():
    X, Y = data(11)
    options = {"base_estimator": LogisticRegression(), "max_trees": 3, "max_iter": 3}
    one, again, two, other = (
        MixtureOfTrees(**options, random_state=seed, n_jobs=n_jobs).fit(X, Y)
        for seed, n_jobs in ((0, 1), (0, 1), (0, 2), (1, 1))
    )
    for same in (again, two):
        assert same.structures_ == one.structures_
        assert (same.predict_proba(X) == one.predict_proba(X)).all()
        assert (same.predict(X) == one.predict(X)).all()
    assert other.held_out_ != one.held_out_


def test_what_is_predicted_for_a_row_does_not_depend_on_the_others(monkeypatch):
    model, X, _ = fitted(12)
    whole = model.predict(X)
    assert (model.predict(X[7:9]) == whole[7:9]).all()
    monkeypatch.setattr("mlfs.models.mixture.CELLS", 200)
    assert (model.predict(X) == whole).all()


def test_neither_the_order_nor_the_repetition_of_rows_moves_one_to_the_other_side():
    X, Y = data(18)
    draw = np.random.default_rng(0)
    order = draw.permutation(np.repeat(np.arange(60), draw.integers(1, 4, 60)))
    once, more = (problem_of(A, B) for A, B in ((X, Y), (X[order], Y[order])))
    sparse = replace(once, X=sp.csr_array(X))
    for left, right in zip(split_aside(once, 0.3, 1), split_aside(more, 0.3, 1), strict=True):
        assert {row.tobytes() for row in left.X} == {row.tobytes() for row in right.X}
    train, aside = split_aside(once, 0.3, 1)
    assert (train.n_rows, aside.n_rows) == (42, 18)
    assert (split_aside(sparse, 0.3, 1)[1].X.toarray() == aside.X).all()
    assert split_aside(problem_of(X[:1], Y[:1]), 0.3, 1)[0].n_rows == 1


def test_without_a_base_learner_each_value_of_the_parent_has_its_regression():
    X, Y = data(13, n=150)
    model = MixtureOfTrees(n_trees=2).fit(X, Y)
    for structure, learners in zip(model.structures_, model.estimators_, strict=True):
        for own, learner in zip(structure.parents, learners, strict=True):
            assert isinstance(learner, Switching)
            assert [one.C_ in PENALTIES for one in learner.estimators_] == [True] * 2 ** len(own)


def test_em_keeps_what_the_base_learners_chose():
    X, Y = data(14, n=150)
    problem = problem_of(X, Y, Switching(TunedLogistic()))
    start = mixture_of(problem)
    best, _ = em(problem, start, tol=0.0, max_iter=3)
    for before, after in zip(start.trees, best.trees, strict=True):
        for old, new in zip(before.learners, after.learners, strict=True):
            assert new.estimator is not old.estimator
            for one, other in zip(
                old.estimator.estimators_, new.estimator.estimators_, strict=True
            ):
                assert one.C_ == other.C_
    assert (
        len(
            {
                one.C_
                for tree in best.trees
                for l in tree.learners
                for one in l.estimator.estimators_
            }
        )
        > 1
    )


def test_sparse_rows_frames_and_constant_and_missing_labels():
    X, Y = data(14)
    base = LogisticRegression()
    options = {"base_estimator": base, "n_trees": 2, "max_iter": 3}
    dense = MixtureOfTrees(**options).fit(X, Y)
    sparse = MixtureOfTrees(**options).fit(sp.csr_array(X), sp.csr_array(Y))
    assert sparse.predict_proba(sp.csr_array(X)) == pytest.approx(dense.predict_proba(X), abs=1e-3)
    frame = pd.DataFrame(Y, columns=list(NAMES))
    named = MixtureOfTrees(**options).fit(pd.DataFrame(X).add_prefix("x"), frame)
    assert named.label_names_ == NAMES
    gaps = Y.astype(float)
    gaps[::7, 1] = np.nan
    gaps[:, 3] = 1
    partly = MixtureOfTrees(**options).fit(X, gaps)
    assert partly.estimators_[0][3] is partly.estimators_[1][3] is None
    assert (partly.predict(X)[:, 3] == 1).all()
    assert np.isfinite(partly.joint_log_proba(X, gaps)).all()


def test_each_tree_has_its_own_features():
    X, Y = data(15, d=6)
    options = {"base_estimator": LogisticRegression(), "n_trees": 2, "max_iter": 2}
    named = MixtureOfTrees(features={"y1": [4, 0]}, **options).fit(X, Y)
    assert named.features_[1]["y1"].tolist() == [0, 4]
    assert named.features_[1]["y0"].tolist() == list(range(6))
    ldf = MixtureOfTrees(features=LDF(r=0.3), **options).fit(X, Y)
    assert all(len(columns) < 6 for own in ldf.features_ for columns in own.values())
    assert ldf.predict(X).shape == Y.shape


def test_any_classifier_with_probabilities_and_weights():
    X, Y = data(16)
    model = MixtureOfTrees(base_estimator=GaussianNB(), n_trees=2, max_iter=2).fit(X, Y)
    assert model.score(X, Y) > 0.2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"structure": {2: [0, 1]}}, "gives the label 'y2' more than one parent"),
        ({"structure": "one_parent", "base_estimator": LinearSVC()}, "LinearSVC gives no"),
        ({"n_trees": 0}, "n_trees is a whole number from 1 on"),
        ({"validation": 1.0}, "validation is a share of the rows"),
        ({"tol": -1}, "tol is a number from 0 on"),
        ({"n_steps": -1}, "n_steps is a whole number from 0 on"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(options, sentence):
    X, Y = data(17)
    with pytest.raises(UsageError, match=sentence):
        MixtureOfTrees(**options).fit(X, Y)
