"""Files appear whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mlfs.data import Column, Label, from_arrays, write
from mlfs.data.whole_files import replacing_together
from mlfs.errors import DataError, UsageError
from tests.documents import ROOT

WRITER = (
    "import sys; from mlfs.data.whole_files import replacing\n"
    "with replacing(sys.argv[1], True) as stream:\n"
    "    stream.write(b'x'); print('open', flush=True); sys.stdin.read()\n"
)


def small(name: str) -> object:
    return from_arrays(np.eye(2), np.eye(2, dtype=np.int8), label_names=[name, "z"])


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_killed_process_leaves_the_target_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "out")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"open\n"
    process.kill()
    process.communicate()
    assert (tmp_path / "out").read_bytes() == b"old"
    assert all(name == "out" or name.endswith(".part") for name in names(tmp_path))


def test_nothing_is_replaced_before_all_is_written(tmp_path: Path) -> None:
    paths = [str(tmp_path / "one"), str(tmp_path / "two")]
    with pytest.raises(ZeroDivisionError), replacing_together(paths) as streams:
        streams[0].write(b"new" * (1 // 0))
    assert names(tmp_path) == []
    with replacing_together(paths) as streams:
        streams[0].write(b"new")
        assert all(name.endswith(".part") for name in names(tmp_path))
    assert names(tmp_path) == ["one", "two"]


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
