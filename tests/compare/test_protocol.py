"""The rows that train and the rows that test: no leak, no row lost, the same for a seed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.compare import resampling, run
from mlfs.compare.resampling import Folds, GivenSplit, Holdout
from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import join_datasets
from mlfs.errors import DataError, UsageError
from tests.compare import in_process


def some_data(n: int = 60, *, sparse: bool = False) -> Any:
    generator = np.random.default_rng(1)
    labels = (generator.random((n, 4)) < [0.5, 0.2, 0.1, 0.05]).astype(int)
    features = generator.integers(3, size=(n, 5))
    if sparse:
        return from_arrays(sp.csr_array(features), sp.csr_array(labels))
    return from_arrays(features, labels)


@pytest.mark.parametrize(
    "dealt",
    [Folds(4), Folds(3, 2), Folds(3, stratified=False), Holdout(0.8, 3), GivenSplit(40)],
    ids=str,
)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_a_row_trains_or_tests(dealt: Any, sparse: bool) -> None:
    data = some_data(sparse=sparse)
    splits = list(dealt.splits(data, 7))
    assert len(splits) == len(dealt)
    for split in splits:
        both = np.concatenate([split.train, split.test])
        assert (np.sort(both) == np.arange(60)).all()
        assert (np.diff(split.train) > 0).all()
        assert (np.diff(split.test) > 0).all()
    again = list(dealt.splits(data, 7))
    for one, other in zip(splits, again, strict=True):
        np.testing.assert_array_equal(one.test, other.test)


@pytest.mark.parametrize("stratified", [True, False])
def test_every_row_tests_once_in_folds(stratified: bool) -> None:
    tests = [split.test for split in Folds(5, stratified=stratified).splits(some_data(), 0)]
    assert (np.sort(np.concatenate(tests)) == np.arange(60)).all()


@pytest.mark.parametrize("dealt", [Folds(5), Folds(5, stratified=False), Holdout()], ids=str)
def test_another_seed_deals_otherwise(dealt: Any) -> None:
    one = [split.test.tolist() for split in dealt.splits(some_data(), 0)]
    other = [split.test.tolist() for split in dealt.splits(some_data(), 1)]
    assert one != other


def test_strata_keep_the_share_of_each_label() -> None:
    pytest.importorskip("iterstrat", reason="iterative-stratification is not installed")
    data = some_data(400)
    for split in Folds(4).splits(data, 0):
        np.testing.assert_allclose(data.Y[split.test].mean(0), data.Y.mean(0), atol=0.015)


def test_without_the_package_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Folds(stratified=False).note == ""
    monkeypatch.setattr(resampling, "_stratifier", lambda: None)
    assert "plain shuffles" in Folds().note
    assert len(list(Folds(3).splits(some_data(), 0))) == 3


def test_holdout_sizes() -> None:
    for split in Holdout(0.8, 2).splits(some_data(), 0):
        assert split.test.size == 12


def test_joined_keeps_the_rows_in_order() -> None:
    data = some_data()
    first = replace(data, X=data.X[:40], Y=data.Y[:40])
    second = replace(data, X=data.X[40:], Y=data.Y[40:])
    both = join_datasets(first, second)
    np.testing.assert_array_equal(both.X, data.X)
    np.testing.assert_array_equal(both.Y, data.Y)
    mixed = join_datasets(
        first, replace(second, X=sp.csr_array(second.X), Y=sp.csr_array(second.Y))
    )
    np.testing.assert_array_equal(mixed.X.toarray(), data.X)
    with pytest.raises(DataError, match="differ in their columns"):
        join_datasets(first, second.reduced([0, 1]))


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="two folds"):
        Folds(1)
    with pytest.raises(UsageError, match="between 0 and 1"):
        Holdout(1.0)
    with pytest.raises(UsageError, match="once or more"):
        Holdout(0.5, 0)
    with pytest.raises(DataError, match="too few for 9 folds"):
        list(Folds(9).splits(some_data(8), 0))
    with pytest.raises(DataError, match="both parts need rows"):
        list(GivenSplit(60).splits(some_data(), 0))


def test_a_number_above_the_features_of_a_data_set_is_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_process.use(monkeypatch)
    results = run(
        {"small": ([[0, 1], [1, 0], [1, 1], [0, 0]] * 5, [[0, 1], [1, 0], [1, 1], [0, 0]] * 5)},
        criteria="mim",
        models="mlnb",
        n=[1, 5],
        folds=2,
    )
    assert results.notes[-1] == "small has 2 features: n = 5 selects all of them"
