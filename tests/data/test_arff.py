"""The ARFF reader and writer: what must read, what must be refused and how, and the round trip."""

# The tables below hold whole sentences.
# ruff: noqa: E501, ISC004

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import config

from mlfs.data import Dataset, Limits, read, write
from mlfs.data.arff import arff_reader as arff
from mlfs.data.dataset import Column, Label
from mlfs.data.request import Request
from mlfs.errors import DataError, MlfsError, ParseError

PLAIN = "@relation t\n@attribute a numeric\n@attribute b {x,y}\n@attribute l {0,1}\n@data\n"


def parsed(text: str | bytes, labels: object = "l", **options: object) -> Dataset:
    content = text if isinstance(text, bytes) else text.encode("utf-8")
    return arff.read(content, "t.arff", Request(labels=labels, **options))


def rows(body: str, header: str = PLAIN) -> Dataset:
    return parsed(header + body)


def dense(matrix: object) -> np.ndarray:
    return matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix)


def assert_equal(one: Dataset, other: Dataset) -> None:
    assert one.is_sparse == other.is_sparse
    X, Z = dense(one.X), dense(other.X)
    assert X.shape == Z.shape
    assert (np.isnan(X) == np.isnan(Z)).all()
    assert X[~np.isnan(X)].tobytes() == Z[~np.isnan(Z)].tobytes()
    assert one.Y.dtype == other.Y.dtype
    assert (dense(one.Y) == dense(other.Y)).all()
    assert one.columns == other.columns
    assert one.labels == other.labels
    assert (one.weights is None) == (other.weights is None)
    assert one.weights is None or one.weights.tolist() == other.weights.tolist()


# --- what must read


@pytest.mark.parametrize(
    "body",
    [
        "1.5,y,1\n2,x,0\n",
        "1.5,y,1\n2,x,0",
        "\n1.5,y,1\n\n  2 ,\tx , 0 \n\n",
        "1.5,y,1\r\n2,x,0\r\n",
        "1.5,y,1\r2,x,0\r",
        "1.5,y,1\r\n2,x,0\n",
        "1.5,y,1,\n2,x,0,\n",
        "1.5\ty\t1\n2\tx\t0\n",
        "1.5 y 1\n2  x 0\n",
        "% comment\n1.5,y,1 % comment, {3}\n2,x,0%\n   % end",
        "'1.5',\"y\",'1'\n2,'x',0\n",
        "+1.5e0,y,1\n200e-2,x,0\n",
        "1.5,'\\u0079',1\n2,x,0\n",
    ],
)
def test_spellings_of_the_same_rows(body: str) -> None:
    data = rows(body)
    assert data.X.tolist() == [[1.5, 1.0], [2.0, 0.0]]
    assert data.Y.tolist() == [[1], [0]]


@pytest.mark.parametrize(
    "line",
    [
        "@attribute a numeric",
        "@ATTRIBUTE a REAL % comment",
        "@Attribute\ta\tinteger%comment",
        "@attribute 'a' INTEGER [0,9]",
        '  @attribute "a" real [0.5, 1] % x',
    ],
)
def test_spellings_of_an_attribute(line: str) -> None:
    data = parsed(f"@relation t\n{line}\n@attribute l {{0,1}}\n@data\n3,1\n")
    assert data.columns == (Column("a"),)


def test_byte_order_mark_and_encodings() -> None:
    text = PLAIN.replace("numeric", "numeric").replace(" a ", " é ") + "1,x,0\n"
    expected = ["é", "b"]
    assert parsed("\ufeff" + text).feature_names == expected
    assert parsed(text.encode("latin-1"), encoding="latin-1").feature_names == expected
    assert parsed(text.encode("utf-16"), encoding="utf-16").feature_names == expected
    with pytest.raises(ParseError, match=r"t\.arff:2:12: byte 0xe9 is not UTF-8 text.*encoding="):
        parsed(text.encode("latin-1"))
    with pytest.raises(ParseError, match="say encoding='utf-16'"):
        parsed(text.encode("utf-16"))


def test_quotes_of_header_and_data_may_differ() -> None:
    header = "@attribute 'it\\'s' {'a b',\"c,d\",'e\\\\f', very good}\n@attribute l {0,1}\n@data\n"
    data = parsed(header + "\"a b\",1\n'c,d',1\n'e\\\\f',0\nvery good,0\n'very good',1\n?,1\n")
    assert data.columns[0] == Column("it's", "nominal", ("a b", "c,d", "e\\f", "very good"))
    assert dense(data.X).ravel().tolist()[:5] == [0, 1, 2, 3, 3]
    assert np.isnan(data.X[5, 0])


def test_missing_and_quoted_question_mark() -> None:
    data = parsed("@attribute a {'?',b}\n@attribute l {0,1}\n@data\n'?',?\n?,1\nb,0\n")
    assert data.X[0, 0] == 0
    assert np.isnan(data.X[1, 0])
    assert data.Y.ravel().tolist() == [-1, 1, 0]


def test_sparse_default_is_the_first_value() -> None:
    header = (
        "@attribute a {u,v}\n@attribute n real\n@attribute l {1,0}\n@attribute k {NO,YES}\n@data\n"
    )
    data = parsed(header + "{}\n{0 v, 1 2.5,2 0,3 YES}\n{ 3 ? , 1 ? }\n{2 1}\n{}\n", "last:2")
    assert isinstance(data.X, sp.csr_array)
    assert data.Y.tolist() == [[1, 0], [0, 1], [1, -1], [1, 0], [1, 0]]
    assert data.X.toarray()[[0, 1, 3, 4]].tolist() == [[0, 0], [1, 2.5], [0, 0], [0, 0]]
    assert np.isnan(data.X.toarray()[2, 1])
    assert data.X.nnz == 3


def test_sparse_indices_in_any_order_and_quoted_values() -> None:
    header = "@attribute 'a' {u,'v w'}\n@attribute n real\n@attribute l {0,1}\n@data\n"
    data = parsed(header + "{2 1,1 '3',0 'v w'}\n{ 0 \"v w\" , 1 0 , }\n{0 v w}\n")
    assert data.X.toarray().tolist() == [[1, 3], [1, 0], [1, 0]]
    assert data.X.has_sorted_indices
    assert data.X.nnz == 4


@pytest.mark.parametrize("sparse", [False, True])
def test_weights(sparse: bool) -> None:
    body = "{0 1,2 1},{2.5}\n{}\n{2 1}, {0} % c\n" if sparse else "1,x,1,{2.5}\n0,x,0\n0,x,1,{0}\n"
    data = rows(body)
    assert data.weights.tolist() == [2.5, 1, 0]
    assert dense(data.Y).ravel().tolist() == [1, 0, 1]


def test_strings_are_left_out_and_said_so() -> None:
    header = "@attribute s string\n@attribute a real\n@attribute l {0,1}\n@data\n"
    data = parsed(header + "'it\\'s, so',1,1\nword,2,0\n?,3,0\n")
    assert data.feature_names == ["a"]
    assert data.left_out[0][0] == "s"
    assert "string" in data.left_out[0][1]
    assert data.X.tolist() == [[1], [2], [3]]


def test_dates_are_seconds() -> None:
    header = "@attribute d date 'yyyy-MM-dd HH:mm'\n@attribute e date\n@attribute l {0,1}\n@data\n"
    data = parsed(header + "'1970-01-02 00:01',1970-01-01T00:00:01,1\n?,?,0\n")
    assert data.X[0].tolist() == [86460.0, 1.0]
    assert np.isnan(data.X[1]).all()
    with pytest.raises(ParseError, match="'yesterday' is not a date of the form"):
        parsed(header + "yesterday,?,1\n")


NUMBERS = ["0", "-0", "1e22", "1e23", "123456789012345678901234567890.5", "0.1", "1e-400", "5e-324",
           ".5", "5.", "+7", "9007199254740993.0", "0.30000000000000004", "1.7976931348623157e308",
           "2.2250738585072011e-308", "1E5", "1e+05", "000123.4500", "0.000000000000000000001",
           "8.5e-23", "123456789012345678e-18", "0e999999999999"]  # fmt: skip


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_are_those_of_float(text: str) -> None:
    data = rows(f"{text},x,0\n")
    assert data.X[0, 0].tobytes() == np.float64(text).tobytes()


@given(st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-(10**9), 10**9))
@settings(max_examples=100, deadline=None)
def test_any_number_is_that_of_float(number: object) -> None:
    text = str(number)
    if "nan" in text.lower():
        return
    assert rows(f"{text},x,0\n").X[0, 0].tobytes() == np.float64(text).tobytes()


# --- what must be refused, and how

REFUSED = [
    (PLAIN + "1,x\n", "t.arff:6:4: found 2 values, expected 3, one for each attribute"),
    (PLAIN + "1,x,0\n1,x,0,7,8\n", "t.arff:7:7: found 5 values, expected 3, one for each attribute"),
    (PLAIN + "1,x,0\n\n%\n1,z,0\n",
     "t.arff:9:3: 'z' is not a value of the attribute 'b', which has {x, y}"),
    (PLAIN + "1,,0\n",
     "t.arff:6:3: the value of the attribute 'b' is empty; write ? for a missing value"),
    (PLAIN + "inf,x,0\n", "t.arff:6:1: expected a finite number for the attribute 'a', found 'inf'"),
    (PLAIN + "-1e400,x,0\n", "t.arff:6:1: the number -1e400 of the attribute 'a' is too large for a "
     "double; expected a finite number"),
    (PLAIN + "nil,x,0\n", "t.arff:6:1: expected a finite number for the attribute 'a', found 'nil'"),
    (PLAIN + "1_0,x,0\n", "t.arff:6:1: expected a finite number for the attribute 'a', found '1_0'"),
    (PLAIN + "0x1,x,0\n", "t.arff:6:1: expected a finite number for the attribute 'a', found '0x1'"),
    (PLAIN + "1\x00,x,0\n",
     "t.arff:6:1: expected a finite number for the attribute 'a', found '1\\\\x00'"),
    (PLAIN + "1,'x,0\n", "t.arff:6:3: this quote (') is never closed on its line"),
    (PLAIN + "1,'x'y,0\n", "t.arff:6:3: found 'x' where a comma was expected"),
    (PLAIN + "{0 1,0 2}\n", "t.arff:6:6: the index 0 (the attribute 'a') is there twice"),
    (PLAIN + "{3 1}\n", "t.arff:6:2: the index 3 is beyond the 3 attributes, "
     "whose indices are 0 to 2"),
    (PLAIN + "{99999999999999999999 1}\n", "t.arff:6:2: the index 99999999999999999999 is beyond "
     "the 3 attributes, whose indices are 0 to 2"),
    (PLAIN + "{-1 1}\n", "t.arff:6:2: expected the index of an attribute, found '-1'"),
    (PLAIN + "{1}\n", "t.arff:6:3: the index 1 has no value; expected: index value"),
    (PLAIN + "{0 1\n", "t.arff:6:5: this sparse row is never closed with }"),
    (PLAIN + "{0 1} x\n", "t.arff:6:7: unexpected 'x' after the sparse row"),
    (PLAIN + "{0 1,,1 y}\n", "t.arff:6:6: found nothing between two commas, expected: index value"),
    (PLAIN + "{}\n1,x,0\n",
     "t.arff:7:1: found a dense row in a sparse file, where a row starts with {"),
    (PLAIN + "1,x,0\n{}\n", "t.arff:7:1: found a sparse row ({...}) in a dense file"),
    (PLAIN + "1,x,0,{-1}\n", "t.arff:6:8: the weight of a row is a finite number from 0, not '-1'"),
    ("@attribute a {}\n@attribute b real\n@attribute l {0,1}\n@data\n{0 ?}\n{1 2}\n",
     "t.arff: the attribute 'a' has no values, and a sparse row that leaves it out means the first "
     "one; declare one, as in {none}"),
    (PLAIN, "t.arff:5: there is no row after @data"),
    ("@attribute a real\n@attribute a real\n@data\n1,1\n",
     "t.arff:2:12: the attribute 'a' is declared twice, first in line 1; rename one of them"),
    ("@attribute a {x,x}\n@data\nx\n", "t.arff:1:17: the attribute 'a' declares the value 'x' twice"),
    ("@attribute a {x,,y}\n@data\nx\n", "t.arff:1:17: a value of the attribute 'a' is empty"),
    ("@attribute a {x,y\n@data\nx\n",
     "t.arff:1:14: the values of the attribute 'a' are not closed with }"),
    ("@attribute 'a {x,y}\n@data\nx\n", "t.arff:1:12: this quote (') is never closed on its line"),
    ("@attribute a\n", "t.arff:1:13: the attribute 'a' has no type; write numeric, real, integer, "
     "string, date or {value, value, ...}"),
    ("@attribute a b real\n", "t.arff:1:14: the attribute 'a' has the type 'b'; expected numeric, "
     "real, integer, string, date or {value, value, ...}"),
    ("@attribute a real x\n", "t.arff:1:19: unexpected 'x' after the type"),
    ("@attribute\n", "t.arff:1:11: @attribute is not followed by a name"),
    ("@attribute a relational\n@end a\n", "t.arff:1:14: the attribute 'a' is relational (a table in "
     "a cell), which is not a table of features; flatten it first"),
    ("@data\n1\n", "t.arff:1:1: there is no @attribute before @data"),
    ("a,b\n1,2\n", "t.arff:1:1: expected @relation, @attribute or @data, found 'a,b'; "
     "is this an ARFF file?"),
    ("", "t.arff: the file is empty; an ARFF file has @relation, @attribute "
     "lines, @data, and rows"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=range(len(REFUSED)))
def test_the_sentence_that_refuses(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parsed(text)
    assert str(caught.value) == message


def test_control_characters_of_a_name_are_escaped() -> None:
    with pytest.raises(ParseError) as caught:
        parsed("@attribute 'a\x1b[31m' real\n@attribute l {0,1}\n@data\nz,0\n")
    assert "\x1b" not in str(caught.value)
    assert "x1b[31m" in str(caught.value)


HOSTILE = {
    "list of quoted commas": "@attribute w {" + "','," * 100_000 + "\n@data\n",
    "never closed quote": "@attribute '" + "a" * 5_000_000,
    "backslashes": "@attribute '" + "\\" * 2_000_001 + "' real\n",
    "escaped quotes": "@attribute '" + "\\'" * 1_000_000 + "\n",
    "quotes in a row": PLAIN + "1," + "'" * 1_000_001 + ",0\n",
    "braces": PLAIN + "{" * 1_000_000 + "\n",
    "commas": PLAIN + "," * 2_000_000 + "\n",
    "sparse commas": PLAIN + "{" + "," * 1_000_000 + "}\n",
    "blanks": PLAIN + " " * 5_000_000 + "\n" + "1" + " " * 5_000_000 + "\n",
    "digits": PLAIN + "1" * 1_000_000 + ",x,0\n",
    "exponents": PLAIN + "1e" + "9" * 1_000_000 + ",x,0\n",
    "index of digits": PLAIN + "{" + "9" * 1_000_000 + " 1}\n",
    "percent signs": PLAIN + "1" + "%" * 1_000_000 + "\n",
    "NUL": "\x00" * 1_000_000,
    "empty lines": PLAIN + "\n" * 5_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(name: str) -> None:
    with pytest.raises(DataError) as caught:
        parsed(HOSTILE[name])
    assert len(str(caught.value)) < 500


def test_limits() -> None:
    for limits, text, message in [
        (Limits(max_cells=8), PLAIN + "1,x,0\n" * 3,
         "t.arff:8: 9 cells are more than the limit of 8; raise it with --limit max_cells=50"),
    ]:  # fmt: skip
        with pytest.raises(ParseError) as caught:
            parsed(text, limits=limits)
        assert str(caught.value) == message


# --- the compiled reader and the careful one are one reader


def outcome(text: str, *, compiled: bool) -> Dataset | str:
    before = config.DISABLE_JIT
    config.DISABLE_JIT = int(not compiled)
    try:
        return parsed(text, "l")
    except MlfsError as error:
        return str(error)
    finally:
        config.DISABLE_JIT = before


PIECES = st.sampled_from(
    ["0", "1", "-1.5", "1e3", "9007199254740993.0", "1e999", "?", "x", "y", "'x'", '"y"', "'a b'", "a b",
     ",", ",", ",", " ", "\t", "\n", "\n", "{", "}", "{0 ", ",1 ", ",2 1}", "%", "'", "\\", "{2}",
     "1,x,0\n", "2.5,y,1\n", "{0 1,2 1}\n", "{}\n", "é", "1 y 0\n", "\x00", "e5", ".", "-", "+"]
)  # fmt: skip


@pytest.mark.skipif(config.DISABLE_JIT, reason="there is no compiled reader without the JIT")
@given(
    st.sampled_from(["{0,1}", "string", "real"]),
    st.sampled_from(["1,x,0\n", "{}\n", ""]),
    st.lists(PIECES, max_size=12),
)
@settings(max_examples=100, deadline=None)
def test_compiled_and_careful_agree(kind: str, start: str, pieces: list[str]) -> None:
    header = f"@attribute n real\n@attribute v {{x,y,'a b',é}}\n@attribute l {kind}\n@data\n"
    text = header + start + "".join(pieces)
    fast, slow = outcome(text, compiled=True), outcome(text, compiled=False)
    if isinstance(slow, str):
        assert fast == slow
    else:
        assert isinstance(fast, Dataset), fast
        assert_equal(fast, slow)


# --- round trip

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8) | st.sampled_from(
    [
        "a b",
        "a,b",
        "it's",
        '"',
        "\\",
        "\\'",
        "%",
        "{",
        "}",
        "?",
        "@data",
        " x ",
        "ü",
        "\n",
        "\\n",
        "''",
    ]
)


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    d, q, n = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 5))
    names = draw(st.lists(TEXTS, min_size=d + q, max_size=d + q, unique=True))
    columns = []
    X = np.zeros((n, d))
    for j in range(d):
        number = st.floats(allow_nan=False, allow_infinity=False) | st.just(0.0)
        values: list[str] = []
        if draw(st.booleans()):
            values = draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True))
            number = st.integers(0, len(values) - 1).map(float)
        cells = st.lists(number | st.just(float("nan")), min_size=n, max_size=n)
        X[:, j] = draw(cells)
        columns.append(Column(names[j], "nominal" if values else "numeric", tuple(values)))
    Y = np.array(draw(st.lists(st.lists(st.sampled_from([0, 1, -1]), min_size=q, max_size=q),
                               min_size=n, max_size=n)), dtype=np.int8)  # fmt: skip
    weights = None
    if draw(st.booleans()):
        weights = np.array(draw(st.lists(st.floats(0, 1e300), min_size=n, max_size=n)))
    X[X == 0] = 0.0
    matrix = sp.csr_array(X) if draw(st.booleans()) else X
    labels = tuple(Label(name) for name in names[d:])
    return Dataset(matrix, Y, tuple(columns), labels, weights)


@given(datasets())
@settings(max_examples=100, deadline=None)
def test_round_trip_of_a_file_that_stands_alone(data: Dataset) -> None:
    stream = io.BytesIO()
    arff.write(data, stream)
    assert_equal(arff.read(stream.getvalue(), "t.arff", Request()), data)


@given(data=datasets(), suffix=st.sampled_from(["", ".gz", ".bz2", ".xz"]))
@settings(max_examples=40, deadline=None)
def test_round_trip_of_a_file_with_its_xml(
    tmp_path_factory: pytest.TempPathFactory, data: Dataset, suffix: str
) -> None:
    path = tmp_path_factory.mktemp("arff") / f"t.arff{suffix}"
    write(data, path)
    again = read(path)
    assert_equal(again, data)
    assert again.source.labels_by == "t.xml"


def test_classes_round_trip(tmp_path: Path) -> None:
    data = Dataset(
        np.array([[1.0], [2.0]]),
        np.array([[2], [-1]], dtype=np.int8),
        (Column("a"),),
        (Label("c", ("u", "v w", "x")),),
    )
    write(data, tmp_path / "c.arff")
    assert_equal(read(tmp_path / "c.arff", classes=True), data)
    with pytest.raises(DataError, match=r"the label 'c' has the values \{u, v w, x\}"):
        read(tmp_path / "c.arff")


def test_control_characters_of_xml(tmp_path: Path) -> None:
    data = Dataset(np.ones((1, 1)), np.ones((1, 1), np.int8), (Column("a"),), (Label("\x1b"),))
    write(data, tmp_path / "c.arff")
    assert_equal(read(tmp_path / "c.arff"), data)


def test_what_cannot_be_written() -> None:
    Y = np.zeros((1, 1), np.int8)
    for name, value, message in [
        ("l", 1.0, "two columns are called 'l'"),
        ("", 1.0, "column 0 has no name"),
        ("a", np.inf, "X holds infinite values"),
    ]:
        data = Dataset(np.array([[value]]), Y, (Column(name),), (Label("l"),))
        with pytest.raises(DataError, match=message):
            arff.write(data, io.BytesIO())


def test_values_made_to_collide_take_no_longer() -> None:
    """Values that share a hash go to Python's dict: the kernel's table would be a list."""
    text = PLAIN.replace("{x,y}", "{" + ",".join(COLLIDING) + "}") + f"1,{COLLIDING[-1]},1\n"
    assert parsed(text).X[0, 1] == len(COLLIDING) - 1


def colliding(count: int) -> list[str]:
    """Texts whose hash falls into the same slot of a table of up to 2048."""
    slots: dict[int, list[str]] = {}
    k = 0
    while True:
        code = 2166136261
        for byte in f"v{k}".encode():
            code = ((code ^ byte) * 16777619) & 0xFFFFFFFF
        here = slots.setdefault(code & 2047, [])
        here.append(f"v{k}")
        if len(here) == count:
            return here
        k += 1


COLLIDING = colliding(300)
