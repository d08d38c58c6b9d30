"""The first principal component against a full decomposition, however the numbers are held."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.data import first_component as components
from mlfs.data import from_arrays
from mlfs.data.first_component import first_component, in_three_levels


def data_of(X, **options):
    return from_arrays(X, np.arange(X.shape[0])[:, None] % 2, **options)


def assert_same(found, expected, weights=None):
    """The same but for the last digits, and the same levels."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    levels = (in_three_levels(values, weights) for values in (found, expected))
    np.testing.assert_array_equal(*levels)


def by_svd(X, weights=None):
    """The projections on the first right singular vector, and how far the second is behind."""
    share = np.ones(len(X)) if weights is None else weights
    centred = X - np.average(X, axis=0, weights=share)
    _, sizes, loadings = np.linalg.svd(centred * np.sqrt(share)[:, None], full_matrices=False)
    first = loadings[0] * np.sign(loadings[0][np.abs(loadings[0]).argmax()])
    apart = sizes.size == 1 or sizes[1] < 0.95 * sizes[0]
    return centred @ first, apart


def check(X, weights=None):
    expected, apart = by_svd(X, weights)
    if apart:
        found = first_component(data_of(X), weights)
        close = min(np.abs(found - expected).max(), np.abs(found + expected).max())
        assert close <= 1e-6 * max(1, np.abs(expected).max())


@pytest.mark.parametrize("seed", range(20))
def test_numbers(seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(3, 50), rng.integers(1, 9)
    check(rng.normal(size=(n, d)) * rng.random(d) * 10)


@pytest.mark.parametrize("seed", [*range(20), 30, 54, 78, 88, 108])
def test_zeros_and_ones(seed):
    """Some of these have rows whose lengths say nothing of the first component."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(4, 40), rng.integers(1, 8)
    check(rng.integers(0, 2, (n, d)).astype(float))


@pytest.mark.parametrize("seed", range(5))
def test_weights(seed):
    rng = np.random.default_rng(seed)
    check(rng.normal(size=(30, 5)) * [5, 1, 1, 2, 1], rng.random(30) + 0.1)


def test_a_balanced_design():
    """The lengths of the rows depend on the second column only, which is not the component."""
    check(np.array([[-3, 0], [-3, 1], [3, 0], [3, 1.0]]))


def test_wide_data():
    rng = np.random.default_rng(0)
    X = np.outer(rng.normal(size=20), rng.normal(size=300)) + rng.normal(size=(20, 300)) * 0.1
    check(X)


@pytest.mark.parametrize("seed", range(5))
def test_dense_and_sparse_are_the_same(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(60, 6)), 2) * (rng.random((60, 6)) < 0.4)
    X[rng.random(X.shape) < 0.05 * (seed % 2)] = np.nan
    dense = first_component(data_of(X))
    stored = sp.csr_array(
        (X.ravel(), np.tile(np.arange(6), 60), np.arange(0, 361, 6)), shape=(60, 6)
    )
    for sparse in (sp.csr_array(X), sp.csc_array(X), stored):
        assert_same(first_component(data_of(sparse)), dense)


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float32, float, bool])
@pytest.mark.parametrize("weighted", [False, True])
def test_however_the_numbers_are_held_the_component_is_the_same(kind, weighted, monkeypatch):
    rng = np.random.default_rng(0)
    X = (rng.integers(0, 2 if kind is bool else 5, (211, 7)) * [0, 1, 1, 0, 1, 1, 1]).astype(kind)
    weights = rng.random(211) if weighted else None
    expected = first_component(data_of(X.astype(float)), weights)
    assert expected.any()
    for data in (data_of(X), data_of(np.asfortranarray(X)), data_of(X[::-1].copy()[::-1])):
        assert_same(first_component(data, weights), expected, weights)
        monkeypatch.setattr(components, "AT_ONCE", 64)
        assert_same(first_component(data, weights), expected, weights)


def test_the_data_are_not_changed():
    X = np.array([[1.0, np.nan], [0.0, 2.0], [3.0, 1.0]])
    data = data_of(sp.csr_array(X))
    before = data.X.data.copy()
    first_component(data)
    np.testing.assert_array_equal(before, data.X.data)


@pytest.mark.parametrize("seed", range(3))
def test_a_missing_value_stands_at_the_mean_of_its_column(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4)) * [6, 2, 1, 1]
    X[rng.random(X.shape) < 0.2] = np.nan
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    np.testing.assert_allclose(
        first_component(data_of(X)), first_component(data_of(filled)), rtol=0, atol=1e-9
    )


def test_a_nominal_column_enters_as_indicators():
    rng = np.random.default_rng(1)
    codes = rng.choice(4, 40, p=[0.4, 0.3, 0.2, 0.1])
    nominal = data_of(codes[:, None].astype(float), categorical=[0])
    indicators = (codes[:, None] == np.arange(4)).astype(float)
    expected, apart = by_svd(indicators)
    assert apart
    np.testing.assert_allclose(
        np.abs(first_component(nominal)), np.abs(expected), rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("X", [np.ones((5, 3)), np.zeros((5, 1)), np.full((4, 2), np.nan), [[7.0]]])
def test_constant_features_have_no_component(X):
    component = first_component(data_of(np.asarray(X)))
    np.testing.assert_array_equal(component, 0)
    assert set(in_three_levels(component).tolist()) == {1}


def test_huge_and_tiny_values():
    rng = np.random.default_rng(2)
    base = rng.normal(size=(20, 3)) * [5, 1, 1]
    for scale in (1e-30, 1e30):
        found = first_component(data_of(base * scale)) / scale
        np.testing.assert_allclose(found, first_component(data_of(base)), rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-300, 1e-90, 1e90, 1e155, 1e280, 1e307])
@pytest.mark.parametrize("weight", [None, 1e-25, 1e25])
def test_numbers_whose_squares_leave_the_range_of_floats(scale, weight):
    rng = np.random.default_rng(3)
    base = rng.uniform(-1, 1, size=(65, 3)) * [5, 1, 1]
    base[rng.random(base.shape) < 0.1] = np.nan
    weights = None if weight is None else rng.integers(1, 4, 65).astype(float)
    expected = in_three_levels(first_component(data_of(base), weights), weights)
    scaled = None if weights is None else weights * weight
    found = in_three_levels(first_component(data_of(base * scale), scaled), scaled)
    np.testing.assert_array_equal(found, expected)


def test_rows_of_one_length_do_not_leave_the_component_to_the_order_of_the_rows():
    """One column of a one-hot block for each row: all rows are equally long."""
    codes = np.repeat([0, 1, 2, 3], [9, 6, 3, 2])
    X = np.eye(4)[codes]
    rows = np.random.default_rng(0).permutation(len(X))
    one = first_component(data_of(X))
    np.testing.assert_allclose(one[rows], first_component(data_of(X[rows])), rtol=0, atol=1e-9)


def test_three_levels():
    assert in_three_levels(np.array([-9.0, 0, 0, 0, 0, 9.0])).tolist() == [0, 1, 1, 1, 1, 2]
    weights = np.array([1, 2, 3, 4.0])
    values = np.array([-5.0, 0, 1, 9])
    repeated = in_three_levels(np.repeat(values, weights.astype(int)))
    np.testing.assert_array_equal(
        np.repeat(in_three_levels(values, weights), weights.astype(int)), repeated
    )


def test_a_table_of_a_key_has_a_component():
    """All of its components are equally long, so that Arnoldi's method finds none."""
    keys = np.array([f"k{i}" for i in range(60)])[:, None]
    data = from_arrays(keys, np.arange(60) % 2)
    found = first_component(data)
    assert np.isfinite(found).all()
    assert found.tolist() == first_component(data).tolist()
