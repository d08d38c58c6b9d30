"""The answer where no option is given."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs import FeatureSelector
from mlfs.api.text import table as table_text
from mlfs.search.additive import AdditiveModel
from mlfs.search.stopping import AutoStop


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
    [(60, {}), (99, {}), (300, {"estimator": "gaussian"}), (300, {"correction": "expected"})],
)
def test_the_rule_is_the_same_for_few_rows_and_for_every_estimator(rows, options):
    assert {0, 1, 2} <= {*mlfs.select(table(rows), **options).indices} <= {0, 1, 2, 3, 4}


def test_columns_that_only_stand_for_others_are_left_out():
    rng = np.random.default_rng(1)
    common = rng.normal(size=(2000, 1))
    X = 0.8 * common + 0.6 * rng.normal(size=(2000, 40))
    Y = (X[:, :6] @ rng.normal(size=(6, 3)) + rng.logistic(size=(2000, 3)) > 0).astype(int)
    selection = mlfs.select((X, Y))
    assert {*range(6)} <= {*selection.indices}
    assert len(selection) <= 8
    tested = selection.significance
    assert tested.informative.sum() > 20  # alone nearly every column tells something
    others = np.setdiff1d(np.flatnonzero(tested.informative), selection.indices)
    assert (tested.p_beside[others] > 0.001).all()
    assert {*tested.instead[others].tolist()} <= {*selection.indices}


def test_the_only_column_of_a_label_stays_beside_one_that_tells_many():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2000, 20))
    column_of = np.r_[np.zeros(35, int), 1:6]
    strength = np.r_[np.full(35, 1.5), np.full(5, 0.7)]
    Y = (strength * X[:, column_of] + rng.logistic(size=(2000, 40)) > 0.8).astype(int)
    selection = mlfs.select((X, Y))
    assert {*range(6)} <= {*selection.indices}
    assert len(selection) <= 8
    told = {told.label: told.name for told in selection.told_by}
    assert [told[f"y{l}"] for l in (0, 35, 39)] == ["x0", "x1", "x5"]


def test_a_label_that_no_pick_tells_is_named_with_its_best_column():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1000, 5))
    Y = (X[:, [0, 1]] * [3, 1] + rng.logistic(size=(1000, 2)) > 0).astype(int)
    Y = np.c_[Y, rng.random(1000) < 0.3]
    selection = mlfs.select((X, Y), prefilter=1)
    excluded = mlfs.select((X, Y), exclude=["x1"])
    assert excluded.told_by[1].name is None  # nobody is advised to include it
    assert not any("no pick tells" in note for note in excluded.notes)
    first, second, third = selection.told_by
    assert (first.name, first.picked) == ("x0", True)
    assert (second.name, second.picked) == ("x1", False)
    assert (third.name, third.index) == (None, None)
    assert any("no pick tells the label 'y1'" in note for note in selection.notes)
    assert mlfs.Selection.from_json(selection.to_dict()).told_by == selection.told_by
    assert "x1 (not picked)" in table_text(selection)


def test_it_is_explained_why_a_column_is_no_pick():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 4))
    X[:, 1] = X[:, 0] + 0.3 * rng.normal(size=1000)
    Y = (X[:, [0]] + rng.logistic(size=(1000, 1)) > 0).astype(int)
    selection = mlfs.select((X, Y))
    assert selection.indices == (0,)
    proxy, noise = mlfs.explain((X, Y), selection, [1, 3])
    assert "adds nothing to the picks" in proxy.excluded
    assert "x0 is most like it" in proxy.excluded
    assert "no more than chance" in noise.excluded


@pytest.mark.parametrize("name", ["mim", "jmi", "scls", "cmim", "disr"])
def test_wide_data_sparse_and_dense_have_the_same_answer(name):
    rng = np.random.default_rng(1)
    X = rng.poisson(0.2, (400, 1200)).astype(float)
    X[:, 7] = rng.integers(0, 60, 400)
    Y = (X[:, [3, 500, 900]] + X[:, [4, 501, 901]] > 0).astype(int)
    heard = []
    few = mlfs.select(
        (sp.csr_array(X), Y), name, "auto", include=[1100], nominal_limit=60,
        on_pick=lambda _, pick: heard.append(pick.index),
    )  # fmt: skip
    every = mlfs.select((X, Y), name, "auto", include=[1100], nominal_limit=60)
    assert few.indices == every.indices == tuple(heard)
    assert few.runners_up == every.runners_up
    np.testing.assert_array_equal(few.scores, every.scores)
    np.testing.assert_array_equal(few.significance.adjusted, every.significance.adjusted)
    assert len(few) > 4


@pytest.mark.parametrize("n", [200, 1000])
def test_a_numeric_target_is_tested_by_fifths_of_the_rows(n):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 10))
    y = X[:, 0] - X[:, 1] + 0.8 * X[:, 2] + 0.5 * rng.normal(size=n)
    fitted = mlfs.FeatureSelector(estimator="gaussian").fit(X, y)
    assert {*fitted.indices_.tolist()} == {0, 1, 2}
    n_found = 0
    for _ in range(10):
        noise = mlfs.select((X, rng.normal(size=n)), n="auto", estimator="gaussian")
        n_found += bool(noise.significance.informative.any())
    assert n_found <= 2


@pytest.mark.parametrize("place", ["add", "sweep", "significance"])
def test_ctrl_c_keeps_the_picks_wherever_it_comes(place, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 10))
    Y = (X[:, :4].sum(axis=1) + rng.logistic(size=500) > 0).astype(int)[:, None]
    owner = AdditiveModel if place == "add" else AutoStop
    work, calls = getattr(owner, place), []

    def interrupted(self, *args, **options):
        calls.append(place)
        if place != "add" or len(calls) == 3:
            raise KeyboardInterrupt
        return work(self, *args, **options)

    monkeypatch.setattr(owner, place, interrupted)
    with pytest.raises(mlfs.Interrupted) as stopped:
        mlfs.select((X, Y), n="auto")
    assert len(stopped.value.selection) >= 2
