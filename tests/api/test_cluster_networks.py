"""The first principal component of what workers have read, and the network that it orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import mlfs
from tests.api.test_cluster import DATA, WEIGHTS, client, files, told

__all__ = ["client"]  # a fixture


@pytest.mark.parametrize("criterion", ["mlfs_global", "mlfs_local"])
@pytest.mark.parametrize("kind", ["csv", "arff", "parquet"])
def test_a_network_of_files_is_that_of_one_process(
    kind: str, criterion: str, tmp_path: Any, client: Any
) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    path = files(tmp_path)[kind]
    all_options: list[dict[str, Any]] = [{"sample_weight": WEIGHTS}, {}, {"bins": "mdlp"}]
    for options in all_options if kind == "csv" else all_options[:1]:
        own = {"labels": "last:3", "n": 4, **options}
        one = mlfs.select(path, criterion, **own)
        many = mlfs.select(path, criterion, cluster=client, **own)
        assert told(many) == told(one)
        assert many.network == one.network


@pytest.mark.parametrize("missing", [False, True])
def test_so_is_one_of_words_and_of_huge_numbers(missing: bool, tmp_path: Any, client: Any) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 4)) * [1.0, 1e200, 1.0, 3.0])
    frame["colour"] = rng.choice(["red", "green", "blue"], 400)
    if missing:
        frame = frame.mask(rng.random(frame.shape) < 0.1)
    for label in "abc":
        frame[label] = rng.integers(0, 2, 400)
    frame.to_csv(tmp_path / "a.csv", index=False)
    one = mlfs.select(tmp_path / "a.csv", "mlfs_global", 3, labels="a,b,c")
    many = mlfs.select(tmp_path / "a.csv", "mlfs_global", 3, labels="a,b,c", cluster=client)
    assert told(many) == told(one)


def test_so_is_one_of_collections_of_dask(client: Any) -> None:
    array = pytest.importorskip("dask.array")
    X, Y = DATA["mixed"]
    one = mlfs.select((X, Y), "mlfs_global", 5)
    chunks = array.from_array(X, chunks=(100, -1))
    many = mlfs.select((chunks, Y), "mlfs_global", 5, cluster=client)
    assert told(many) == told(one)


def test_so_is_one_of_many_labels_with_few_parents(client: Any) -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 2, (60, 4)), rng.integers(0, 2, (60, 1030))
    one, many = (
        mlfs.label_network(mlfs.prepare((X, Y), **cluster), order="given", k=1)
        for cluster in ({}, {"cluster": client})
    )
    assert many == one


def test_one_label_needs_no_component(tmp_path: Any, monkeypatch: Any) -> None:
    def refused(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr("mlfs.search.networks.first_component", refused)
    X, Y = DATA["mixed"]
    assert mlfs.select((X, Y[:, :1]), "mlfs_global", 2).network.order == (0,)
    with pytest.raises(AssertionError):
        mlfs.select((X, Y), "mlfs_global", 2)
