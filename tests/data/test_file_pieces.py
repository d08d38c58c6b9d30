"""Files are read in pieces that know nothing of each other, as workers do: the same data set."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import mlfs
from mlfs.data import files
from mlfs.data.file_pieces import open_pieces
from mlfs.data.packed_table import PackedTable
from mlfs.errors import DataError, UsageError
from tests.joined_pieces import assert_the_whole, joined


@pytest.mark.parametrize("suffix", ["arff", "csv", "tsv.gz", "npz", "parquet", "mat"])
@pytest.mark.parametrize("n", [1, 3])
def test_every_format_in_shares(suffix, n, tmp_path):
    if suffix == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    file = tmp_path / f"a.{suffix}"
    mlfs.write(mlfs.read("docs/examples/songs.arff"), file)
    assert_the_whole(joined(open_pieces(file), n), mlfs.read(file))


@pytest.mark.parametrize("suffix", ["csv", "arff"])
def test_shares_of_a_large_file_stay_packed(suffix, tmp_path, monkeypatch):
    file = tmp_path / f"a.{suffix}"
    mlfs.write(mlfs.read("docs/examples/songs.arff"), file)
    wanted = mlfs.read(file)
    monkeypatch.setattr(files, "PIECE", 500)
    pieces = open_pieces(file)
    for first, last in pieces.shares(3):
        rows = pieces.read(first, last)
        assert isinstance(rows.dataset(pieces.combine([rows.summary])).table, PackedTable)
    assert_the_whole(joined(pieces, 3), wanted)


def test_shares_are_even():
    pieces = open_pieces("docs/examples/songs.arff")
    for n in range(1, 80):
        shares = pieces.shares(n)
        assert len(shares) == min(n, len(pieces))
        sizes = [last - first for first, last in shares]
        assert max(sizes) - min(sizes) <= 1
        assert sum(sizes) == len(pieces)
    pieces.sizes = (16, 16, 1)
    assert pieces.shares(2) == [(0, 1), (1, 3)]
    assert pieces.shares(7) == [(0, 1), (1, 2), (2, 3)]


def test_the_delimiter_and_the_decimal_sign_reach_the_pieces(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("a;y\n1,5;0\n0,5;1\n2,5;0\n")
    told = {"labels": "y", "delimiter": "semicolon", "decimal": ","}
    assert_the_whole(joined(open_pieces(file, **told), 2), mlfs.read(file, **told))
    with pytest.raises(UsageError, match="decimal is for CSV and TSV files, and this is parquet"):
        open_pieces(tmp_path / "a.parquet", decimal=",")


def test_a_file_that_changes_or_goes_is_named(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("a,y\n1,0\n0,1\n")
    pieces = open_pieces(file, labels="y")
    file.write_text("a,y\n1,0\n")
    with pytest.raises(DataError, match=r"a\.csv: the file changed while it was read"):
        pieces.read(0, 1)
    file.unlink()
    with pytest.raises(UsageError, match="there is no file"):
        pieces.read(0, 1)


PARQUET = {
    "bin": lambda g, n: g.integers(0, 2, n).astype(np.uint8),
    "long": lambda g, n: g.integers(0, 9, n),
    "gaps": lambda g, n: [None if g.random() < 0.01 else int(v) for v in g.integers(0, 300, n)],
    "real": lambda g, n: np.where(g.random(n) < 0.1, np.nan, g.normal(size=n)),
    "single": lambda g, n: g.normal(size=n).astype(np.float32),
    "flag": lambda g, n: g.random(n) < 0.5,
    "word": lambda g, n: [None if g.random() < 0.1 else f"w{v}" for v in g.integers(0, 40, n)],
    "nothing": lambda g, n: [None] * n,
    "list": lambda g, n: [list(map(str, g.choice(["u", "v", "w"], 2))) for _ in range(n)],
    "joined": lambda g, n: ["|".join(g.choice(["u", "v", "w"], 2)) for _ in range(n)],
    "class": lambda g, n: g.integers(3, 6, n),
    "words": lambda g, n: [str(g.choice(["yes", "no"])) for _ in range(n)],
}
FEATURES = [*PARQUET][:8]


@pytest.mark.parametrize("seed", range(12))
def test_row_groups_and_several_parquet_files(seed, tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    from pyarrow import parquet

    g = np.random.default_rng(seed)
    label = [["bin", "words"], ["list"], ["joined"], ["class"]][seed % 4]
    n = int(g.integers(200, 600))
    kinds = [str(kind) for kind in g.choice(FEATURES, 5)]
    columns = {f"{kind}{j}": pa.array(PARQUET[kind](g, n)) for j, kind in enumerate(kinds)}
    columns |= {f"L{j}": pa.array(PARQUET[kind](g, n)) for j, kind in enumerate(label)}
    table = pa.table(columns)
    parquet.write_table(table, tmp_path / "whole.parquet", row_group_size=int(g.integers(20, 300)))
    cuts = sorted({0, n, *g.integers(1, n, 3).tolist()})
    for k, (first, last) in enumerate(pairwise(cuts)):
        some = table.slice(first, last - first)
        parquet.write_table(some, tmp_path / f"part-{k}.parquet", row_group_size=70)
    spec = {"labels": "L0" if len(label) == 1 else "L*", "classes": label == ["class"]}
    wanted = mlfs.read(tmp_path / "whole.parquet", **spec)
    monkeypatch.setattr("mlfs.data.parquet_pieces.AT_ONCE", int(g.integers(500, 3000)))
    plain = table.to_pandas()
    for j, column in enumerate(wanted.columns):
        own = plain[column.name]
        if column.kind == "nominal":
            meant = [None if np.isnan(v) else column.values[int(v)] for v in wanted.X[:, j]]
            assert meant == [None if v is None or str(v) == "nan" else str(v) for v in own.tolist()]
        else:
            np.testing.assert_array_equal(wanted.X[:, j], own.astype(float))
    for name in ("whole.parquet", "part-*.parquet"):
        again = mlfs.read(tmp_path / name, **spec)
        assert_the_whole(replace(again, source=wanted.source), wanted)
        for shares in (2, 3):
            found = joined(open_pieces(tmp_path / name, **spec), shares)
            assert_the_whole(replace(found, source=wanted.source), wanted)


def test_parquet_files_with_other_columns_are_refused(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    from pyarrow import parquet

    tables = [{"a": [1.0], "y": [1]}, {"b": [1.0], "y": [1]}, {"a": ["x"], "y": [1]}]
    for k, columns in enumerate(tables):
        parquet.write_table(pa.table(columns), tmp_path / f"{k}.parquet")
    with pytest.raises(DataError, match=r"1\.parquet has the column 'b' where .* has the column"):
        mlfs.read(tmp_path / "[01].parquet", labels="y")
    with pytest.raises(DataError, match=r"2\.parquet: the column 'a' holds text, and numbers in"):
        mlfs.read(tmp_path / "[02].parquet", labels="y")
    with pytest.raises(UsageError, match="no file matches"):
        mlfs.read(tmp_path / "[56].parquet", labels="y")
    for reading in (mlfs.read, open_pieces):
        with pytest.raises(UsageError, match="several files, which are read as one table only if"):
            reading(tmp_path / "*", format="csv")


@pytest.mark.parametrize("kind", [np.uint8, np.float64, np.int64, bool])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_pair_of_npy_files_is_the_npz_of_both(kind, order, tmp_path):
    g = np.random.default_rng(0)
    X = np.asarray(g.integers(0, 2, (300, 5)).astype(kind), order=order)
    Y = g.integers(0, 2, (300, 3)).astype(np.int8)
    np.save(tmp_path / "train_X.npy", X)
    np.save(tmp_path / "train_Y.npy", Y)
    np.savez(tmp_path / "a.npz", X=X, Y=Y)
    wanted = mlfs.read(tmp_path / "a.npz")
    found = mlfs.read(tmp_path / "train_X.npy")
    assert found.table.dtype == wanted.table.dtype
    assert found.source.labels_by == f"the file {tmp_path / 'train_Y.npy'}"
    assert_the_whole(replace(found, source=wanted.source), wanted)
    assert_the_whole(joined(open_pieces(tmp_path / "train_X.npy"), 3), found)
    (tmp_path / "train_Y.npy").rename(tmp_path / "labels.npy")
    with pytest.raises(UsageError, match=r"name it with labels='@Y\.npy'"):
        mlfs.read(tmp_path / "train_X.npy")
    again = mlfs.read(tmp_path / "train_X.npy", labels=f"@{tmp_path / 'labels.npy'}")
    assert_the_whole(replace(again, source=wanted.source), wanted)


def test_a_pickle_in_an_npy_file_is_refused(tmp_path):
    np.save(tmp_path / "X.npy", np.full((2, 2), None), allow_pickle=True)
    np.save(tmp_path / "Y.npy", np.eye(2))
    with pytest.raises(DataError, match="which are never opened"):
        mlfs.read(tmp_path / "X.npy")
    with pytest.raises(DataError, match=r"write \.npz"):
        mlfs.write(mlfs.read("docs/examples/songs.arff"), tmp_path / "Z.npy")
