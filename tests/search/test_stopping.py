"""The automatic number of features: noise stays out, what informs comes in, copies do not."""

from __future__ import annotations

import numpy as np
import pytest

import mlfs
from mlfs import Info
from mlfs.search.stopping import AutoStop
from tests.left_out import info_of_codes


def noise(seed, *, n=60, d=10, q=2):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n, d)), rng.integers(0, 2, (n, q))


def informative(seed, n=150):
    """Columns 0 and 1 tell label 0 (one a noisy copy), 2 and 3 are label 1, the rest is noise."""
    rng = np.random.default_rng(seed)
    X, Y = noise(seed, n=n)
    X[:, 0] = Y[:, 0] ^ (rng.random(n) < 0.05)
    X[:, 1] = Y[:, 0] ^ (rng.random(n) < 0.2)
    X[:, 2] = X[:, 3] = Y[:, 1]
    return X, Y


@pytest.fixture(scope="module")
def found_in_noise():
    """Which columns of pure noise pass, in each of many data sets."""
    return [
        AutoStop(Info.from_codes(*noise(1000 + seed)), seed=seed, shuffles=50).significant.sum()
        for seed in range(60)
    ]


def test_false_discoveries_are_controlled(found_in_noise):
    """All is noise, so any discovery is false: at alpha = 0.05 three of 60 are expected."""
    assert sum(found > 0 for found in found_in_noise) <= 9
    assert sum(found_in_noise) <= 12


def test_noise_in_labels_and_features_with_holes():
    passed = 0
    for seed in range(10):
        X, Y = noise(seed)
        rng = np.random.default_rng([seed, 1])
        X[rng.random(X.shape) < 0.2] = -1
        Y[rng.random(Y.shape) < 0.2] = -1
        for ignore in (False, True):
            info = info_of_codes(X, Y, ignore_missing=ignore)
            passed += bool(AutoStop(info, shuffles=50).significant.any())
    assert passed <= 4


def test_an_identifier_is_no_discovery():
    """It tells the labels apart as well when they are shuffled: rounding must not decide."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 60))
        X = np.column_stack([rng.permutation(n) for _ in range(3)])
        auto = AutoStop(Info.from_codes(X, rng.integers(0, 2, (n, 3))))
        assert not auto.significant.any(), seed


def test_a_prefilter_does_not_turn_noise_into_discoveries():
    """The best 3 of 100 columns of noise are no better than 100 columns of noise."""
    found = 0
    for seed in range(8):
        X, Y = noise(seed, d=100)
        found += bool(mlfs.select((X, Y), "mim", "auto", prefilter=3, seed=seed).indices)
    assert found <= 2


@pytest.mark.parametrize("name", ["mim", "jmi", "mrmr", "scls", "cmim", "mlcfs_global"])
def test_what_informs_is_found_and_copies_are_passed_over(name):
    X, Y = informative(1)
    indices = mlfs.select((X, Y), name, "auto").indices
    assert {0, 2} <= set(indices)
    assert set(indices) <= {0, 1, 2}


def test_per_label():
    X, Y = informative(2)
    labels = mlfs.select((X, Y), "mim", "auto", per_label=True).labels
    assert set(labels["y0"].indices) <= {0, 1}
    assert 0 in labels["y0"].indices
    assert labels["y1"].indices == (2,)


@pytest.mark.timeout(60)  # a pool that waits for itself waits for ever
def test_the_same_seed_gives_the_same_answer():
    X, Y = informative(3)
    one, other = (AutoStop(Info.from_codes(X, Y), seed=5, shuffles=20) for _ in range(2))
    np.testing.assert_array_equal(one.p_values, other.p_values)
    blocks = AutoStop(Info.from_codes(X, Y), seed=6, shuffles=20)
    assert not np.array_equal(one.p_values, blocks.p_values)
    a, b = (mlfs.select((X, Y), "jmi", "auto", seed=9, n_jobs=jobs).indices for jobs in (1, 2))
    assert a == b


def test_it_ends():
    for X in (np.ones((30, 4), int), np.zeros((30, 1), int), np.eye(30, dtype=int)):
        for Y in (np.ones((30, 2), int), np.arange(30)[:, None] % 2, np.full((30, 1), np.nan)):
            selection = mlfs.select((X, Y), "mim", "auto")
            assert len(selection.indices) <= X.shape[1]


def test_nothing_found_is_said():
    selection = mlfs.select((np.ones((30, 4)), np.arange(30)[:, None] % 2), "mim", "auto")
    assert selection.indices == ()
    assert any("no feature" in note or "0 features" in note for note in selection.notes)


def test_p_values_are_probabilities():
    X, Y = informative(4)
    auto = AutoStop(Info.from_codes(X, Y), shuffles=30)
    assert ((auto.p_values >= 0) & (auto.p_values <= 1)).all()
    assert auto.p_values[2] < 1e-6
    assert set(auto.left_out.tolist()) >= set(np.flatnonzero(~auto.significant).tolist())


def test_alpha_decides():
    X, Y = informative(5)
    all_in = mlfs.select((X, Y), "mim", "auto", alpha=1.0)
    strict = mlfs.select((X, Y), "mim", "auto", alpha=0.0)
    usual = mlfs.select((X, Y), "mim", "auto")
    assert len(strict.indices) <= len(usual.indices) <= len(all_in.indices)


def test_a_view_is_judged_by_its_own_candidates():
    X, Y = informative(6)
    info = Info.from_codes(X, Y)
    part = AutoStop(info.only([9, 2, 0]), shuffles=30)
    assert part.p_values.shape == (3,)
    assert part.significant.tolist() == [False, True, True]
    assert part.left_out.tolist() == [9]
    assert part.closes(2).tolist() == [True, True, False]


def test_included_columns_are_picked_whatever_they_tell():
    X, Y = informative(7)
    selection = mlfs.select((X, Y), "mim", "auto", include=[9], exclude=[0])
    assert selection.indices[0] == 9
    assert 0 not in selection.indices
    assert 2 in selection.indices


@pytest.mark.slow
@pytest.mark.parametrize(("values", "share"), [(0.02, 0.05), (0.5, 0.1)])
def test_rare_values_make_no_discoveries_by_chance(values, share):
    """The tails of rare features about rare labels are heavier than any gamma variable's."""
    runs = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = (rng.random((300, 120)) < values).astype(float)
        y = (rng.random((300, 1)) < share).astype(int)
        runs += bool(mlfs.select((X, y), "mim", "auto").indices)
    assert runs <= 6  # 1.5 are expected, 7 or more once in a thousand


def test_sparse_counts_of_many_levels_do_not_close_a_search_after_a_pick() -> None:
    """A level of a pick in which no other column has a row beside its mode is no stratum."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.02, (4000, 60)) * rng.integers(1, 10, (4000, 60))
    Y = (counts[:, :12] > 0) ^ (rng.random((4000, 12)) < 0.01)
    picked = mlfs.select((counts, Y.astype(int)), "mim", "auto")
    assert set(range(12)) <= set(picked.indices)
    assert len(picked) <= 16


def test_what_chance_tells_within_strata_is_that_of_permutations_within_them() -> None:
    """Strata of seven rows hold some of the eight levels, and few of the rare classes."""
    rng = np.random.default_rng(0)
    n, strata = 300, rng.integers(0, 40, 300)
    X = np.c_[strata, rng.integers(0, 8, (n, 3)), rng.random((n, 4)) < [0.5, 0.1, 0.02, 0.9]]
    Y = (rng.random((n, 3)) < [0.5, 0.1, 0.03]).astype(int)
    info, generator = Info.from_codes(X, Y), np.random.default_rng(1)
    stop = AutoStop(info, seed=1, shuffles=200)
    told = np.zeros(8)
    for _ in range(60):
        shuffled = Y.copy()
        for stratum in np.unique(strata):
            rows = np.flatnonzero(strata == stratum)
            shuffled[rows] = Y[generator.permutation(rows)]
        told += Info.from_codes(X, shuffled).cmi_fL_given_s(0) / 60
    by_chance = info.cmi_fL_given_s(0) - stop.gain(0)
    ratio = by_chance[1:] / told[1:]
    assert ((ratio > 0.6) & (ratio < 1.5)).all(), ratio


@pytest.mark.timeout(25)  # a second; a look at each level alone takes minutes
def test_a_pick_of_very_many_levels_costs_what_its_sizes_of_levels_do() -> None:
    rng = np.random.default_rng(0)
    X = np.c_[np.arange(120_000), rng.integers(0, 60_000, (120_000, 5))]
    stop = AutoStop(Info.from_codes(X, rng.integers(0, 2, (120_000, 2))), shuffles=2)
    assert stop.closes(0).all()
