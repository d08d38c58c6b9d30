"""Files appear whole or not at all, together or not at all, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mlfs.data import Column, Label, from_arrays, write
from mlfs.data.whole_files import remove_unfinished, replacing, replacing_together
from mlfs.errors import DataError, UsageError
from tests.documents import ROOT

POSIX = pytest.mark.skipif(os.name != "posix", reason="locks and signals of POSIX")
WRITER = (
    "import sys; from mlfs.data.whole_files import replacing\n"
    "with replacing(sys.argv[1]) as stream:\n"
    "    stream.write(b'x'); print('open', flush=True); sys.stdin.read()\n"
)


def small(name: str) -> object:
    return from_arrays(np.eye(2), np.eye(2, dtype=np.int8), label_names=[name, "z"])


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@POSIX
def test_what_a_dead_process_left_is_removed_and_what_a_living_one_writes_is_not(
    tmp_path: Path,
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "out")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"open\n"
    remove_unfinished(tmp_path)
    (part,) = names(tmp_path)
    assert part.startswith(".mlfs-")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert names(tmp_path) == [part]
    with replacing(str(tmp_path / "other")) as stream:
        stream.write(b"y")
    assert names(tmp_path) == ["other"]


def test_data_and_their_label_file_are_replaced_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(small("a"), tmp_path / "t.arff")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert sorted(before) == ["t.arff", "t.xml"]
    whole = Path.replace

    def failing(self: Path, target: str) -> Path:
        if str(target).endswith(".arff") and "-old" not in self.name:
            raise OSError(5, "Input/output error")
        return whole(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(OSError, match="Input/output") as caught:
        write(small("b"), tmp_path / "t.arff", force=True)
    assert str(caught.value.filename).endswith("t.arff")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    monkeypatch.undo()
    write(small("b"), tmp_path / "t.arff", force=True)
    assert names(tmp_path) == ["t.arff", "t.xml"]
    assert b'"b"' in (tmp_path / "t.xml").read_bytes()


def test_a_signal_between_two_files_puts_the_first_one_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, count = Path.replace, []

    def interrupted(self: Path, target: str) -> Path:
        done = whole(self, target)
        count.append(target)
        if len(count) == 1:
            raise KeyboardInterrupt
        return done

    (tmp_path / "one").write_bytes(b"old")
    monkeypatch.setattr(Path, "replace", interrupted)
    paths = [str(tmp_path / "one"), str(tmp_path / "two")]
    with pytest.raises(KeyboardInterrupt), replacing_together(paths, force=True) as streams:
        streams[0].write(b"new")
    assert names(tmp_path) == ["one"]
    assert (tmp_path / "one").read_bytes() == b"old"


def test_none_is_written_where_one_is_there_already(tmp_path: Path) -> None:
    (tmp_path / "two").write_bytes(b"old")
    paths = [str(tmp_path / "one"), str(tmp_path / "two")]
    with pytest.raises(UsageError, match="two' is there already"), replacing_together(paths):
        pass
    assert names(tmp_path) == ["two"]


@pytest.mark.parametrize("suffix", ["arff", "csv.gz", "svm", "npz", "mat", "parquet"])
def test_half_a_surrogate_pair_is_refused_before_a_file_is_made(tmp_path: Path, suffix) -> None:
    good = from_arrays([["u", 0], ["v", 1]], [[0], [1]])
    name, value, label = (
        replace(good, columns=(Column("{a}\ud800", "nominal", ("u", "v")), good.columns[1])),
        replace(good, columns=(Column("{a}", "nominal", ("u", "v\udfff")), good.columns[1])),
        replace(good, labels=(Label("y\udc00"),)),
    )
    for data, words in (
        (name, r"the name of column '\{a\}\\\\ud800'"),
        (value, r"column '\{a\}': the value 'v\\\\udfff'"),
        (label, r"the name of label 'y\\\\udc00'"),
    ):
        with pytest.raises(DataError, match=f"^{words} holds half a surrogate pair, .*: re"):
            write(data, tmp_path / f"x.{suffix}")
    assert not list(tmp_path.iterdir())
