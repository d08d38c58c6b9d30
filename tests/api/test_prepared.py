"""Data that are prepared once serve every selection, with the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import mlfs
from mlfs.api.prepared import prepared_of
from mlfs.information.for_search import report
from tests.documents import ROOT

SONGS = str(ROOT / "docs" / "examples" / "songs.arff")
CRITERIA = ["mim", "jmi", "mrmr", "scls", "cmim", "mlfs_global", "mlfs_local", "mlcfs", "pmu"]


@pytest.fixture(scope="module")
def ready() -> mlfs.Prepared:
    return mlfs.prepare(SONGS)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_selection_from_prepared_data_is_that_from_the_data(ready, criterion: str) -> None:
    expected = mlfs.select(SONGS, criterion, 5)
    for _ in range(2):  # the second time pair statistics are there already
        assert mlfs.select(ready, criterion, 5).to_dict() == expected.to_dict()


def test_pair_statistics_are_kept_for_the_next_criterion() -> None:
    ready = mlfs.prepare(SONGS)
    mlfs.select(ready, "mrmr", 4)
    counted = report(ready.info)["pairs counted"]
    assert counted
    mlfs.select(ready, "mrmr", 4)
    assert report(ready.info)["pairs counted"] == counted


@pytest.mark.parametrize(
    "options",
    [
        {"bins": "width", "n_bins": 3},
        {"nominal_limit": 0},
        {"missing": "error"},
        {"groups": {"loud": ["loud*"]}},
        {"n_jobs": 2},
        {"max_memory": "1GB"},
        {"sample_weight": np.arange(240) % 3},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_of_counting_are_those_of_the_preparation(ready, options: dict[str, Any]) -> None:
    own = mlfs.prepare(SONGS, **options)
    expected = mlfs.select(SONGS, "jmi", 4, **options).to_dict()
    assert mlfs.select(own, "jmi", 4).to_dict() == expected
    with pytest.raises(mlfs.UsageError, match="and the data are prepared already"):
        mlfs.select(ready, "jmi", 4, **options)


def test_preparing_again_changes_nothing(ready) -> None:
    assert mlfs.prepare(ready) is ready
    with pytest.raises(mlfs.UsageError, match=r"bins is for mlfs\.prepare, and the data are"):
        mlfs.prepare(ready, bins="mdlp")
    with pytest.raises(mlfs.UsageError, match=r"labels is for mlfs\.prepare, and the data are"):
        mlfs.select(ready, labels="first:2")


def test_a_network_is_learned_once_for_the_same_options(ready) -> None:
    first = mlfs.select(ready, "mlfs_global", 2)
    assert mlfs.select(ready, "mlfs_global", 3).network is first.network
    assert mlfs.label_network(ready) is first.network
    assert mlfs.label_network(ready, k=1) != first.network
    with pytest.raises(mlfs.UsageError, match="uses no label network"):
        mlfs.select(ready, "mim", 3, network="tree")
    with pytest.raises(mlfs.UsageError, match="k is the greatest number of parents"):
        mlfs.label_network(ready, k=True)
    with pytest.raises(mlfs.UsageError, match="order is for a chain, and the kind"):
        mlfs.label_network(ready, "tree", order="full")
    with pytest.raises(mlfs.UnknownName, match="unknown label network 'chian': did you mean"):
        mlfs.label_network(ready, "chian")


def frame() -> tuple[pd.DataFrame, np.ndarray]:
    songs = mlfs.read(SONGS)
    X = pd.DataFrame(songs.X, columns=songs.feature_names)
    X.insert(2, "day", pd.date_range("2020-01-01", periods=len(X)))
    return X, songs.Y


@pytest.mark.filterwarnings("ignore:column .* is left out of X")
def test_the_transformer_takes_prepared_data() -> None:
    X, Y = frame()
    expected = mlfs.FeatureSelector("jmi", n_features_to_select=4).fit(X, Y)
    found = mlfs.FeatureSelector("jmi", n_features_to_select=4).fit(mlfs.prepare((X, Y)))
    assert found.indices_.tolist() == expected.indices_.tolist()
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert found.n_features_in_ == expected.n_features_in_ == X.shape[1]
    assert (found.transform(X) == expected.transform(X)).all()


def test_the_transformer_takes_prepared_arrays_and_files(ready) -> None:
    songs = mlfs.read(SONGS)
    for data in (ready, mlfs.prepare((songs.X, songs.Y))):
        found = mlfs.FeatureSelector("jmi", n_features_to_select=4).fit(data)
        assert found.indices_.tolist() == list(mlfs.select(SONGS, "jmi", 4).indices)
        assert found.transform(songs.X).shape == (240, 4)
        assert not hasattr(found, "feature_names_in_")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": "width"}, "bins is for mlfs.prepare, and the data are prepared already"),
        ({"n_jobs": 2}, "n_jobs is for mlfs.prepare, and the data are prepared already"),
        ({"classes": True}, "classes and categorical_features say how"),
        ({"categorical_features": [0]}, "classes and categorical_features say how"),
    ],
)
def test_the_transformer_refuses_other_options(ready, options, message: str) -> None:
    with pytest.raises(mlfs.UsageError, match=message):
        mlfs.FeatureSelector(**options).fit(ready)


def test_labels_are_not_given_twice(ready) -> None:
    with pytest.raises(mlfs.UsageError, match="leave y out"):
        mlfs.FeatureSelector().fit(ready, np.zeros(240))


@pytest.mark.parametrize("odd", [3, "width", [0], [None]])
def test_what_is_no_binning_is_refused(odd) -> None:
    with pytest.raises(mlfs.UsageError, match="binnings is a sequence of Binning"):
        prepared_of(([[0.5], [1.5]], [[0], [1]]), {}, odd)
