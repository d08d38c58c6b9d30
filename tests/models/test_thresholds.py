"""Thresholds against every threshold there is, and models that have them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from mlfs.compare import evaluate
from mlfs.errors import UnknownName, UsageError
from mlfs.models import StructuredClassifier, ThresholdedClassifier, load, make, save
from mlfs.models.thresholds import RULES, learned_thresholds


def rare(seed: int = 0, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, 5)).round(3)
    return X, (X[:, :3] + draw.normal(size=(n, 3)) > [0.3, 1.2, 2.0]).astype(int)


def naive_worth(rule: str, above: list[bool], true: list[int], weights: list[float]) -> float:
    said = sum(w for a, w in zip(above, weights, strict=True) if a)
    there = sum(w for t, w in zip(true, weights, strict=True) if t)
    both = sum(w for a, t, w in zip(above, true, weights, strict=True) if a and t)
    return 2 * both / (said + there) if rule in {"scut", "micro-f1"} else -abs(said - there)


@pytest.mark.parametrize("rule", RULES)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_threshold_is_better(rule: str, seed: int) -> None:
    draw = np.random.default_rng(seed)
    n, q = draw.integers(1, 9), draw.integers(1, 4)
    Y = draw.integers(-1, 2, (n, q))
    scores = draw.integers(0, 5, (n, q)) / 4
    scores[draw.random((n, q)) < 0.1] = np.nan
    weights = draw.integers(1, 4, n).astype(float)
    found = learned_thresholds(rule, scores, Y, weights, usual=7.0)
    cells = [
        [
            (scores[i, l], Y[i, l], weights[i])
            for i in range(n)
            if Y[i, l] >= 0 and not np.isnan(scores[i, l])
        ]
        for l in range(q)
    ]
    if rule in {"micro-f1", "cardinality"}:
        cells = [[cell for own in cells for cell in own]] * q
        assert len(set(found.tolist())) == 1
    for threshold, own in zip(found, cells, strict=True):
        values, true, heavy = ([list(one) for one in zip(*own, strict=True)]) if own else ([],) * 3
        if not any(true):
            assert threshold == 7.0
            continue
        cuts = [-1.0, *(v / 8 for v in range(10))]
        worths = [naive_worth(rule, [v > cut for v in values], true, heavy) for cut in cuts]
        own_worth = naive_worth(rule, [v > threshold for v in values], true, heavy)
        assert own_worth == pytest.approx(max(worths))
        highest = max(c for c, w in zip(cuts, worths, strict=True) if w == pytest.approx(own_worth))
        assert [v > threshold for v in values] == [v > highest for v in values]


def test_thresholds_come_from_rows_that_the_model_has_not_seen() -> None:
    X, Y = rare()
    calls = []

    class Spy(StructuredClassifier):
        def fit(self, X, y, sample_weight=None):
            calls.append({tuple(row) for row in X.tolist()})
            return super().fit(X, y, sample_weight)

        def predict_proba(self, X):
            assert not calls[-1] & {tuple(row) for row in X.tolist()}
            return super().predict_proba(X)

    model = ThresholdedClassifier(Spy(), "scut", folds=4).fit(X, Y)
    assert [len(rows) for rows in calls] == [90, 90, 90, 90, 120]
    assert len(set(model.thresholds_.tolist())) == 3


@pytest.mark.parametrize("name", ["br", "pcc", "occ", "ecc", "ctbn"])
@pytest.mark.parametrize("rule", ["scut", "cardinality", 0.2])
def test_any_model_may_have_thresholds(name: str, rule) -> None:
    X, Y = rare(1)
    more = {"n_estimators": 2} if name == "ecc" else {}
    model = make(name, threshold=rule, **more).fit(X, Y)
    own = clone(model.model).fit(X, Y)
    way = "decision_function" if name == "occ" else "predict_proba"
    assert hasattr(model, way)
    scores = getattr(own, way)(X)
    assert (model.predict(X) == (scores > model.thresholds_)).all()
    if rule == 0.2:
        assert (model.thresholds_ == 0.2).all()


def test_rare_labels_gain() -> None:
    X, Y = rare(2, 900)
    train, test = slice(0, 300), slice(300, None)
    plain = make("br").fit(X[train], Y[train]).predict(X[test])
    found = {
        rule: make("br", threshold=rule).fit(X[train], Y[train]).predict(X[test]) for rule in RULES
    }
    before = evaluate(Y[test], plain)
    after = {rule: evaluate(Y[test], predicted) for rule, predicted in found.items()}
    assert after["scut"]["macro_f1"] > before["macro_f1"] + 0.05
    assert after["micro-f1"]["micro_f1"] > before["micro_f1"]
    size = Y[train].sum(axis=1).mean()
    assert abs(found["cardinality"].sum(axis=1).mean() - size) < 0.15
    assert np.allclose(found["pcut"].mean(axis=0), Y[train].mean(axis=0), atol=0.06)


def test_weights_are_repetition_and_missing_labels_are_left_out() -> None:
    X, Y = rare(3, 50)
    weights = np.random.default_rng(0).integers(0, 3, 50)
    # one row more or less in a fold must not move a coefficient
    model = make("br", threshold="scut", base_estimator=LogisticRegression(tol=1e-10))
    weighted = clone(model).fit(X, Y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0))
    assert np.allclose(weighted.thresholds_, repeated.thresholds_, atol=1e-5)
    holes = Y.astype(float)
    holes[::7, 1] = np.nan
    assert np.isfinite(model.fit(X, holes).thresholds_).all()


def test_a_label_without_positives_and_a_single_row_keep_the_usual_threshold() -> None:
    X, Y = rare(4)
    Y[:, 2] = 0
    model = make("br", threshold="scut").fit(X, Y)
    assert model.thresholds_[2] == 0.5
    assert not model.predict(X)[:, 2].any()
    svm = make("br", base_estimator=LinearSVC(), threshold="scut").fit(X[:1], Y[:1])
    assert svm.thresholds_.tolist() == [0.0] * 3


def test_they_are_stored(tmp_path) -> None:
    X, Y = rare(5)
    model = make("cc", threshold="pcut").fit(sp.csr_array(X), Y)
    save(model, str(tmp_path / "m.mlfs"))
    again = load(str(tmp_path / "m.mlfs"))
    assert (again.predict(X) == model.predict(X)).all()
    assert again.get_params()["rule"] == "pcut"
    assert np.allclose(again.joint_log_proba(X, Y), model.joint_log_proba(X, Y))


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"rule": "s-cut"}, UnknownName, "unknown threshold 's-cut': did you mean 'scut'"),
        ({"rule": None}, UsageError, "a threshold is a number or one of scut, pcut"),
        ({"rule": True}, UsageError, "not True"),
        ({"folds": 1}, UsageError, "folds is a whole number from 2 on"),
        ({"model": 3}, UsageError, "model is a classifier for many labels"),
    ],
)
def test_what_is_refused(options: dict, error: type, said: str) -> None:
    X, Y = rare()
    with pytest.raises(error, match=said):
        ThresholdedClassifier(**options).fit(X, Y)
