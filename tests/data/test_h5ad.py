"""AnnData: the object by its attributes, and h5ad files where the package is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.cli import main
from mlfs.data import Limits, h5ad
from mlfs.data.request import Request
from mlfs.errors import DataError, MissingExtra, UsageError

pd = pytest.importorskip("pandas", reason="pandas is an extra")

RANDOM = np.random.default_rng(0)
X = RANDOM.poisson(0.5, (90, 12)).astype(np.float32)
CELLS = RANDOM.choice(["B", "NK", "T"], 90)
FLAGS = RANDOM.integers(0, 2, 90)
BATCH = RANDOM.choice(["one", "two"], 90)
NAMES = [f"gene{j}" for j in range(12)]


@pytest.mark.parametrize("name", ["indices", "indptr"])
def test_places_that_are_no_whole_numbers_are_refused(tmp_path: Path, name: str) -> None:
    anndata, h5py = pytest.importorskip("anndata"), pytest.importorskip("h5py")
    path = tmp_path / "x.h5ad"
    anndata.AnnData(sp.csr_matrix(X), obs=obs().drop(columns="gap")).write_h5ad(path)
    with h5py.File(path, "r+") as file:
        places = file["X"][name][:] + 0.5
        del file["X"][name]
        file["X"][name] = places
    with pytest.raises(DataError, match=f"{name} of /X are float64, not whole numbers"):
        mlfs.read(path, labels="flag")


def obs() -> Any:
    return pd.DataFrame(
        {
            "cell": pd.Categorical(CELLS),
            "flag": FLAGS,
            "tags": ["a", "a|b", ""] * 30,
            "gap": pd.array([None if i == 4 else bool(f) for i, f in enumerate(FLAGS)], "boolean"),
            "x": np.linspace(0, 1, 90),
            "batch": BATCH,
        },
        index=[f"cell{i}" for i in range(90)],
    )


def adata(table: Any = X, names: list[str] = NAMES) -> Any:
    """An object with the attributes of AnnData that are read."""
    layers = {"log": sp.csr_array(np.log1p(X))}
    return SimpleNamespace(X=table, obs=obs(), var_names=pd.Index(names), layers=layers)


def read(data: Any, **options: Any) -> mlfs.Dataset:
    return h5ad.from_anndata(data, Request(**options), "t.h5ad")


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csc_array])
def test_the_object_is_selected_from(kind: Any) -> None:
    expected = mlfs.select((X, FLAGS[:, None]), "jmi", 4)
    selection = mlfs.select(adata(kind(X)), "jmi", 4, labels="flag")
    assert selection.indices == expected.indices
    assert selection.names == tuple(NAMES[j] for j in expected.indices)
    data = read(adata(kind(X)), labels="flag")
    assert data.is_sparse == (kind is not np.asarray)
    assert data.Y.ravel().tolist() == FLAGS.tolist()


def test_a_layer() -> None:
    data = read(adata(), labels="flag", layer="log")
    np.testing.assert_array_equal(data.X.toarray(), np.log1p(X))


def test_labels_are_columns_of_obs() -> None:
    each = read(adata(), labels="cell")
    assert each.label_names == ["B", "NK", "T"]
    np.testing.assert_array_equal(each.Y.toarray(), CELLS[:, None] == np.array(["B", "NK", "T"]))
    assert read(adata(), labels="cell", classes=True).labels[0].values == ("B", "NK", "T")
    assert read(adata(), labels="tags").label_names == ["a", "b"]
    both = read(adata(), labels=["flag", "gap"])
    assert both.Y[4].tolist() == [FLAGS[4], -1]
    binned = read(adata(), labels="x", numeric_targets=True)
    assert mlfs.select(mlfs.data.bin_targets(binned, "width:2"), "mim", 2).indices


@pytest.mark.parametrize("given", ["batch", ["batch"], ["batch", "flag"]])
def test_columns_of_obs_are_held_fixed(given: Any) -> None:
    names = [given] if isinstance(given, str) else given
    values = obs()[names].astype(str).to_numpy()
    selection = mlfs.select(adata(), "jmi", 4, labels="cell", given=given)
    expected = mlfs.select(
        (pd.DataFrame(X, columns=NAMES), list(CELLS[:, None])), "jmi", 4, given=values
    )
    assert selection.names == expected.names
    assert selection.scores.tolist() == expected.scores.tolist()
    assert selection.settings["given"] == names
    weights = RANDOM.integers(0, 2, 90)
    assert mlfs.select(adata(), "jmi", 2, labels="cell", given=given, sample_weight=weights).indices


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({}, UsageError, "no label columns are known; .*: cell, flag, tags, gap, x, batch"),
        ({"labels": "flag", "layer": "lag"}, LookupError, "unknown layer 'lag': did you mean"),
        ({"labels": "x"}, DataError, "label 'x' holds 0.0112"),
        ({"labels": "gene1"}, LookupError, "unknown label column 'gene1'"),
        ({"labels": "flag", "limits": Limits(max_cells=9)}, DataError, "max_cells="),
    ],
)
def test_what_is_refused(options: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        read(adata(), **options)


def test_an_object_without_x_or_with_names_twice() -> None:
    with pytest.raises(DataError, match=r"there is no X: name one of its layers .*: log"):
        read(adata(None), labels="flag")
    with pytest.raises(DataError, match=r"two names in var are the same: .*make_unique"):
        read(adata(names=["gene0"] * 12), labels="flag")


def test_without_the_package_one_sentence(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anndata", None)
    path = tmp_path / "t.h5ad"
    path.write_bytes(b"\x89HDF")
    with pytest.raises(MissingExtra, match=r"pip install 'mlfs-toolkit\[h5ad\]'"):
        mlfs.read(path, labels="flag")


def test_there_is_no_writer_and_layer_is_for_these_files(tmp_path: Any) -> None:
    with pytest.raises(UsageError, match="h5ad files are read and not written"):
        mlfs.data.write(mlfs.datasets.load_songs(), tmp_path / "t.h5ad")
    with pytest.raises(UsageError, match="layer is for h5ad files, and this is arff"):
        mlfs.read("docs/examples/songs.arff", layer="log")


# ---- files ------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Any) -> Any:
    anndata = pytest.importorskip("anndata", reason="anndata is an extra")
    path = tmp_path / "t.h5ad"
    data = anndata.AnnData(sp.csr_matrix(X), obs=obs().drop(columns="gap"))
    data.var_names = NAMES
    data.layers["log"] = np.log1p(X)
    data.write_h5ad(path)
    return path


def test_a_file_is_the_object(file: Any, capsys: pytest.CaptureFixture[str]) -> None:
    data = mlfs.read(file, labels="cell")
    np.testing.assert_array_equal(data.X.toarray(), X)
    assert data.feature_names == NAMES
    logs = mlfs.read(file, labels="cell", layer="log")
    np.testing.assert_array_equal(logs.X, np.log1p(X))
    ask = ["select", "-q", "-c", "jmi", "-n", "2", "--labels", "cell", "--given", "batch"]
    assert main([*ask, str(file)]) == 0
    assert "gene" in capsys.readouterr().out
    expected = mlfs.select(file, "jmi", 2, labels="cell", given="batch")
    assert mlfs.select(adata(), "jmi", 2, labels="cell", given="batch").names == expected.names


def test_a_damaged_file_is_one_sentence(file: Any, tmp_path: Any) -> None:
    cut = tmp_path / "cut.h5ad"
    for content in (file.read_bytes()[:4000], b"no such thing"):
        cut.write_bytes(content)
        with pytest.raises(DataError, match="this is no h5ad file, or a damaged one"):
            mlfs.read(cut, labels="flag")
