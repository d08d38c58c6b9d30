"""Large files are read in pieces: the answer is that of the whole, whatever the pieces."""

from __future__ import annotations

import json
import pickle
import time
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.data import Limits, files, read, sparse_rows
from mlfs.data.delimited import csv_reader
from mlfs.data.row_stack import DenseStack, is_in_file, recoded
from mlfs.errors import DataError
from tests.any_dataset import outcome

CELLS = {
    "bin": lambda g: str(g.integers(0, 2)),
    "small": lambda g: str(g.integers(0, 12)) if g.random() < 0.9 else "",
    "decimal": lambda g: "NA" if g.random() < 0.1 else repr(round(g.normal(), 3)),
    "word": lambda g: str(g.choice(["red", "green", " x", "", "NA", "1", "2.50"])),
    "late": lambda g: "late" if g.random() < 0.003 else str(g.integers(0, 3)),
    "quoted": lambda g: str(g.choice(['"a,b"', '"NA"', '""', '"x ""y"""', '"two\nlines"', "p"])),
    "rarely quoted": lambda g: '"q,1"' if g.random() < 0.003 else str(g.choice(["u", "v"])),
    "accent": lambda g: str(g.choice(["é", "ü", "a"])),
    "infinite": lambda g: "inf" if g.random() < 0.002 else "1.5",
    "key": lambda g: f"id{g.integers(0, 10**9)}",
}
LABELS = {
    "binary": lambda g: str(g.integers(0, 2)),
    "words": lambda g: str(g.choice(["yes", "no"])),
    "list": lambda g: "|".join(set(g.choice(["a", "b", "c"], 2))) if g.random() < 0.9 else "",
}


def csv_text(seed, kinds, labels, separator=","):
    g = np.random.default_rng(seed)
    names = [
        *(f"{kind}{i}" for i, kind in enumerate(kinds)),
        *(f"L{i}" for i in range(len(labels))),
    ]
    quoted = g.random() < 0.3
    lines = [separator.join(f'"{name}"' if quoted else name for name in names)]
    for _ in range(int(g.integers(120, 300))):
        row = [CELLS[kind](g) for kind in kinds] + [LABELS[label](g) for label in labels]
        lines.append(separator.join(row).replace('"a,b"', f'"a{separator}b"'))
        if g.random() < 0.01:
            lines.append("")
    if seed % 5 == 4:  # a row that is wrong
        lines[int(g.integers(1, len(lines)))] += str(g.choice([f"{separator}7", '"', "\udcff"]))
    end = str(g.choice(["\n", "\r\n"]))
    text = end.join(lines) + end * int(g.integers(0, 2))
    return b"\xef\xbb\xbf" * int(g.integers(0, 2)) + text.encode(errors="surrogateescape")


def assert_alike(found, wanted):
    """The same in every field, and prepared to the same bits."""
    for name in ("columns", "labels", "notes", "source", "left_out"):
        assert getattr(found, name) == getattr(wanted, name), name
    ready, other = outcome(mlfs.prepare, found), outcome(mlfs.prepare, wanted)
    assert ready[1] == other[1]
    if ready[0] is not None:
        assert list(ready[0].binnings) == list(other[0].binnings)
        assert ready[0].notes == other[0].notes
        for name in ("h_f", "mi_fL"):
            np.testing.assert_array_equal(
                getattr(ready[0].info, name), getattr(other[0].info, name)
            )
    for name in ("X", "Y"):
        own, other = (getattr(data, name) for data in (found, wanted))
        assert own.dtype == other.dtype
        np.testing.assert_array_equal(*(m.toarray() if sp.issparse(m) else m for m in (own, other)))


def read_in_pieces(monkeypatch, size, path, **options):
    """Read in pieces of a size."""
    with monkeypatch.context() as patch:
        patch.setattr(files, "PIECE", size)
        return outcome(lambda: read(path, **options))


@pytest.mark.parametrize("seed", range(24))
def test_csv_in_pieces_is_csv(seed, tmp_path, monkeypatch):
    g = np.random.default_rng(seed)
    known = [*CELLS] if seed % 3 == 0 else [*CELLS][:-2]
    kinds = [str(kind) for kind in g.choice(known, int(g.integers(2, 7)))]
    labels = [["binary", "words"], ["list"], ["binary"] * 70][seed % 3]
    form = "tsv" if seed % 4 == 1 else "csv"
    file = tmp_path / f"a.{form}"
    file.write_bytes(csv_text(seed, kinds, labels, "\t" if form == "tsv" else ","))
    spec = "L0" if labels == ["list"] else f"last:{len(labels)}"
    wanted, message = outcome(lambda: read(file, labels=spec))
    monkeypatch.setattr(csv_reader, "HARD", [1, 4096][seed % 2])
    for size in (300, 700, 5000):
        found, said = read_in_pieces(monkeypatch, size, file, labels=spec)
        assert said == message
        if wanted is not None:
            assert_alike(found, wanted)


ATTRIBUTES = {
    "bin": ("{0,1}", lambda g: str(g.integers(0, 2))),
    "real": ("numeric", lambda g: "?" if g.random() < 0.1 else repr(round(g.normal(), 3))),
    "small": ("integer", lambda g: str(g.integers(0, 9))),
    "colour": ("{red,'light blue',x}", lambda g: str(g.choice(["red", "'light blue'", "x"]))),
    "text": ("string", lambda g: str(g.choice(["'a, b'", "c", "'%'"]))),
    "day": ("date yyyy-MM-dd", lambda g: f"2020-01-{g.integers(10, 29)}"),
}


def arff_text(seed, kinds, labels, sparse):
    g = np.random.default_rng(seed)
    lines = ["% a comment", "@relation t"]
    lines += [f"@attribute {kind}{j} {ATTRIBUTES[kind][0]}" for j, kind in enumerate(kinds)]
    lines += [f"@attribute L{j} {'string' if labels == 1 else '{0,1}'}" for j in range(labels)]
    lines.append(str(g.choice(["@data", "  @DATA % rows"])))
    for _ in range(int(g.integers(150, 400))):
        row = [ATTRIBUTES[kind][1](g) for kind in kinds]
        row += [str(g.choice(["a|b", "b"])) if labels == 1 else str(g.integers(0, 2))] * labels
        line = ",".join(row)
        if sparse:
            kept = [f"{j} {cell}" for j, cell in enumerate(row) if g.random() < 0.5]
            line = "{" + ",".join(kept) + "}"
        lines.append(line + (",{2}" if g.random() < 0.004 else ""))
        if g.random() < 0.02:
            lines.append(str(g.choice(["", "% note"])))
    if seed % 5 == 4:  # a row that is wrong
        lines[int(g.integers(len(kinds) + 5, len(lines)))] += str(g.choice([",7", "'", " x"]))
    return str(g.choice(["\n", "\r\n"])).join(lines) + "\n" * int(g.integers(0, 2))


@pytest.mark.parametrize("seed", range(24))
def test_arff_in_pieces_is_arff(seed, tmp_path, monkeypatch):
    g = np.random.default_rng(seed)
    kinds = [str(kind) for kind in g.choice([*ATTRIBUTES], int(g.integers(2, 7)))] + ["bin"]
    labels = [2, 1, 70][seed % 3]
    file = tmp_path / "a.arff"
    file.write_text(arff_text(seed, kinds, labels, sparse=bool(seed % 2)), encoding="utf-8")
    spec = "L0" if labels == 1 else f"last:{labels}"
    options = {"labels": spec}
    if seed % 6 == 5:
        options["limits"] = Limits().raised(["max_cells=900"])
    wanted, message = outcome(lambda: read(file, **options))
    for size in (300, 700, 5000):
        found, said = read_in_pieces(monkeypatch, size, file, **options)
        assert said == message
        if wanted is not None:
            assert_alike(found, wanted)
            if wanted.weights is not None:
                np.testing.assert_array_equal(found.weights, wanted.weights)
            assert found.is_sparse == wanted.is_sparse


def test_small_whole_numbers_take_a_byte_each(tmp_path, monkeypatch):
    file = tmp_path / "a.csv"
    for kinds, kind in ((["bin", "bin"], np.uint8), (["bin", "decimal"], np.float64)):
        file.write_bytes(csv_text(0, kinds, ["binary"]))
        found, _ = read_in_pieces(monkeypatch, 500, file, labels="last:1")
        assert found.table.dtype == kind
        assert found.shape == (len(found.Y), 2, 1)
        mlfs.select(found, "mim", n=1)
        assert found.table.dtype == kind
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).X, found.X)


def test_a_limit_is_held_over_the_pieces(tmp_path, monkeypatch):
    file = tmp_path / "a.csv"
    file.write_bytes(csv_text(0, ["bin"], ["binary"]))
    for limit in ("max_cells=120", "max_cells=250"):
        options = {"labels": "last:1", "limits": Limits().raised([limit])}
        wanted = outcome(lambda options=options: read(file, **options))
        assert wanted[1]
        assert read_in_pieces(monkeypatch, 500, file, **options) == wanted


@pytest.mark.parametrize(
    "text",
    [
        b'"a name\nof two lines","b ""x"" ",y\n"two\nlines",1,0\n"one, more",2,1\n',
        b"a,y\r5,1\n6,0\n",
        b"a,y\n5,1\r6,0\r",
        b"a,y\r\n5,1\r\n7,0\r6,1",
    ],
)
def test_line_ends_mean_the_same_in_a_piece(text, tmp_path, monkeypatch):
    file = tmp_path / "a.csv"
    file.write_bytes(text)
    wanted = outcome(lambda: read(file, labels="last:1"))
    for size in range(1, len(text)):
        found, said = read_in_pieces(monkeypatch, size, file, labels="last:1")
        assert (found is None) == (wanted[0] is None), said
        if found is not None:
            assert_alike(found, wanted[0])


def test_compressed_files_are_read_in_pieces(tmp_path, monkeypatch):
    import gzip

    text = csv_text(0, ["bin", "decimal"], ["binary"])
    (tmp_path / "a.csv").write_bytes(text)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text))
    wanted, _ = read_in_pieces(monkeypatch, 300, tmp_path / "a.csv", labels="last:1")
    found, _ = read_in_pieces(monkeypatch, 300, tmp_path / "a.csv.gz", labels="last:1")
    np.testing.assert_array_equal(found.X, wanted.X)


def test_a_file_that_changes_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "a.csv"
    file.write_bytes(csv_text(0, ["bin"], ["binary"]))
    pieces = files.InputFile(str(file), Limits())
    file.write_bytes(b"other")
    with pytest.raises(DataError, match="changed while it was read"):
        list(pieces.text("utf-8"))


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PIECE", 100)
    file = tmp_path / "a.csv"
    file.write_bytes(csv_text(0, ["bin"], ["binary"]))
    pieces = files.InputFile(str(file), Limits()).text("utf-8")
    next(pieces)
    with file.open("ab") as more:
        more.write(b"0,1\n")
    with pytest.raises(DataError, match="changed while it was read"):
        list(pieces)


@pytest.mark.parametrize("name", ["a.csv", "a.arff"])
def test_what_is_held_until_a_quote_closes_is_not_joined_again_and_again(
    name, tmp_path, monkeypatch
):
    monkeypatch.setattr(files, "PIECE", 200)
    file = tmp_path / name
    start = b'a,y\n"1,1\n' if name == "a.csv" else b"% no @data\n"
    file.write_bytes(start + b"% 45678\n" * 600_000)
    with pytest.raises(DataError):  # quadratic work would take hours
        read(file, labels="last:1")


@pytest.mark.parametrize("kind", [float, np.uint8, np.int32, np.float32, bool])
@pytest.mark.parametrize("max_memory", [None, 1 << 30, 20_000, 10])
@pytest.mark.parametrize("late", [False, True])
def test_rows_that_come_in_pieces_are_the_table(kind, max_memory, late):
    """Numbers of other types may come first; beyond some memory the table lies in a file."""
    g = np.random.default_rng(0)
    for _ in range(4):
        n, d = int(g.integers(65, 900)), int(g.integers(1, 100))
        table = g.integers(0, 2 if kind is bool else g.choice([2, 5, 16, 40], d), (n, d))
        table = table.astype(kind)
        if kind in (float, np.float32):
            table[g.random((n, d)) < 0.05 * (g.random(d) < 0.3)] = np.nan
            table[:, ::7] += g.random((n, 1)).astype(kind)
        if late:
            table[: n // 2] = 1
        stack, at = DenseStack(max_memory), 0
        while at < n:
            size = int(g.integers(1, 300))
            stack.add(table[at : at + size])
            at += size
        found = stack.finish()
        is_float = kind in (float, np.float32)
        assert (found.shape, found.dtype) == (table.shape, kind if is_float else np.uint8)
        np.testing.assert_array_equal(found, table)
        assert is_in_file(found) == (max_memory is not None and found.nbytes > max_memory // 2)


def test_numbers_of_one_type_after_another():
    stack = DenseStack()
    parts = [np.ones((2, 3), bool), np.full((1, 3), 0.5, np.float32), np.array([[300, -1, 2]])]
    for part in parts:
        stack.add(part)
    np.testing.assert_array_equal(stack.finish(), np.vstack(parts))


def test_numbers_stand_for_others():
    table = np.array([[0, 1], [1, 2], [2, 0]], np.uint8)
    small = recoded(table.copy(), {1: np.array([9.0, 8.0, 7.0])})
    assert (small.dtype, small.tolist()) == (np.uint8, [[0, 8], [1, 7], [2, 9]])
    gaps = recoded(table.copy(), {0: np.array([np.nan, 8.0, 700.0])})
    np.testing.assert_array_equal(gaps, [[np.nan, 1], [8, 2], [700, 0]])


def test_the_temporary_file_has_no_name(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    stack = DenseStack(max_memory=64)
    stack.add(np.linspace(0, 1, 640).reshape(128, 5))
    assert is_in_file(stack.finish())
    assert not list(tmp_path.iterdir())


def test_a_temporary_folder_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(DataError, match="set TMPDIR to a folder with more room"):
        DenseStack(max_memory=64).add(np.linspace(0, 1, 640).reshape(128, 5))


def sparse_text(seed, form):
    g = np.random.default_rng(seed)
    n, d, q = int(g.integers(20, 150)), int(g.integers(3, 150)), int(g.integers(1, 9))
    values = ["1", "2.5", "-3", "1e-300", "0", "123456789012345678901.5", "+4", "0.1", "300"]
    values = values[: int(g.choice([1, 9]))]
    lines = []
    for _ in range(n):
        ids = ",".join(map(str, np.flatnonzero(g.random(q) < 0.3).tolist()))
        columns = np.flatnonzero(g.random(d) < 0.1) + (form == "svm" and seed % 3 > 0)
        if g.random() < 0.02:
            columns = g.permutation(columns)
        gap = str(g.choice([" ", " ", "  ", "\t"]))
        line = ids + gap + gap.join(f"{j}:{g.choice(values)}" for j in columns.tolist())
        if form == "svm" and g.random() < 0.05:
            line += str(g.choice(["#c", " # 1:2", "\n", "\n# x", " qid:3", "\n \t"]))
        lines.append(line)
    if seed % 4 == 3:  # a row that is wrong
        odd = [" 1:x", " 7", " 3:1 3:2", ",", " -1:2", " 4:inf", " 1:2_0", "\udcff", " 99999999:1"]
        lines[int(g.integers(1, n))] += odd[seed // 4 % len(odd)]
    if form == "xmc":
        lines = [f"{n + (seed % 7 == 5)} {d - (seed % 7 == 4)} {q}", *lines]
    elif seed % 5 == 0:
        names = {"features": [f"f{j}" for j in range(1, d + 2)], "nominal": {}}
        names |= {"labels": [str(j) for j in range(q)], "values": {}}
        lines = [f"# mlfs {json.dumps(names)}", *lines]
    end = str(g.choice(["\n", "\r\n"]))
    text = end.join(lines) + end * int(g.integers(0, 3 if form == "xmc" else 2))
    return b"\xef\xbb\xbf" * int(g.integers(0, 2)) + text.encode(errors="surrogateescape")


@pytest.mark.parametrize("form", ["svm", "xmc"])
@pytest.mark.parametrize("seed", range(20))
def test_sparse_text_in_pieces_is_what_is_read_with_care(seed, form, tmp_path, monkeypatch):
    file = tmp_path / f"a.{form}"
    file.write_bytes(sparse_text(seed, form))
    with monkeypatch.context() as patch:
        patch.setattr(sparse_rows, "SMALL", 1 << 30)  # token by token
        wanted, message = outcome(lambda: read(file))
    monkeypatch.setattr(sparse_rows, "SMALL", 0)
    monkeypatch.setattr(sparse_rows, "HARD", int(np.random.default_rng(seed).choice([1, 4096])))
    for size in (300, 700, 5000):
        found, said = read_in_pieces(monkeypatch, size, file)
        assert said == message
        if wanted is not None:
            assert_alike(found, wanted)


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_what_was_read_in_pieces_is_written_and_described_without_a_table(
    seed, tmp_path, monkeypatch
):
    pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    from mlfs.api.describe import describe
    from mlfs.data import assemble, parquet

    monkeypatch.setattr(assemble, "AT_ONCE", 300)
    monkeypatch.setattr(parquet, "WRITTEN_AT_ONCE", 300)
    monkeypatch.setattr(parquet, "LEAST_WRITTEN", 100)
    file = tmp_path / "a.csv"
    kinds = ["bin", "small", "decimal", "word", "late"] if seed else ["bin", "small"]
    file.write_bytes(csv_text(seed, kinds, ["binary", "words"]))
    wanted = read(file, labels="last:2")
    found, _ = read_in_pieces(monkeypatch, 500, file, labels="last:2")
    assert describe(found).to_dict() == describe(wanted).to_dict()
    for suffix in ("csv", "arff", "npz", "parquet", "svm", "tsv"):
        (tmp_path / suffix).mkdir()
        texts = []
        for name, data in (("found", found), ("wanted", wanted)):
            path = tmp_path / suffix / f"{name}.{suffix}"
            texts.append(outcome(lambda path=path, data=data: mlfs.write(data, path)))
        assert texts[0] == texts[1]
        if texts[0][0] is not None:
            one, other = (read(tmp_path / suffix / f"{n}.{suffix}") for n in ("found", "wanted"))
            np.testing.assert_array_equal(dense_table(one), dense_table(other))
            np.testing.assert_array_equal(dense_table(one), found.table)


def dense_table(data):
    return data.X.toarray() if data.is_sparse else data.X


@pytest.mark.parametrize("suffix", ["csv", "arff", "svm"])
def test_what_reading_may_take_is_bounded(suffix, tmp_path, monkeypatch):
    g = np.random.default_rng(0)
    data = mlfs.data.from_arrays(g.integers(0, 2, (4000, 40)).astype(float), g.integers(0, 2, 4000))
    file = tmp_path / f"a.{suffix}"
    mlfs.write(data, file)
    found, said = read_in_pieces(monkeypatch, 5000, file, max_memory=20_000)
    if suffix == "svm":
        assert found is None
        assert "is 20,000 bytes, but the rows read so far take 1 MB: raise it" in said
    else:
        assert is_in_file(found.table)
        np.testing.assert_array_equal(found.X, data.X)
    found, _ = read_in_pieces(monkeypatch, 5000, file, max_memory=10_000_000)
    assert found.shape == data.shape


@pytest.mark.parametrize("suffix", ["csv", "arff", "svm", "parquet"])
def test_a_small_limit_makes_small_pieces(suffix, tmp_path):
    if suffix == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    g = np.random.default_rng(1)
    X = g.integers(0, 2, (8000, 100)).astype(float)
    file = tmp_path / f"a.{suffix}"
    mlfs.write(mlfs.data.from_arrays(X, g.integers(0, 2, 8000)), file)
    labels = None if suffix == "svm" else "y0"

    def taken(most):
        tracemalloc.start()
        found = mlfs.read(file, labels=labels, max_memory=most)
        bytes_ = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found, bytes_

    for _ in range(2):  # the first time compiled code is loaded
        some, small = taken(4_000_000)
        whole, large = taken(None)
    np.testing.assert_array_equal(dense_table(some), dense_table(whole))
    assert small < 0.6 * large


@pytest.mark.parametrize("form", ["csv", "arff", "npz"])
def test_a_file_of_many_columns_takes_time_in_proportion_to_them(form, tmp_path):
    """A table of 20,000 columns took a minute once: each was looked for among all."""

    def seconds(columns):
        g = np.random.default_rng(0)
        data = mlfs.data.from_arrays(g.normal(size=(200, columns)), g.integers(0, 2, 200))
        path = tmp_path / f"{columns}.{form}"
        mlfs.write(data, path)
        mlfs.select(path, "mim", 3)  # loads compiled code
        start = time.process_time()
        mlfs.select(path, "mim", 3)
        return time.process_time() - start

    assert seconds(16_000) < 8 * seconds(2_000) * 3 + 0.5
