"""What a comparison keeps: predictions, labels one by one, equal cells once, slow cells."""

from __future__ import annotations

import csv
import functools
import io
import json
import os
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import f1_score, hamming_loss
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

import mlfs
import mlfs.compare.work
import mlfs.data
from mlfs.compare import METRICS, load, run, write_report
from mlfs.compare.naive_bayes import MLNB
from mlfs.compare.results import Results
from mlfs.data.arrays import from_arrays
from mlfs.errors import DataError, UsageError
from tests.compare import in_process

RNG = np.random.default_rng(3)
X = RNG.random((60, 6))
Y = (X[:, :2] + 0.2 * RNG.random((60, 2)) > 0.6).astype(int)
DATA = from_arrays(X, Y)


class Slow(GaussianNB):
    """Takes a second of processor time where it has four features."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Slow:
        end = time.process_time() + (X.shape[1] == 4)
        while time.process_time() < end:
            pass
        return super().fit(X, y)


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    in_process.use(monkeypatch)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, Path]:
    folder = tmp_path_factory.mktemp("kept") / "report"
    with pytest.MonkeyPatch.context() as patch:
        in_process.use(patch)
        results = run({"x": DATA}, ["mim", "random"], ["mlnb", "br"], [0.2, 0.5], folds=3,
                      folder=folder)  # fmt: skip
    write_report(results, folder)
    return results, folder


def test_a_report_is_loaded_as_it_was(report: tuple[Results, Path]) -> None:
    results, folder = report
    again = load(folder)
    assert again.to_csv() == results.to_csv()
    assert again.settings.to_dict() == results.settings.to_dict()
    assert again.splits_done() == results.splits_done()
    with pytest.raises(DataError, match="name the folder of a finished report"):
        load(folder / "cells")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("records",), None),
        (("records", 0), "x"),
        (("records", 0, "metrics"), 5),
        (("records", 0, "cell", "n"), []),
        (("settings", "splits", "repeat"), "x"),
        (("settings", "options"), 5),
    ],
)
def test_a_damaged_report_is_one_sentence(
    report: tuple[Results, Path], tmp_path: Path, place: tuple[Any, ...], value: object
) -> None:
    document = json.loads((report[1] / "results.json").read_text("utf-8"))
    *inner, last = place
    functools.reduce(lambda part, name: part[name], inner, document)[last] = value
    (tmp_path / "results.json").write_text(json.dumps(document), "utf-8")
    with pytest.raises(DataError, match=r"results\.json is damaged: run the comparison again$"):
        load(tmp_path)


class Lost(ClassifierMixin, BaseEstimator):
    """Reads a file that is not there."""

    def fit(self, X: Any, y: Any) -> Lost:
        Path(__file__, "a b", "model.txt").read_text("utf-8")
        return self

    def predict(self, X: Any) -> Any:
        raise NotImplementedError


def test_a_report_has_no_folders_of_the_machine(tmp_path: Path) -> None:
    path = tmp_path / "in here.csv"
    path.write_text("a,b,y\n" + "0,1,0\n1,0,1\n2,1,1\n" * 8, "utf-8")
    folder = tmp_path / "report"
    found = run(str(path), ["mim"], ["br", f"{__name__}.Lost"], [1], labels="y", folds=2,
                folder=folder)  # fmt: skip
    write_report(found, folder)
    assert "'model.txt'" in found.failed()[0]["note"]
    assert 'File "test_kept.py"' in found.failed()[0]["traceback"]
    root = Path(__file__).parents[2]
    for file in filter(Path.is_file, folder.rglob("*")):
        content = file.read_bytes()
        assert not any(str(path).encode() in content for path in (root, tmp_path))


def small(folder: Path) -> Results:
    found = run({"x": DATA}, ["mim"], ["mlnb"], [2], folds=2, folder=folder)
    write_report(found, folder)
    return found


@pytest.mark.parametrize("name", ["index.html", "cells", "figures", ".lock", "settings.json"])
def test_a_report_writes_through_no_link(tmp_path: Path, name: str) -> None:
    folder, away = tmp_path / "report", tmp_path / "away"
    small(folder)
    (folder / name).rename(away)
    (folder / name).symlink_to(away)
    before = {path: path.stat().st_mtime_ns for path in (away, *away.glob("*"))}
    with pytest.raises(UsageError, match=f"{name}' is no file of a report: remove it"):
        small(folder)
    assert {path: path.stat().st_mtime_ns for path in (away, *away.glob("*"))} == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_in_the_place_of_the_settings_is_refused(tmp_path: Path) -> None:
    small(tmp_path / "report")
    (tmp_path / "report/settings.json").unlink()
    os.mkfifo(tmp_path / "report/settings.json")
    with pytest.raises(UsageError, match=r"settings\.json' is no file of a report"):
        small(tmp_path / "report")


@pytest.mark.parametrize("content", [b"", b"junk", b"PK"])
def test_a_damaged_cell_is_named_with_its_remedy(tmp_path: Path, content: bytes) -> None:
    small(tmp_path / "report")
    for path in (tmp_path / "report/cells").glob("*.npz"):
        path.write_bytes(content)
    with pytest.raises(DataError, match=r"\.npz' is damaged: delete it and the \.json"):
        small(tmp_path / "report")
    for path in (tmp_path / "report/cells").iterdir():
        path.unlink()
    assert not small(tmp_path / "report").failed()


@pytest.mark.parametrize("value", ["abc", -5, True, [1], 7, 1e999])
def test_a_damaged_number_of_a_cell_is_computed_again(tmp_path: Path, value: Any) -> None:
    was = [record["metrics"] for record in small(tmp_path / "report").records]
    path = min((tmp_path / "report/cells").glob("*.json"))
    record = json.loads(path.read_text())
    record["metrics"]["macro_f1"] = value
    path.write_text(json.dumps(record))
    with pytest.warns(mlfs.MlfsWarning, match=f"{path.name}.* is damaged: its cell is computed"):
        again = small(tmp_path / "report")
    assert [record["metrics"] for record in again.records] == was


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes there only")
def test_the_name_of_a_file_need_not_be_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"bad\xff.csv")
    try:
        mlfs.data.write(DATA, tmp_path / name)
    except OSError:
        pytest.skip("this file system has no such names")
    found = run([str(tmp_path / name)], ["mim"], ["mlnb"], [2], folds=2, folder=tmp_path / "r")
    write_report(found, tmp_path / "r")
    assert r"bad\udcff" in (tmp_path / "r/results.csv").read_text(encoding="utf-8")


def test_a_new_metric_needs_no_new_run(report: tuple[Results, Path]) -> None:
    again = load(report[1])
    by_cell = {str(record["cell"]): record["metrics"] for record in again.records}
    for name, needs in (
        ("ranking_loss", "scores"),
        ("log_loss", "probabilities"),
        ("propensity_ndcg_at_3", "propensities"),
    ):
        found = again.measured(METRICS[name].function, needs)
        assert [value for _, value in found] == [by_cell[str(cell)][name] for cell, _ in found]
    for cell, value in again.measured(hamming_loss):
        assert value == pytest.approx(by_cell[str(cell)]["hamming_loss"])


def test_propensities_are_of_the_training_rows_and_told_if_asked_for(
    report: tuple[Results, Path],
) -> None:
    results, folder = report
    for record in results.records:
        kept = results.details(record)
        n, rows = len(Y) - len(kept["truth"]), Y.sum(axis=0) - kept["truth"].sum(axis=0)
        c = (np.log(n) - 1) * 2.5**0.55
        np.testing.assert_allclose(kept["propensities"], 1 / (1 + c * (rows + 1.5) ** -0.55))
    assert "propensity" not in results.to_csv()
    asked = replace(results, metrics=("propensity_precision_at_1",))
    write_report(asked, folder.parent / "asked")
    text = (folder.parent / "asked" / "results.csv").read_text("utf-8")
    assert "propensity_precision_at_1" in text
    assert "propensity_ndcg_at_3" not in text


def test_metrics_of_a_newer_version_are_added(report: tuple[Results, Path]) -> None:
    results, folder = report
    path = folder / "results.json"
    whole = path.read_text("utf-8")
    try:
        path.write_text(whole.replace('"micro_f1":', '"older":'), "utf-8")
        grown = load(folder)
    finally:
        path.write_text(whole, "utf-8")
    for old, new in zip(results.records, grown.records, strict=True):
        assert new["metrics"]["micro_f1"] == old["metrics"]["micro_f1"]


def test_a_report_of_an_older_version_is_read(report: tuple[Results, Path]) -> None:
    results, folder = report
    path = folder / "results.json"
    whole = path.read_text("utf-8")
    document = json.loads(whole)
    for key in ("budget", "keep_identifiers", "selecting_models"):
        del document["settings"][key]
    del document["own"]
    try:
        path.write_text(json.dumps(document), "utf-8")
        assert load(folder).settings.to_dict() == results.settings.to_dict()
    finally:
        path.write_text(whole, "utf-8")


def test_a_report_is_replaced_by_one_with_more_or_by_force(
    report: tuple[Results, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "report"
    shutil.copytree(report[1], folder)
    common: dict[str, Any] = {"folds": 3, "folder": folder}
    with pytest.raises(
        UsageError, match=r"other settings \(criteria random; n 0.5\): .*force=True"
    ):
        run({"x": DATA}, "mim", ["mlnb", "br"], 0.2, **common)
    with pytest.raises(UsageError, match="protocol 3-fold"):
        run({"x": DATA}, ["mim", "random"], ["mlnb", "br"], [0.2, 0.5], folds=2, folder=folder)
    calls: list[int] = []
    more = ["random", "mim", "jmi"]
    run({"x": DATA}, more, ["mlnb", "br"], [0.2, 0.5], **common,
        on_cell=lambda done, *_: calls.append(done))  # fmt: skip
    assert calls[0] == 24
    assert len(run({"x": DATA}, "mim", "br", 0.2, **common, force=True).records) == 3


def test_labels_one_by_one(report: tuple[Results, Path]) -> None:
    results, folder = report
    rows = list(csv.DictReader(io.StringIO((folder / "labels.csv").read_text("utf-8"))))
    assert len(rows) == 2 * 2 * 2 * 2  # criteria, models, numbers of features, labels
    splits = [
        f1_score(kept["truth"], kept["predicted"], average=None)[1]
        for record in results.records
        if list(record["cell"].values())[1:4] == ["mim", "br", "0.5"]
        and (kept := results.details(record))
    ]
    (row,) = [
        one
        for one in rows
        if (one["criterion"], one["model"], one["n"], one["label"])
        == ("mim", "br", "0.5", DATA.label_names[1])
    ]
    assert len(splits) == 3
    assert float(row["f1"]) == pytest.approx(np.mean(splits))
    page = (folder / "index.html").read_text("utf-8")
    (section,) = re.findall(r'<section id="labels">.*?</section>', page, re.DOTALL)
    leads = re.findall(r'<td data-rows="(\d+)">(?:<b>)?([\d.]+)', section)
    assert len(leads) == len(rows)
    assert all(float(rows[int(at) - 2]["f1"]) == pytest.approx(float(f1), abs=6e-4)
               for at, f1 in leads)  # fmt: skip


def test_without_predictions_labels_are_kept(tmp_path: Path) -> None:
    results = run(DATA, "mim", "mlnb", 2, folds=2, folder=tmp_path / "r", predictions=False)
    kept = results.details(results.records[0])
    assert "f1" in kept
    assert "scores" not in kept
    with pytest.raises(UsageError, match="no scores were kept"):
        results.measured(METRICS["ranking_loss"].function, "scores")


def test_equal_features_are_trained_on_once(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[int] = []
    plain = mlfs.compare.work._fit_and_evaluate

    def counted(*given: Any) -> dict[str, Any]:
        trained.append(1)
        return plain(*given)

    monkeypatch.setattr(mlfs.compare.work, "_fit_and_evaluate", counted)
    results = run(
        DATA, ["mim", "benchmarks.selectors.information_gain_mean", "all"], "mlnb", [2, 6], folds=2
    )
    assert len(results.records) == 2 * 5
    assert len(trained) == 2 * 2  # two features, and all of them
    for split in (0, 1):
        same = [one["metrics"] for one in results.records if one["cell"]["split"] == split]
        assert same[0] == same[2]
        assert same[1] == same[3] == same[4]


def test_a_grid_search_is_tuned_inside_the_training_rows() -> None:
    grid = GridSearchCV(MLNB(), {"smoothing": [1, 50]}, cv=3, scoring="f1_micro")
    some: dict[str, Any] = {"folds": 2, "metrics": ["micro_f1"]}
    results = run(DATA, "mim", grid, [2, 3], **some)
    assert not results.failed()
    single = [run(DATA, "mim", f"mlnb:smoothing={one}", [2, 3], **some) for one in (1, 50)]
    for at, record in enumerate(results.records):
        assert record["metrics"] in [one.records[at]["metrics"] for one in single]


def test_what_is_over_the_budget_is_left_out(tmp_path: Path) -> None:
    some: dict[str, Any] = {"folds": 2, "budget": 0.3, "folder": tmp_path / "r"}
    slow = f"{__name__}.Slow"
    results = run(DATA, "mim", ["mlnb", slow], [2, 4, 5], **some)
    failed = [(list(one["cell"].values())[2:], one["note"]) for one in results.failed()]
    assert [cell for cell, _ in failed] == [
        *([slow, "4", 0], [slow, "5", 0], [slow, "2", 1], [slow, "4", 1], [slow, "5", 1])
    ]
    assert "takes more than the budget of 0.3 s" in failed[0][1]
    assert all("left out: an earlier cell" in note for _, note in failed[1:])
    begun: list[Any] = []
    run(DATA, "mim", ["mlnb", slow], [2, 4, 5], on_cell=lambda *one: begun.append(one[2]), **some)
    assert begun == [None]  # they are kept, and not tried again
