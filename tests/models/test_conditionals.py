"""Fitted base learners on rows: they predict what scikit-learn predicts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mlfs.errors import UsageError
from mlfs.models.conditionals import LEAST, FittedConditionals
from mlfs.models.inference.contract import configurations, table_of
from mlfs.models.problem import Problem
from mlfs.search.label_parents import Structure

PROBABILISTIC = [
    LogisticRegression(),
    LogisticRegression(solver="liblinear", C=0.5),
    SGDClassifier(loss="log_loss", random_state=0),
    SGDClassifier(loss="modified_huber", random_state=0),
    GaussianNB(),
    DecisionTreeClassifier(max_depth=3, random_state=0),
    make_pipeline(StandardScaler(), LogisticRegression()),
]
DECIDING = [LinearSVC(), RidgeClassifier(), Perceptron(), SVC()]
NAMES = ("a", "b", "c", "d")
PARENTS = ((), (0,), (0, 1), (0, 2))


def name(estimator) -> str:
    return type(estimator).__name__


def problem_of(seed: int = 0, n: int = 60, **options) -> Problem:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, 5))
    Y = (X[:, :4] + draw.normal(size=(n, 4)) > 0).astype(np.int8)
    Y[:, 2] |= Y[:, 0]
    options = {"base_estimator": LogisticRegression(), "seed": seed, **options}
    return Problem(X, Y, NAMES, **options)


def structure_of(parents=PARENTS) -> Structure:
    return Structure("given", NAMES, (0, 1, 2, 3), parents)


def by_hand(problem: Problem, label: int, columns=None, parents=PARENTS):
    """The classifier of one label, fitted as the definition says."""
    x = problem.X if columns is None else problem.X[:, columns]
    inputs = np.hstack([x, problem.Y[:, list(parents[label])]])
    return clone(problem.base_estimator).fit(inputs, problem.Y[:, label])


@pytest.mark.parametrize("estimator", PROBABILISTIC, ids=name)
def test_log_proba_is_that_of_the_base_learner(estimator) -> None:
    problem = problem_of(base_estimator=estimator)
    held = FittedConditionals.fit(problem, structure_of()).on(problem.X)
    rows = np.array([3, 3, 0, 59, 7])
    for label in range(4):
        parents = configurations(2)[[0, 1, 2, 3, 0], : len(PARENTS[label])]
        inputs = np.hstack([problem.X[rows], parents])
        wanted = by_hand(problem, label).predict_proba(inputs)
        found = held.log_proba(label, rows, parents)
        assert np.allclose(np.exp(found), wanted, atol=2e-12)
        assert np.allclose(np.exp(found).sum(axis=1), 1)
        assert (held.decide(label, rows, parents) == by_hand(problem, label).predict(inputs)).all()


@pytest.mark.parametrize("estimator", [*PROBABILISTIC, *DECIDING], ids=name)
def test_decisions_are_those_of_the_base_learner(estimator) -> None:
    problem = problem_of(1, base_estimator=estimator)
    held = FittedConditionals.fit(problem, structure_of()).on(problem.X)
    assert held.probabilistic == hasattr(estimator, "predict_proba")
    every = slice(None)
    for label in range(4):
        parents = problem.Y[:, list(PARENTS[label])]
        fitted = by_hand(problem, label)
        inputs = np.hstack([problem.X, parents])
        assert (held.decide(label, every, parents) == fitted.predict(inputs)).all()
        if hasattr(fitted, "decision_function"):
            wanted = fitted.decision_function(inputs)
            assert np.allclose(held.decision(label, every, parents), wanted)


def test_without_probabilities_they_are_refused() -> None:
    problem = problem_of(base_estimator=LinearSVC())
    held = FittedConditionals.fit(problem, structure_of()).on(problem.X)
    with pytest.raises(UsageError, match="LinearSVC gives no probabilities") as refused:
        held.log_proba(0, np.arange(2), np.zeros((2, 0), np.int8))
    assert "LogisticRegression" in str(refused.value)


@pytest.mark.parametrize("estimator", [LogisticRegression(), GaussianNB()], ids=name)
def test_a_table_has_what_log_proba_says(estimator) -> None:
    problem = problem_of(2, base_estimator=estimator)
    held = FittedConditionals.fit(problem, structure_of()).on(problem.X[:7])
    for label in range(4):
        values = configurations(len(PARENTS[label]))
        table = table_of(held, label, np.arange(7))
        assert table.shape == (7, len(values), 2)
        for number, value in enumerate(values):
            asked = np.tile(value, (7, 1))
            assert np.allclose(table[:, number], held.log_proba(label, np.arange(7), asked))


def test_the_bits_of_a_configuration_are_the_parents() -> None:
    assert configurations(3)[6].tolist() == [0, 1, 1]
    assert configurations(0).shape == (1, 0)


@pytest.mark.parametrize("estimator", [LogisticRegression(C=2), LinearSVC(dual=False)], ids=name)
def test_columns_of_each_label_are_honoured(estimator) -> None:
    columns = (np.array([1, 4]), None, np.array([0]), np.array([2, 3]))
    problem = problem_of(3, base_estimator=estimator, features=columns)
    held = FittedConditionals.fit(problem, structure_of()).on(problem.X)
    for label in range(4):
        fitted = by_hand(problem, label, columns[label])
        x = problem.X if columns[label] is None else problem.X[:, columns[label]]
        parents = problem.Y[:, list(PARENTS[label])]
        wanted = fitted.decision_function(np.hstack([x, parents]))
        assert np.allclose(held.decision(label, slice(None), parents), wanted)


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), SVC(), LinearSVC(dual=False)], ids=name
)
def test_sparse_rows_say_the_same(estimator, few: bool) -> None:
    columns = tuple(np.array([label]) for label in range(4)) if few else ()
    dense = problem_of(4, base_estimator=estimator, features=columns)
    sparse = problem_of(4, base_estimator=estimator, features=columns)
    object.__setattr__(sparse, "X", sp.csr_array(sparse.X))
    one = FittedConditionals.fit(dense, structure_of())
    two = FittedConditionals.fit(sparse, structure_of())
    for label in range(4):
        parents = dense.Y[:, list(PARENTS[label])]
        wanted = one.on(dense.X).decision(label, slice(None), parents)
        assert np.allclose(
            two.on(sparse.X).decision(label, slice(None), parents), wanted, atol=1e-3
        )
        assert np.allclose(one.on(sparse.X).decision(label, slice(None), parents), wanted)


def test_a_constant_label_is_certain() -> None:
    problem = problem_of()
    problem.Y[:, 1] = 1
    held = FittedConditionals.fit(problem, structure_of()).on(problem.X)
    rows = np.arange(3)
    logs = held.log_proba(1, rows, np.zeros((3, 1), np.int8))
    assert np.isfinite(logs).all()
    assert np.allclose(np.exp(logs), [LEAST, 1 - LEAST])
    assert held.decide(1, rows, np.zeros((3, 1), np.int8)).tolist() == [1, 1, 1]
    assert held.fitted.learners[1].estimator is None


def test_no_probability_is_zero() -> None:
    tree = DecisionTreeClassifier(random_state=0)
    problem = problem_of(base_estimator=tree)
    held = FittedConditionals.fit(problem, structure_of()).on(problem.X)
    logs = held.log_proba(0, np.arange(60), np.zeros((60, 0), np.int8))
    assert np.isfinite(logs).all()
    assert logs.min() >= np.log(LEAST) - 1e-9
    linear = problem_of(base_estimator=LogisticRegression(C=1e6))
    held = FittedConditionals.fit(linear, structure_of()).on(linear.X * 1e6)
    logs = held.log_proba(2, np.arange(60), linear.Y[:, :2])
    assert np.log(LEAST) - 1e-9 <= logs.min() < -20
    assert (logs.max(axis=1) <= 0).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.05, 0.6))
def test_rows_with_missing_labels_are_left_out(seed: int, share: float) -> None:
    problem = problem_of(seed, base_estimator=GaussianNB())
    gone = np.random.default_rng(seed).random(problem.Y.shape) < share
    problem.Y[gone] = -1
    learners = FittedConditionals.fit(problem, structure_of()).learners
    for label, learner in enumerate(learners):
        kept = (problem.Y[:, [label, *PARENTS[label]]] >= 0).all(axis=1)
        y = problem.Y[kept, label]
        if len(set(y.tolist())) < 2:
            assert learner.estimator is None
            continue
        inputs = np.hstack([problem.X, problem.Y[:, list(PARENTS[label])]])[kept]
        assert np.allclose(learner.estimator.theta_, GaussianNB().fit(inputs, y).theta_)


def test_nothing_to_look_at_learns_how_frequent_a_label_is() -> None:
    nothing = np.zeros(0, dtype=np.intp)
    features = (nothing, None, None, None)
    problem = problem_of(base_estimator=LogisticRegression(), features=features)
    held = FittedConditionals.fit(problem, structure_of()).on(problem.X[:2])
    logs = held.log_proba(0, np.arange(2), np.zeros((2, 0), np.int8))
    assert np.allclose(np.exp(logs[:, 1]), problem.Y[:, 0].mean(), atol=1e-3)


SHUFFLING = LinearSVC(dual=True, random_state=0)


SEVERAL = LogisticRegressionCV(Cs=2, cv=2)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of LogisticRegressionCV, of its defaults
@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), SEVERAL, SHUFFLING, GaussianNB()], ids=name
)
def test_the_number_of_jobs_changes_nothing(estimator) -> None:
    one = FittedConditionals.fit(problem_of(base_estimator=estimator, n_jobs=1), structure_of())
    two = FittedConditionals.fit(problem_of(base_estimator=estimator, n_jobs=2), structure_of())
    for a, b in zip(one.learners, two.learners, strict=True):
        known = [key for key, value in vars(a.estimator).items() if isinstance(value, np.ndarray)]
        assert {"coef_", "theta_"} & set(known)
        for key in known:
            assert (getattr(a.estimator, key) == getattr(b.estimator, key)).all()


def test_a_base_learner_without_weights_is_reported() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    weights = np.arange(1.0, 61.0)
    problem = problem_of(base_estimator=KNeighborsClassifier(), weights=weights)
    with pytest.raises(UsageError, match="KNeighborsClassifier takes no sample_weight"):
        FittedConditionals.fit(problem, structure_of())
