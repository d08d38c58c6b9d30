"""Weights of rows: whole numbers are repetitions, zeros are not there, the rest is on a grid."""

from __future__ import annotations

import numpy as np
import pytest

import mlfs
from mlfs import DataError
from mlfs.binnings import BINNINGS
from mlfs.counting.weights import GRID_BITS, on_grid
from mlfs.data import from_arrays
from mlfs.data.columns import check_weights
from tests.walk import same

NAMES = ["jmi", "scls", "mlfs_local", "mlcfs", "disr", "mlig"]


def mixed(seed, n=40):
    """Numbers to be binned, codes and an empty value here and there."""
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, (n, 3)).astype(float)
    X = np.column_stack(
        [
            rng.normal(size=n) + Y[:, 0],
            np.round(rng.exponential(size=n) * 100, 1) + 3 * Y[:, 1],
            rng.integers(0, 4, n),
            rng.normal(size=n),
            Y[:, 2] * (rng.random(n) < 0.8),
        ]
    )
    X[rng.random(X.shape) < 0.05] = np.nan
    Y[rng.random(Y.shape) < 0.05] = np.nan
    return X, Y


def edges(selection):
    return [binning.describe() for binning in selection.binnings]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bins", BINNINGS)
def test_whole_weights_are_repetitions(name, bins):
    """Edges, picks and every bit of the scores; the order of labels is not left to the cheap way,
    whose principal component is exact only to rounding."""
    X, Y = mixed(1)
    times = np.random.default_rng(2).integers(0, 4, len(X))
    rows = np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0)
    weighed, repeated = (
        mlfs.select(
            ready,
            name,
            4,
            network=mlfs.label_network(ready, order="full") if name == "mlfs_local" else None,
        )
        for ready in (
            mlfs.prepare((X, Y), sample_weight=times, bins=bins),
            mlfs.prepare(rows, bins=bins),
        )
    )
    assert edges(weighed) == edges(repeated)
    assert weighed.network == repeated.network
    same(weighed, repeated, bitwise=True)


@pytest.mark.parametrize("name", ["jmi", "mlfs_local"])
def test_rows_of_weight_zero_are_not_there(name):
    X, Y = mixed(3)
    weights = np.random.default_rng(3).choice([0.0, 0.5, 1.25], len(X))
    kept = weights > 0
    one = mlfs.select((X, Y), name, n=4, sample_weight=weights)
    other = mlfs.select((X[kept], Y[kept]), name, n=4, sample_weight=weights[kept])
    assert edges(one) == edges(other)
    same(one, other, bitwise=True)
    assert one.data["rows"] == int(kept.sum())
    assert any("weight 0" in note and str(int((~kept).sum())) in note for note in one.notes)


@pytest.mark.parametrize("unit", [1.0, 3.0, 0.25, 1e-300, 1e300])
def test_the_unit_of_the_weights_does_not_matter(unit):
    X, Y = mixed(4)
    plain = mlfs.select((X, Y), "jmi", n=4)
    same(plain, mlfs.select((X, Y), "jmi", n=4, sample_weight=np.full(len(X), unit)))
    weights = np.random.default_rng(4).integers(1, 5, len(X)).astype(float)
    one = mlfs.select((X, Y), "jmi", n=4, sample_weight=weights)
    same(one, mlfs.select((X, Y), "jmi", n=4, sample_weight=weights * unit))


def test_the_order_of_weighted_rows_changes_no_bit():
    X, Y = mixed(5)
    weights = np.random.default_rng(5).random(len(X))
    order = np.random.default_rng(6).permutation(len(X))
    one = mlfs.select((X, Y), "jmi", n=5, sample_weight=weights)
    same(
        one,
        mlfs.select((X[order], Y[order]), "jmi", n=5, sample_weight=weights[order]),
        bitwise=True,
    )


def test_the_weights_of_the_data_are_used_and_reported():
    X, Y = mixed(6)
    weights = np.random.default_rng(6).integers(1, 4, len(X)).astype(float)
    data = from_arrays(X, Y, sample_weight=weights)
    own = mlfs.select(data, "jmi", n=3)
    same(own, mlfs.select((X, Y), "jmi", n=3, sample_weight=weights), bitwise=True)
    told = [note for note in own.notes if "weighted" in note]
    assert len(told) == 1
    assert own.settings["weighted"] is True
    other = mlfs.select(data, "jmi", n=3, sample_weight=np.ones(len(X)))
    same(other, mlfs.select((X, Y), "jmi", n=3))
    assert not any("weighted" in note for note in other.notes)


def test_one_weight_for_all():
    assert check_weights(2, 3).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, 2], r"the weights have shape \(2,\), but there are 3 rows: give one each"),
        (np.ones((3, 1)), r"the weights have shape \(3, 1\), but there are 3 rows"),
        ([1, np.nan, 1], "row 2 has the weight nan: weights must be finite and not negative"),
        ([1, 1, np.inf], "row 3 has the weight inf"),
        ([-0.5, 1, 1], "row 1 has the weight -0.5"),
        ([0, 0, 0], "all weights are zero: at least one row must count"),
        (["a", "b", "c"], "the weights of rows must be numbers"),
        ([1j, 1, 1], "the weights of rows must be numbers"),
        ([[1], [1, 2], 3], "the weights of rows must be numbers"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, sentence):
    with pytest.raises(DataError, match=sentence):
        check_weights(weights, 3)


@pytest.mark.parametrize("weights", [[1, 2, 3], [0, 0, 7], [2**40, 1, 1], [1e15, 1, 0]])
def test_whole_weights_stay_what_they_are(weights):
    grid = on_grid(np.array(weights, dtype=float))
    assert grid.dtype == np.int64
    assert grid.tolist() == [int(w) for w in weights]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scale", [1e-310, 1e-9, 1.0, 1e9, 1e300])
def test_other_weights_are_on_the_finest_grid_that_fits(seed, scale):
    weights = np.random.default_rng(seed).random(50) * scale
    grid = on_grid(weights)
    assert int(grid.sum()) <= 2**GRID_BITS + grid.size
    assert np.gcd.reduce(grid) == 1
    np.testing.assert_allclose(grid / grid.sum(), weights / weights.sum(), rtol=0, atol=2.0**-48)


@pytest.mark.parametrize(
    "weights", [[5e-324] * 3, [1e308] * 30, [1.7e308, 1.7e308], [1e-300, 1e300]]
)
def test_extreme_weights_are_counted_or_refused_in_a_sentence(weights):
    n = len(weights)
    X, Y = np.arange(n)[:, None] % 2, np.arange(n)[:, None] % 2
    try:
        selection = mlfs.select((X, Y), "mim", n=1, sample_weight=weights)
    except DataError:
        return
    assert np.isfinite(selection.scores).all()


def test_a_weight_beside_which_others_vanish():
    """The row is as good as not there, and nothing breaks."""
    X, Y = mixed(7)
    weights = np.ones(len(X))
    weights[0] = 1e-30
    one = mlfs.select((X, Y), "mim", n=5, sample_weight=weights, bins="width")
    assert np.isfinite(one.scores).all()


def test_the_grid_does_not_depend_on_the_order_of_the_rows():
    """Weights that sum to one lie where a sum in another order crosses a power of two."""
    for seed in range(200):
        weights = np.random.default_rng(seed).random(40)
        weights /= weights.sum()
        order = np.random.default_rng(seed + 1000).permutation(40)
        assert (on_grid(weights)[order] == on_grid(weights[order])).all()
