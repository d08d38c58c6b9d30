"""The baselines of comparisons against naive twins, scipy and scikit-learn."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlfs.compare.naive_bayes import MLNB
from mlfs.compare.named import Named
from mlfs.compare.rankers import BASELINES, known_rankers, ranker
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.arrays import from_arrays
from mlfs.errors import UsageError

SEEDS = st.integers(0, 10_000)


@parametrize_with_checks([MLNB(), MLNB("gaussian"), MLNB("binned", bins="mdlp")])
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def problem(seed: int, n: int = 40, d: int = 5, q: int = 3) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    levels = generator.integers(2, 5, size=d)
    features = np.column_stack([generator.integers(k, size=n) for k in levels]).astype(float)
    return features, (generator.random((n, q)) < 0.4).astype(int)


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_gaussian_mlnb_is_scikit_learns_for_each_label(seed: int) -> None:
    generator = np.random.default_rng(seed)
    X, Y = generator.normal(size=(50, 4)), (generator.random((50, 2)) < 0.5).astype(int)
    ours = MLNB("gaussian", smoothing=1e-9, variance=1e-9).fit(X, Y).predict_proba(X)
    for label in range(2):
        theirs = GaussianNB().fit(X, Y[:, label]).predict_proba(X)[:, 1]
        np.testing.assert_allclose(ours[:, label], theirs, atol=1e-6)


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_bernoulli_mlnb_is_scikit_learns_for_each_label(seed: int) -> None:
    generator = np.random.default_rng(seed)
    X, Y = generator.integers(2, size=(60, 5)), (generator.random((60, 2)) < 0.4).astype(int)
    Y[:2] = [[0, 0], [1, 1]]
    model = MLNB().fit(X, Y)
    assert model.predict(X).tolist() == MLNB("bernoulli").fit(X, Y).predict(X).tolist()
    for label in range(2):
        n, n_l = len(Y), Y[:, label].sum()
        prior = [(1 + n - n_l) / (2 + n), (1 + n_l) / (2 + n)]
        theirs = BernoulliNB(alpha=1.0, class_prior=prior).fit(X, Y[:, label])
        np.testing.assert_allclose(
            model.predict_proba(X)[:, label], theirs.predict_proba(X)[:, 1], atol=1e-9
        )


@given(seed=SEEDS, s=st.sampled_from([0.1, 1.0, 2.0]))
@settings(max_examples=25, deadline=None)
def test_binned_mlnb_counts_levels(seed: int, s: float) -> None:
    X, Y = problem(seed)
    new, _ = problem(seed + 1)
    new = np.minimum(new, X.max(axis=0))
    ours = MLNB("binned", smoothing=s).fit(X, Y).predict_proba(new)
    for row, label in np.ndindex(ours.shape):
        sides = []
        for value in (0, 1):
            rows = [i for i in range(len(Y)) if Y[i, label] == value]
            side = (s + len(rows)) / (2 * s + len(Y))
            for f in range(X.shape[1]):
                levels = sorted(set(X[:, f]))
                often = max(levels, key=Counter(X[:, f]).__getitem__)
                seen = new[row, f] if new[row, f] in levels else often
                side *= (s + sum(X[i, f] == seen for i in rows)) / (s * len(levels) + len(rows))
            sides.append(side)
        assert math.isclose(ours[row, label], sides[1] / sum(sides), rel_tol=1e-9)


@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_binned_mlnb_cuts_by_the_labels_sparse_or_weighted(seed: int) -> None:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(40, 3)) * generator.integers(2, size=(40, 3))
    Y = (X[:, :2] + 0.3 * generator.normal(size=(40, 2)) > 0).astype(int)
    whole = MLNB("binned").fit(X, Y).predict_proba(X)
    sparse = MLNB("binned").fit(sp.csr_array(X), Y).predict_proba(sp.csr_array(X))
    np.testing.assert_allclose(sparse, whole, atol=1e-12)
    times = generator.integers(1, 4, size=40)
    repeated = MLNB("binned").fit(np.repeat(X, times, 0), np.repeat(Y, times, 0)).predict_proba(X)
    weighted = MLNB("binned").fit(X, Y, sample_weight=times).predict_proba(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)


@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_mlnb_sparse_weights_and_gaps(seed: int) -> None:
    generator = np.random.default_rng(seed)
    X = generator.integers(3, size=(40, 4)) * generator.integers(2, size=(40, 4)) * 1.0
    Y = (generator.random((40, 2)) < 0.5).astype(float)
    whole = MLNB().fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(MLNB().fit(sp.csr_array(X), Y).predict_proba(X), whole, atol=1e-9)
    times = generator.integers(1, 4, size=40)
    repeated = MLNB().fit(np.repeat(X, times, 0), np.repeat(Y, times, 0)).predict_proba(X)
    weighted = MLNB().fit(X, Y, sample_weight=times).predict_proba(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-6)
    gaps = Y.copy()
    gaps[:10, 0] = np.nan
    part = MLNB().fit(X, gaps).predict_proba(X)
    np.testing.assert_allclose(part[:, 1], whole[:, 1], atol=1e-9)
    assert np.isfinite(part).all()


def test_parameters_that_make_no_sense_are_refused() -> None:
    X, Y = problem(0)
    for model in (
        MLNB(bins="lame"),
        MLNB("gauss"),
        MLNB(smoothing=0),
        MLNB(variance=-1),
    ):
        with pytest.raises(UsageError):
            model.fit(X, Y)


def test_baselines_and_their_features() -> None:
    X, Y = problem(1)
    data = from_arrays(X, Y)
    assert set(BASELINES) <= set(known_rankers())
    first, again = (ranker(Named("random")).rank(TrainingRows(data), 3, 7).union for _ in range(2))
    assert first == again
    assert len(set(first)) == 3
    assert ranker(Named("all")).rank(TrainingRows(data), 5, 0).union == (0, 1, 2, 3, 4)
    assert not ranker(Named("own")).rank(TrainingRows(data), 5, 0).imposed
    with pytest.raises(UsageError, match="takes no parameters"):
        ranker(Named("all", {"k": 1}))
