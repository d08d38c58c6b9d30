"""Every real data set loads with exactly the numbers of its catalogue."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.data import Dataset, read
from tests.shared import SHARED, shared_data

NUMBERS = ("N", "d", "q", "cardinality", "density", "distinct_labelsets")


def rows() -> list[dict[str, str]]:
    catalogue = SHARED / "CATALOGUE.tsv"
    if not catalogue.exists():
        return []
    with catalogue.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def parts(row: dict[str, str]) -> list[list[str]]:
    """The groups of files that each hold the whole data set: one file, or train and test."""
    files = [name for name in row["files"].split(",") if not name.endswith(".xml")]
    split = sorted(name for name in files if "-train." in name or "-test." in name)
    groups = [[name] for name in files if name not in split]
    return [*groups, split] if split else groups


ROWS = rows()
CASES = [(row, group) for row in ROWS for group in parts(row)]
NAMES = ["+".join(group) for _, group in CASES]


def folder(row: dict[str, str]) -> str:
    """A data set lies in the folder of its name, up to a suffix of its variant."""
    name = row["name"]
    while not (SHARED / name).is_dir():
        name = name.rpartition("-")[0]
    return name


def dense(Y: object) -> np.ndarray:
    return Y.toarray() if sp.issparse(Y) else np.asarray(Y)


def numbers(data: list[Dataset]) -> dict[str, str]:
    Y = np.vstack([dense(part.Y) for part in data])
    assert np.isin(Y, (0, 1)).all()
    cardinality = Y.sum() / len(Y)
    return {
        "N": str(len(Y)),
        "d": str(data[0].shape[1]),
        "q": str(Y.shape[1]),
        "cardinality": f"{cardinality:.4f}",
        "density": f"{cardinality / Y.shape[1]:.4f}",
        "distinct_labelsets": str(len(np.unique(Y, axis=0))),
    }


@pytest.mark.skipif(not CASES, reason="needs the benchmark files (set MLFS_SHARED_DATA)")
@pytest.mark.parametrize(("row", "group"), CASES, ids=NAMES)
def test_numbers_of_the_catalogue(row: dict[str, str], group: list[str]) -> None:
    data = [read(shared_data(f"{folder(row)}/{name}")) for name in group]
    assert numbers(data) == {name: row[name] for name in NUMBERS}
    assert len({tuple(part.feature_names) for part in data}) == 1
    assert len({tuple(part.label_names) for part in data}) == 1


@pytest.mark.skipif(not CASES, reason="needs the benchmark files (set MLFS_SHARED_DATA)")
def test_no_file_is_forgotten() -> None:
    listed = {f"{folder(row)}/{name}" for row, group in CASES for name in group}
    there = {
        f"{path.parent.name}/{path.name}"
        for path in Path(SHARED).glob("*/*")
        if path.is_file() and path.suffix != ".xml"
    }
    assert there == listed


def test_weka_filter_after_the_count_is_noted() -> None:
    data = read(shared_data("languagelog/langlog.arff"))
    assert "-C 75" in data.notes[0]
    assert data.source.labels_by == "langlog.xml"


def test_duplicate_features_of_bibtex() -> None:
    data = read(shared_data("bibtex/bibtex.arff"))
    assert (data.X[:, [951]] != data.X[:, [1823]]).nnz == 0


def test_real_quotes_and_blanks() -> None:
    data = read(shared_data("birds/birds-train.arff"))
    assert "Swainson's Thrush" in data.label_names
    genbase = read(shared_data("genbase/genbase.arff"))
    assert genbase.columns[0].name == "protein"
    assert genbase.columns[1].values == ("YES", "NO")
