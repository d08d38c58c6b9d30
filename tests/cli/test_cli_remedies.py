"""Errors of the command name the flag, and their remedy helps."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import mlfs
from mlfs import DataError, UsageError, cli
from tests.documents import ROOT

SONGS = str(ROOT / "docs" / "examples" / "songs.arff")


def error(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(arguments) in (1, 2)
    return capsys.readouterr().err


def test_the_flag_is_named(capsys, tmp_path: Path) -> None:
    said = error(capsys, "compare", "-n", "5,x", "-o", str(tmp_path / "out"), SONGS)
    assert "--number is 'x': no number of features, no share in (0, 1], and not 'sqrt'" in said
    for flag in ("--include", "--exclude"):
        assert f"unknown feature in {flag} 'zz': " in error(capsys, "select", flag, "zz", SONGS)


@pytest.mark.parametrize(
    ("limit", "sparse"),
    [("max_cells", False), ("max_cells", True)],
)
def test_a_raised_limit_is_enough(capsys, tmp_path: Path, limit: str, sparse: bool) -> None:
    row = "{{0 {}, 1 2.5}}\n" if sparse else "{},2.5,3\n"
    rows = "".join(row.format(i % 2) for i in range(9))
    head = "@relation 't: -C 1'\n@attribute l {0,1}\n@attribute a real\n@attribute b real\n"
    path = tmp_path / "t.arff"
    path.write_text(f"{head}@data\n{rows}")
    said = error(capsys, "info", "--limit", f"{limit}=2", str(path))
    enough = re.search(rf"--limit ({limit}=\d+)", said)
    assert enough is not None
    assert cli.main(["info", "--limit", enough[1], str(path)]) == 0


def test_a_wrong_number_of_labels_has_a_remedy(capsys, tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_text("@relation 't: -C 5'\n@attribute a real\n@attribute l {0,1}\n@data\n1,0\n")
    said = error(capsys, "info", str(path))
    assert "there are only 2 columns: correct the number, or say which columns are labels" in said


def test_the_delimiter_is_found_by_the_error(capsys, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a;b;y\n1,5;"2,5";0\n2;3;1\n')
    said = error(capsys, "info", "--labels", "y", str(path))
    assert "say --delimiter semicolon" in said
    more = ["--delimiter", "semicolon", "--decimal", ","]
    assert cli.main(["info", "--labels", "y", *more, str(path)]) == 0
    assert "2 (2 numeric)" in capsys.readouterr().out
    (tmp_path / "t.dat").write_text(path.read_text())  # a suffix that says nothing
    assert cli.main(["info", "--labels", "y", *more, str(tmp_path / "t.dat")]) == 0
    for file, form in ((SONGS, "arff"), ("part-*.parquet", "parquet")):
        assert f"--delimiter is for CSV and TSV files, and this is {form}" in error(
            capsys, "info", "--delimiter", ";", file
        )


def test_a_suffix_that_says_no_format_is_refused_before_the_work(capsys, tmp_path: Path) -> None:
    target, nowhere = str(tmp_path / "x.gz"), str(tmp_path / "nowhere.arff")
    said = error(capsys, "convert", nowhere, target)
    assert "does not follow from its suffix: say it with --to, which takes arff, csv" in said
    assert not list(tmp_path.iterdir())


def test_a_format_without_its_package_is_refused_before_the_work(
    capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "pyarrow" else 1)
    nowhere, target = str(tmp_path / "nowhere.arff"), str(tmp_path / "x.parquet")
    for arguments in (["select", "-o", target, nowhere], ["convert", nowhere, target]):
        assert "pip install 'mlfs-toolkit[parquet]'" in error(capsys, *arguments)


def test_converted_files_are_meka_s_too(tmp_path: Path) -> None:
    target = tmp_path / "x.arff"
    assert cli.main(["convert", "-q", SONGS, str(target)]) == 0
    assert target.read_text().startswith("@relation 'songs: -C -6'\n")
    (tmp_path / "x.xml").unlink()
    assert cli.main(["info", "-q", str(target)]) == 0


def test_a_frame_without_labels_names_the_option() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(UsageError, match=r"say labels=\['a', 'b'\], or labels='last:6'"):
        mlfs.select(pandas.DataFrame({"a": [0, 1], "b": [1, 0]}))


def test_what_a_usage_error_repeats_is_escaped(capsys) -> None:
    said = error(capsys, "info", SONGS, "other\x1b[31m.csv")
    assert "\x1b" not in said
    assert r"other\x1b[31m.csv" in said


def test_a_remedy_is_written_as_its_reader_writes_it(capsys, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n1,,0\n2,3,\n1,4,1\n")
    with pytest.raises(DataError, match=r"1 value of Y is missing, the first in row 2.*='level'"):
        mlfs.select(str(path), labels="y", missing="error")
    with pytest.raises(UsageError, match="say for example labels='last:6'"):
        mlfs.read(path)


@pytest.mark.parametrize("command", [["info"], ["convert"], ["train", "--model", "br"]])
def test_no_command_advises_an_option_that_it_lacks(capsys, tmp_path: Path, command) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,0.5\n2,1.25\n")
    rest = {"convert": [str(tmp_path / "t.arff")], "train": ["-o", str(tmp_path / "m")]}
    said = error(
        capsys, *command, "--labels", "y", str(tmp_path / "t.csv"), *rest.get(command[0], [])
    )
    assert "'y' is continuous" in said
    assert "bin it with" not in said


def test_a_file_that_is_not_there_is_a_usage_error_everywhere(capsys, tmp_path: Path) -> None:
    for command in (["info"], ["compare", "-o", str(tmp_path / "report")]):
        assert cli.main([*command, "nothing.csv"]) == 2
        assert "there is no file 'nothing.csv'" in capsys.readouterr().err
    with pytest.raises(UsageError, match=r"there is no file .song.; mlfs\.datasets has"):
        mlfs.read("song")


def test_a_remedy_names_the_flag_for_arrays_in_a_file_too(capsys, tmp_path: Path) -> None:
    path = str(tmp_path / "t.npz")
    np.savez(path, X=np.arange(6).reshape(3, 2), Y=np.array([[0], [1], [2]]))
    begin = f"{path}: label 'y0' holds 2 in row 3: a label is 0 or 1 (or -1/+1); "
    classes = "for labels of several classes ask for classes (--classes)"
    said = error(capsys, "select", path)
    assert f"{begin}{classes}, bin numbers with mlfs.data.bin_targets, " in said
    assert said.endswith("or --target-bins frequency\n")
    assert f"{begin}{classes}\n" in error(capsys, "info", path)
    with pytest.raises(DataError, match=r"t\.npz: label 'y0' holds 2 .*\(classes=True\), bin num"):
        mlfs.read(path)
