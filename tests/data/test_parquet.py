import io
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import mlfs
from mlfs import cli
from mlfs.data import parquet
from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import Column
from mlfs.data.request import Limits, Request
from mlfs.errors import DataError, MissingExtra, UsageError
from tests.any_dataset import assert_same, datasets, dense

pa = pytest.importorskip("pyarrow", reason="pyarrow is an extra")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra")


def save(table):
    out = io.BytesIO()
    pq.write_table(pa.table(table) if isinstance(table, dict) else table, out)
    return out.getvalue()


def read(content, labels="y", **options):
    return parquet.read(content, "t.parquet", Request(labels=labels, **options))


def written(dataset):
    out = io.BytesIO()
    parquet.write(dataset, out)
    return out.getvalue()


@given(datasets(classes=True))
def test_everything_reads_back_equal_without_saying_the_labels(dataset):
    assert_same(dataset, read(written(dataset), labels=None))


def test_kinds_of_columns():
    import datetime as dt

    data = read(
        save(
            {
                "i": pa.array([1, None, 3]),
                "f": pa.array([0.5, np.nan, None]),
                "b": pa.array([True, None, False]),
                "s": pa.array(["v", "u", None]),
                "c": pa.DictionaryArray.from_arrays([1, 0, None], ["q", "p"]),
                "n": pa.nulls(3),
                "d": pa.array([dt.date(2020, 1, 1)] * 3),
                "l": pa.array([[1], [2], [3]]),
                "y": pa.array([1, 0, None]),
            }
        )
    )
    nan = np.nan
    np.testing.assert_array_equal(
        data.X, [[1, 0.5, 1, 1, 1, nan], [nan, nan, nan, 0, 0, nan], [3, nan, 0, nan, nan, nan]]
    )
    assert [column.values for column in data.columns] == [
        (), (), ("False", "True"), ("u", "v"), ("q", "p"), (),
    ]  # fmt: skip
    assert [name for name, _ in data.left_out] == ["d", "l"]
    assert data.Y.tolist() == [[1], [0], [-1]]


@pytest.mark.parametrize("tags", [[["b", "a"], [], None, ["b"]], ["b|a", "", None, "b"]])
def test_a_column_of_lists(tags):
    data = read(save({"a": [1.0, 2, 3, 4], "tags": tags}), labels="tags")
    assert data.label_names == ["a", "b"]
    assert dense(data.Y).tolist() == [[1, 1], [0, 0], [-1, -1], [0, 1]]
    assert data.feature_names == ["a"]


def test_a_pandas_frame_with_its_index():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": pd.Categorical(["u", "v"], ["v", "u"]), "y": [True, False]}, [5, 7])
    out = io.BytesIO()
    frame.to_parquet(out)
    data = read(out.getvalue())
    assert data.feature_names == ["a"]
    assert data.columns[0].values == ("v", "u")
    assert data.left_out == (("__index_level_0__", "it is the index of a pandas frame"),)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "this is not a Parquet file that can be read"),
        (b"PAR1" + b"x" * 50, "this is not a Parquet file that can be read"),
        (save({"a": [1.0], "y": [0]})[:-9], "this is not a Parquet file that can be read"),
        (save({"a": [np.inf], "y": [0]}), "column 'a' holds inf in row 1"),
        (save({"a": [1.0], "y": ["x"]}), "the label 'y' has the values {x}"),
        (save({"a": pa.array([], pa.float64()), "y": pa.array([], pa.int8())}), "holds no row"),
        (save({"d": pa.array([0], pa.date32()), "y": [0]}), "no column is left that can be"),
        (
            save(pa.table({"a": [1.0], "y": [0]}).replace_schema_metadata({"mlfs": "{"})),
            "is not what mlfs writes",
        ),
    ],
)
def test_what_cannot_be_read_is_said(content, says):
    with pytest.raises(DataError) as caught:
        read(content, labels="last:1")
    assert str(caught.value).startswith("t.parquet: ")
    assert says in str(caught.value)


def test_labels_of_another_file_must_be_said():
    with pytest.raises(UsageError, match="no label columns are known"):
        read(save({"a": [1.0], "y": [0]}), labels=None)


@pytest.mark.parametrize("name", ["max_cells", "max_decompressed"])
def test_limits(name):
    with pytest.raises(DataError, match=f"raise it with --limit {name}="):
        read(save({"a": [1.0, 2], "y": [0, 1]}), limits=replace(Limits(), **{name: 1}))


def test_without_pyarrow_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'mlfs-toolkit\[parquet\]'"):
        read(b"")
    with pytest.raises(MissingExtra, match="writing Parquet needs the package pyarrow"):
        written(from_arrays([[1.0]], [[1]]))


def test_weights_cannot_be_written():
    with pytest.raises(DataError, match="the rows have weights, which a Parquet file cannot"):
        written(from_arrays([[1.0]], [[1]], sample_weight=[2]))


def test_very_many_columns_are_not_written():
    wide = from_arrays(sp.csr_array((2, 200_001)), [[0], [1]])
    with pytest.raises(DataError, match=r"200,002 columns takes gigabytes .* write .npz or .svm"):
        parquet.write(wide, io.BytesIO())


def with_damaged_pages(content, name):
    """The same file, whose pages of a column hold other bytes behind their heads."""
    meta = pq.ParquetFile(io.BytesIO(content)).metadata
    damaged = bytearray(content)
    for i in range(meta.num_row_groups):
        group = meta.row_group(i)
        chunks = map(group.column, range(meta.num_columns))
        chunk = next(one for one in chunks if one.path_in_schema.split(".")[0] == name)
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        end = start + chunk.total_compressed_size
        damaged[end - 40 : end] = b"\xff" * 40
    return bytes(damaged)


def test_damaged_pages_are_refused_in_one_sentence(tmp_path):
    table = {"c": [f"key{i % 3}" for i in range(300)], "a": range(300), "y": [0, 1] * 150}
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table(table), file, row_group_size=100, compression="none")
    texts = pq.ParquetFile(file).metadata.row_group(1).column(0)
    whole = file.read_bytes()
    content = bytearray(whole)
    content[content.index(b"key1", texts.dictionary_page_offset)] = 0xFF
    file.write_bytes(content)
    with pytest.raises(DataError) as error:
        mlfs.read(file, labels="y")
    fault = "column 'c' is damaged, or holds text that is not UTF-8"
    assert str(error.value) == f"{file}: {fault}"
    file.write_bytes(with_damaged_pages(whole, "a"))
    with pytest.raises(DataError, match="this is not a Parquet file that can be read"):
        mlfs.read(file, labels="y")


@pytest.mark.parametrize("damaged", ["a", "lists", "y", "z"])
def test_only_the_columns_that_are_needed_are_read(damaged, tmp_path):
    g = np.random.default_rng(2)
    table = {
        "a": g.normal(size=3000),
        "lists": [[int(i)] for i in g.integers(0, 1000, 3000)],
        "z": g.normal(size=3000),
        "b": g.normal(size=3000),
        "y": g.integers(0, 2, 3000),
    }
    file = tmp_path / "t.parquet"
    file.write_bytes(with_damaged_pages(save(table), damaged))
    needed = None if damaged == "lists" else ["b", "z", "nowhere"]
    if damaged in ("y", "z"):
        with pytest.raises(DataError, match=r"t\.parquet"):
            mlfs.read(file, labels="y", needed=needed)
        return
    data = mlfs.read(file, labels="y", needed=needed)
    assert data.feature_names == (["a", "z", "b"] if needed is None else ["z", "b"])
    np.testing.assert_array_equal(data.X[:, -1], table["b"])


def test_a_model_reads_its_columns_only(tmp_path, monkeypatch, capsys):
    pytest.importorskip("skops", reason="model files need skops")
    monkeypatch.chdir(tmp_path)
    g = np.random.default_rng(2)
    table = {name: g.integers(0, 9, 300) for name in ("a", "b", "more")}
    table["y"] = table["a"] > 4
    wide = save({**table, "more": g.normal(size=300)})
    (tmp_path / "old.parquet").write_bytes(save({name: table[name] for name in ("b", "a", "y")}))
    (tmp_path / "whole.parquet").write_bytes(wide)
    (tmp_path / "new.parquet").write_bytes(with_damaged_pages(wide, "more"))
    train = ["train", "-q", "--model", "br", "--labels", "y", "-o", "m.mlfs", "old.parquet"]
    assert cli.main(train) == 0
    said = []
    for ask in (["predict"], ["evaluate", "--format", "json"]):
        for file in ("whole.parquet", "new.parquet"):
            capsys.readouterr()
            assert cli.main([*ask, "m.mlfs", file]) == 0
            said.append(capsys.readouterr())
            assert "1 column is not used by the model and left out: 'more'" in said[-1].err
    assert said[0] == said[1]
    assert said[2].err == said[3].err


@pytest.mark.parametrize("cell", [[["u"]], [b"\xff"], [{"x": 1}]])
def test_lists_of_what_is_no_name_are_no_labels(cell):
    with pytest.raises(DataError, match="the column 'l' cannot be a label: its values are of type"):
        read(save({"l": [cell] * 6, "a": range(6)}), labels="l")


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
    g = np.random.default_rng(seed)
    label = [["bin", "words"], ["list"], ["joined"], ["class"]][seed % 4]
    n = int(g.integers(200, 600))
    kinds = [str(kind) for kind in g.choice(FEATURES, 5)]
    columns = {f"{kind}{j}": pa.array(PARQUET[kind](g, n)) for j, kind in enumerate(kinds)}
    columns |= {f"L{j}": pa.array(PARQUET[kind](g, n)) for j, kind in enumerate(label)}
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "whole.parquet", row_group_size=int(g.integers(20, 300)))
    cuts = sorted({0, n, *g.integers(1, n, 3).tolist()})
    for k, (first, last) in enumerate(pairwise(cuts)):
        some = table.slice(first, last - first)
        pq.write_table(some, tmp_path / f"part-{k}.parquet", row_group_size=70)
    spec = {"labels": "L0" if len(label) == 1 else "L*", "classes": label == ["class"]}
    wanted = mlfs.read(tmp_path / "whole.parquet", **spec)
    monkeypatch.setattr("mlfs.data.parquet.AT_ONCE", int(g.integers(500, 3000)))
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
        assert_same(again, wanted)
        assert again.notes == wanted.notes


def test_parquet_files_with_other_columns_are_refused(tmp_path):
    tables = [{"a": [1.0], "y": [1]}, {"b": [1.0], "y": [1]}, {"a": ["x"], "y": [1]}]
    for k, columns in enumerate(tables):
        pq.write_table(pa.table(columns), tmp_path / f"{k}.parquet")
    with pytest.raises(DataError, match=r"1\.parquet has the column 'b' where .* has the column"):
        mlfs.read(tmp_path / "[01].parquet", labels="y")
    with pytest.raises(DataError, match=r"2\.parquet: the column 'a' holds text, and numbers in"):
        mlfs.read(tmp_path / "[02].parquet", labels="y")
    with pytest.raises(UsageError, match="no file matches"):
        mlfs.read(tmp_path / "[56].parquet", labels="y")
    with pytest.raises(UsageError, match="several files, which are read as one table only if"):
        mlfs.read(tmp_path / "*", format="csv")


def test_a_nominal_column_without_values_and_a_table_without_labels_read_back(tmp_path):
    table = from_arrays([[1.0, 0.0], [2.0, 1.0]], [[1], [0]])
    nominal = Column("c", "nominal", ())
    X = np.array([[1.0, np.nan], [2.0, np.nan]])
    for data in (
        table.with_changes(X=X, columns=(table.columns[0], nominal)),
        table.with_changes(Y=np.zeros((2, 0), np.int8), labels=()),
    ):
        file = tmp_path / f"{len(data.labels)}.parquet"
        mlfs.write(data, file)
        assert_same(mlfs.read(file), data)
