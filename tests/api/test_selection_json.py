"""Selections that are written as JSON and read back, and what the next step makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest

import mlfs
from mlfs import cli
from mlfs.errors import DataError, UsageError

SONGS = "docs/examples/songs.arff"
SCHEMA = json.loads(Path("docs/selection.schema.json").read_text(encoding="utf-8"))
WAYS: dict[str, dict[str, Any]] = {
    "plain": {"criterion": "mrmr", "n": 5},
    "per label": {"criterion": "jmi", "n": 3, "per_label": True},
    "auto": {"criterion": "mim", "n": "auto"},
    "auto per label": {"criterion": "mim", "n": "auto", "per_label": True},
    "network": {"criterion": "mlfs_local", "n": 3},
    "groups": {"criterion": "mim", "n": 3, "groups": {"g": ["tempo", "drums"]}},
    "fdr": {"criterion": "scls", "n": "fdr"},
    "panel": {"criterion": "scls", "n": 3, "panel": mlfs.Panel(at_least={"sad": 2})},
    "included": {"criterion": "cmim", "n": 3, "include": ["tempo"], "bins": "frequency"},
}


DRAWS: list[dict[str, Any]] = [{}, {"resamples": 20}, {"resamples": None, "permutations": 20}]


@pytest.mark.parametrize("draws", DRAWS, ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_a_selection_is_read_back_as_it_was(
    way: str, draws: dict[str, Any], tmp_path: Path
) -> None:
    picked = mlfs.select(SONGS, **WAYS[way])
    if draws:
        picked = mlfs.certainty(picked, SONGS, **draws)
    path = tmp_path / "picks.json"
    path.write_text(json.dumps(picked.to_dict()), encoding="utf-8")
    for source in (path, str(path), path.read_text(encoding="utf-8"), picked.to_dict()):
        again = mlfs.Selection.from_json(source)
        assert again.to_dict() == picked.to_dict()
        assert again.names == picked.names
        assert (again.scores == picked.scores).all()
        assert again.to_frame().equals(picked.to_frame())
        assert list(again.labels) == list(picked.labels)
        assert repr(again) == repr(picked)
    jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), SCHEMA)


def test_the_selection_of_a_table_with_a_date_is_read_back() -> None:
    X = pd.DataFrame({"day": pd.date_range("2026-01-01", periods=40), "a": np.arange(40) % 3})
    X["b"] = np.arange(40) % 2
    picked = mlfs.select((X, X[["b"]]), "mim", 2)
    again = mlfs.Selection.from_json(picked.to_dict())
    assert again.to_dict() == picked.to_dict()
    assert again.indices == (2, 1)
    jsonschema.validate(picked.to_dict(), SCHEMA)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nothing", "is not JSON"),
        ("[1]", "is no selection of schema 1"),
        ('{"schema": 2}', "is no selection of schema 1"),
        ('{"schema": 1, "selected": [1]}', "is a damaged selection"),
        ('{"schema": 1, "selected": [{"name": "a"}]}', "a damaged selection"),
    ],
)
def test_what_is_no_selection_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "picks.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=sentence):
        mlfs.Selection.from_json(path)
    with pytest.raises(UsageError, match="cannot read the selection"):
        mlfs.Selection.from_json(tmp_path / "nowhere.json")
    with pytest.raises(DataError, match="from a path, a JSON text or a dict, not 3"):
        mlfs.Selection.from_json(3)


def test_a_forged_selection_is_refused_where_it_is_read() -> None:
    rng = np.random.default_rng(0)
    data = rng.normal(size=(60, 5)), rng.integers(0, 2, (60, 2))
    document = mlfs.select(data, "mim", 2).to_dict()
    first = document["selected"][0]
    for forged in (
        {**document, "data": {**document["data"], "rows": -1}},
        {**document, "data": {**document["data"], "labels": None}},
        {**document, "selected": [{**first, "runner_up": 10**9}]},
        {**document, "selected": [{**first, "index": -5}]},
        {**document, "selected": [{**first, "ties": [77]}]},
        {**document, "network": {"kind": "x", "order": [], "parents": [], "note": ""}},
    ):
        with pytest.raises(DataError, match="a damaged selection: "):
            mlfs.Selection.from_json(forged)
    huge = {**document, "data": {**document["data"], "features": 10**12}, "binning": []}
    assert mlfs.Selection.from_json(huge).names == tuple(p["name"] for p in document["selected"])
    loud = {**document, "criterion": "m\x1b[2J", "notes": ["\x1b]0;x\x07"], "units": "\x9b1m"}
    read = mlfs.Selection.from_json(loud)
    assert not any(ord(c) < 32 for c in "".join([read.criterion, read.units, *read.notes]))


@pytest.fixture
def picks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "picks.json"
    assert cli.main(["select", "-q", "-c", "mrmr", "-n", "3", "-o", str(path), SONGS]) == 0
    capsys.readouterr()
    return path


def test_picks_cut_other_data_down(picks: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.csv"
    assert cli.main(["convert", "-q", "--features", str(picks), SONGS, str(small)]) == 0
    names = mlfs.Selection.from_json(picks).names
    assert set(mlfs.read(small).feature_names) == set(names)
    other = tmp_path / "other.csv"
    other.write_text("a,y\n1,0\n2,1\n", encoding="utf-8")
    assert cli.main(["convert", "--features", str(picks), "--labels", "y", str(other), "-"]) == 2


def test_a_model_is_trained_on_picks(picks: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.mlfs"
    arguments = ["train", "-q", "-m", "br", "--features", str(picks), "--missing", "fill"]
    assert cli.main([*arguments, "-o", str(model), SONGS]) == 0
    loaded = mlfs.models.load(model)
    assert {len(columns) for columns in loaded.features_.values()} == {3}
    assert cli.main([*arguments[:-3], "nowhere.json", "-o", str(model), "--force", SONGS]) == 2


@pytest.mark.parametrize("options", [["-n", "auto"], ["-n", "auto", "--per-label"]])
def test_a_model_is_trained_on_an_automatic_number_of_picks(
    options: list[str], tmp_path: Path
) -> None:
    path, model = tmp_path / "auto.json", tmp_path / "m.mlfs"
    assert cli.main(["select", "-q", "-c", "mim", *options, "-o", str(path), SONGS]) == 0
    arguments = ["train", "-q", "-m", "br", "--features", str(path), "-o", str(model), SONGS]
    assert cli.main([*arguments, "--missing", "fill"]) == 0
    picked = mlfs.Selection.from_json(path)
    sizes = {name: len(columns) for name, columns in mlfs.models.load(model).features_.items()}
    expected = {name: len(ranking) for name, ranking in picked.labels.items()}
    assert sizes == (expected or dict.fromkeys(sizes, len(picked)))


def test_arrays_may_be_given_names() -> None:
    X = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 1], [1, 1, 1]] * 10)
    names = np.array(["ape", "bee", "cat"], dtype=object)  # as of a vectorizer
    picked = mlfs.select((X, X[:, [1]]), "mim", 1, feature_names=names, label_names=["t"])
    assert picked.names == ("bee",)
    ready = mlfs.prepare((X, X[:, [1]]), feature_names=names)
    assert ready.dataset.feature_names == ["ape", "bee", "cat"]
    with pytest.raises(UsageError, match="feature_names is for arrays and sparse matrices"):
        mlfs.select(SONGS, feature_names=names)
    with pytest.raises(UsageError, match="feature_names is a sequence of names, not 3"):
        mlfs.select((X, X[:, [1]]), feature_names=3)


def test_the_number_is_called_by_its_name() -> None:
    with pytest.raises(TypeError, match="takes n_features_to_select=10"):
        mlfs.FeatureSelector(n=10)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match=r"k is an argument of mlfs\.label_network"):
        mlfs.FeatureSelector("mim", k=10)  # type: ignore[call-arg]


def people() -> pd.DataFrame:
    """A table with words, dates and a key, whose last two columns are labels."""
    rng = np.random.default_rng(0)
    job = rng.choice(["clerk", "cook", "nurse"], 300)
    days = pd.Timestamp("2026-01-05") + pd.to_timedelta(rng.integers(0, 80, 300), "D")
    frame = pd.DataFrame({"key": [f"k{i:03}" for i in range(300)], "job": job, "day": days})
    frame["noise"] = rng.normal(size=300)
    frame["nurse"] = ((job == "nurse") ^ (rng.random(300) < 0.1)).astype(int)
    frame["weekend"] = [int(day.weekday() > 4) for day in days]
    return frame


def test_picks_of_words_and_dates_serve_the_next_step(tmp_path: Path) -> None:
    frame, data, new = people(), tmp_path / "people.csv", tmp_path / "new.csv"
    frame.to_csv(data, index=False)
    frame.iloc[:20, :-2].to_csv(new, index=False)
    picks, small = tmp_path / "picks.json", tmp_path / "small.csv"
    labels = ["--labels", "last:2"]
    select = ["select", "-q", "-c", "jmi", *labels, "-o", str(picks), "--force", str(data)]
    assert cli.main([*select, "-n", "1"]) == 0
    model = ["-o", str(tmp_path / "m.mlfs")]
    train = ["train", "-q", "-m", "br", *labels, "--features", str(picks), *model, str(data)]
    assert cli.main(train) == 0
    loaded = mlfs.models.load(tmp_path / "m.mlfs")
    assert {len(columns) for columns in loaded.features_.values()} == {3}  # one for each job
    assert cli.main([*select, "-n", "2", "--dates", "parts"]) == 0
    picked = mlfs.Selection.from_json(picks)
    assert set(picked.names) == {"job", "day (weekday)"}
    assert picked.settings["dates"] == "parts"
    assert list(picked.transform(frame.iloc[:, :-2]).columns) == ["job", "day"]
    assert cli.main(["convert", "-q", "--features", str(picks), str(new), str(small)]) == 0
    assert pd.read_csv(small).columns.tolist() == ["job", "day"]


def test_the_runner_up_of_a_part_of_a_date_is_the_date() -> None:
    frame = people()
    selection = mlfs.select((frame.iloc[:, 1:-2], frame.iloc[:, -2:]), "mim", 1, dates="parts")
    other = {"job": "day", "day (weekday)": "job"}
    assert selection.to_frame()["runner_up"].tolist() == [other[selection.names[0]]]


def test_a_blanket_with_resamples_comes_back() -> None:
    selection = mlfs.certainty(mlfs.select("songs", "blanket"), "songs", resamples=20)
    document = selection.to_dict()
    assert mlfs.Selection.from_json(document).to_dict() == document
    for subset in document["labels"]:
        assert all(pick["p"] is not None and pick["reason"] for pick in subset["selected"])
