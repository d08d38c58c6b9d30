"""What a file declares is checked before anything is allocated, in every format."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from mlfs.data.arrays import from_arrays
from mlfs.data.request import Request
from mlfs.errors import DataError
from mlfs.formats import FORMATS


def refused(form, content, says, **options):
    with pytest.raises(DataError) as caught:
        FORMATS[form].function("read")(content, "t.file", Request(**options))
    assert str(caught.value).startswith("t.file")
    assert says in str(caught.value)


def npz(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return out.getvalue()


def npy(descr, shape, content=b""):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content


def element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + b"\0" * (-len(content) % 8)


def sparse_variable(name, shape):
    """A sparse matrix of MATLAB without entries."""
    parts = [
        element(6, struct.pack("<II", 5, 0)),
        element(5, struct.pack("<ii", *shape)),
        element(1, name.encode()),
        element(5, b""),
        element(5, b"\0" * 4 * (shape[1] + 1)),
        element(9, b""),
    ]
    return element(14, b"".join(parts))


MAT = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
SMALL = np.array([[1.0, 0.0], [0.0, 2.0]])


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("xmc", b"2 150000000 3\n0 1:1\n1 2:1\n"),
        ("xmc", b"2 3 400000000\n0 1:1\n1 2:1\n"),
        ("svmlight", b"1 199999999:1\n"),
        ("mat", MAT + sparse_variable("data", (10**8, 1)) + sparse_variable("target", (10**8, 1))),
    ],
)
def test_a_few_bytes_declare_no_hundreds_of_millions(form, content):
    refused(form, content, "raise it with --limit max_cells=")


def test_a_million_declared_labels_within_the_limit_cost_little():
    content = b"2 3 1000000\n0 1:1\n1 2:1\n"
    read = FORMATS["xmc"].function("read")
    read(content, "t.xmc", Request())
    tracemalloc.start()
    try:
        data = read(content, "t.xmc", Request())
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
    assert data.labels[999_999].name == "y999999"


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (npy("<U0", "(1000000000,)"), "the array X is of type <U0"),
        (npy("|V0", "(1000000000,)"), "is of type |V0"),
        (npy("<f8", "(1000000000, 2)"), "the array X cannot be read"),
        (npy("<f8", "(-1, 2)"), "the array X cannot be read"),
        (npy("<U1", "(1,)", struct.pack("<I", 1 << 30)), "the array X cannot be read"),
        (npy("<U1", "(1,)", struct.pack("<I", 0xD800)), "the array X cannot be read"),
        (npy("<M8[ns]", "(1,)", b"\0" * 8), ""),
        (npy("<f8", "(" + "(" * 300 + "1,)"), "the array X cannot be read"),
    ],
)
def test_the_header_of_an_array_is_held_to_its_bytes(array, says):
    refused("npz", npz(X=array, Y=npy("|i1", "(1,)", b"\1")), says)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_array_twice_in_an_archive_is_refused():
    out = io.BytesIO(npz(X=npy("<f8", "(1, 1)", b"\0" * 8), Y=npy("|i1", "(1,)", b"\1")))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("X.npy", npy("<f8", "(1, 1)", b"\1" * 8))
    refused("npz", out.getvalue(), "the array X is there twice; keep one")


def test_a_long_word_of_parquet_is_read_once():
    pa = pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra")
    long = pa.DictionaryArray.from_arrays(np.zeros(300_000, np.int32), ["x" * 100_000])
    out = io.BytesIO()
    pq.write_table(pa.table({"a": long, "y": np.arange(300_000) % 2}), out)
    read = FORMATS["parquet"].function("read")
    data = read(out.getvalue(), "t", Request(labels="y"))
    assert data.shape == (300_000, 1, 1)
    assert data.columns[0].values == ("x" * 100_000,)


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
@pytest.mark.parametrize("big", [2**53 + 1, 2**63 - 1])
def test_whole_numbers_that_a_float_cannot_hold_are_refused(kind, big):
    X = np.array([[1, 2**60], [2, big]], dtype=kind)
    for table in (X, X.astype(object), np.asfortranarray(X)):
        with pytest.raises(DataError, match=f"column 'x1' holds {big} in row 2"):
            from_arrays(table, [[0], [1]])
    assert from_arrays(X[:, :1] * 2**60, [[0], [1]]).X.tolist() == [[2.0**60], [2.0**61]]
    with pytest.raises(DataError, match=f"holds {big} in row 2"):
        from_arrays(SMALL, X[:, 1], classes=True)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("arff", "@relation 't: -C 1'\n@attribute y {0,1}\n@attribute a real\n@data\n0,1\n1,{}\n"),
        ("arff", "@relation 't: -C 1'\n@attribute y {0,1}\n@attribute a real\n@data\n{1 {}}\n"),
        ("svmlight", "1 1:5\n2 1:{}\n"),
        ("xmc", "2 2 2\n1 1:5\n0 1:{}\n"),
    ],
)
def test_whole_numbers_that_a_float_rounds_are_refused_in_text(form, text):
    for n in (1, 3000):  # with care and by the kernel
        lines = text.splitlines(keepends=True)
        body = "".join([*lines[:-1], lines[-2] * (n - 1) * (form == "svmlight"), lines[-1]])
        refused(form, body.replace("{}", str(2**53 + 1)).encode(), "a whole number beyond 2**53")


@pytest.mark.parametrize("form", ["csv", "svmlight"])
def test_digits_of_other_scripts_are_no_numbers(form):
    if form == "svmlight":
        refused(form, "1 1:٣\n".encode(), "'٣' is not a number")
        refused(form, b"1 +1:3\n", "'+1' is not the index of a feature")
    else:
        text = "a,b,y\n٣,1,0\n1,２,1\n".encode()
        data = FORMATS[form].function("read")(text, "t", Request(labels="y"))
        assert [column.kind for column in data.columns] == ["nominal", "nominal"]


NOTE = '# mlfs {"features": ["a"], "nominal": {"0": ["u", "v"]}, "labels": ["7"], "values": {}}\n'


@pytest.mark.parametrize("code", ["2", "1000000000", "-7", "0.5"])
def test_a_code_beyond_the_values_is_refused_with_its_line(code):
    content = f"{NOTE}7 1:1\n7 1:{code}\n".encode()
    refused("svmlight", content, "t.file:3: the nominal column 'a' has 2 values")


@pytest.mark.parametrize(
    "change",
    [('["u", "v"]', '["u", "u"]'), ('{"0"', '{"-1"'), ('["u", "v"]', "[]"), ('"a"', '"\\ud800"')],
)
def test_a_note_that_contradicts_itself_is_refused(change):
    content = f"{NOTE.replace(*change)}7 1:1\n".encode()
    refused("svmlight", content, "the note '# mlfs' about the columns is not what mlfs writes")


def test_leading_zeros_do_not_change_an_index():
    content = b"1 qid:3 0000000000000000000007:1\n1 8:1\n"
    data = FORMATS["svmlight"].function("read")(content, "t", Request())
    assert data.X.toarray()[0].tolist() == [0, 0, 0, 0, 0, 0, 1, 0]
    refused("svmlight", b"9223372036854775808 1:1\n", "is not a label id")
