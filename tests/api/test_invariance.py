"""What must not matter to a selection: names of values, the form of the data, threads and memory.

tests/criteria/test_identities.py has the order of rows, columns and labels.
"""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.binnings import BINNINGS
from mlfs.criteria import available

N_ROWS, N_FEATURES, N_PICKED = 90, 9, 4


def random_table(criterion, *, numeric=False):
    """Features that tell something about three labels, hardly ever two alike."""
    generator = np.random.default_rng(zlib.crc32(criterion.encode()))
    hidden = generator.random((N_ROWS, 3)) < [0.5, 0.4, 0.3]
    Y = hidden ^ (generator.random((N_ROWS, 3)) < 0.15)
    X = np.where(
        generator.random((N_ROWS, N_FEATURES)) < generator.uniform(0.5, 0.9, N_FEATURES),
        hidden[:, np.arange(N_FEATURES) % 3],
        generator.integers(0, 3, (N_ROWS, N_FEATURES)),
    )
    if numeric:
        X = X + generator.normal(0, 0.4, X.shape)
    columns = [f"f{j}" for j in range(N_FEATURES)]
    return pd.DataFrame(X, columns=columns), pd.DataFrame(Y.astype(int), columns=["a", "b", "c"])


def picks(X, Y, criterion, **options):
    """What is picked, with the scores: for all labels, or for each label by its name."""
    if mlfs.criteria.get(criterion)[1].search == "greedy":
        options.setdefault("n", N_PICKED)
    found = mlfs.select((X, Y), criterion, **options)
    rankings = found.labels or {"": found}
    return {
        label: ([pick.name for pick in ranking.chosen], [pick.score for pick in ranking.chosen])
        for label, ranking in rankings.items()
    }


def assert_same(said, wanted):
    assert said.keys() == wanted.keys()
    for label, (names, scores) in wanted.items():
        assert said[label][0] == names, label
        assert np.array(said[label][1]).tobytes() == np.array(scores).tobytes(), label


@pytest.mark.parametrize("criterion", available())
def test_the_names_of_values_and_the_type_of_a_table_change_no_bit(criterion):
    X, Y = random_table(criterion)
    wanted = picks(X, Y, criterion)
    other_names = np.array(["red", "green", "blue"])[X.to_numpy().astype(int)]
    as_text = pd.DataFrame(other_names, columns=X.columns).astype("category")
    if not mlfs.criteria.get(criterion)[1].network:  # which may be learned from numbers
        assert_same(picks(as_text, Y.replace({0: "no", 1: "yes"}), criterion), wanted)
    values = X.to_numpy()
    forms = [
        X.astype(np.uint8),
        X.astype(np.float32),
        X.astype("Int64"),
        pd.DataFrame(np.asfortranarray(values), columns=X.columns),
        pd.DataFrame(np.repeat(values, 2, axis=0)[::2], columns=X.columns),
        pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(values), columns=X.columns),
    ]
    for form in forms:
        assert_same(picks(form, Y, criterion), wanted)


@pytest.mark.parametrize("criterion", available())
def test_threads_memory_and_weights_of_one_change_no_bit(criterion):
    X, Y = random_table(criterion)
    wanted = picks(X, Y, criterion)
    for options in (
        {"n_jobs": 2},
        {"max_memory": "30MB"},
        {"sample_weight": np.full(N_ROWS, 0.1)},
        {"sample_weight": np.full(N_ROWS, 5e-324)},
    ):
        assert_same(picks(X, Y, criterion, **options), wanted)
    twice = pd.concat([X, X.iloc[:7]]), pd.concat([Y, Y.iloc[:7]])
    weights = np.where(np.arange(N_ROWS) < 7, 2, 1)
    assert_same(picks(X, Y, criterion, sample_weight=weights), picks(*twice, criterion))


@pytest.mark.parametrize("factor", [2.0**1000, 2.0**-1000, -1.0])
@pytest.mark.parametrize("bins", BINNINGS)
def test_the_unit_of_a_numeric_column_does_not_matter(bins, factor):
    X, Y = random_table("unit", numeric=True)
    wanted = picks(X, Y, "jmi", bins=bins)
    assert_same(picks(X * factor, Y, "jmi", bins=bins), wanted)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("extreme", [1.7e308, 5e-324, 2.0**53 + 2])
def test_extreme_numbers_are_values_like_others(extreme):
    X, Y = random_table("extreme")
    X["f2"] = X["f2"] > 0
    wanted = picks(X, Y, "jmi")
    X["f2"] = np.where(X["f2"], extreme, -extreme)
    for bins in ("mean-sd", "width", "frequency"):
        options = {"bins": bins} if bins == "mean-sd" else {"bins": bins, "n_bins": 2}
        names, scores = picks(X, Y, "jmi", nominal_limit=3, **options)[""]
        assert_same({"": (names, scores)}, wanted)
