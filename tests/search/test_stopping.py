"""The automatic number of features: noise stays out, what informs comes in, copies do not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mlfs


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


def test_false_discoveries_are_controlled():
    """All is noise, so any discovery is false: at alpha = 0.05 three of 60 are expected."""
    found = [len(mlfs.select(noise(1000 + seed), "mim", "auto")) for seed in range(60)]
    assert sum(n > 0 for n in found) <= 8
    assert sum(found) <= 12


def test_noise_in_labels_and_features_with_holes():
    passed = 0
    for seed in range(20):
        X, Y = (array.astype(float) for array in noise(seed))
        rng = np.random.default_rng([seed, 1])
        X[rng.random(X.shape) < 0.2] = np.nan
        Y[rng.random(Y.shape) < 0.2] = np.nan
        passed += bool(len(mlfs.select((X, Y), "mim", "auto")))
    assert passed <= 4


def test_a_key_is_no_discovery():
    """Every row has another value, so that the labels are told apart by chance, too."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 60))
        X = np.column_stack([rng.permutation(n) for _ in range(3)])
        X = pd.DataFrame({f"k{j}": [f"v{v}" for v in X[:, j]] for j in range(3)})
        data = (X, rng.integers(0, 2, (n, 3)))
        assert not len(mlfs.select(data, "mim", "auto", keep_identifiers=True)), seed


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


def test_threads_change_nothing():
    X, Y = informative(3)
    one, other = (mlfs.select((X, Y), "jmi", "auto", n_jobs=jobs) for jobs in (1, 2))
    assert one.indices == other.indices
    np.testing.assert_array_equal(one.significance.p_values, other.significance.p_values)


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
    tested = mlfs.select(informative(4), "mim", "auto").significance
    assert ((tested.p_values >= 0) & (tested.p_values <= 1)).all()
    assert tested.p_values[2] < 1e-6
    assert tested.adjusted.tolist() == pytest.approx(adjusted_naively(tested.p_values.tolist()))


def adjusted_naively(p_values):
    """Benjamini & Hochberg (1995), hypothesis by hypothesis."""
    m, ordered = len(p_values), sorted(p_values)
    return [
        min(min(1.0, ordered[k] * m / (k + 1)) for k in range(m) if ordered[k] >= p)
        for p in p_values
    ]


def test_alpha_decides():
    X, Y = informative(5)
    strict, usual, all_in = (
        mlfs.select((X, Y), "mim", "auto", alpha=alpha) for alpha in (0.0, 0.05, 1.0)
    )
    assert len(strict) <= len(usual) <= len(all_in)


def test_a_copy_of_a_pick_adds_nothing_and_later_picks_make_earlier_ones_leave():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(3000, 3))
    both = X[:, 0] + X[:, 1] + 1.5 * rng.normal(size=3000)  # the best column, until both are there
    Y = (2 * X[:, :2].sum(axis=1) + rng.logistic(size=3000) > 0).astype(int)[:, None]
    selection = mlfs.select((np.c_[both, X], Y), "mim", "auto")
    assert set(selection.indices) == {1, 2}
    tested = selection.significance
    assert tested.informative[0]
    assert tested.p_beside[0] > 0.01


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
