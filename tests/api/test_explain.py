"""`mlfs explain`: what it says of picks and of others is what the criterion says."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import mlfs
from mlfs import cli
from tests.documents import ROOT

SONGS = str(ROOT / "docs" / "examples" / "songs.arff")


def explain(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    code = cli.main(["explain", "-q", *arguments])
    seen = capsys.readouterr()
    assert code == 0, seen.err
    return seen.out


def test_every_pick_has_its_terms_runner_up_and_margin(capsys) -> None:
    document = json.loads(explain(capsys, "-c", "scls", "-n", "4", "--format", "json", SONGS))
    found = mlfs.select(SONGS, "scls", 4)
    assert document["schema"] == 1
    for one, pick in zip(document["explained"], found.chosen, strict=True):
        assert (one["rank"], one["index"], one["name"]) == (pick.rank, pick.index, pick.name)
        assert one["score"] == pick.score
        assert one["terms"]["redundancy"] == pick.redundancy
        assert one["margin"] == pick.margin
        assert one["runner_up"]["index"] == pick.runner_up


def test_the_words_have_the_numbers(capsys) -> None:
    text = explain(capsys, "-c", "scls", "-n", "2", SONGS)
    found = mlfs.select(SONGS, "scls", 2)
    assert f"{found.names[1]} (index {found.indices[1]}): pick 2" in text
    assert f"{found.scores[1]:.6f} nats = {found.terms['relevance'][1]:.6f} - " in text
    assert f"by {found.margins[1]:.6f} nats" in text


@pytest.mark.parametrize("criterion", ["scls", "mrmr", "jmi", "cmim", "mlfs_global"])
def test_what_was_not_picked_has_the_score_that_it_would_have(criterion: str) -> None:
    songs = mlfs.read(SONGS)
    four, five = (mlfs.select(songs, criterion, n) for n in (4, 5))
    nxt = five.chosen[4]
    reasons = mlfs.explain(songs, four, [nxt.name, "track_number"])
    assert reasons[0].rank is None
    assert reasons[0].score == nxt.score
    assert reasons[0].redundancy == nxt.redundancy
    assert reasons[0].margin == nxt.margin
    assert reasons[1].margin < 0
    assert reasons[1].rival == (nxt.index, nxt.name)
    assert reasons[1].score == pytest.approx(nxt.score + reasons[1].margin, abs=1e-12)


def test_shared_information_is_that_of_the_counts() -> None:
    songs = mlfs.read(SONGS)
    three = mlfs.select(songs, "mim", 3)
    (reasons,) = mlfs.explain(songs, three, ["track_number"])
    column = songs.feature_names.index("track_number")
    info = mlfs.prepare(songs).info
    assert {j: value for j, _, value in reasons.shared} == {
        j: float(info.mi_fs(j)[column]) for j in three.indices
    }
    assert reasons.place == 1 + int((info.mi_fL > info.mi_fL[column]).sum())


def test_per_label_every_label_says_its_own(capsys) -> None:
    arguments = ["-c", "jmi", "--per-label", "-n", "2", "--format", "json", SONGS, "drums"]
    reasons = json.loads(explain(capsys, *arguments))["explained"]
    found = mlfs.select(SONGS, "jmi", 2, per_label=True)
    assert [one["label"] for one in reasons] == list(found.labels)
    for one in reasons:
        names = found.labels[one["label"]].names
        assert one["rank"] == (names.index("drums") + 1 if "drums" in names else None)


def test_why_not_is_said_for_the_excluded_the_filtered_and_the_constant(capsys) -> None:
    text = explain(capsys, "-n", "2", "--exclude", "drums", SONGS, "drums")
    assert "it was excluded" in text
    text = explain(capsys, "-n", "2", "--prefilter", "3", SONGS, "track_number")
    assert "not among the 3 features with most information about the labels" in text


def test_a_feature_that_is_never_picked(capsys, tmp_path) -> None:
    (tmp_path / "c.csv").write_text("a,b,c,y\n1,0,3,1\n0,0,3,0\n1,1,3,1\n0,1,3,1\n")
    arguments = ["-c", "scls", "-n", "1", "--labels", "last:1", str(tmp_path / "c.csv"), "c"]
    assert "the criterion never picks it" in explain(capsys, *arguments)
    document = json.loads(explain(capsys, *arguments[:2], "--format", "json", *arguments[2:]))
    assert document["explained"][0]["score"] is None


def test_globs_and_groups(capsys) -> None:
    arguments = ["-c", "mrmr", "-n", "3", "--group", "loud=loud*", "--format"]
    reasons = json.loads(explain(capsys, *arguments, "json", SONGS, "loud*", "t*"))["explained"]
    names = [one["name"] for one in reasons]
    assert {"loudness", "tempo", "track_number"} <= set(names)
    assert len(names) == len(set(names))


def test_picks_are_explained_without_names_of_features() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    picks = mlfs.select((X, X[:, :1]), "mim", 1)
    (one,) = mlfs.explain((X, X[:, :1]), picks)
    assert (one.name, one.rival) == (picks.names[0], (1, "x1"))


@pytest.mark.parametrize(
    "options",
    [
        {"criterion": "jmi", "per_label": True, "missing": "error"},
        {"criterion": "scls", "bins": "width", "n_bins": 4},
        {"criterion": "mlfs_global", "network": "tree", "exclude": ["t*"], "prefilter": 9},
        {"criterion": "mlcfs", "groups": {"loud": ["loud*"]}},
    ],
    ids=lambda options: options["criterion"],
)
def test_prepared_data_give_the_same_reasons(options: dict[str, Any]) -> None:
    preparing = {name: options[name] for name in ("missing", "bins", "n_bins", "groups")
                 if name in options}  # fmt: skip
    ready = mlfs.prepare(SONGS, **preparing)
    searching = {name: value for name, value in options.items() if name not in preparing}
    selection = mlfs.select(ready, n=3, **searching)
    features = ["tempo", *selection.names[:1], "loud*"]
    assert mlfs.explain(ready, selection, features) == mlfs.explain(SONGS, selection, features)


def test_data_that_are_not_those_of_the_selection_are_refused() -> None:
    selection = mlfs.select(SONGS, "mim", 2, bins="width", n_bins=3)
    with pytest.raises(mlfs.UsageError, match="the selection was made with 'width'"):
        mlfs.explain(mlfs.prepare(SONGS), selection, ["tempo"])
    songs = mlfs.read(SONGS)
    with pytest.raises(mlfs.UsageError, match="the data have rows 100"):
        mlfs.explain((songs.X[:100], songs.Y[:100]), selection, [0])


def test_a_criterion_of_ones_own_is_named_again() -> None:
    class Alone(mlfs.Criterion):
        def relevance(self, info: mlfs.Info) -> np.ndarray:
            return info.mi_fL

    selection = mlfs.select(SONGS, Alone, 2)
    with pytest.raises(mlfs.UnknownName, match="alone"):
        mlfs.explain(SONGS, selection, ["tempo"])
    expected = mlfs.explain(SONGS, mlfs.select(SONGS, "mim", 2), ["tempo"])
    assert mlfs.explain(SONGS, selection, ["tempo"], criterion=Alone) == expected
