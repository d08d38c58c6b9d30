"""Pairs of columns: against a naive log-linear model, and by simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import optimize, stats

from mlfs.discretize.rank_levels import LevelColumns
from mlfs.search import pair_tests
from mlfs.search.label_columns import LabelColumns
from mlfs.search.pair_tests import PairTests, bartlett, exact_p_value


def made_of(X, Y, sizes=None, strata=None, weights=None, n_jobs=1):
    sizes = np.full(X.shape[1], -1) if sizes is None else np.asarray(sizes)
    counted = None if weights is None else weights.astype(float)
    n = None if weights is None else float(weights.sum())
    labels = LabelColumns(Y, strata, weights, n)
    columns = LevelColumns(X, sizes, None, counted)
    return PairTests(columns, labels, np.arange(X.shape[1]), n_jobs)


def naive_ratio(f, s, y):
    """The likelihood ratio of the interaction in a logistic model of the levels' indicators."""

    def deviance(design):
        def loss(slopes):
            score = design @ slopes
            return np.logaddexp(0, score).sum() - y @ score

        def gradient(slopes):
            return design.T @ (1 / (1 + np.exp(-design @ slopes)) - y)

        start = np.zeros(design.shape[1])
        return 2 * optimize.minimize(loss, start, jac=gradient, method="BFGS", tol=1e-9).fun

    of_f, of_s = np.eye(f.max() + 1)[f][:, 1:], np.eye(s.max() + 1)[s][:, 1:]
    ones = np.ones((len(y), 1))
    both = np.einsum("na,nb->nab", of_f, of_s).reshape(len(y), -1)
    alone = np.hstack([ones, of_f, of_s])
    return deviance(alone) - deviance(np.hstack([alone, both]))


def exclusive_or(seed, n=600, d=12, kind="levels"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) if kind == "numbers" else rng.integers(0, 3, (n, d)).astype(float)
    middle = 0.0 if kind == "numbers" else 0.5
    differ = (X[:, 2] > middle) ^ (X[:, 5] > middle)
    Y = np.stack(
        [np.where(rng.random(n) < 0.7, differ, rng.random(n) < 0.5), X[:, 0] > 0.5], axis=1
    )
    return X, Y.astype(np.int8)


@pytest.mark.parametrize("seed", range(4))
def test_the_statistic_is_that_of_a_naive_model(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, [2, 3, 4], (300, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.normal(size=300) > 1.5).astype(np.int8)
    tests = made_of(X, y[:, None])
    for f, s in itertools.combinations(range(3), 2):
        found, degrees, p = tests.test(f, s, 0)
        codes = X.astype(int)
        assert degrees == codes[:, f].max() * codes[:, s].max()
        assert found == pytest.approx(naive_ratio(codes[:, f], codes[:, s], y), abs=1e-4)
        assert p >= stats.chi2.sf(found, degrees) - 1e-12


def test_the_screen_loses_no_pair_that_the_model_has():
    rng = np.random.default_rng(7)
    X, Y = rng.integers(0, 3, (200, 8)).astype(float), rng.integers(0, 2, (200, 2)).astype(np.int8)
    tests = made_of(X, Y)
    least = stats.chi2.isf(0.3, np.arange(1.0, 50))
    screened = tests._screened(np.arange(2), np.r_[least[0], least])
    found = {tuple(row)[:3]: row["ratio"] for row in screened}
    for label, (f, s) in itertools.product(range(2), itertools.combinations(range(8), 2)):
        ratio = naive_ratio(X[:, f].astype(int), X[:, s].astype(int), Y[:, label])
        if ratio > least[3] + 1e-3:
            assert found.pop((f, s, label)) == pytest.approx(ratio, abs=1e-3)
    assert not found


@pytest.mark.parametrize("kind", ["levels", "numbers"])
def test_an_exclusive_or_is_found_and_nothing_else(kind):
    for seed in range(5):
        (pair,) = made_of(*exclusive_or(seed, kind=kind)).find(0.01)
        assert (pair.first, pair.second, pair.label) == (2, 5, 0)


@pytest.mark.parametrize("kind", ["noise", "effects", "correlated", "hidden", "copies", "rare"])
def test_where_nothing_interacts_few_tables_have_a_pair(kind):
    n_found, n_tables = 0, 60
    for seed in range(n_tables):
        rng = np.random.default_rng([seed, 11])
        X = rng.normal(size=(1000, 25))
        if kind == "correlated":
            X = 0.8 * rng.normal(size=(1000, 1)) + 0.6 * X
        score = X[:, 0] + X[:, 1] - 0.5
        if kind == "hidden":
            score = 2 * rng.normal(size=1000)
            X = 0.4 * score[:, None] + 0.6 * X
        if kind == "copies":
            X = np.hstack([X, X[:, :5], X[:, :5] + 0.1 * rng.normal(size=(1000, 5))])
        if kind == "rare":
            X, score = (X > 1.5).astype(float), score - 3.5
        score = np.zeros(1000) if kind == "noise" else score
        Y = rng.random((1000, 1)) < 1 / (1 + np.exp(-score[:, None]))
        n_found += bool(made_of(X, Y.astype(np.int8)).find())
    assert n_found <= stats.binom.isf(0.001, n_tables, 0.05)


def test_threads_sparse_tables_and_the_order_of_rows_change_no_bit():
    import scipy.sparse as sp

    X, Y = exclusive_or(3, d=90)
    Y = np.column_stack([Y, (X[:, 8] > 0) ^ (X[:, 80] > 1)]).astype(np.int8)
    found = made_of(X, Y).find(0.5, 50)
    assert len(found) > 1
    order = np.random.default_rng(0).permutation(len(X))
    assert made_of(X, Y, n_jobs=2).find(0.5, 50) == found
    assert made_of(sp.csr_array(X), Y).find(0.5, 50) == found
    assert made_of(X[order], Y[order]).find(0.5, 50) == found


def test_weights_repeat_rows_and_strata_do_not_depend_on_their_names():
    X, Y = exclusive_or(4)
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    weighted, repeated = made_of(X, Y, weights=weights), np.repeat(np.arange(len(X)), weights)
    found = weighted.find(0.01)
    assert found[0][:3] == (2, 5, 0)
    for one, other in zip(found, made_of(X[repeated], Y[repeated]).find(0.01), strict=True):
        assert one[:4] == other[:4]
        assert one[4:] == pytest.approx(other[4:])
    strata = np.random.default_rng(1).integers(0, 3, len(X))
    (one, *_), (other, *_) = (made_of(X, Y, strata=s).find(0.01) for s in (strata, 7 - strata))
    assert one == pytest.approx(other)


def test_an_interaction_of_strata_and_a_column_is_none_of_two_columns():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, (1000, 6)).astype(float)
    strata = X[:, 1].astype(int)
    Y = (X[:, 0] != strata).astype(np.int8)[:, None]
    assert made_of(X, Y).find()
    assert not made_of(X, Y, strata=strata).find()


def test_missing_labels_take_no_part():
    X, Y = exclusive_or(5, n=900)
    known = np.random.default_rng(0).random(900) < 0.7
    Y[:, 1] = 0
    hidden = Y.copy()
    hidden[~known, 0] = -1
    (one,), (other,) = made_of(X, hidden).find(0.01), made_of(X[known], Y[known]).find(0.01)
    assert one.statistic == pytest.approx(other.statistic)


def test_the_exact_p_value_is_a_share_of_tables():
    table = np.array([[[[4, 1], [2, 5]], [[3, 3], [6, 1]]]], float)
    sign = np.where(np.indices((2, 2, 2)).sum(axis=0) % 2, -1, 1)
    chances = {}
    for moved in range(-20, 21):
        cells = table[0] + moved * sign
        if cells.min() >= 0:
            factorials = np.prod([float(stats.poisson.pmf(c, 3) * 3.0**-c) for c in cells.ravel()])
            chances[moved] = factorials
    total = sum(chances.values())
    naive = sum(c for c in chances.values() if c <= chances[0] * (1 + 1e-7)) / total
    assert exact_p_value(table) == pytest.approx(naive)


def test_the_mean_of_the_ratio_has_the_excess_of_bartlett():
    rng = np.random.default_rng(0)
    rows, share = np.array([[40, 60, 36], [45, 42, 50.0]]), 0.3
    levels = np.arange(2), np.arange(3)
    ratios = []
    for _ in range(20_000):
        labelled = rng.binomial(rows.astype(int), share).astype(float)
        sums, fitted = np.zeros((2, 2, 3)), np.zeros((2, 2, 3))
        ratios.append(pair_tests.pair_tables.interaction(rows, labelled, *levels, sums, fitted))
    mean = 2 + bartlett(rows, share * rows, *levels)
    assert abs(np.mean(ratios) - mean) < 4 * np.std(ratios) / np.sqrt(len(ratios))
    assert mean > 2.02


def test_few_columns_and_constant_labels_have_no_pair():
    X, Y = exclusive_or(0, n=50)
    assert made_of(X[:, :1], Y).find() == []
    assert made_of(np.ones((50, 3)), Y).find() == []
    assert made_of(X, np.zeros((50, 1), np.int8)).find() == []
