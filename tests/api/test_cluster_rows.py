"""Missing values that workers have read, chunks without rows, and notes of all chunks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mlfs
from mlfs.data import files as data_files
from tests.api.test_cluster import DATA, told
from tests.remote_blocks import InProcess


@pytest.fixture
def path(tmp_path: Path, monkeypatch: Any) -> Path:
    """Numbers, words, missing values, a column of huge numbers, and labels with gaps."""
    X, Y = DATA["holes"]
    table = pd.DataFrame(X, columns=[f"f{j}" for j in range(20)])
    table["f1"] = table["f1"].map({0: "lo", 1: "mid", 2: "hi", 3: "é"})
    table["f7"] *= 1e200
    for k in range(3):
        table[f"y{k}"] = Y[:, k]
    table.to_csv(tmp_path / "a.csv", index=False)
    monkeypatch.setattr(data_files, "PIECE", 2000)
    return tmp_path / "a.csv"


@pytest.mark.parametrize("sizes", [(0, 100, 0, 230), (330, 0, 0), (0, 0, 0, 330)])
def test_chunks_without_rows_are_left_out(sizes: tuple[int, ...]) -> None:
    array = pytest.importorskip("dask.array")
    X, Y = DATA["mixed"]
    chunks = array.from_array(X, chunks=(sizes, -1))
    assert told(mlfs.select((chunks, Y), "jmi", 5, cluster=InProcess(3))) == told(
        mlfs.select((X, Y), "jmi", 5)
    )


def test_notes_of_labels_and_of_all_chunks_are_reported() -> None:
    array = pytest.importorskip("dask.array")
    X, Y = (part.copy() for part in DATA["holes"])
    X[200, 3] = 2.0**60
    many = mlfs.select((array.from_array(X, chunks=(70, -1)), Y), "mim", 2, cluster=InProcess(3))
    assert many.notes == mlfs.select((X, Y), "mim", 2).notes
    assert any("labels are missing" in note for note in many.notes)
    assert any("2**53" in note for note in many.notes)


def test_missing_values_that_are_refused_are_counted_on_workers(path: Path) -> None:
    options: Any = {"labels": ["f0", "y0"], "missing": "error", "n": 2}
    table = pd.read_csv(path)
    table["f0"], table["y0"] = (np.arange(330) % 2 for _ in "ab")
    table.to_csv(path, index=False)
    with pytest.raises(mlfs.DataError, match=r"values of X are missing, the first in row") as one:
        mlfs.select(path, "mim", **options)
    with pytest.raises(mlfs.DataError) as many:
        mlfs.select(path, "mim", cluster=InProcess(3), **options)
    assert str(many.value) == str(one.value)
    data = table[["f0"]], table[["y0"]]
    assert told(mlfs.select(data, "mim", 1, missing="error", cluster=InProcess(2))) == told(
        mlfs.select(data, "mim", 1, missing="error")
    )


def test_files_and_row_groups_without_rows_are_no_pieces(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"w": ["a", "b", "c"] * 30, "x": [0, 1, 1] * 30, "y": [0, 1, 0] * 30})
    for i, part in enumerate((table[:0], table[:60], table[:0], table[60:], table[:0])):
        parquet.write_table(part, tmp_path / f"part-{i}.parquet")
    path = str(tmp_path / "part-*.parquet")
    one = mlfs.select(path, "jmi", 2, labels="y")
    for blocks in (1, 2, 5):
        many = mlfs.select(path, "jmi", 2, labels="y", cluster=InProcess(blocks), layout="rows")
        assert told(many) == told(one)
