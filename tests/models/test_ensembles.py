"""Ensembles: shares of rows and columns, votes, and what repetition of rows means."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.svm import LinearSVC

from mlfs import FeatureSelector, UnknownName, UsageError
from mlfs.models import StructuredClassifier, StructuredEnsemble, make


def songs(seed: int = 0, n: int = 80, d: int = 8, q: int = 3):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d)).round(3)
    return X, (X[:, :q] + 0.7 * draw.normal(size=(n, q)) > 0).astype(int)


def test_each_member_has_its_share_of_rows_and_columns() -> None:
    X, Y = songs()
    ensemble = make("ecc", n_estimators=5).fit(X, Y)
    assert [len(rows) for rows in ensemble.estimators_samples_] == [60] * 5
    assert [len(columns) for columns in ensemble.estimators_features_] == [4] * 5
    assert len({tuple(rows) for rows in ensemble.estimators_samples_}) == 5
    assert len({tuple(columns) for columns in ensemble.estimators_features_}) > 1
    for member, rows, columns in zip(
        ensemble.estimators_,
        ensemble.estimators_samples_,
        ensemble.estimators_features_,
        strict=True,
    ):
        again = clone(member).fit(X[rows][:, columns], Y[rows])
        assert (again.predict(X[:, columns]) == member.predict(X[:, columns])).all()
    assert len({member.order_ for member in ensemble.estimators_}) > 1


def votes(ensemble, X) -> np.ndarray:
    members = zip(ensemble.estimators_, ensemble.estimators_features_, strict=True)
    return np.sum([member.predict(X[:, columns]) for member, columns in members], axis=0)


@pytest.mark.parametrize("name", ["ecc", "ebcc", "eocc", "epcc"])
def test_the_majority_decides_and_of_equal_votes_the_mean_score(name: str) -> None:
    X, Y = songs(1)
    ensemble = make(name, n_estimators=4).fit(X, Y)
    count = votes(ensemble, X)
    if hasattr(ensemble, "predict_proba"):
        likely = ensemble.predict_proba(X) > 0.5
    else:
        likely = ensemble.decision_function(X) > 0
    assert (ensemble.predict(X) == np.where(count == 2, likely, count > 2)).all()
    assert (count == 2).any()


@pytest.mark.parametrize(
    ("name", "way"),
    [("ecc", "predict_proba"), ("epcc", "predict_proba"), ("eocc", "decision_function")],
)
def test_scores_are_the_mean_of_those_of_the_members(name: str, way: str) -> None:
    X, Y = songs(2)
    ensemble = make(name, n_estimators=3).fit(X, Y)
    members = zip(ensemble.estimators_, ensemble.estimators_features_, strict=True)
    mean = np.mean([getattr(member, way)(X[:, columns]) for member, columns in members], axis=0)
    assert np.allclose(getattr(ensemble, way)(X), mean)
    assert hasattr(ensemble, "predict_proba") == (way == "predict_proba")
    if way == "predict_proba":
        assert (ensemble.set_params(vote="mean").predict(X) == (mean > 0.5)).all()
        assert np.allclose(ensemble.predict_proba(X), mean)


def test_an_ensemble_ranks_labels_without_ties() -> None:
    X, Y = songs(8)
    for name in ("ecc", "eocc"):
        ensemble = make(name, n_estimators=3).fit(X, Y)
        scores = getattr(ensemble, "predict_proba" if name == "ecc" else "decision_function")(X)
        assert np.unique(scores).size > 0.9 * scores.size


def test_one_member_with_everything_is_that_member() -> None:
    X, Y = songs(3)
    ensemble = StructuredEnsemble(StructuredClassifier(), n_estimators=1, rows=1.0, features=1.0)
    alone = StructuredClassifier().fit(X, Y)
    assert (ensemble.fit(X, Y).predict(X) == alone.predict(X)).all()


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_weights_are_repetition_and_rows_have_no_order(seed: int) -> None:
    draw = np.random.default_rng(seed)
    X, Y = songs(seed, n=30)
    weights = draw.integers(0, 4, 30)
    model = make("ebcc", n_estimators=3, base_estimator=LogisticRegression(tol=1e-9))
    weighted = clone(model).fit(X, Y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0))
    order = draw.permutation(30)
    shuffled = clone(model).fit(X[order], Y[order], sample_weight=weights[order])
    one, two, three = (
        [estimator for member in fitted.estimators_ for estimator in member.estimators_]
        for fitted in (weighted, repeated, shuffled)
    )
    for a, b, c in zip(one, two, three, strict=True):
        assert (a is None) == (b is None) == (c is None)
        if a is not None:
            assert np.allclose(a.coef_, b.coef_, atol=1e-5)
            assert np.allclose(a.coef_, c.coef_, atol=1e-5)


def test_sparse_rows_are_drawn_like_dense_ones() -> None:
    X, Y = songs(4)
    X = np.where(np.abs(X) < 0.5, 0, X)
    dense, sparse = make("ecc").fit(X, Y), make("ecc").fit(sp.csr_array(X), sp.csr_array(Y))
    for one, two in zip(dense.estimators_samples_, sparse.estimators_samples_, strict=True):
        assert one.tolist() == two.tolist()
    assert (dense.predict(X) == sparse.predict(sp.csr_array(X))).mean() > 0.99


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_any_classifier_for_indicator_matrices_may_be_a_member() -> None:
    X, Y = songs(5)
    ensemble = StructuredEnsemble(MultiOutputClassifier(LogisticRegression()), n_estimators=3)
    names = ["a", "b", "c"]
    fitted = ensemble.fit(pd.DataFrame(X), pd.DataFrame(Y, columns=names))
    assert fitted.label_names_ == ("a", "b", "c")
    assert set(np.unique(fitted.predict(X))) == {0, 1}
    assert fitted.score(X, Y) > 0.3
    assert fitted.predict_proba(X).shape == Y.shape
    for q in (1, 3):
        forest = StructuredEnsemble(RandomForestClassifier(3, random_state=0), n_estimators=2)
        assert forest.fit(X, Y[:, :q]).predict_proba(X).shape == (len(X), q)


def test_missing_and_constant_labels_reach_the_members() -> None:
    X, Y = songs(6)
    hidden = np.where(np.random.default_rng(0).random(Y.shape) < 0.3, np.nan, Y)
    hidden[:, 1] = 1
    predicted = make("ecc").fit(X, hidden).predict(X)
    assert (predicted[:, 1] == 1).all()
    assert set(np.unique(predicted)) <= {0, 1}


def test_the_seed_decides_and_pickles_keep() -> None:
    X, Y = songs(7)
    one = make("eocc", random_state=3).fit(X, Y)
    two = make("eocc", random_state=3).fit(X, Y)
    assert (one.decision_function(X) == two.decision_function(X)).all()
    assert (pickle.loads(pickle.dumps(one)).predict(X) == one.predict(X)).all()
    jobs = make("eocc", random_state=3, n_jobs=2).fit(X, Y)
    assert (one.decision_function(X) == jobs.decision_function(X)).all()


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"rows": 0}, UsageError, r"rows is the share .* not 0"),
        ({"features": 1.5}, UsageError, "features is the share"),
        ({"n_estimators": 0}, UsageError, "n_estimators"),
        ({"n_estimators": None}, UsageError, "n_estimators"),
        ({"vote": "mode"}, UnknownName, "unknown vote 'mode'"),
        ({"model": 3}, UsageError, "model is a classifier"),
        (
            {"model": StructuredClassifier(base_estimator=LinearSVC()), "vote": "mean"},
            UsageError,
            "no probabilities",
        ),
    ],
)
def test_options_that_make_no_sense_are_refused(options, error, said: str) -> None:
    X, Y = songs()
    with pytest.raises(error, match=said):
        StructuredEnsemble(**options).fit(X, Y)


def test_members_know_the_names_of_labels_and_columns() -> None:
    X, Y = songs(8)
    rows, labels = pd.DataFrame(X, columns=list("abcdefgh")), pd.DataFrame(Y, columns=list("uvw"))
    ensemble = StructuredEnsemble(StructuredClassifier({"v": ["u"]}), n_estimators=2)
    members = ensemble.fit(rows, labels).estimators_
    assert [member.label_names_ for member in members] == [("u", "v", "w")] * 2
    assert [member.structure_.parents for member in members] == [((), (0,), ())] * 2
    forced = StructuredClassifier(features=FeatureSelector("mim", 1, include=["c"]))
    whole = StructuredEnsemble(forced, n_estimators=2, features=1.0).fit(rows, labels)
    assert [m.features_["u"].tolist() for m in whole.estimators_] == [[2], [2]]
    own = StructuredClassifier(features={"u": ["c"]})
    with pytest.raises(UsageError, match=r"use features=1\.0"):
        StructuredEnsemble(own, n_estimators=2).fit(rows, labels)
    assert StructuredEnsemble(own, n_estimators=2, features=1.0).fit(rows, labels)


def test_no_seed_is_another_one_each_time() -> None:
    X, Y = songs(9)
    np.random.seed(1)  # as in scikit-learn, None asks numpy's own state
    one, two = (make("ecc", n_estimators=2, random_state=None).fit(X, Y) for _ in range(2))
    assert any(
        (a != b).any()
        for a, b in zip(one.estimators_samples_, two.estimators_samples_, strict=True)
    )
    np.random.seed(1)
    again = make("ecc", n_estimators=2, random_state=None).fit(X, Y)
    assert (again.predict_proba(X) == one.predict_proba(X)).all()
