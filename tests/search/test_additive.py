"""Tests of columns about labels: against regressions, against all orders of the rows, and laws."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

from mlfs.discretize.rank_levels import LevelColumns
from mlfs.search.additive import AdditiveModel, AdditiveTests
from mlfs.search.label_columns import LabelColumns


def made_of(X, Y, sizes=None, strata=None, weights=None, candidates=None):
    sizes = np.full(X.shape[1], -1) if sizes is None else np.asarray(sizes)
    counted = None if weights is None else weights.astype(float)
    n = None if weights is None else float(weights.sum())
    candidates = np.arange(X.shape[1]) if candidates is None else candidates
    labels = LabelColumns(Y, strata, weights, n)
    return AdditiveTests(LevelColumns(X, sizes, None, counted), labels, candidates)


def together(tests):
    return tests.about(np.arange(tests.labels.q))[0]


def problem(seed=0, n=200, d=6, q=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1] += X[:, 0]
    Y = (X[:, [0, 2]][:, :q] + rng.logistic(size=(n, q)) > 0).astype(np.int8)
    return X, Y


def naive_parts(x, n_ranks=16):
    """Sixteenths by ranks, and their square, written again."""
    ranks = stats.rankdata(x, "ordinal") - 1
    sixteenth = np.floor(n_ranks * ranks / len(x))
    out = np.empty((len(x), 2))
    for level in range(n_ranks):
        rows = sixteenth == level
        out[rows, 0], out[rows, 1] = 2 * level - 15, ((2 * level - 15) ** 2 - 1) // 8
    return out


def explained(Z, y, base):
    """The share of what `base` leaves of y that Z explains beside it, by regressions."""
    rest = y - base @ np.linalg.lstsq(base, y, rcond=None)[0]
    both = np.c_[base, Z]
    left = y - both @ np.linalg.lstsq(both, y, rcond=None)[0]
    return 1 - (left @ left) / (rest @ rest)


def test_a_column_alone_and_beside_picks_is_tested_by_what_regressions_explain():
    X, Y = problem(q=1)
    tests = made_of(X, Y)
    model = AdditiveModel(tests, np.arange(1))
    base = np.ones((200, 1))
    for pick in (0, 3):
        for j in (1, 2, 4):
            Z, y = naive_parts(X[:, j]), Y[:, 0].astype(float)
            free = 200 - base.shape[1] - 2
            share = explained(Z, y, base)
            by_regression = stats.f.sf(share / 2 / ((1 - share) / free), 2, free)
            p = model.p_value(j)
            assert np.log10(max(p, 1e-12)) == pytest.approx(
                np.log10(max(by_regression, 1e-12)), abs=0.25
            )
        model.add(pick)
        base = np.c_[base, naive_parts(X[:, pick])]
    assert model.picks == [0, 3]


def test_a_pick_that_is_dropped_was_never_there():
    X, Y = problem(3)
    one, other = (AdditiveModel(made_of(X, Y), np.arange(2)) for _ in range(2))
    for j in (0, 1, 2):
        one.add(j)
    one.drop(1)
    for j in (0, 2):
        other.add(j)
    assert one.picks == other.picks == [0, 2]
    assert one.p_of_picks() == pytest.approx(other.p_of_picks(), rel=1e-6)
    assert one.p_value(4) == pytest.approx(other.p_value(4), rel=1e-6)


def test_the_p_value_of_a_pick_is_that_of_the_last_one_beside_the_others():
    X, Y = problem(4)
    whole = AdditiveModel(made_of(X, Y), np.arange(2))
    for j in (0, 1, 2):
        whole.add(j)
    for place, j in enumerate((0, 1, 2)):
        rest = AdditiveModel(made_of(X, Y), np.arange(2))
        for other in (0, 1, 2):
            if other != j:
                rest.add(other)
        exact = stats.norm.isf(max(rest.p_value(j), 1e-14))
        found = stats.norm.isf(max(float(whole.p_of_picks()[place]), 1e-14))
        assert found == pytest.approx(exact, abs=0.3)  # what is left of the labels differs a little


@pytest.mark.parametrize("kind", ["numbers", "rare words", "categories", "rare labels", "strata"])
def test_p_values_are_those_of_shuffled_labels(kind):
    rng = np.random.default_rng(7)
    n, d, sizes, strata = 400, 60, np.full(60, -1), None
    X, share = rng.normal(size=(n, d)), 0.3
    if kind == "rare words":
        X, share = (rng.random((n, d)) < 0.02).astype(float), 0.05
    if kind == "categories":
        X, sizes = rng.integers(0, 30, (n, d)).astype(float), np.full(d, 30)
    if kind == "rare labels":
        share = 0.03
    if kind == "strata":
        strata = rng.integers(0, 40, n)
    smallest, all_p = [], []
    for _ in range(30):
        Y = (rng.random((n, 4)) < share).astype(np.int8)
        p = together(made_of(X, Y, sizes, strata))
        all_p.append(p)
        smallest.append(p.min() * d)
    all_p = np.concatenate(all_p)
    assert (all_p <= 0.05).mean() <= 0.065
    assert np.mean(np.array(smallest) <= 0.1) <= 0.3  # 0.1 is expected at the most


def test_the_copy_of_a_rare_label_among_rare_words_is_found():
    rng = np.random.default_rng(2)
    X = (rng.random((1200, 300)) < 0.02).astype(float)
    Y = X[:, [17]].astype(np.int8)
    p = together(made_of(X, Y))
    assert p[17] < 1e-9
    assert np.delete(p, 17).min() * 300 > 0.01


def test_dense_and_sparse_tables_have_the_same_bits():
    rng = np.random.default_rng(3)
    X = rng.poisson(0.3, (300, 8)) * rng.integers(0, 20, (300, 8)).astype(float)
    Y = (X[:, :2] > 3).astype(np.int8)
    for table in (X, np.asfortranarray(X), sp.csr_array(X), sp.csc_array(X)):
        for labels in (Y, sp.csr_array(Y)):
            assert together(made_of(table, labels)).tolist() == together(made_of(X, Y)).tolist()


def test_whole_weights_are_repeated_rows():
    X, Y = problem(5)
    weights = np.random.default_rng(5).integers(1, 4, 200)
    repeated = made_of(np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0))
    weighted = made_of(X, Y, weights=weights)
    assert together(weighted) == pytest.approx(together(repeated), rel=1e-9)
    models = [AdditiveModel(tests, np.arange(2)) for tests in (weighted, repeated)]
    for model in models:
        model.add(0)
    assert models[0].p_value(1) == pytest.approx(models[1].p_value(1), rel=1e-9)


def test_the_order_of_rows_and_the_unit_of_numbers_change_nothing():
    X, Y = problem(6)
    order = np.random.default_rng(6).permutation(200)
    expected = together(made_of(X, Y)).tolist()
    assert together(made_of(X[order], Y[order])).tolist() == expected
    assert together(made_of(np.exp(X) * 1000, Y)).tolist() == expected


def test_what_strata_tell_is_not_told_by_a_column():
    rng = np.random.default_rng(8)
    site = rng.integers(0, 60, 1500)
    X = rng.normal(size=(60, 3))[site] + 0.3 * rng.normal(size=(1500, 3))
    within = rng.normal(size=1500)
    z = 3 * rng.normal(size=60)[site] + within + rng.logistic(size=1500)
    Y = (z > 0).astype(np.int8)[:, None]
    X = np.c_[X, within]
    plain, given = together(made_of(X, Y)), together(made_of(X, Y, strata=site))
    assert plain[:3].min() < 1e-6
    assert given[:3].min() > 1e-3
    assert given[3] < 1e-12


def test_missing_labels_and_values_are_no_evidence():
    rng = np.random.default_rng(9)
    X, Y = rng.normal(size=(400, 30)), (rng.random((400, 3)) < 0.3).astype(np.int8)
    X[rng.random(X.shape) < 0.2] = np.nan
    Y[rng.random(Y.shape) < 0.3] = -1
    p = together(made_of(X, Y))
    assert p.min() * 30 > 0.01
    Y[:, 0] = np.where(rng.random(400) < 0.3, -1, np.nan_to_num(X[:, 4]) > 0)
    assert together(made_of(X, Y))[4] < 1e-9


def test_a_constant_column_and_a_constant_label_tell_nothing():
    X = np.c_[np.ones(50), np.arange(50.0) % 7]
    tests = made_of(X, np.c_[np.ones(50), np.arange(50) % 2].astype(np.int8))
    assert together(tests)[0] == 1.0
    assert together(made_of(X, np.ones((50, 1), np.int8))).tolist() == [1.0, 1.0]


def test_a_column_of_many_values_keeps_the_frequent_ones():
    rng = np.random.default_rng(10)
    codes = rng.choice(300, 5000, p=rng.dirichlet(np.full(300, 0.3))).astype(float)
    column = LevelColumns(codes[:, None], np.array([300]))[0]
    assert column.parts.shape[0] <= 65
    assert column.parts.sum(axis=0).max() == 1
