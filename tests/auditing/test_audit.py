"""The audit of a table: planted faults are found and named, and clean tables are clean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlfs
from mlfs import cli
from mlfs.auditing.findings import CHECKS
from mlfs.errors import UnknownName, UsageError
from tests.documents import ROOT
from tests.shared import shared_data

SETS = (
    *("emotions/emotions.arff", "yeast/yeast.arff", "flags/flags.arff", "genbase/genbase.arff"),
    *("medical/medical.arff", "enron/enron.arff", "bibtex/bibtex.arff", "birds/birds-train.arff"),
    *("chd_49/CHD_49.arff", "water-quality/Water-quality.arff"),
)


def clean(rows: int = 400, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"x{j}": rng.normal(size=rows) for j in range(6)})
    X["colour"] = rng.choice(["red", "green", "blue"], rows)
    noise = rng.normal(size=(rows, 3))
    Y = pd.DataFrame(X[["x0", "x1", "x2"]].to_numpy() + noise > 0.3, columns=list("abc"))
    return X, Y.astype(int)


def found(data: Any, check: str, **options: Any) -> list[Any]:
    return list(mlfs.audit(data, **options).of(check))


def test_a_clean_table_has_no_finding() -> None:
    for seed in range(5):
        assert list(mlfs.audit(clean(seed=seed))) == []


def frame_of(path: str) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray]:
    """A data set as frames, and a label of it that is neither rare nor constant."""
    data = mlfs.read(shared_data(path))
    dense = (t.toarray() if sp.issparse(t) else np.asarray(t) for t in (data.X, data.Y))
    X, Y = dense
    few = X[:, :60]
    names = [f"c{j}" for j in range(few.shape[1])]
    label = int(np.argmin(np.abs((Y > 0).mean(axis=0) - 0.4)))
    frame = pd.DataFrame(few, columns=names)
    return frame, pd.DataFrame(Y > 0, columns=data.label_names).astype(int), Y[:, label] > 0


@pytest.mark.compiled
@pytest.mark.parametrize("path", SETS)
def test_planted_faults_are_found_and_named(path: str) -> None:
    X, Y, y = frame_of(path)
    rng = np.random.default_rng(1)
    rows, name = len(X), Y.columns[int(np.argmax((Y.to_numpy() == y[:, None]).all(axis=0)))]
    flips = rng.random(rows) < 0.004
    planted = {
        "copy": y.astype(int),
        "opposite": (~y).astype(int),
        "word": np.where(y, "yes", "no"),
        "nearly": (y ^ flips).astype(int),
        "with gaps": np.where(rng.random(rows) < 0.02, np.nan, y),
        "score": y * 2 + rng.random(rows),
        "falling": -3.0 * y + rng.random(rows),
    }
    for column, values in planted.items():
        named = {
            finding.columns: finding
            for finding in found((X.assign(leak=values), Y[[name]]), "M101")
        }
        assert ("leak",) in named, column
        finding = named["leak",]
        assert finding.labels == (name,), column
        assert finding.level == "error" or column in {"nearly", "with gaps"}
        assert "opposite" in finding.text or column != "opposite"
    doubtful = y ^ (rng.random(rows) < 0.007)
    outside = np.where(np.arange(rows) % 2, rng.uniform(0, 4, rows), rng.uniform(6, 9, rows))
    town = rng.integers(0, 8, rows) * 2
    for column, values in {
        "number": doubtful + rng.random(rows) * 0.99,
        "between": np.where(doubtful, rng.uniform(4, 6, rows), outside),
        "state": np.where(doubtful, rng.choice(["won", "paid"], rows), "open"),
        "code": town + y,
    }.items():
        leaks = found((X.assign(leak=values), Y[[name]]), "M101")
        assert (("leak",), (name,)) in [(f.columns, f.labels) for f in leaks], column
    is_said = y & (rng.random(rows) < 0.7)
    kinds = rng.choice(["late", "moved", "other"], rows)
    for reason in (np.where(y, "because", None), np.where(is_said, kinds, "none")):
        filled = X.assign(leak=pd.Series(reason, dtype=object))
        assert any(
            finding.columns == ("leak",) and name in finding.labels
            for finding in found((filled, Y[[name]]), "M102")
        )
    late = pd.Series(np.where(y & (rng.random(rows) < 0.8), 1.0, np.nan))
    if late.notna().sum() >= 40:
        assert found((X.assign(leak=late), Y[[name]]), "M102")[0].level == "warning"
    order = np.argsort(y, kind="stable")
    sorted_rows = found((X.iloc[order], Y[[name]].iloc[order]), "M103")
    if rows >= 200:
        assert sorted_rows[0].labels == (name,)
    keys = [f"row {i}" for i in range(rows)]
    assert found((X.assign(key=keys, number=np.arange(rows)), Y[[name]]), "M201")
    words = [f"w{i}" for i in rng.integers(0, rows * 2, rows)]
    names = {n for f in found((X.assign(text=words), Y[[name]]), "M202") for n in f.columns}
    assert "text" in names
    constants = found((X.assign(same=1.0), Y[[name]]), "M203")
    assert any("same" in finding.columns for finding in constants)
    few = X["c0"].where(rng.random(rows) > 0.002, 0)
    twins = found((X.assign(twin=X["c0"], near=few), Y[[name]]), "M204")
    assert any({"c0", "twin"} <= {*finding.columns} for finding in twins)
    days = pd.date_range("2020-01-01", periods=rows)
    numbers = [str(i / 8) for i in range(rows - 1)] + ["lost"]
    mixed = found((X.assign(day=days, mixed=numbers), Y[[name]]), "M205")
    assert {"day", "mixed"} <= {n for finding in mixed for n in finding.columns}
    number = rng.normal(50, 9, rows).round()
    plans = rng.choice(["pro", "Pro ", "PRO", "basic"], rows)
    unplain = X.assign(gone=np.where(rng.random(rows) < 0.1, -999, number), plan=plans)
    assert {"gone", "plan"} <= {n for f in found((unplain, Y[[name]]), "M206") for n in f.columns}
    keys = X.assign(rising=10**8 + np.cumsum(rng.integers(1, 99, rows)))
    keys["drawn"] = 10**8 + rng.permutation(9 * 10**5)[:rows] * 1000 + 1
    assert {"rising", "drawn"} <= {n for f in found((keys, Y[[name]]), "M201") for n in f.columns}
    later = days.to_numpy()[rng.permutation(rows)] + y * np.timedelta64(rows, "D")
    assert ("later",) in {f.columns for f in found((X.assign(later=later), Y[[name]]), "M103")}
    labels = Y[[name]].assign(same=y, other=~y, none=0, some=y & (np.arange(rows) % 2 == 0))
    told = found((X, labels.astype(int)), "M301")
    assert {"same", "other", "none", "some"} <= {n for f in told for n in f.labels}
    twice = pd.concat([X, X.iloc[:3]], ignore_index=True)
    y_twice = pd.concat([Y[[name]], 1 - Y[[name]].iloc[:3]], ignore_index=True)
    assert any(f.numbers.get("differing", 0) >= 3 for f in found((twice, y_twice), "M302"))
    places, names = rng.integers(0, 30, rows), rng.permutation([f"town {i}" for i in range(30)])
    renamed = {"town": names[places], "code": places * 7 + 100, "x": number, "minus": -number}
    groups = [{*f.columns} for f in found((X.assign(**renamed), Y[[name]]), "M204")]
    assert {"town", "code"} in groups
    assert {"x", "minus"} in groups
    moved = X.assign(moved=rng.normal(size=rows), colour="red")
    newer = X.assign(moved=rng.normal(2, 1, rows), colour="pink").drop(columns="c1")
    drift = found((moved, Y[[name]]), "M401", against=(newer, Y[[name]]))
    assert {"moved", "colour", "c1"} <= {n for finding in drift for n in finding.columns}


@pytest.mark.parametrize("path", SETS[:3])
def test_what_is_made_of_labels_is_found(path: str) -> None:
    X, Y, y = frame_of(path)
    rng, rows = np.random.default_rng(2), len(X)
    two = pd.DataFrame({"a": y, "b": rng.random(rows) < 0.4}).astype(int)
    a, b = two["a"], two["b"]
    town = rng.integers(0, rows // 12, rows)
    for column, values in {
        "count": Y.sum(axis=1),
        "or": a | b,
        "xor": a ^ b,
        "sum": 3 * a + 2 * b + rng.normal(0, 0.01, rows),
        "words": a.astype(str) + "-" + b.astype(str),
    }.items():
        labels = Y if column == "count" else two
        made = found((X.assign(leak=values), labels), "M101") + found(
            (X.assign(leak=values), labels), "M104"
        )
        assert any(finding.columns == ("leak",) for finding in made), column
    encoded = a.groupby(town).transform("mean")
    assert [f.columns for f in found((X.assign(leak=encoded), two), "M104")] == [("leak",)]
    without = (a.groupby(town).transform("sum") - a) / a.groupby(town).transform("size")
    assert found((X.assign(leak=without), two[["a"]]), "M104") == []
    by_design = np.argsort(np.argsort(a + rng.random(rows))) // 2  # pairs, without any share
    assert found((X.assign(pair=by_design % (rows // 12)), two[["b"]]), "M104") == []


def test_a_sparse_table_has_the_findings_of_a_dense_one() -> None:
    rng = np.random.default_rng(3)
    X = (rng.random((300, 40)) < 0.2).astype(float)
    X[:, 7] = X[:, 3]
    X[:, 8] = 0
    Y = (rng.random((300, 3)) < 0.3).astype(int)
    X[:, 5] = Y[:, 1]
    dense, sparse = mlfs.audit((X, Y)), mlfs.audit((sp.csr_array(X), sp.csr_array(Y)))
    assert dense.to_dict() == sparse.to_dict()
    assert {finding.check for finding in dense} == {"M101", "M203", "M204"}


def test_checks_are_chosen_by_number_and_beginning() -> None:
    X, Y = clean()
    data = (X.assign(leak=Y["a"], same=1), Y)
    assert {f.check for f in mlfs.audit(data)} == {"M101", "M203"}
    assert {f.check for f in mlfs.audit(data, select="M1")} == {"M101"}
    assert {f.check for f in mlfs.audit(data, ignore=["M101"])} == {"M203"}
    with pytest.raises(UnknownName, match="unknown check of an audit 'M9'"):
        mlfs.audit(data, select="M9")
    with pytest.raises(UnknownName):
        mlfs.audit(data).of("M999")
    for wrong in (b"M1", 5, [1]):
        with pytest.raises(UsageError, match="checks of an audit are named by texts"):
            mlfs.audit(data, select=wrong)


def test_findings_are_shown_as_text_frame_and_page() -> None:
    X, Y = clean()
    seen = mlfs.audit((X.assign(**{"<b>": Y["a"]}), Y))
    assert len(seen.errors) == 1
    assert repr(seen).splitlines()[1].startswith("  M101 error: '<b>' is a copy of the label 'a'")
    assert seen.to_frame()["check"].tolist() == ["M101"]
    assert "&lt;b&gt;" in seen.to_html()
    assert "<b>'" not in seen.to_html()
    assert "nothing found by" in mlfs.audit(clean()).table()


def test_the_command_ends_with_3_where_a_label_leaks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    X, Y = clean()
    path, newer = tmp_path / "t.csv", tmp_path / "newer.csv"
    pd.concat([X.assign(leak=Y["a"]), Y], axis=1).to_csv(path, index=False)
    pd.concat([X.assign(x0=X["x0"] + 3), Y], axis=1).to_csv(newer, index=False)
    arguments = ["audit", "--labels", "a,b,c", str(path)]
    assert cli.main(arguments) == 3
    assert capsys.readouterr().out.startswith("M101  error")
    assert cli.main([*arguments, "--ignore", "M101"]) == 0
    assert cli.main([*arguments, "--format", "json", "--against", str(newer)]) == 3
    document = json.loads(capsys.readouterr().out.split("\n", 1)[1])
    assert {finding["check"] for finding in document["findings"]} == {"M101", "M401"}
    page = tmp_path / "audit.html"
    assert cli.main([*arguments, "--format", "html", "-o", str(page)]) == 3
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert cli.main([*arguments, "-o", str(page)]) == 2
    assert cli.main([*arguments, "--select", "M9"]) == 2


def test_every_check_has_its_section() -> None:
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    for check, what in CHECKS.items():
        assert f"## {check}: {what}" in page, f"give {check} a section in docs/audit.md"


def test_a_selection_warns_of_a_copy_among_its_picks() -> None:
    X, Y = clean()
    with pytest.warns(mlfs.MlfsWarning, match="'leak' and 'a'"):
        mlfs.select((X.assign(leak=Y["a"]), Y), "mim", 2)
    with pytest.warns(mlfs.MlfsWarning, match="'leak' and 'a'"):
        mlfs.FeatureSelector("mim", 2).fit(X.assign(leak=1 - Y["a"]), Y)


def test_a_date_that_is_known_only_for_a_label_is_found(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    gone = rng.random(400) < 0.3
    frame = pd.DataFrame({"x": rng.normal(size=400)})
    frame["closed"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(400) % 90, "D")
    frame.loc[~gone, "closed"] = pd.NaT
    labels = pd.DataFrame({"gone": gone.astype(int), "other": (rng.random(400) < 0.5).astype(int)})
    path = tmp_path / "t.csv"
    frame.join(labels).to_csv(path, index=False)
    frame.to_csv(tmp_path / "next.csv", index=False)
    for found in (
        mlfs.audit((frame, labels)),
        mlfs.audit(path, labels="gone,other", against=tmp_path / "next.csv"),
        mlfs.audit(path, labels="gone,other", against=path),
    ):
        (leak,) = found.errors
        assert (leak.check, leak.columns, leak.labels) == ("M102", ("closed",), ("gone",))


def test_rows_that_differ_in_labels_alone_are_all_counted() -> None:
    X = np.repeat(np.arange(30), 2)[:, None]
    Y = np.zeros((60, 2), int)
    Y[::3, 0], Y[:6, 1] = 1, 1
    differing = sum(
        any((X[i] == X[j]).all() and (Y[i] != Y[j]).any() for j in range(60)) for i in range(60)
    )
    (finding,) = [f for f in mlfs.audit((X, Y), select="M302") if "differing" in f.numbers]
    assert finding.numbers["differing"] == differing


def test_a_sparse_table_without_entries_and_a_newer_frame_without_labels() -> None:
    Y = (np.arange(50) % 2)[:, None]
    (constant,) = mlfs.audit((sp.csr_array((50, 3)), Y), select="M203").findings
    assert constant.columns == ("x0", "x1", "x2")
    assert mlfs.audit((sp.csr_array((50, 3)), Y), select="M302").findings
    newer = pd.DataFrame({"x0": np.arange(50), "x2": 0})
    missing = mlfs.audit((np.zeros((50, 2)), Y), against=newer, select="M401").errors[0]
    assert missing.columns == ("x1",)
