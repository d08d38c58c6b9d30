"""Comparisons end to end: no leak, resumable, the same table whatever the number of processes."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlfs
import mlfs.compare.data_sources
import mlfs.compare.rankers
import mlfs.compare.resampling
import mlfs.compare.settings
from mlfs.cli.compare_command import _failures
from mlfs.compare.cell_folder import CellFolder
from mlfs.compare.data_sources import sources
from mlfs.compare.named import named
from mlfs.compare.results import SELDOM, Results
from mlfs.compare.running import run
from mlfs.compare.settings import size
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import Column
from mlfs.errors import DataError, MlfsError, UnknownName, UsageError
from tests.compare import in_process
from tests.documents import ROOT

pytest.importorskip("sklearn")


def some_data(seed: int = 0, n: int = 90, d: int = 8) -> Any:
    generator = np.random.default_rng(seed)
    features = generator.random((n, d))
    labels = (features[:, :3] + 0.3 * generator.random((n, 3)) > 0.6).astype(int)
    return from_arrays(features, labels)


def compared(**other: Any) -> Results:
    settings: dict[str, Any] = {
        "data": {"one": some_data(1), "two": some_data(2)},
        "criteria": ["mim", "random", "all"],
        "models": ["mlnb", "br"],
        "n": [2, 4],
        "folds": 3,
    }
    settings.update(other)
    data, criteria = settings.pop("data"), settings.pop("criteria")
    return run(data, criteria, settings.pop("models"), settings.pop("n"), **settings)


def numbers(results: Results) -> list[Any]:
    """All but what the clock and the memory say."""
    return [
        (record["key"], record["cell"], record["status"], record["metrics"], record["selected"])
        for record in results.records
    ]


@pytest.fixture(autouse=True)
def _in_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only tests that ask for workers start them."""
    if "workers" not in request.fixturenames:
        in_process.use(monkeypatch)


@pytest.fixture
def workers() -> None:
    """Comparisons start worker processes, as they do for a user."""


@pytest.fixture(scope="module")
def reference() -> Results:
    with pytest.MonkeyPatch.context() as patch:
        in_process.use(patch)
        return compared()


def test_a_cell_for_each_combination(reference: Results) -> None:
    # two data sets, three folds, two models; mim and random at two sizes, all at one
    assert len(reference.records) == 2 * 3 * 2 * (2 + 2 + 1)
    assert not reference.failed()
    rows = list(csv.DictReader(io.StringIO(reference.to_csv())))
    assert len(rows) == sum(len(record["metrics"].keys() - SELDOM) for record in reference.records)
    assert {row["metric"] for row in rows} >= {"exact_match", "ranking_loss", "macro_auc"}
    for row in rows:
        assert float(row["fit_seconds"]) > 0
        assert float(row["peak_mb"]) >= 0
    by_hand = [
        float(row["value"])
        for row in rows
        if row["metric"] == "micro_f1"
        and (row["data"], row["criterion"], row["model"], row["n"]) == ("one", "mim", "br", "4")
    ]
    summary = reference.by_size("micro_f1")["one", "mim", "br", "4"]
    assert summary.mean == pytest.approx(sum(by_hand) / 3)
    assert summary.sd == pytest.approx(np.std(by_hand, ddof=1))


def test_good_features_beat_random_ones(reference: Results) -> None:
    found = reference.by_size("micro_f1")
    for data in ("one", "two"):
        assert found[data, "mim", "br", "4"].mean > found[data, "random", "br", "4"].mean


@pytest.mark.usefixtures("workers")
def test_two_processes_give_the_same_table(reference: Results) -> None:
    assert numbers(compared(jobs=2)) == numbers(reference)


def test_another_seed_gives_other_folds(reference: Results) -> None:
    assert numbers(compared(seed=1)) != numbers(reference)


def test_selection_sees_the_training_rows_alone() -> None:
    data = some_data()
    rank = mlfs.compare.rankers.ranker(named("mim")).rank
    seed = mlfs.compare.settings.seed_for(0, "splits", sources(data)[0].digest)
    expected = []
    for split in mlfs.compare.resampling.Folds(3).splits(data, seed):
        train = TrainingRows(mlfs.compare.data_sources.rows_of(data, split.train))
        expected.append(list(rank(train, 2, 0).union))
    results = compared(data={"one": data}, criteria="mim", models="mlnb", n=2)
    assert [record["selected"] for record in results.records] == expected


def test_training_rows_are_prepared_once_for_all_criteria() -> None:
    some = {"data": some_data(), "models": "mlnb", "n": 2, "folds": 2}
    criteria = ["mim", "jmi", "benchmarks.selectors.chi2_max", "random", "all"]
    together = compared(criteria=criteria, **some)
    seconds: dict[int, set[float]] = {}
    for record in together.records:
        of = record["cell"]
        if of["criterion"] in {"random", "all"}:
            assert record["prepare_seconds"] == 0
        else:
            seconds.setdefault(of["split"], set()).add(record["prepare_seconds"])
    assert [len(one) for one in seconds.values()] == [1, 1]
    alone = [record for one in criteria for record in compared(criteria=one, **some).records]
    chosen = {record["key"]: record["selected"] for record in alone}
    assert chosen == {record["key"]: record["selected"] for record in together.records}


def test_finished_cells_are_not_computed_again(tmp_path: Path, reference: Results) -> None:
    folder = tmp_path / "report"
    some = compared(folder=folder, criteria=["mim"])
    done: list[str] = []

    def tell(_: int, __: int, record: Any) -> None:
        if record is not None:
            done.append(record["key"])

    all_ = compared(folder=folder, on_cell=tell)
    assert not set(done) & {record["key"] for record in some.records}
    assert len(done) == len(reference.records) - len(some.records)
    assert numbers(all_) == numbers(reference)
    assert any("criteria" in note and "changed" in note for note in all_.notes)
    assert f"{len(some.records)} of {len(reference.records)} cells are there already" in all_.notes


def test_changed_settings_are_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    small = {"data": {"one": some_data()}, "criteria": "mim", "models": "mlnb", "n": 2}
    first = compared(folder=folder, **small)
    other = compared(folder=folder, **small, seed=5)
    assert any("seed: 0 -> 5" in note for note in other.notes)
    assert any("3 cells of other settings" in note for note in other.notes)
    assert numbers(first) != numbers(other)
    assert numbers(compared(folder=folder, **small)) == numbers(first)


def test_cells_of_plain_and_of_stratified_folds_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("iterstrat")
    folder = tmp_path / "report"
    small = {"data": {"one": some_data()}, "criteria": "mim", "models": "mlnb", "n": 2}
    stratified = compared(folder=folder, **small)
    monkeypatch.setattr(mlfs.compare.resampling, "_stratifier", lambda: None)
    plain = compared(folder=folder, **small, jobs=1)
    assert not {one["key"] for one in plain.records} & {one["key"] for one in stratified.records}
    assert any("protocol: 3-fold" in note and "plain shuffles" in note for note in plain.notes)


def with_names() -> Any:
    """Data of which the first column names the row."""
    data = some_data()
    rows = data.shape[0]
    names = Column("protein", "nominal", tuple(f"P{i}" for i in range(rows)))
    X = np.column_stack([np.arange(rows), data.X])
    return replace(data, X=X, columns=(names, *data.columns))


def test_a_column_that_names_each_row_is_reported_and_can_be_left_out(tmp_path: Path) -> None:
    small: dict[str, Any] = {"criteria": "mim", "models": "mlnb", "n": 2, "folds": 2}
    small["folder"] = tmp_path / "report"
    small["data"] = {"named": with_names(), "plain": some_data()}
    told = [note for note in compared(**small).notes if "'protein'" in note]
    assert len(told) == 1
    assert told[0].startswith("named has another value in every row of 'protein'")
    resumed = compared(**small)
    assert told[0] in resumed.notes

    left_out = compared(**small, exclude=["prot*", "nowhere"])
    assert "no data set has a column 'nowhere' to exclude" in left_out.notes
    assert any("without prot*" in note for note in left_out.notes)
    assert not any("protein" in note for note in left_out.notes if "settings" not in note)
    assert not any("protein" in record["names"] for record in left_out.records)
    assert {record["columns"] for record in left_out.records} == {8}


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        (
            "a,b,y,z\n1,2,0,1\n",
            {"exclude": "[ab]"},
            "no column of odd is left when the excluded ones",
        ),
        ("a,b,y\n1,2,0\n", {}, "odd.csv: unknown label column 'z'"),
        ("a,b,y,z\n1,2,0,0\n1,2,1,0\n1,2,5,1\n", {}, "'y' has the values.*labels of two values"),
    ],
)
def test_data_that_no_model_can_learn_are_refused_before_any_cell(
    tmp_path: Path, text: str, options: dict[str, Any], sentence: str
) -> None:
    (tmp_path / "odd.csv").write_text(text)
    (tmp_path / "good.csv").write_text("a,c,y,z\n1,2,0,1\n1,3,1,0\n2,2,0,1\n")
    told: list[Any] = []
    given = {"labels": "y,z", "criteria": "mim", "models": "mlnb", "n": 1, **options}
    data = [str(tmp_path / "good.csv"), str(tmp_path / "odd.csv")]
    with pytest.raises(MlfsError, match=sentence) as refused:
        compared(data=data, on_cell=lambda *one: told.append(one), **given)
    assert "--classes" not in str(refused.value)
    assert not told


def test_a_bad_parameter_of_a_plugin_is_reported_shortly(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "odd_plugin.py").write_text(
        "from mlfs.criteria import Criterion\n"
        "class Odd(Criterion):\n"
        "    'Odd.   J(f) = gamma I(f;l)'\n"
        "    def __init__(self, gamma=1.0):\n"
        "        self.gamma = gamma\n"
        "    def relevance(self, info):\n"
        "        return info.mi_fL * self.gamma\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    odd = "odd_plugin.Odd:gamma=much"
    note = compared(data=some_data(), criteria=odd, models="mlnb", n=1).failed()[0]["note"]
    assert "odd" in note
    assert "gamma='much'" in note
    assert len(note) < 160
    assert "signature" not in note


def test_a_damaged_cell_is_computed_again(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    small = {"data": {"one": some_data()}, "criteria": "mim", "models": "mlnb", "n": 2}
    first = compared(folder=folder, **small)
    victim = next(iter(sorted((folder / "cells").iterdir())))
    victim.write_text('{"key": "half', encoding="utf-8")
    assert numbers(compared(folder=folder, **small)) == numbers(first)


def test_a_failing_cell_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    small: dict[str, Any] = {"data": {"one": some_data()}, "criteria": "mim", "n": 2}
    # no classifier can have a negative penalty; that shows in fit
    broken = ("sklearn.linear_model.LogisticRegression", {"C": -1.0})
    results = compared(folder=folder, models=["mlnb", broken], **small)
    assert len(results.failed()) == 3
    assert "C" in results.failed()[0]["note"]
    assert "Traceback" in results.failed()[0]["traceback"]
    rows = [row for row in csv.DictReader(io.StringIO(results.to_csv())) if row["status"] != "ok"]
    assert len(rows) == 3
    with CellFolder(folder) as store:
        assert not store.finished([results.failed()[0]["key"]])
        assert store.get(results.failed()[0]["key"]) is not None


@pytest.mark.slow
@pytest.mark.usefixtures("workers")
def test_a_worker_that_is_killed_costs_its_cells_alone(tmp_path: Path) -> None:
    learner = tmp_path / "deadly.py"
    learner.write_text(
        "import os, signal\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "class Deadly(GaussianNB):\n"
        "    def fit(self, X, y, sample_weight=None):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n",
        encoding="utf-8",
    )
    sys.path.insert(0, str(tmp_path))
    try:
        results = compared(
            data={"one": some_data()},
            criteria="mim",
            models=["deadly.Deadly", "mlnb"],
            n=[2, 3],
            folds=2,
        )
    finally:
        sys.path.remove(str(tmp_path))
    assert {record["cell"]["model"] for record in results.failed()} == {"deadly.Deadly"}
    assert all("the process that worked on it ended" in r["note"] for r in results.failed())
    assert len(results.failed()) == 4


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.usefixtures("workers")
def test_a_process_that_somebody_kills_costs_no_cell(tmp_path: Path) -> None:
    (tmp_path / "once.py").write_text(
        "import os, pathlib, signal\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "class Once(GaussianNB):\n"
        "    def fit(self, X, y, sample_weight=None):\n"
        "        mark = pathlib.Path(__file__).with_name('killed')\n"
        "        if not mark.exists():\n"
        "            mark.touch()\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return super().fit(X, y, sample_weight)\n",
        encoding="utf-8",
    )
    sys.path.insert(0, str(tmp_path))
    try:
        small: dict[str, Any] = {"data": {"one": some_data()}, "criteria": ["mim", "random"]}
        small |= {"models": ["once.Once", "mlnb"], "n": [2, 3], "folds": 2, "jobs": 2}
        first, again = compared(**small), compared(**small)
    finally:
        sys.path.remove(str(tmp_path))
    assert not first.failed()
    assert numbers(first) == numbers(again)


SLEEPY = """
import time
from sklearn.naive_bayes import GaussianNB

class Leaving(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        raise SystemExit(3)

class Sleeping(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        while True:
            try:
                time.sleep(100)
            except Exception:
                pass
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there are no timers")
@pytest.mark.usefixtures("workers")
def test_a_model_that_sleeps_or_leaves_costs_its_cells_alone(tmp_path: Path) -> None:
    (tmp_path / "sleepy.py").write_text(SLEEPY, encoding="utf-8")
    sys.path.insert(0, str(tmp_path))
    try:
        results = compared(
            data={"one": some_data()},
            criteria="mim",
            models=["sleepy.Leaving", "sleepy.Sleeping", "mlnb"],
            n=2,
            folds=2,
            budget=2.0,
        )
    finally:
        sys.path.remove(str(tmp_path))
    notes = {record["cell"]["model"]: record["note"] for record in results.failed()[:2]}
    assert set(notes) == {"sleepy.Leaving", "sleepy.Sleeping"}
    assert "SystemExit: 3" in notes["sleepy.Leaving"]
    assert "more than the budget of 2 s" in notes["sleepy.Sleeping"]
    assert len([r for r in results.records if r["status"] == "ok"]) == 2


PROGRAM = """
import sys, time
sys.path.insert(0, {tests!r})
from tests.compare.test_compare import compared
compared(folder={folder!r}, jobs=2)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "ctrl-c"])
@pytest.mark.usefixtures("ctrl_c")
def test_killed_in_the_middle_and_resumed(tmp_path: Path, reference: Results, how: int) -> None:
    folder = tmp_path / "report"
    program = PROGRAM.format(tests=str(ROOT), folder=str(folder))
    process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, start_new_session=True)
    cells = folder / "cells"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if cells.is_dir() and len(list(cells.glob("*.json"))) >= 5:
            break
        time.sleep(0.01)
    before = len(list(cells.glob("*.json")))
    os.kill(process.pid, how)  # the parent alone: the workers must follow by themselves
    process.wait(timeout=30)
    time.sleep(1.0)
    assert 5 <= before <= len(reference.records)
    assert _session(process.pid) == []
    computed: list[str] = []
    again = compared(
        folder=folder, on_cell=lambda _, __, record: record and computed.append(record["key"])
    )
    assert numbers(again) == numbers(reference)
    assert len(computed) <= len(reference.records) - before


def _session(leader: int) -> list[int]:
    """The processes that are left of a session."""
    if not Path("/proc").is_dir():
        pytest.skip("there is no /proc to look for processes in")
    left = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == leader and fields[0] != "Z":
                left.append(int(entry.name))
    return left


def test_one_run_at_a_time_has_the_folder(tmp_path: Path) -> None:
    with CellFolder(tmp_path / "report"), pytest.raises(UsageError, match="in use by another run"):
        CellFolder(tmp_path / "report").__enter__()
    with CellFolder(tmp_path / "report"):  # and it is free again
        pass


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="has other things in it"), CellFolder(tmp_path):
        pass
    with pytest.raises(UsageError, match="is a file"), CellFolder(tmp_path / "thesis.tex"):
        pass


@pytest.mark.parametrize(
    ("settings", "kind", "words"),
    [
        ({"criteria": "sclz"}, UnknownName, "scls"),
        ({"criteria": ["mim", "mim"]}, UsageError, "given twice"),
        ({"criteria": "mim:beta=2"}, UsageError, "no parameter"),
        ({"criteria": "benchmarks.selectors.chi2_max:k=2"}, UsageError, "no parameter"),
        ({"criteria": []}, UsageError, "needs criteria"),
        ({"models": "occc"}, UnknownName, "occ"),
        ({"models": "sklearn.nothing.There"}, UsageError, "cannot be imported"),
        ({"models": "math.sqrt"}, UsageError, "is no model: it has no predict"),
        ({"models": "mlnb:kin=3"}, UsageError, "refuses its parameters"),
        ({"n": 0}, UsageError, "no number of features"),
        ({"n": "many"}, UsageError, "no number of features"),
        ({"n": True}, UsageError, "no number of features"),
        ({"holdout": 0.5}, UsageError, "exclude each other"),
        ({"folds": None, "holdout": 1.5}, UsageError, "between 0 and 1"),
        ({"folds": None, "holdout": "x"}, UsageError, "share of the rows"),
        ({"exclude": 3}, UsageError, "names or globs"),
        ({"exclude": [3]}, UsageError, "names or globs"),
        ({"metrics": ["f2"]}, UnknownName, "metric"),
        ({"jobs": 0}, UsageError, "number of processes"),
        ({"seed": -1}, UsageError, "seed"),
        ({"bin": 3}, UnknownName, "bins"),
        ({"data": "no-such-file.arff"}, UsageError, "no-such-file.arff"),
        ({"data": []}, UsageError, "needs a data set"),
        ({"data": 3}, UsageError, "not int"),
        ({"data": [3]}, UsageError, "a data set is a path, a Dataset, .*not int"),
        ({"data": {"a": None}}, UsageError, "not NoneType"),
        (
            {"data": mlfs.prepare(([[0], [1]], [[0], [1]]), bins="mdlp"), "bins": "width"},
            UsageError,
            "bins is 'width', but data were prepared with 'mdlp'",
        ),
        (
            {"data": {"a": mlfs.prepare(([[0], [1]], [[0], [1]]))}, "bins": "width"},
            UsageError,
            "bins is 'width', but data were prepared with 'mean-sd': leave it out",
        ),
        (
            {"data": mlfs.prepare(([[0], [1]], [[0], [1]]), bins="mdlp"), "bins": "mean-sd"},
            UsageError,
            "bins is 'mean-sd', but data were prepared with 'mdlp': leave it out",
        ),
        (
            {
                "data": [
                    mlfs.prepare(([[0], [1]], [[0], [1]]), bins=b) for b in ("mean-sd", "width")
                ]
            },
            UsageError,
            "bins is 'width' in some of the data that are prepared, and 'mean-sd' in others: prep",
        ),
        (
            {"data": [mlfs.prepare(([[0], [1]], [[0], [1]]), dates="keep")]},
            UsageError,
            "dates is an option with which the data were prepared",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_done(
    settings: dict[str, Any], kind: type[MlfsError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        compared(**settings, on_cell=lambda *_: pytest.fail("it began"))


def test_a_frame_without_pandas(reference: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pip install pandas"):
        reference.to_frame()


def test_a_reason_that_many_cells_share_is_reported_once() -> None:
    cell = {"data": "x", "criterion": "mim", "model": "br", "n": "2", "split": 0}
    failed = [{"cell": {**cell, "split": i}, "note": "no labels"} for i in range(5)]
    failed += [{"cell": {**cell, "data": f"y{i}"}, "note": "odd"} for i in range(7)]
    lines = _failures(failed)
    assert lines[0].startswith("failed: 5 cells of x, the first data x, criterion mim")
    assert lines[1] == "failed: data y0, criterion mim, model br, n 2, split 0: odd"
    assert lines[5:] == ["... and 3 more, all in results.csv"]


def test_sizes() -> None:
    assert [size(given).count(100, 40) for given in (5, "0.5", 1.0, "sqrt", "all", 99)] == [
        *(5, 20, 40, 10, 40, 40)
    ]
    assert size("sqrt").count(7395, 1836) == 86


def test_names_with_parameters() -> None:
    assert named("occ:k=5,features=mlfs_local").parameters == {"k": 5, "features": "mlfs_local"}
    assert str(named(("occ", {"k": 5, "a": "b"}))) == "occ:a=b,k=5"
    with pytest.raises(UsageError, match="name:key=value"):
        named("occ:5")


def test_data_sets_of_one_name_are_distinguished(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        mlfs.write(some_data(), str(tmp_path / folder / "x.csv"))
    paths = [tmp_path / "a" / "x.csv", tmp_path / "b" / "x.csv"]
    with pytest.raises(UsageError, match="'x' and 'x' are the same data: tests over data sets"):
        sources(paths, labels="last:3")
    changed = paths[1].read_text(encoding="utf-8").replace("0.", "0.1", 1)
    paths[1].write_text(changed, encoding="utf-8")
    found = sources(paths, labels="last:3")
    assert [one.name for one in found] == ["x", "x-2"]
    assert found[0].digest != found[1].digest


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"bins": "foo"}, "unknown binning 'foo'"),
        ({"n_bins": 1}, "n_bins is a whole number of at least 2"),
        ({"budget": -1}, "budget is a number above 0"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_read(
    option: dict[str, Any], said: str
) -> None:
    with pytest.raises((UsageError, UnknownName), match=said):
        compared(data="nowhere.arff", **option)


def test_the_authors_split(tmp_path: Path) -> None:
    data = some_data()
    for name, rows in (("x-train.csv", slice(60)), ("x-test.csv", slice(60, None))):
        part = from_arrays(data.X[rows], data.Y[rows])
        mlfs.write(part, str(tmp_path / name))
    results = run(tmp_path / "x-train.csv", "mim", "mlnb", 3, labels="last:3", split="given")
    assert [record["cell"]["data"] for record in results.records] == ["x"]
    assert results.records[0]["status"] == "ok"
    with pytest.raises(DataError, match="no file of test rows"):
        run(tmp_path / "x-test.csv", "mim", "mlnb", 3, labels="last:3", split="given")


def test_values_survive_json(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    results = compared(folder=folder, data={"one": some_data()}, criteria="mim", n=2)
    for record in results.records:
        kept = json.loads((folder / "cells" / f"{record['key']}.json").read_text("utf-8"))
        assert kept["metrics"] == record["metrics"]
        assert not any(isinstance(v, float) and math.isnan(v) for v in kept["metrics"].values())
