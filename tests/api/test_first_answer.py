"""The answer where no option is given."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs import FeatureSelector


def table(rows=300, columns=12, true=3):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(rows, columns))
    return X, (X[:, :true] + 0.5 * rng.normal(size=(rows, true)) > 0).astype(int)


def test_what_tells_more_than_chance_is_selected():
    X, Y = table()
    selection = mlfs.select((X, Y))
    assert selection.criterion == "scls"
    assert {0, 1, 2} <= {*selection.indices}
    assert len(selection) <= 4
    assert selection.indices == mlfs.select((X, Y), "scls", "auto").indices
    assert {*FeatureSelector().fit(X, Y).indices_} == {*selection.indices}


def test_there_is_one_at_least_where_none_was_asked_for():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(200, 6)), rng.integers(0, 2, (200, 2))
    selection = mlfs.select((X, Y))
    assert len(selection) == 1
    assert "no feature tells more than chance would: the best is kept" in selection.notes
    assert len(mlfs.select((X, Y), n="auto")) == 0


@pytest.mark.parametrize(
    ("rows", "options"),
    [(99, {}), (300, {"estimator": "gaussian"})],
)
def test_half_is_selected_of_little_evidence_and_where_there_is_no_test(rows, options):
    assert len(mlfs.select(table(rows), **options)) == 6


@pytest.mark.parametrize("name", ["mim", "jmi", "scls", "cmim", "disr"])
def test_wide_data_are_searched_as_narrow_ones_are(name, monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.poisson(0.2, (400, 1200)).astype(float)
    X[:, 7] = rng.integers(0, 60, 400)
    Y = (X[:, [3, 500, 900]] + X[:, [4, 501, 901]] > 0).astype(int)
    heard = []
    few = mlfs.select(
        (sp.csr_array(X), Y), name, "auto", include=[1100], nominal_limit=60,
        on_pick=lambda _, pick: heard.append(pick.index),
    )  # fmt: skip
    monkeypatch.setattr("mlfs.api.plan.can_count_alone", lambda *_: False)
    every = mlfs.select((X, Y), name, "auto", include=[1100], nominal_limit=60)
    assert few.indices == every.indices == tuple(heard)
    assert few.runners_up == every.runners_up
    np.testing.assert_array_equal(few.scores, every.scores)
    np.testing.assert_array_equal(few.significance.adjusted, every.significance.adjusted)
    assert len(few) > 4
