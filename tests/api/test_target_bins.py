"""Numeric targets are binned like features, and features are selected for the bins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import mlfs
from mlfs import cli
from mlfs.data import bin_targets, from_arrays

RNG = np.random.default_rng(8)
X = RNG.normal(size=(120, 6))
y = X[:, 4] + 0.3 * X[:, 2] + 0.05 * RNG.normal(size=120)


def binned(X: Any, y: Any, how: Any = "frequency", **options: Any) -> mlfs.Dataset:
    return bin_targets(from_arrays(X, y, numeric_targets=True), how, **options)


def by_hand(target: np.ndarray, edges: list[float]) -> np.ndarray:
    return np.array([sum(value > edge for edge in edges) for value in target])


@pytest.mark.parametrize("how", ["frequency:4", "width", "mean-sd"])
def test_the_bins_are_classes_of_the_target(how: str) -> None:
    data = binned(X, y, how)
    found = mlfs.select(data, "mrmr", 6)
    low, high = y.min(), y.max()
    edges = {
        "frequency:4": np.quantile(y, [0.25, 0.5, 0.75]).tolist(),
        "width": [low + (high - low) / 3, low + 2 * (high - low) / 3],
        "mean-sd": [y.mean() - y.std(ddof=1), y.mean() + y.std(ddof=1)],
    }[how]
    classes = by_hand(y, edges)
    assert np.array_equal(np.bincount(classes), np.bincount(data.Y[:, 0]))
    expected = mlfs.select((X, classes), "mrmr", 6)
    assert found.indices == expected.indices
    assert found.scores.tolist() == expected.scores.tolist()


def test_many_targets_of_several_kinds() -> None:
    frame = pd.DataFrame({"a": y, "flag": y > 0, "b": -y, "word": np.where(y > 1, "up", "no")})
    frame["word"] = np.where(y > 1, "yes", "no")
    data = binned(X, frame)
    assert [len(label.values) for label in data.labels] == [3, 2, 3, 2]
    assert binned(X, np.column_stack([y, y > 0])).Y[:, 0].tolist() == data.Y[:, 0].tolist()
    assert binned(X, sp.csr_array(y[:, None])).Y[:, 0].tolist() == data.Y[:, 0].tolist()


def test_missing_targets_stay_missing_and_rows_may_have_weights() -> None:
    holes = y.copy()
    holes[5] = np.nan
    data = binned(X, holes)
    assert data.Y[5, 0] == -1
    assert (data.Y[:, 0] == -1).sum() == 1
    twice = np.r_[np.arange(120), np.arange(40)]
    weights = np.r_[np.full(40, 2), np.ones(80)]
    repeated, weighed = binned(X[twice], y[twice]), binned(X, y, weights=weights)
    assert repeated.labels == weighed.labels
    one = mlfs.select(repeated, "mrmr", 3)
    other = mlfs.select(weighed, "mrmr", 3, sample_weight=weights)
    assert one.scores.tolist() == other.scores.tolist()


def test_few_whole_numbers_stay_classes() -> None:
    few = np.round(y)
    found = mlfs.select(binned(X, few, "width"), "mim", 2)
    assert found.scores.tolist() == mlfs.select((X, few), "mim", 2).scores.tolist()
    words = mlfs.select(binned(X, np.where(y > 0, "u", "v"), "width"), "mim", 2)
    assert "no label is a numeric target: binning them changes nothing" in words.notes


def test_a_selector_for_regression() -> None:
    pipeline = make_pipeline(mlfs.FeatureSelector("mrmr", 2, target_bins="frequency"), Ridge())
    grid = {"featureselector__target_bins": ["width:4", "frequency:3"]}
    found = GridSearchCV(pipeline, grid, cv=2).fit(X, y)
    assert found.best_score_ > 0.8
    assert set(found.best_estimator_[0].indices_) == {2, 4}
    ready = mlfs.prepare(binned(X, y))
    assert mlfs.FeatureSelector("mrmr", 2).fit(ready).n_features_ == 2


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (y, "which is continuous, and labels are classes; bin it with mlfs"),
        (np.column_stack([y, y]), "bin numbers with "),
    ],
)
def test_a_continuous_target_without_it_is_refused(target: np.ndarray, message: str) -> None:
    with pytest.raises(mlfs.DataError, match=message):
        mlfs.select((X, target))
    with pytest.raises(mlfs.DataError, match=r"holds inf in row 3: an infinite value"):
        binned(X, np.where(np.arange(120) == 2, np.inf, y), "width")


def test_many_whole_numbers_get_a_note() -> None:
    notes = mlfs.select((X, np.round(10 * y))).notes
    assert any(
        "different whole numbers, which are taken as classes; to bin them" in n for n in notes
    )
    assert not mlfs.select(binned(X, np.round(10 * y), "width")).notes
    assert not mlfs.select((X, np.round(y))).notes


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("mdlp", "how is 'mdlp', which bins by labels"),
        ("thirds", "unknown binning in how 'thirds'"),
        ("width:1", "how is 'width:1': the number of bins is from 2 to 10000"),
        ("mean-sd:3", "mean-sd has always three bins"),
        (4, "how is a binning such as 'frequency' or 'frequency:5', not 4"),
    ],
)
def test_what_is_no_binning_is_refused(value: object, message: str) -> None:
    with pytest.raises((mlfs.UsageError, LookupError), match=message):
        binned(X, y, value)


@pytest.mark.parametrize("suffix", ["csv", "arff"])
def test_the_command_bins_targets_of_files(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / f"t.{suffix}")
    names = [*"abcdef", "price"]
    table = np.column_stack([X, y])
    if suffix == "csv":
        pd.DataFrame(table, columns=names).to_csv(path, index=False)
    else:
        head = "".join(f"@attribute {name} real\n" for name in names)
        rows = "\n".join(",".join(map(repr, row)) for row in table.tolist())
        Path(path).write_text(f"@relation t\n{head}@data\n{rows}\n")
    common = ["select", "-c", "mrmr", "-n", "3", "--labels", "price", path]
    assert cli.main(common) == 1
    assert (
        "the label 'price' is continuous, and labels are classes; bin it with mlfs.data.bin_targets"
        in (capsys.readouterr().err)
    )
    smaller = str(tmp_path / f"smaller.{suffix}")
    arguments = ["--target-bins", "frequency", "--format", "json", "-o", smaller]
    assert cli.main([*common, *arguments]) == 0
    document = json.loads(capsys.readouterr().out)
    expected = mlfs.select(binned(X, y), "mrmr", 3)
    assert [one["index"] for one in document["selected"]] == list(expected.indices)
    again = mlfs.read(smaller, labels="price", numeric_targets=True)
    assert (
        again.labels[0] == from_arrays(X, y, label_names=["price"], numeric_targets=True).labels[0]
    )
