"""Single-label filters over many labels against naive twins, scipy and scikit-learn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.feature_selection import f_classif

from benchmarks import selectors
from mlfs.compare.named import Named
from mlfs.compare.rankers import ranker
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.arrays import from_arrays
from mlfs.errors import DataError
from tests import naive

SEEDS = st.integers(0, 10_000)
FILTERS = [
    f"{name}-{way}"
    for name in ("chi2", "f", "information-gain", "gain-ratio")
    for way in ("max", "mean")
]


def problem(seed: int, n: int = 40, d: int = 5, q: int = 3) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    levels = generator.integers(2, 5, size=d)
    features = np.column_stack([generator.integers(k, size=n) for k in levels]).astype(float)
    return features, (generator.random((n, q)) < 0.4).astype(int)


def scored(name: str, data: Any) -> np.ndarray:
    return getattr(selectors, name.replace("-", "_")).scores(TrainingRows(data), 0)


@given(seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_chi2_is_scipys(seed: int) -> None:
    X, Y = problem(seed)
    scores = np.zeros((X.shape[1], Y.shape[1]))
    for f in range(X.shape[1]):
        for label in range(Y.shape[1]):
            table = np.array(
                [
                    [((X[:, f] == v) & (Y[:, label] == y)).sum() for y in (0, 1)]
                    for v in np.unique(X[:, f])
                ]
            )
            if (table.sum(0) > 0).all() and len(table) > 1:
                scores[f, label] = stats.chi2_contingency(table, correction=False).statistic
    data = from_arrays(X, Y)
    np.testing.assert_allclose(scored("chi2-max", data), scores.max(1), atol=1e-9)
    np.testing.assert_allclose(scored("chi2-mean", data), scores.mean(1), atol=1e-9)


@given(seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_f_is_scikit_learns(seed: int) -> None:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(30, 4)).round(2)
    Y = (generator.random((30, 2)) < 0.5).astype(int)
    Y[:2] = [[0, 0], [1, 1]]
    theirs = np.column_stack([f_classif(X, Y[:, label])[0] for label in range(2)])
    for table in (X, sp.csr_array(X)):
        data = from_arrays(table, Y)
        np.testing.assert_allclose(scored("f-mean", data), theirs.mean(1), rtol=1e-6)
        np.testing.assert_allclose(scored("f-max", data), theirs.max(1), rtol=1e-6)


@given(seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_information_gain_and_gain_ratio(seed: int) -> None:
    X, Y = problem(seed)
    gain = np.array([[naive.I(tuple(f), tuple(y)) for y in Y.T.tolist()] for f in X.T.tolist()])
    entropy = np.array([naive.H(tuple(f)) for f in X.T.tolist()])
    ratio = gain / np.maximum(entropy, 1e-300)[:, None]
    data = from_arrays(X, Y)
    for name, expected in (("information-gain", gain), ("gain-ratio", ratio)):
        for way in ("max", "mean"):
            found = scored(f"{name}-{way}", data)
            np.testing.assert_allclose(found, getattr(expected, way)(axis=1), atol=1e-9)


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_finds_what_matters(name: str) -> None:
    generator = np.random.default_rng(3)
    X = generator.random((150, 6))
    X[:, 4] = (X[:, 4] > 0.5) * 1.0
    Y = np.column_stack([X[:, 1] > 0.5, X[:, 4] > 0.5]).astype(int)
    chosen = (
        ranker(Named(selectors.path_of(name))).rank(TrainingRows(from_arrays(X, Y)), 2, 0).union
    )
    assert set(chosen) == {1, 4}
    rows = TrainingRows(from_arrays(sp.csr_array(X), Y))
    sparse = ranker(Named(selectors.path_of(name))).rank(rows, 2, 0).union
    assert sparse == chosen


def test_the_f_filter_takes_no_missing_values() -> None:
    with pytest.raises(DataError, match="no missing values"):
        scored("f-max", from_arrays([[1.0], [math.nan], [3.0], [4.0]], [[0], [1], [0], [1]]))
