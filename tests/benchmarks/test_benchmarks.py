"""The benchmarks run, on tiny inputs, and tell what they promise; no time is held to anything."""

from __future__ import annotations

import csv
import doctest
import json
import mmap
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from benchmarks import __main__ as command
from benchmarks import byhand, clock, growing, limits, machine, pairwise, picture, table, training
from benchmarks.cases import CASES, QUICK, Case, chosen, reduced
from benchmarks.classifiers import CLASSIFIERS, MLFS
from benchmarks.floor import floor
from benchmarks.inputs import SHAPES, Shape, load, quick
from benchmarks.rivals import agreement, compare
from benchmarks.selecting import select_case
from benchmarks.worker import measure
from tests.documents import ROOT

DENSE = Shape("tiny", 120, 12, 1, 1, (2, 4), 4, 3)
SPARSE = Shape("tinysparse", 90, 20, 5, 2, density=0.2, cardinality=1.5)
BOUNDS = limits.Limits(1e10, 1e10, 1e9)


def tiny(kind: str, what: str, shape: Shape) -> Case:
    return Case(kind, shape.name, what, 4, shape=shape)


@pytest.mark.parametrize("shape", [DENSE, SPARSE], ids=lambda shape: shape.name)
def test_an_input_is_made_once_and_read_back_equal(shape: Shape, tmp_path: Path) -> None:
    made, kept, again = load(shape), load(shape, tmp_path), load(shape, tmp_path)
    for one in (kept, again):
        for ours, theirs in ((made.X, one.X), (made.Y, one.Y)):
            same = (ours != theirs).nnz == 0 if sp.issparse(ours) else (ours == theirs).all()
            assert same
            assert ours.shape == theirs.shape
    assert len(list(tmp_path.iterdir())) == 1


def test_inputs_have_their_shapes() -> None:
    dense, sparse = load(DENSE), load(SPARSE)
    assert dense.X.shape == (120, 12)
    assert dense.X.dtype == np.uint8
    assert dense.X.max() == 3
    assert sparse.X.shape == (90, 20)
    assert sparse.Y.shape == (90, 5)
    assert set(sparse.X.data) == {1}
    assert sparse.cut(30, 7).X.shape == (30, 7)


def test_the_many_rows_have_their_shape_too() -> None:
    from benchmarks.generate import many_rows

    X, Y = many_rows(replace(SPARSE, density=0.3, cardinality=2.0))
    assert X.shape == (90, 20)
    assert Y.shape == (90, 5)
    assert 0 < X.nnz <= 90 * 6
    assert X.has_canonical_format


def test_names_are_unique_and_filters_find_them() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert set(names) >= QUICK
    assert all("bibtex" in case.name for case in chosen(["bibtex"]))
    assert {case.name for case in chosen([], quick=True)} == QUICK
    assert not [case for case in chosen([], heavy=False) if case.heavy]
    assert all(case.shape == SHAPES[case.source] for case in CASES if case.shape)


def test_the_quick_run_has_smaller_inputs_and_no_goals_for_them() -> None:
    case = next(case for case in CASES if case.name == "select/bibtexlike/scls")
    small = reduced(case)
    assert small.shape == quick(SHAPES["bibtexlike"])
    assert small.shape is not None
    assert small.shape.rows < SHAPES["bibtexlike"].rows
    assert small.goal is None


@pytest.mark.parametrize("shape", [DENSE, SPARSE], ids=lambda shape: shape.name)
@pytest.mark.parametrize("what", ["mim", "jmi"])
def test_a_selection_is_measured(shape: Shape, what: str) -> None:
    record = select_case(load(shape), tiny("select", what, shape), BOUNDS, 0.0)
    assert record["seconds"] > 0
    assert record["ready"] > 0
    assert record["two_threads"] > 0
    assert record["floor"] > 0
    assert len(record["picks"]) == 4
    json.dumps(record)


def test_more_counts_have_a_higher_floor() -> None:
    data = load(SPARSE)
    picks = [3, 1, 2, 0]
    floors = [floor(data, picks, what, BOUNDS) for what in ("mim", "scls", "jmi", "pmu")]
    assert floors == sorted(floors)


def test_a_whole_label_wise_selection_has_no_floor() -> None:
    record = select_case(load(SPARSE), tiny("select", "mlfs_local", SPARSE), BOUNDS, 0.0)
    assert "floor" not in record
    assert record["ready"] is None


@pytest.mark.parametrize(
    ("kind", "what", "shape"),
    [("read", "arff", SPARSE), ("read", "csv", DENSE), ("order", "full", SPARSE)],
)
def test_other_cases_are_measured(kind: str, what: str, shape: Shape) -> None:
    record = measure(tiny(kind, what, shape), BOUNDS, None, budget=0.0, peers=False, slow=False)
    assert record["seconds"] > 0
    assert record["rows"] == shape.rows
    assert record["labels"] == shape.labels


@pytest.mark.parametrize("axis", ["rows", "columns", "labels", "n", "density"])
def test_growth_is_fitted(axis: str, tmp_path: Path) -> None:
    record = growing.growth_case(tiny("growth", axis, SPARSE), tmp_path, 0.0)
    assert len(record["points"]) > 1
    assert np.isfinite(record["exponent"])


def test_a_missing_file_is_a_skip_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case("file", "nothing/nothing.arff", "arff")
    monkeypatch.delenv("MLFS_SHARED_DATA", raising=False)
    options: dict[str, Any] = {"budget": 0.0, "peers": False, "slow": False}
    assert "set MLFS_SHARED_DATA" in measure(case, BOUNDS, None, **options)["skipped"]
    monkeypatch.setenv("MLFS_SHARED_DATA", str(tmp_path))
    assert "is not in the folder" in measure(case, BOUNDS, None, **options)["skipped"]


def test_by_hand_picks_as_we_do() -> None:
    data = load(SPARSE)
    picks = byhand.scls(data.X, data.Y, 6)
    assert agreement(picks, data, Case("select", "", "scls", 6)).startswith("equal")
    assert picks == list(mlfs.select((data.X, data.Y), "scls", 6).indices)


def test_other_picks_are_reported() -> None:
    data = load(DENSE)
    case = Case("select", "", "mim", 3)
    right = list(mlfs.select((data.X, data.Y), "mim", 12).indices)
    assert agreement(right[:3], data, case) == "equal"
    assert agreement([right[-1], *right[:2]], data, case) == "DIFFERENT from pick 1"


def test_an_absent_peer_is_named_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks import rivals

    monkeypatch.setattr(rivals, "version", lambda _: None)
    told = compare(load(DENSE), tiny("select", "cmim", DENSE), {"seconds": 1.0})
    assert [peer["absent"] for peer in told] == [
        "python -m pip install skfeature-chappers",
        "python -m pip install ITMO-FS",
    ]


def test_scikit_learn_ranks_alike() -> None:
    told = compare(load(DENSE), tiny("select", "mim", DENSE), {"seconds": 1.0})
    assert told[0]["peer"] == "scikit-learn"
    assert told[0]["picks"].startswith("equal")


def test_the_machine_is_measured_and_reported() -> None:
    measured = limits.measure(0.001)
    assert min(measured.to_dict().values()) > 0
    about = machine.describe()
    assert f"mlfs {mlfs.__version__}" in machine.line(about)


def test_memory_is_seen() -> None:
    before = clock.memory_now()
    clock.reset_peak()
    with mmap.mmap(-1, 1 << 25) as pages:  # an array may lie in what was freed before
        pages.write(b"1" * len(pages))
        assert clock.peak_memory() > before


def test_one_command_writes_table_and_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--quick", "--no-peers", "--case", "emotionslike/scls", "-o", str(tmp_path)]
    assert command.main(asked) == 0
    told = capsys.readouterr().out
    assert "select/emotionslike/scls" in told
    document = json.loads((tmp_path / "benchmarks.json").read_text(encoding="utf-8"))
    assert document["cases"][0]["seconds"] > 0
    assert document["machine"]["processor"]
    page = (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
    assert "numbers of this machine" in page
    assert re.search(r"\| select/emotionslike/scls +\| 200 x 50, 6 ", page)
    rows = (tmp_path / "benchmarks.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("# ")
    assert next(csv.DictReader(rows[1:]))["case"] == "select/emotionslike/scls"
    ET.fromstring((tmp_path / "benchmarks.svg").read_text(encoding="utf-8"))
    assert str(tmp_path) not in page


def test_two_checkouts_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--quick", "--case", "emotionslike/scls", "--case", "growth/bin10k/rows"]
    assert command.main([*asked, "--against", str(ROOT), "-o", str(tmp_path)]) == 0
    assert "| select/emotionslike/scls | 2 |" in capsys.readouterr().out
    records = json.loads((tmp_path / "against.json").read_text(encoding="utf-8"))
    assert [one["threads"] for one in records] == [1, 2]  # growth has no turns
    assert all(one["same"] and min(one["least"]) > 0 for one in records)
    page = (tmp_path / "against.md").read_text(encoding="utf-8")
    assert page.count("| select/emotionslike/scls |") == 2


def test_a_folder_that_is_no_checkout_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--against", str(tmp_path)]) == 2
    assert "holds no mlfs" in capsys.readouterr().err


def test_an_unknown_case_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--case", "nonsense"]) == 2
    assert "select/bin10k/mim" in capsys.readouterr().err


def test_the_table_tells_what_was_not_measured() -> None:
    about = {"machine": machine.describe(), "limits": BOUNDS.to_dict(), "quick": False}
    cases = [
        {"case": "file/a/arff", "kind": "file", "skipped": "it is not there"},
        {"case": "select/b/mim", "kind": "select", "failed": "exit 1"},
    ]
    page = table.markdown({**about, "cases": cases})
    assert "| file/a/arff | it is not there |" in page
    assert "| select/b/mim | FAILED: exit 1 |" in page
    assert picture.svg({**about, "cases": cases}).startswith("<svg")


@pytest.mark.parametrize("module", [table, growing], ids=lambda module: module.__name__)
def test_examples_hold(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


def test_asv_follows_cases_that_exist() -> None:
    from benchmarks.asv_select import Select

    settings = json.loads((ROOT / "benchmarks" / "asv.conf.json").read_text(encoding="utf-8"))
    assert (ROOT / "benchmarks" / settings["repo"] / "pyproject.toml").exists()
    assert set(Select.params) <= {case.name for case in CASES}


def test_all_pairs_are_those_of_the_others() -> None:
    found = dict(pairwise.measured(60, 5, budget=0.0))
    assert len(found) == 6
    assert found["mlfs, 1 thread"] > 0


def test_training_is_timed_beside_other_programs_and_what_is_absent_is_named() -> None:
    X, Y = training.numbers(90, 6, 3)
    ours, theirs = (
        next(one for one in CLASSIFIERS if one.key == key)
        for key in ("mlfs-toolkit:br", "scikit-learn:MultiOutputClassifier")
    )
    records = []
    for one in (ours, theirs):
        found = training.measure(one, sp.csr_matrix(X), Y, 0.0)
        assert min(found[key] for key in ("fit", "fit_wall", "predict_wall")) > 0
        about = {"method": one.method, "program": one.program, "name": one.name, "data": "some"}
        records.append({**about, **found})
    assert records[0]["micro_f1"] == records[1]["micro_f1"] > 0
    absent = replace(theirs, program="no-such-program")
    assert training.apart(absent, "some", 0.0) == {
        "absent": "python -m pip install no-such-program"
    }
    lines = training.markdown(records, ("fit", "predict", "megabytes")).splitlines()
    assert [line.split(" | ")[1] for line in lines[2:]] == [
        "mlfs-toolkit: br", "scikit-learn: MultiOutputClassifier",
    ]  # fmt: skip
    assert {one.method for one in CLASSIFIERS if one.program == MLFS} <= set(
        mlfs.models.available()
    )
