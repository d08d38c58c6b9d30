"""A classifier for each value of the parents, and the penalty by cross-validation."""

from __future__ import annotations

import itertools
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlfs.errors import UsageError
from mlfs.models import StructuredClassifier, load, make, save
from mlfs.models.base_learners import _thread_safe
from mlfs.models.conditionals import FittedConditionals
from mlfs.models.logistic import MOST_COLUMNS, PENALTIES, TunedLogistic
from mlfs.models.problem import Problem, stratified_folds
from mlfs.models.structures.arborescence import log_likelihoods
from mlfs.models.structures.held_out import held_out
from mlfs.models.switching import Switching
from mlfs.search.label_parents import Structure

BASES = [
    LogisticRegression(),
    GaussianNB(),
    LinearSVC(dual=False),
    DecisionTreeClassifier(max_depth=2, random_state=0),
    TunedLogistic(),
]
EXACT = LogisticRegression(C=3.0, solver="newton-cholesky", tol=1e-10, max_iter=1000)
SLOW = settings(max_examples=8)


def data(seed, n=90, d=3, k=2):
    """Rows, parents of which one value is rare, and a label that depends on both."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    parents = (rng.random((n, k)) < rng.uniform(0.05, 0.6, k)).astype(float)
    drive = x[:, 0] * (1 - 2 * parents[:, 0]) if k else x[:, 0]
    y = (drive + rng.logistic(size=n) * 0.5 > 0).astype(int)
    y[:2] = 0, 1
    return x, parents, y


def naive(base, x, parents, y, least=4):
    """For each value of the parents what answers: a classifier, or a share."""
    everything = base(x, y)
    out = {}
    for values in itertools.product((0.0, 1.0), repeat=parents.shape[1]):
        rows = [n for n in range(len(y)) if tuple(parents[n]) == values]
        ones = sum(int(y[n]) for n in rows)
        if len(rows) < least:
            out[values] = everything
        elif ones in {0, len(rows)}:
            out[values] = (ones + 0.5) / (len(rows) + 1)
        else:
            out[values] = base(x[rows], y[rows])
    return out


@pytest.mark.parametrize("base", BASES, ids=lambda one: type(one).__name__)
@SLOW
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(0, 3))
def test_each_value_of_the_parents_has_its_classifier(base, seed, k):
    x, parents, y = data(seed, k=k)
    own = type(base)
    found = Switching(base).fit(np.hstack([x, parents]), y, n_parents=k)
    expected = naive(lambda x, y: own(**base.get_params()).fit(x, y), x, parents, y)
    for values, one in expected.items():
        rows = np.hstack([x, np.tile(values, (len(x), 1))])
        if isinstance(one, float):
            assert (found.predict(rows) == (one > 0.5)).all()
            if hasattr(base, "predict_proba"):
                assert found.predict_proba(rows)[:, 1] == pytest.approx(np.full(len(x), one))
            if hasattr(base, "decision_function"):
                log_odds = math.log(one / (1 - one))
                assert found.decision_function(rows) == pytest.approx(np.full(len(x), log_odds))
            continue
        assert (found.predict(rows) == one.predict(x)).all()
        if hasattr(base, "predict_proba"):
            assert found.predict_proba(rows) == pytest.approx(one.predict_proba(x))
        if hasattr(base, "decision_function"):
            assert found.decision_function(rows) == pytest.approx(one.decision_function(x))


def test_weights_reach_each_classifier():
    x, parents, y = data(1, n=200, k=1)
    weights = np.random.default_rng(0).uniform(0.1, 2, 200)
    X = np.hstack([x, parents])
    found = Switching(EXACT).fit(X, y, sample_weight=weights, n_parents=1)
    for value, one in zip((0, 1), found.estimators_, strict=True):
        rows = parents[:, 0] == value
        direct = LogisticRegression(**EXACT.get_params()).fit(x[rows], y[rows], weights[rows])
        assert one.coef_ == pytest.approx(direct.coef_)
    with pytest.raises(UsageError, match="KNeighborsClassifier takes no sample_weight"):
        Switching(KNeighborsClassifier()).fit(X, y, sample_weight=weights, n_parents=1)


def test_refitting_keeps_what_was_chosen():
    x, parents, y = data(3, n=200, k=1)
    X = np.hstack([x, parents])
    first = Switching().fit(X, y, n_parents=1)
    weights = np.random.default_rng(1).uniform(0, 2, 200)
    again = first.again(X, y, weights)
    assert again.n_parents_ == 1
    for old, new in zip(first.estimators_, again.estimators_, strict=True):
        assert new.C_ == old.C_
        assert not np.array_equal(new.coef_, old.coef_)


# ---- In the models


STRUCTURE = Structure("dag", ("a", "b", "c"), (0, 1, 2), ((), (0,), (0, 1)))


def problem_of(seed, base, n=120, **more):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    Y = np.zeros((n, 3), np.int8)
    for label in range(3):
        sign = 1 - 2 * Y[:, label - 1] if label else 1
        Y[:, label] = X[:, label] * sign + rng.logistic(size=n) * 0.5 > 0
    return Problem(X, Y, STRUCTURE.names, base_estimator=base, **more)


@pytest.mark.parametrize("base", BASES, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("columns", [(), (np.array([2, 0]), None, np.array([], int))])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_held_against_rows_it_says_what_the_estimator_says(base, columns, form):
    if form is not np.asarray and isinstance(base, GaussianNB):
        pytest.skip("it takes no sparse rows")
    if columns and isinstance(base, GaussianNB):
        columns = (*columns[:2], np.array([1]))  # it divides by the variance of no column
    problem = problem_of(0, Switching(base), features=columns)
    dense = problem.X
    problem = replace(problem, X=form(dense))
    fitted = FittedConditionals.fit(problem, STRUCTURE)
    held = fitted.on(form(dense))
    rows = np.array([3, 0, 3, 17, 40])
    for label, own in enumerate(STRUCTURE.parents):
        learner = fitted.learners[label]
        x = dense if learner.columns is None else dense[:, learner.columns]
        for values in itertools.product((0, 1), repeat=len(own)):
            parents = np.tile(np.array(values, np.int8), (len(rows), 1))
            stacked = np.hstack([x[rows], parents])
            if not stacked.shape[1]:
                stacked = np.zeros((len(rows), 1))
            assert learner.estimator.n_parents_ == len(own)
            given_ = form(stacked)
            assert (held.decide(label, rows, parents) == learner.estimator.predict(given_)).all()
            if held.probabilistic:
                expected = learner.estimator.predict_proba(given_)
                found = np.exp(held.log_proba(label, rows, parents))
                assert found == pytest.approx(np.clip(expected, 1e-12, 1), rel=1e-6, abs=1e-11)
        everywhere = np.zeros((120, len(own)), np.int8)
        assert held.decide(label, slice(None), everywhere).shape == (120,)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("rare", [False, True])
def test_regressions_solved_together_are_those_of_one_after_another(weighted, missing, rare):
    class Slow(LogisticRegression):
        """Not the plain class, so that each is fitted alone."""

    problem = problem_of(5, Switching(EXACT))
    rng = np.random.default_rng(2)
    Y = problem.Y.copy()
    if rare:
        Y[:, 2] = 0
        Y[[3, 50, 90, 110], 2] = 1
        Y[:, 1] = np.where(Y[:, 0] == 1, 1, Y[:, 1])
    Y[rng.random(Y.shape) < missing] = -1
    weights = rng.uniform(0.2, 2, 120) if weighted else None
    plain, slow = (
        Problem(problem.X, Y, problem.names, weights=weights, base_estimator=Switching(base))
        for base in (EXACT, Slow(**EXACT.get_params()))
    )
    assert held_out(plain, 3)._plain(0)
    assert not held_out(slow, 3)._plain(0)
    assert log_likelihoods(plain) == pytest.approx(log_likelihoods(slow), abs=2e-5)


def test_structures_are_learned_without_the_choice_of_the_penalty():
    one, other = (
        log_likelihoods(problem_of(6, base))
        for base in (Switching(TunedLogistic()), Switching(LogisticRegression(C=1.0)))
    )
    assert one == pytest.approx(other)
    assert TunedLogistic(C=3.0).untuned().C == 3.0


@pytest.mark.parametrize("name", ["ctbn", "mc"])
def test_the_models_of_trees_switch_and_can_be_kept(name, tmp_path):
    problem = problem_of(7, None)
    options = {"n_trees": 2} if name == "mc" else {}
    model = make(name, **options).fit(problem.X, problem.Y)
    learners = model.estimators_[0] if name == "mc" else model.estimators_
    assert all(isinstance(one, Switching) for one in learners)
    save(model, tmp_path / "model.mlfs")
    again = load(tmp_path / "model.mlfs")
    assert (again.predict(problem.X) == model.predict(problem.X)).all()
    first, second = (one.joint_log_proba(problem.X, problem.Y) for one in (model, again))
    assert (first == second).all()
    fixed = make(name, C=0.5, **options).fit(problem.X, problem.Y)
    learners = fixed.estimators_[0] if name == "mc" else fixed.estimators_
    fitted = [part for one in learners for part in one.estimators_ if part is not None]
    assert {part.C_ for part in fitted} == {0.5}


def test_neighbours_need_rows_enough_for_each_value_of_the_parents():
    x, parents, y = data(3, n=200)
    learner = Switching(KNeighborsClassifier(n_neighbors=60), min_rows=2)
    with pytest.raises(UsageError, match=r"60 neighbours, but one value of the parents .*min_rows"):
        learner.fit(np.hstack([x, parents]), y, n_parents=2)


def test_threads_fit_it_where_they_may_fit_its_base_learner():
    assert _thread_safe(Switching())
    assert _thread_safe(Switching(LogisticRegression(C=5.0, solver="liblinear")))
    assert not _thread_safe(Switching(LinearSVC()))  # shuffles with one state for all threads
    assert not _thread_safe(Switching(DecisionTreeClassifier()))
    for seed, wide in itertools.product(range(3), (False, True)):
        problem = problem_of(seed, Switching())
        if wide:  # of many columns liblinear takes care
            noise = np.random.default_rng(seed).normal(size=(120, MOST_COLUMNS))
            problem = replace(problem, X=np.hstack([problem.X, noise]))
        one, four = (
            FittedConditionals.fit(replace(problem, n_jobs=n_jobs), STRUCTURE) for n_jobs in (1, 4)
        )
        for left, right in zip(one.learners, four.learners, strict=True):
            assert pickle.dumps(left) == pickle.dumps(right)


def test_jobs_do_not_matter():
    problem = problem_of(8, None)
    one, two = (
        StructuredClassifier({1: [0], 2: [0, 1]}, base_estimator=Switching(), n_jobs=n_jobs)
        .fit(problem.X, problem.Y)
        .predict_proba(problem.X)
        for n_jobs in (1, 2)
    )
    assert (one == two).all()


# ---- The penalty


def naive_choice(X, y, weights, folds):
    losses = []
    for C in PENALTIES:
        loss = 0.0
        for fold in range(3):
            learn, test = folds != fold, folds == fold
            one = LogisticRegression(C=C, tol=1e-9, max_iter=5000, solver="newton-cholesky")
            one.fit(X[learn], y[learn], weights[learn])
            for x, label, weight in zip(X[test], y[test], weights[test], strict=True):
                decision = float(one.decision_function([x])[0])
                loss += weight * np.logaddexp(0, -decision if label else decision)
        losses.append(loss)
    return PENALTIES[losses.index(min(losses))]


@pytest.mark.parametrize(("seed", "n", "d"), [(0, 60, 4), (1, 60, 4), (2, 60, 4), (3, 180, 60)])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_penalty_is_that_of_the_least_log_loss(seed, n, d, weighted):
    x, _, y = data(seed, n=n, d=d)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    model = TunedLogistic().fit(x, y, weights if weighted else None)
    assert naive_choice(x, y, weights, stratified_folds(x, y, 3)) == model.C_
    direct = LogisticRegression(C=model.C_, tol=1e-10, solver="newton-cholesky")
    direct.fit(x, y, weights)
    assert model.coef_ == pytest.approx(direct.coef_, abs=1e-4)
    assert model.intercept_ == pytest.approx(direct.intercept_, abs=1e-4)


def test_sparse_rows_get_what_dense_ones_get():
    x, _, y = data(0, n=60, d=4)
    narrow, sparse = TunedLogistic().fit(x, y), TunedLogistic().fit(sp.csr_array(x), y)
    assert sparse.C_ == narrow.C_
    assert sparse.C_ in PENALTIES
    assert (sparse.predict_proba(x) == narrow.predict_proba(x)).all()


def test_wide_rows_are_left_to_liblinear():
    x, _, y = data(0, n=60, d=4)
    wide = np.hstack([x, np.zeros((60, 600))])
    dense, sparse = (TunedLogistic().fit(one, y) for one in (wide, sp.csr_array(wide)))
    assert sparse.C_ == dense.C_
    assert sparse.predict_proba(wide) == pytest.approx(dense.predict_proba(wide), abs=1e-3)
    assert dense.predict_proba(wide) == pytest.approx(
        TunedLogistic().fit(x, y).predict_proba(x), abs=0.15
    )


def test_folds_are_identified_by_content():
    x, _, y = data(2, n=40)
    folds = stratified_folds(x, y, 3)
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(40), 2))
    assert (stratified_folds(x[order], y[order], 3) == folds[order]).all()
    assert (stratified_folds(sp.csr_array(x), y, 3) == folds).all()
    for value in (0, 1):
        counts = np.bincount(folds[y == value], minlength=3)
        assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"C": 0}, "C is a positive number or None, not 0"),
        ({"C": True}, "C is a positive number or None, not True"),
        ({"grid": ()}, "grid is a list of positive numbers, not ()"),
        ({"grid": 1.0}, "grid is a list of positive numbers, not 1.0"),
        ({"grid": np.array(1.0)}, "grid is a list of positive numbers, not 1.0"),
        ({"grid": (1.0, -1.0)}, "grid has positive numbers, not -1.0"),
        ({"grid": (True,)}, "grid has positive numbers, not True"),
        ({"folds": 1}, "folds is a whole number from 2 on"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(options, sentence):
    x, _, y = data(0)
    with pytest.raises(UsageError) as error:
        TunedLogistic(**options).fit(x, y)
    assert sentence in str(error.value)
    with pytest.raises(UsageError, match="X has 3 columns, fewer than the 4 parents"):
        Switching().fit(x, y, n_parents=4)


@parametrize_with_checks([Switching(), Switching(LinearSVC(dual=False)), TunedLogistic()])
def test_scikit_learn_takes_them_for_its_own(estimator, check):
    check(estimator)


def test_folds_with_few_and_with_enough_rows_may_mix():
    draw = np.random.default_rng(0)
    for _ in range(30):  # 24 columns: up to 12 rows are few, and folds have 12 to 14
        X = draw.normal(size=(18, 24))[np.r_[:18, 0]]  # a row that is there twice is in one fold
        model = TunedLogistic().fit(X, np.arange(19) % 18 % 2 == 0)
        assert model.C_ in model.grid
