"""Rows that arrive in parts: models whose base learners have `partial_fit`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.utils.estimator_checks import check_estimators_partial_fit_n_features

from mlfs.errors import DataError, UsageError
from mlfs.models import StructuredClassifier, load, make, save

LEARNERS = [SGDClassifier(loss="log_loss", random_state=0), BernoulliNB(), GaussianNB()]


def table() -> tuple[Any, Any]:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(90, 5))
    Y = (X[:, :3] + draw.normal(size=(90, 3)) > 0).astype(int)
    return X, Y


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("sparse", [False, True])
def test_parts_are_what_the_learner_makes_of_them(learner: Any, sparse: bool, tmp_path) -> None:
    X, Y = table()
    given = sp.csr_array(X) if sparse else X
    model = StructuredClassifier({2: [0, 1]}, base_estimator=learner)
    for part in (slice(0, 30), slice(30, 60), slice(60, 90)):
        model.partial_fit(given[part], Y[part])
    for label, parents in ((0, []), (2, [0, 1])):
        alone = type(learner)(**learner.get_params())
        wide = np.hstack([X, Y[:, parents]])
        if sparse and not isinstance(learner, GaussianNB):  # which takes dense rows only
            wide = sp.csr_array(wide)
        for part in (slice(0, 30), slice(30, 60), slice(60, 90)):
            alone.partial_fit(wide[part], Y[part, label], classes=[0, 1])
        own = model.estimators_[label].predict_proba(wide)
        np.testing.assert_allclose(own, alone.predict_proba(wide), atol=1e-9)
    save(model, str(tmp_path / "m.mlfs"))
    assert (load(str(tmp_path / "m.mlfs")).predict(given) == model.predict(given)).all()


def test_a_label_may_be_constant_or_missing_in_a_part() -> None:
    X, Y = table()
    Y = np.column_stack([Y, np.repeat([0, 1], 45), np.repeat([0, 1], 45)]).astype(float)
    Y[:45, 4] = np.nan
    model = make("br", base_estimator=SGDClassifier(loss="log_loss"))
    model.partial_fit(X[:45], Y[:45]).partial_fit(X[45:], Y[45:])
    assert model.predict(X).shape == (90, 5)
    assert model.estimators_[4] is not None
    refitted = model.fit(X, Y).predict(X)
    assert (
        refitted == make("br", base_estimator=SGDClassifier(loss="log_loss")).fit(X, Y).predict(X)
    ).all()


def test_features_and_structure_are_of_the_first_part() -> None:
    X, Y = table()
    model = make("kcc", features="mim", n=2, base_estimator=BernoulliNB())
    first = {k: v.tolist() for k, v in model.partial_fit(X[:40], Y[:40]).features_.items()}
    structure = model.structure_
    model.partial_fit(X[40:], Y[40:])
    assert {k: v.tolist() for k, v in model.features_.items()} == first
    assert model.structure_ == structure


def test_values_that_come_later_are_named_first() -> None:
    X, Y = table()
    words = np.array(["no", "yes"])[Y[:, :1]]
    rows = np.argsort(-Y[:, 0], kind="stable")  # yes comes first
    X, words = X[rows], words[rows]
    model = make("br", base_estimator=SGDClassifier())
    with pytest.raises(DataError, match="the label 'y0' has one value in the first part"):
        model.partial_fit(X[:20], words[:20])
    model.partial_fit(X[:20], words[:20], classes=[["no", "yes"]])
    model.partial_fit(X[20:], words[20:])
    assert set(model.predict(X).ravel()) == {"no", "yes"}
    with pytest.raises(DataError, match="holds maybe, which training did not have"):
        model.partial_fit(X[:2], np.array([["maybe"], ["no"]]))
    assert not hasattr(make("br"), "partial_fit")


COUNTING = {"base_estimator": BernoulliNB()}
GROWING = {
    "br": COUNTING,
    "cc": COUNTING,
    "mcc": COUNTING | {"n_swaps": 1, "n_samples": 5},
    "ecc": COUNTING | {"n_estimators": 2},
    "lp": COUNTING,
    "rakel": COUNTING | {"k": 2},
    "homer": COUNTING | {"k": 2},
    "chf": COUNTING,
    "clr": COUNTING,
    "brknn": {"k": 3},
    "br of a threshold": COUNTING | {"threshold": 0.3},
}
AS_FIT = {"ecc": {"rows": 1.0, "features": 1.0}}  # what makes parts the same as all rows at once
NOT_AS_FIT = ("mcc", "chf")  # the order is of the first part; the first layer learns meanwhile


def made(name: str, **more: Any) -> Any:
    return make(name.removesuffix(" of a threshold"), **GROWING[name] | more)


@pytest.mark.parametrize("name", [name for name in GROWING if name not in NOT_AS_FIT])
@pytest.mark.parametrize("sparse", [False, True])
def test_counts_of_parts_are_those_of_all_rows(name: str, sparse: bool) -> None:
    """Naive Bayes and neighbours make of parts what they make of all rows at once."""
    X, Y = table()
    given = [sp.csr_array(part) for part in (X, X[::-1])] if sparse else [X, X[::-1]]
    model = made(name, **AS_FIT.get(name, {}))
    for part in given:
        model.partial_fit(part, Y)
    every = sp.vstack(given).tocsr() if sparse else np.vstack(given)
    whole = made(name, **AS_FIT.get(name, {})).fit(every, np.vstack([Y, Y]))
    ask = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    np.testing.assert_allclose(getattr(model, ask)(X), getattr(whole, ask)(X), atol=1e-12)
    assert (model.predict(X) == whole.predict(X)).all()


@pytest.mark.parametrize("name", GROWING)
def test_a_stored_model_goes_on_as_it_would_have(name: str, tmp_path) -> None:
    X, Y = table()
    model = made(name).partial_fit(X[:40], Y[:40])
    save(model, str(tmp_path / "m.mlfs"))
    again = load(str(tmp_path / "m.mlfs"))
    weights = {} if name == "brknn" else {"sample_weight": np.arange(50) % 3}
    model.partial_fit(X[40:], Y[40:], **weights)
    again.partial_fit(X[40:], Y[40:], **weights)
    assert (model.predict(X) == again.predict(X)).all()
    check_estimators_partial_fit_n_features(type(model).__name__, made(name))


def alone_by_parts(X: Any, Y: Any, parts: list[Any], learner: Any) -> list[Any]:
    """A clone of a learner for each label, taught part by part."""
    found = [clone(learner) for _ in range(Y.shape[1])]
    for part in parts:
        for one, y in zip(found, Y[part].T, strict=True):
            one.partial_fit(X[part], y, classes=[0, 1])
    return found


def test_members_get_their_share_of_each_part() -> None:
    X, Y = table()
    learner = SGDClassifier(loss="log_loss", random_state=3)
    model = make("ecc", n_estimators=3, base_estimator=learner, structure=None)
    for start in (0, 30, 60):
        model.partial_fit(X[start : start + 30], Y[start : start + 30])
    total = 0.0
    for columns, rows in zip(model.estimators_features_, model.estimators_samples_, strict=True):
        parts = [rows[rows // 30 == part] for part in range(3)]
        assert [len(part) for part in parts] == [22, 22, 22]
        found = alone_by_parts(X[:, columns], Y, parts, learner)
        total = total + np.column_stack([one.predict_proba(X[:, columns])[:, 1] for one in found])
    np.testing.assert_allclose(model.predict_proba(X), total / 3, atol=1e-9)


def test_the_second_layer_sees_what_the_first_one_says_by_then() -> None:
    X, Y = table()
    learner = SGDClassifier(loss="log_loss", random_state=3)
    model = make("chf", base_estimator=learner)
    first, second = ([clone(learner) for _ in Y.T] for _ in range(2))
    for part in (slice(0, 50), slice(50, 90)):
        model.partial_fit(X[part], Y[part])
        for one, y in zip(first, Y[part].T, strict=True):
            one.partial_fit(X[part], y, classes=[0, 1])
        wide = np.hstack([X, np.column_stack([one.predict_proba(X)[:, 1] for one in first])])
        for one, y in zip(second, Y[part].T, strict=True):
            one.partial_fit(wide[part], y, classes=[0, 1])
    by_hand = np.column_stack([one.predict_proba(wide)[:, 1] for one in second])
    np.testing.assert_allclose(model.predict_proba(X), by_hand, atol=1e-9)


def test_what_a_later_part_brings_is_learned_from_then_on() -> None:
    X, Y = table()
    apart = Y[:, 0] != Y[:, 1]
    ranking = make("clr", **COUNTING).partial_fit(X[~apart], Y[~apart])
    sets = make("lp", **COUNTING).partial_fit(X[~apart], Y[~apart])
    assert [0, 1] not in ranking.pairs_.tolist()
    assert not (sets.sets_[:, 0] != sets.sets_[:, 1]).any()
    ranking.partial_fit(X[apart], Y[apart])
    assert ranking.pairs_.tolist() == [[0, 1], [0, 2], [1, 2]]
    pair = BernoulliNB().partial_fit(X[apart], Y[apart][:, 0], classes=[0, 1])
    own = ranking._fitted.learners[3].estimator
    np.testing.assert_array_equal(own.feature_count_, pair.feature_count_)
    sets.partial_fit(X[apart], Y[apart])
    assert len(sets.sets_) == len(np.unique(Y, axis=0)) == len(sets._sets.fitted.learners)
    new = sets.sets_.tolist().index([0, 1, 0])
    counts = sets._sets.fitted.learners[new].estimator.class_count_
    assert counts.tolist() == [
        apart.sum() - (Y == [0, 1, 0]).all(axis=1).sum(),
        (Y == [0, 1, 0]).all(axis=1).sum(),
    ]


def test_what_depends_on_all_rows_has_no_parts() -> None:
    without = [
        make("br", **COUNTING, threshold="scut"), make("lp", **COUNTING, p=1), make("mlknn"),
        make("chf", **COUNTING, folds=2), make("ecc"),
        make("mc", base_estimator=BernoulliNB()), make("llsf"), make("iblr", **COUNTING),
    ]  # fmt: skip
    assert not any(hasattr(one, "partial_fit") for one in without)
    with pytest.raises(UsageError, match="BRkNN takes no sample_weight"):
        make("brknn").partial_fit([[0.0], [1.0]], [[0], [1]], sample_weight=[1, 2])
    with pytest.raises(UsageError, match="classes has the two values of each label, and is not 3"):
        make("br", **COUNTING).partial_fit([[0.0], [1.0]], [[0], [0]], classes=3)
    with pytest.raises(UsageError, match="scale is True or False, not 'x'"):
        make("mlknn", scale="x").fit([[0.0], [1.0]], [[0], [1]])
