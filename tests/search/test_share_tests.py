"""Moments of shares by chance: against all orders of the rows, and laws."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from mlfs.search.share_tests import normal, squares_of_poisson, variance


def test_the_variance_is_that_over_all_orders_of_the_rows():
    rng = np.random.default_rng(1)
    levels = np.array([0, 0, 0, 1, 1, 2, 2])
    Y = (rng.random((7, 2)) < 0.5).astype(float)
    Y[:2] = [[1, 0], [0, 1]]
    Z = np.eye(3)[levels]
    H = Z @ np.linalg.inv(Z.T @ Z) @ Z.T - 1 / 7
    standard = (Y - Y.mean(0)) / np.sqrt(((Y - Y.mean(0)) ** 2).sum(0))
    K = standard @ standard.T
    every = [
        float((H * K[np.ix_(order, order)]).sum()) for order in itertools.permutations(range(7))
    ]
    fourth, of_labels = float((np.diag(H) ** 2).sum()), float((np.diag(K) ** 2).sum())
    found = variance(7.0, 2.0, fourth, np.trace(K), np.trace(K @ K), of_labels)
    assert float(np.mean(every)) == pytest.approx(2 * np.trace(K) / 6)
    assert found == pytest.approx(float(np.var(every)))


def test_a_skewed_variable_becomes_normal():
    for skewness in (0.1, 0.5, 1.0):
        shape = 4 / skewness**2
        for p in (0.1, 1e-3, 1e-6):
            z = (stats.gamma.isf(p, shape) - shape) / np.sqrt(shape)
            found = stats.norm.sf(float(normal(np.array(z), np.array(skewness))))
            assert np.log(found) == pytest.approx(np.log(p), rel=0.05)


def test_moments_of_squares_are_those_of_a_normal_variable_where_counts_are_large():
    grid, table = squares_of_poisson()
    assert table[:, 0].tolist() == [1.0, 2.0, 8.0]
    assert table[:, 1] == pytest.approx([1.0, 2.0, 8.0], rel=0.02)
    assert (table[0] <= 1.05).all()
    assert (np.diff(grid) > 0).all()
