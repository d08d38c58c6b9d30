"""A time limit keeps the first picks; a full ranking has every feature."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mlfs
from mlfs import cli
from mlfs.api.text import render
from tests.documents import ROOT

SONGS = str(ROOT / "docs" / "examples" / "songs.arff")
RNG = np.random.default_rng(1)
X = RNG.integers(0, 3, (60, 12))
Y = np.column_stack([X[:, 3] > 0, X[:, 7] == 1]).astype(int)


@pytest.mark.parametrize("name", ["mrmr", "jmi", "cmim", "mlfs_global"])
def test_the_picks_so_far_are_the_first_of_the_ranking(name: str) -> None:
    found = mlfs.select((X, Y), name, 8, max_seconds=1e-9)
    whole = mlfs.select((X, Y), name, 8, max_seconds=1e9)
    assert found.timed_out
    assert not whole.timed_out
    assert found.indices == whole.indices[:1]
    assert found.scores.tolist() == whole.scores[:1].tolist()
    assert found.to_dict()["timed_out"] is True
    assert "timed_out" not in whole.to_dict()
    assert any("stopped after 1 pick: the time of 1e-09 s was up" in note for note in found.notes)
    more = mlfs.select((X, Y), name, 8, start=found)
    assert more.indices == whole.indices


def test_labels_that_were_not_reached_have_no_subset() -> None:
    found = mlfs.select((X, Y), "jmi", 4, per_label=True, max_seconds=1e-9)
    assert found.timed_out
    assert list(found.labels) == ["y0"]
    assert any("1 of 2 labels were searched" in note for note in found.notes)


def test_a_search_for_a_set_ends_too() -> None:
    found = mlfs.select((X, Y), "mlcfs_global", max_seconds=1e-9)
    assert found.timed_out
    assert len(found) <= 1


def test_the_transformer_warns() -> None:
    with pytest.warns(UserWarning, match="the time of 1e-09 s was up"):
        mlfs.FeatureSelector("jmi", 5, max_seconds=1e-9).fit(X, Y)
    with pytest.raises(mlfs.UsageError, match="max_seconds is a number above 0, not 0"):
        mlfs.select((X, Y), max_seconds=0)


def test_the_table_says_that_the_time_was_up() -> None:
    with pytest.warns(UserWarning, match="stopped after 1 pick"):
        found = mlfs.select(SONGS, "jmi", "all", max_seconds=1e-9)
    assert "1 of 24 features when the time was up" in render(found, "table")


def test_all_features_are_ranked(capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(mlfs.select((X, Y), "jmi", "all").indices) == list(range(12))
    assert len(mlfs.select((X, Y), "jmi", "all", exclude=[0, 1])) == 10
    assert mlfs.FeatureSelector("mim", "all").fit(X, Y).n_features_ == 12
    assert cli.main(["select", "-n", "all", "--format", "json", SONGS]) == 0
    assert len(json.loads(capsys.readouterr().out)["selected"]) == 24


def test_a_ranking_of_one_pass_is_complete_and_not_marked() -> None:
    found = mlfs.select((X, Y), "mim", "all", max_seconds=1e-9)
    assert len(found.indices) == X.shape[1]
    assert not found.timed_out
