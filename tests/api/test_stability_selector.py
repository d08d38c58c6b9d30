"""How often features are selected on subsamples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import mlfs
from mlfs import FeatureSelector, StabilitySelector
from mlfs.api.prepared import prepared_of
from mlfs.search.resampling import halves

RNG = np.random.default_rng(2)
X = RNG.integers(0, 3, (90, 9))
Y = np.column_stack([X[:, 4] > 0, X[:, 7] == 1]) ^ (RNG.random((90, 2)) < 0.15)


@parametrize_with_checks([StabilitySelector(n_subsamples=3)])
def test_check(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_frequencies_are_those_of_selections_on_the_rows() -> None:
    found = StabilitySelector(FeatureSelector("jmi", 3), n_subsamples=12, random_state=5).fit(X, Y)
    masks = list(halves(90, 12, 5))
    binnings = mlfs.prepare((X, Y)).binnings
    times = np.zeros(9)
    for picked, rows in zip(found.selected_, masks, strict=True):
        ready = prepared_of((X[rows], Y[rows]), {}, binnings)
        alone = mlfs.select(ready, "jmi", 3)
        assert sorted(alone.indices) == np.flatnonzero(picked).tolist()
        times[list(alone.indices)] += 1
    assert found.frequencies_.tolist() == (times / 12).tolist()
    assert found.support_.tolist() == (times / 12 >= 0.6).tolist()
    low, high = found.confidence_intervals_.T
    # Wilson: the bounds are where the share lies z standard errors away
    for bound in (low, high):
        inner = (found.frequencies_ > 0) & (found.frequencies_ < 1)
        error = np.sqrt(bound * (1 - bound) / 12)
        away = np.abs(found.frequencies_ - bound) / np.where(error > 0, error, 1)
        assert away[inner] == pytest.approx(1.959964, abs=1e-5)
    spread = 3 / 9 * (1 - 3 / 9)
    variance = found.selected_.var(axis=0, ddof=1).mean()
    assert found.stability_ == pytest.approx(1 - variance / spread)


def test_the_seed_decides_and_the_most_frequent_comes_first() -> None:
    selector = StabilitySelector(FeatureSelector("mim", 4), n_subsamples=10, threshold=0.3)
    one, same = selector.fit(X, Y), clone(selector).fit(X, Y)
    other = clone(selector).set_params(random_state=1).fit(X, Y)
    assert (one.selected_ == same.selected_).all()
    assert (one.selected_ != other.selected_).any()
    assert (np.diff(one.frequencies_[one.indices_]) <= 0).all()
    assert one.transform(X).tolist() == X[:, one.support_].tolist()


def test_frames_files_and_pipelines() -> None:
    frame = pd.DataFrame(X, columns=list("abcdefghi"))
    found = StabilitySelector(FeatureSelector("mim", 2, exclude=["e"]), n_subsamples=5).fit(
        frame, Y
    )
    assert found.frequencies_[4] == 0
    assert set(found.get_feature_names_out()) <= set("abcdfghi")
    ready = mlfs.prepare((X, Y))
    again = StabilitySelector(FeatureSelector("mim", 2), n_subsamples=5).fit(ready)
    assert again.n_features_in_ == 9
    pipeline = make_pipeline(
        StabilitySelector(FeatureSelector("jmi", 3), n_subsamples=5), DecisionTreeClassifier()
    )
    assert pipeline.fit(X, Y).predict(X).shape == (90, 2)
    regression = FeatureSelector("mim", 2, target_bins="frequency")
    stable = StabilitySelector(regression, n_subsamples=5).fit(X, X[:, 3] + 0.01 * RNG.random(90))
    assert stable.frequencies_[3] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_subsamples": 0}, "n_subsamples is a whole number of at least 1, not 0"),
        ({"share": 1.0}, "share is 1.0: it lies between 0 and 1"),
        ({"threshold": 2}, "threshold lies between 0 and 1, not 2"),
        ({"confidence": 1}, "confidence is 1: it lies between 0 and 1"),
        ({"selector": "mim"}, "selector is a FeatureSelector, not str"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(mlfs.UsageError, match=message):
        StabilitySelector(**options).fit(X, Y)


def test_halves_are_complementary_pairs() -> None:
    masks = list(halves(11, 4, 0))
    assert [int(mask.sum()) for mask in masks] == [5] * 4
    for first, second in (masks[:2], masks[2:]):
        assert not (first & second).any()


@pytest.mark.parametrize("threshold", [0.55, 0.6, 0.75, 0.8, 1.0])
@pytest.mark.parametrize("n", [1, 3, 8])
def test_the_bound_is_that_of_shah_and_samworth(threshold: float, n: int) -> None:
    stable = StabilitySelector(FeatureSelector("mim", n), n_subsamples=40, threshold=threshold)
    stable.fit(X, Y)
    pairs, theta = 20, n / 9
    worst = theta / (2 * threshold - 1) * n  # theorem 1
    unimodal = np.inf  # theorem 2
    if theta <= 1 / np.sqrt(3):
        start = min(1 / 2 + theta**2, 1 / 2 + 1 / (2 * pairs) + 3 / 4 * theta**2)
        if start < threshold <= 3 / 4:
            unimodal = 1 / (2 * (2 * threshold - 1 - 1 / (2 * pairs))) * theta * n
        elif threshold > 3 / 4:
            unimodal = 4 * (1 - threshold + 1 / (2 * pairs)) / (1 + 1 / pairs) * theta * n
    assert stable.error_bound_ == pytest.approx(min(worst, unimodal))


def test_without_halves_or_a_majority_nothing_is_known() -> None:
    for options in ({"share": 0.6}, {"threshold": 0.5}):
        stable = StabilitySelector(FeatureSelector("mim", 2), n_subsamples=10, **options)
        assert np.isnan(stable.fit(X, Y).error_bound_)


def test_the_number_may_be_automatic_and_mistakes_stay_below_the_bound() -> None:
    mistakes, bounds = [], []
    for seed in range(10):
        generator = np.random.default_rng(seed)
        Z = generator.integers(0, 2, (200, 30))
        labels = Z[:, [1, 2]] ^ (generator.random((200, 2)) < 0.1)
        stable = StabilitySelector(FeatureSelector("scls", "auto"), n_subsamples=20)
        stable.fit(Z, labels)
        assert {1, 2} <= {*stable.indices_.tolist()}
        mistakes.append(stable.n_features_ - 2)
        bounds.append(stable.error_bound_)
    assert np.mean(mistakes) <= np.mean(bounds)
