"""Rows that arrive in parts: models whose base learners have `partial_fit`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.utils.estimator_checks import check_estimators_partial_fit_n_features

from mlfs.errors import DataError
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


def test_scikit_learns_check() -> None:
    model = StructuredClassifier(base_estimator=SGDClassifier())
    assert hasattr(model, "partial_fit")
    check_estimators_partial_fit_n_features("StructuredClassifier", model)
