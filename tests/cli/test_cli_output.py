"""Where the command writes: reduced data, reports, nothing overwritten, nothing half-written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs import cli
from tests.cli.test_cli import SONGS, run
from tests.documents import ROOT

__all__ = ["run"]

CONTROL = 'a\x1b[31mb,"na\nme",é,y\n1,2,0,1\n0,1,1,0\n1,1,0,1\n'


def dense(table: object) -> np.ndarray:
    return table.toarray() if sp.issparse(table) else np.asarray(table)


@pytest.mark.parametrize(
    "name",
    ["r.arff", "r.arff.gz", "r.csv", "r.tsv.xz", "r.svm", "r.xmc", "r.npz", "r.mat", "r.parquet"],
)
def test_the_reduced_data_read_back_equal(run, name: str) -> None:
    if name == "r.parquet":
        pytest.importorskip("pyarrow")
    done = run("select", "-q", "-c", "scls", "-n", "4", "--format", "indices", "-o", name, SONGS)
    assert done.code == 0, done.err
    kept = sorted(int(line) for line in done.out.split())
    songs, small = mlfs.read(SONGS), mlfs.read(name)
    np.testing.assert_array_equal(dense(small.X), dense(songs.X)[:, kept])
    np.testing.assert_array_equal(dense(small.Y), dense(songs.Y))


def test_the_reduced_data_keep_columns_in_the_order_of_the_file(run) -> None:
    done = run("select", "-q", "-c", "scls", "-n", "4", "--format", "names", "-o", "r.csv", SONGS)
    small, names = mlfs.read("r.csv"), done.out.split()
    assert set(small.feature_names) == set(names)
    order = mlfs.read(SONGS).feature_names
    assert small.feature_names == sorted(names, key=order.index)
    assert small.label_names == mlfs.read(SONGS).label_names


def test_per_label_the_union_is_written(run) -> None:
    done = run("select", "-q", "--per-label", "-n", "2", "--format", "json", "-o", "r.npz", SONGS)
    union = {pick["name"] for one in json.loads(done.out)["labels"] for pick in one["selected"]}
    assert set(mlfs.read("r.npz").feature_names) == union


def test_a_report_goes_to_a_file(run) -> None:
    for place, form in (("p.json", None), ("p.csv", "csv"), ("p.txt", None), ("p.txt.gz", "names")):
        chosen = [] if form is None else ["--format", form]
        done = run("select", "-q", "-n", "2", *chosen, "-o", place, SONGS)
        assert (done.code, done.out, done.err) == (0, "", "")
    assert json.loads(Path("p.json").read_text())["schema"] == 1
    assert Path("p.csv").read_text().startswith("rank,index,name")
    assert Path("p.txt").read_text().startswith("scls: 2 of 24 features")
    assert Path("p.txt.gz").read_bytes().startswith(b"\x1f\x8b")


def test_the_reduced_data_go_to_stdout_by_convert(capfdbinary, tmp_path: Path) -> None:
    picks = str(tmp_path / "picks.json")
    assert cli.main(["select", "-q", "-c", "mim", "-n", "2", "-o", picks, SONGS]) == 0
    assert cli.main(["convert", "--features", picks, "--to", "csv", SONGS, "-"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"drums,distortion,happy,")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "what.ever"], "does not follow from its suffix"),
        (["-o", "no/r.arff"], "there is no folder 'no'"),
        (["-o", "folder"], "it is a folder"),
        (["-o", "there.arff"], "is there already; say --force to replace it"),
        (["-o", "there.json"], "is there already; say --force to replace it"),
        (["-o", "same.arff", "--force"], "is the input"),
    ],
)
def test_a_wrong_place_is_reported_before_anything_is_read(
    run, tmp_path: Path, arguments: list[str], words: str
) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("there.arff", "there.json", "same.arff"):
        (tmp_path / name).write_text("not even data")
    done = run("select", *arguments, "same.arff")
    assert done.code == 2
    assert words in done.err
    assert (tmp_path / "there.arff").read_text() == "not even data"
    assert {path.name for path in tmp_path.iterdir()} == {
        "folder", "there.arff", "there.json", "same.arff"
    }  # fmt: skip


def test_a_link_to_the_input_is_the_input(run, tmp_path: Path) -> None:
    (tmp_path / "in.arff").write_text(Path(SONGS).read_text())
    (tmp_path / "link.arff").symlink_to(tmp_path / "in.arff")
    for arguments in (["select", "-o", "link.arff", "--force", "in.arff"],
                      ["convert", "--force", "in.arff", "link.arff"]):  # fmt: skip
        done = run(*arguments)
        assert (done.code, "is the input" in done.err) == (2, True)


def test_force_replaces(run) -> None:
    for count in ("2", "3"):
        done = run("select", "-q", "-n", count, "--force", "-o", "r.arff", SONGS)
        assert done.code == 0, done.err
    assert mlfs.read("r.arff").shape[1] == 3


def test_what_cannot_be_written_whole_is_not_written_and_the_ranking_is_not_lost(
    run, monkeypatch, tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mlfs.data.delimited.csv_reader.write", full)
    done = run("select", "-c", "mim", "-q", "-n", "2", "--format", "names", "-o", "r.csv", SONGS)
    assert done.code == 1
    assert done.out == "drums\ndistortion\n"
    assert "No space left on device" in done.err
    assert list(tmp_path.iterdir()) == []


def test_control_characters_never_reach_the_terminal(run, tmp_path: Path) -> None:
    (tmp_path / "esc.csv").write_text(CONTROL, encoding="utf-8")
    common = ["-n", "3", "-c", "mim", "--labels", "last:1", "esc.csv"]
    for command in ("select", "explain", "info"):
        done = run(command, *(common if command != "info" else common[4:]))
        assert "\x1b" not in done.out + done.err
    assert run("select", "--format", "names", *common).out == "a\\x1b[31mb\né\nna\\nme\n"
    for form in ("csv", "json"):
        assert "\x1b" not in run("select", "--format", form, *common).out
    names = [
        pick["name"]
        for pick in json.loads(run("select", "--format", "json", *common).out)["selected"]
    ]
    assert names == ["a\x1b[31mb", "é", "na\nme"]


def test_convert_says_what_it_leaves_out(run, tmp_path: Path) -> None:
    (tmp_path / "s.arff").write_text(
        "@relation 's: -C 1'\n@attribute y {0,1}\n@attribute a numeric\n@attribute t string\n"
        "@data\n1,2,'x'\n0,3,'z'\n"
    )
    done = run("convert", "s.arff", "s.csv")
    assert done.code == 0
    assert "the column 't' is left out" in done.err


def test_the_shipped_example_is_not_touched() -> None:
    assert not (ROOT / "docs" / "examples" / "songs.xml").exists()
