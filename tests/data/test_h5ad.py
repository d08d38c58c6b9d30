"""h5ad files as anndata writes them: X, layers and labels are what was stored."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.cli import main
from mlfs.data import h5ad
from mlfs.errors import DataError, UsageError

h5py = pytest.importorskip("h5py", reason="h5py is an extra")

RANDOM = np.random.default_rng(0)
X = RANDOM.poisson(0.5, (90, 12)).astype(np.float32)
CELLS = RANDOM.choice(["B", "NK", "T"], 90)
FLAGS = RANDOM.integers(0, 2, 90)
NAMES = [f"gene{j}" for j in range(12)]


def put(group, name, table):
    """Store a dense or sparse table."""
    if not sp.issparse(table):
        group.create_dataset(name, data=table, chunks=True, compression="gzip")
        return
    part = group.create_group(name)
    part.attrs["encoding-type"] = f"{table.format}_matrix"
    part.attrs["shape"] = table.shape
    for key in ("data", "indices", "indptr"):
        part[key] = getattr(table, key)


def texts(group, name, words):
    group.create_dataset(name, data=list(words), dtype=h5py.string_dtype())


@pytest.fixture
def write(tmp_path):
    """Write a file of a table, with changes of the open file."""

    def make(table, change=lambda root: None, names=NAMES):
        path = tmp_path / "t.h5ad"
        with h5py.File(path, "w") as root:
            if table is not None:
                put(root, "X", table)
            root.create_group("layers")
            put(root["layers"], "log", sp.csr_array(np.log1p(X)))
            for part, index in (("obs", [f"cell{i}" for i in range(90)]), ("var", names)):
                group = root.create_group(part)
                group.attrs["_index"] = "_index"
                texts(group, "_index", index)
            obs = root["obs"]
            obs.attrs["column-order"] = ["cell", "flag", "tags", "gap", "x"]
            kind = obs.create_group("cell")
            values, codes = np.unique(CELLS, return_inverse=True)
            kind["codes"] = codes.astype(np.int8)
            texts(kind, "categories", values)
            obs["flag"], obs["x"] = FLAGS, np.linspace(0, 1, 90)
            texts(obs, "tags", ["a", "a|b", ""] * 30)
            gap = obs.create_group("gap")
            gap["values"], gap["mask"] = FLAGS.astype(bool), np.arange(90) == 4
            change(root)
        return path

    return make


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("at_once", [1, 37, 1 << 22])
def test_a_table_is_what_was_stored(kind, at_once, write, monkeypatch):
    monkeypatch.setattr(h5ad, "AT_ONCE", at_once)
    data = mlfs.read(write(kind(X)), labels="flag")
    got = data.X.toarray() if sp.issparse(data.X) else np.asarray(data.X)
    np.testing.assert_array_equal(got, X)
    assert sp.issparse(data.X) == (kind is not np.asarray)
    assert data.feature_names == NAMES
    assert data.Y.ravel().tolist() == FLAGS.tolist()
    expected = mlfs.select((X, FLAGS[:, None]), "jmi", 4)
    assert mlfs.select(data, "jmi", 4).indices == expected.indices


def test_a_layer_and_decimals(write):
    data = mlfs.read(write(sp.csc_array(X)), labels="flag", layer="log")
    np.testing.assert_array_equal(data.X.toarray(), np.log1p(X))


def test_entries_of_a_row_in_any_order_and_twice(write):
    def change(root):
        x = root["X"]
        for key in ("data", "indices"):
            stored = x[key][:]
            del x[key]
            x[key] = np.concatenate([stored[:5][::-1], stored[:5], stored[5:]])
        ends = x["indptr"][:]
        first = int(np.searchsorted(ends, 5, "right"))
        del x["indptr"]
        x["indptr"] = np.where(np.arange(ends.size) < first, 0, ends + 5)

    wide = sp.csr_array(np.ones((90, 12), np.float32))
    got = mlfs.read(write(wide, change), labels="flag").X.toarray()
    assert got[0].tolist() == [2.0] * 5 + [1.0] * 7
    assert (got[1:] == 1).all()


def test_labels_are_columns_of_obs(write, capsys):
    path = write(sp.csr_array(X))
    each = mlfs.read(path, labels="cell")
    assert each.label_names == ["B", "NK", "T"]
    np.testing.assert_array_equal(each.Y, CELLS[:, None] == np.array(["B", "NK", "T"]))
    assert mlfs.read(path, labels="cell", classes=True).labels[0].values == ("B", "NK", "T")
    assert mlfs.read(path, labels="tags").label_names == ["a", "b"]
    both = mlfs.read(path, labels=["flag", "gap"])
    assert both.Y[4].tolist() == [FLAGS[4], -1]
    binned = mlfs.read(path, labels="x", numbers=True)
    assert mlfs.select(binned, "mim", 2, target_bins="width:2").indices
    assert main(["select", "-q", "-n", "2", "--labels", "cell", "--layer", "log", str(path)]) == 0
    assert "gene" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({}, UsageError, "no label columns are known; .*: cell, flag, tags, gap, x"),
        ({"labels": "flag", "layer": "lag"}, LookupError, "unknown layer 'lag': did you mean"),
        ({"labels": "x"}, DataError, "'x' is continuous"),
        ({"labels": "flag", "limits": mlfs.data.Limits(max_rows=9)}, DataError, "max_rows=90"),
        ({"labels": "flag", "limits": mlfs.data.Limits(max_attributes=9)}, DataError, "s=12"),
        ({"labels": "flag", "limits": mlfs.data.Limits(max_decompressed=9)}, DataError, "bytes"),
        ({"labels": "flag", "max_memory": 100}, DataError, "max_memory is 100 bytes"),
    ],
)
def test_what_is_refused(options, error, text, write):
    with pytest.raises(error, match=text):
        mlfs.read(write(sp.csr_array(X)), **options)


def damage(path, **values):
    def change(root):
        for name, value in values.items():
            del root[path][name]
            root[path][name] = value

    return change


def link(root):
    del root["X"]
    root["X"] = h5py.ExternalLink("other.h5", "/X")


def outside(root):
    del root["X"]
    root.create_dataset("X", (90, 12), "f4", external=[("other.raw", 0, 4320)])


def bomb(root):
    del root["X"]
    root.create_dataset("X", (90, 10**8), "f4", chunks=(90, 1000))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda root: root.__delitem__("var"), "there is no var"),
        (lambda root: root.__delitem__("X"), "there is no X: name one of its layers .*: log"),
        (link, "X is a link, which is not followed"),
        (outside, "/X lies in another file"),
        (bomb, "more than the limit|expected .* numbers"),
        (damage("X", indices=np.full(10**4, 3)), "do not make a sparse table"),
        (damage("X", indptr=np.arange(91)[::-1]), "do not make a sparse table"),
        (damage("obs/cell", codes=np.full(90, 7)), "the codes of cell in obs do not fit"),
        (damage("obs", flag=np.zeros(3)), r"flag in obs has the shape \(3,\)"),
        (damage("var", _index=np.arange(5)), "another shape than obs and var"),
    ],
)
def test_a_damaged_file_is_one_sentence(change, text, write):
    with pytest.raises(DataError, match=text):
        mlfs.read(write(sp.csr_array(X), change), labels=["cell", "flag"], classes=True)


def test_names_twice_and_no_h5ad_file(write, tmp_path):
    with pytest.raises(DataError, match=r"two columns are named 'gene0' in var; .*make_unique"):
        mlfs.read(write(X, names=["gene0"] * 12), labels="flag")
    path = tmp_path / "u.h5ad"
    path.write_bytes(b"no such thing")
    with pytest.raises(DataError, match="this is no h5ad file, or a damaged one"):
        mlfs.read(path, labels="flag")


def test_without_the_package_one_sentence(write, monkeypatch):
    path = write(X)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(mlfs.errors.MissingExtra, match=r"pip install 'mlfs-toolkit\[h5ad\]'"):
        mlfs.read(path, labels="flag")


def test_there_is_no_writer_and_layer_is_for_these_files(tmp_path):
    with pytest.raises(UsageError, match="h5ad files are read and not written"):
        mlfs.data.write(mlfs.datasets.load_songs(), tmp_path / "t.h5ad")
    with pytest.raises(UsageError, match="layer is for h5ad files, and this is arff"):
        mlfs.read("docs/examples/songs.arff", layer="log")
