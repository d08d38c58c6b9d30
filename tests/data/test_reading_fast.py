"""Compiled reading against careful reading, bit for bit: ARFF rows and CSV cells."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlfs._kernels import tokens
from mlfs.data.arff import arff_reader as arff
from mlfs.data.arff import fast_rows
from mlfs.data.dataset import Dataset
from mlfs.data.delimited import csv_reader as delimited
from mlfs.data.request import Limits, Request
from mlfs.errors import MlfsError

pytestmark = pytest.mark.skipif(not tokens.is_compiled(), reason="the kernels are not compiled")
patient = settings(deadline=None, max_examples=50)

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map("{:.6f}".format),
    st.floats(-1e6, 1e6).map("{:.17f}".format),
    st.floats(allow_nan=False, allow_infinity=False).map("{:.3e}".format),
    st.integers(-(10**25), 10**25).map(str),
    st.from_regex(r"[-+]?[0-9]{0,20}\.?[0-9]{0,24}([eE][-+]?[0-9]{1,4})?", fullmatch=True),
)
VALUES = st.sampled_from(["a", "bc", "0", "é", "'b c'", "?", '"a"', "d"])
HEADER = (
    "@relation t\n@attribute n numeric\n@attribute v {a,bc,0,é,'b c'}\n"
    "@attribute s string\n@attribute l {0,1}\n@attribute m real\n@data\n"
)


def same(one: Dataset | str, other: Dataset | str) -> None:
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    assert one.is_sparse == other.is_sparse
    for a, b in ((one.X, other.X), (one.Y, other.Y)):
        if sp.issparse(a):
            assert a.indptr.tolist() == b.indptr.tolist()
            assert a.indices.tolist() == b.indices.tolist()
            a, b = a.data, b.data
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
        assert np.signbit(a).tolist() == np.signbit(b).tolist()
    assert (one.columns, one.labels, one.left_out) == (other.columns, other.labels, other.left_out)


def outcome(read: object, content: bytes, request: Request) -> Dataset | str:
    try:
        return read(content, "t", request)
    except MlfsError as error:
        return str(error)


def both(read: object, content: bytes, request: Request) -> None:
    compiled = outcome(read, content, request)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "is_compiled", lambda: False)
        same(compiled, outcome(read, content, request))


@patient
@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_every_number_is_that_of_float(spellings: list[str]) -> None:
    body = "".join(f"{text},1\n" for text in spellings)
    both(arff.read, f"@attribute n real\n@attribute l {{0,1}}\n@data\n{body}".encode(), LAST)
    lines = "".join(f"{{0 {text}, 1 1}}\n" for text in spellings)
    both(arff.read, f"@attribute n real\n@attribute l {{0,1}}\n@data\n{lines}".encode(), LAST)


LAST = Request(labels="l")
CELL = st.one_of(NUMBERS, VALUES, st.sampled_from(["", " ", "{", "}", "%x", "1 2", "nan", "\\"]))
BLANK = st.sampled_from(["", "", "", " ", "\t"])


@st.composite
def dense_body(draw: st.DrawFn) -> str:
    out = []
    for _ in range(draw(st.integers(1, 6))):
        wild = draw(st.integers(0, 5)) == 0
        number, value = (CELL, CELL) if wild else (NUMBERS, VALUES)
        row = [draw(number), draw(value), draw(VALUES), draw(st.sampled_from("01?")), draw(number)]
        comma = draw(st.sampled_from([",", ",", ", ", " ", "\t"]))
        out.append(
            draw(BLANK) + comma.join(row) + draw(st.sampled_from(["", "", ",", "%", " {2}"]))
        )
    return "\n".join(out) + draw(st.sampled_from(["", "\n", "\n\n"]))


@st.composite
def sparse_body(draw: st.DrawFn) -> str:
    out = []
    for _ in range(draw(st.integers(1, 6))):
        wild = draw(st.integers(0, 5)) == 0
        kinds = [NUMBERS, VALUES, VALUES, st.sampled_from("01?"), NUMBERS]
        chosen = draw(st.lists(st.integers(0, 5 if wild else 4), unique=not wild, max_size=5))
        order = chosen if draw(st.booleans()) else sorted(chosen)
        row = [f"{j} {draw(CELL if wild else kinds[j])}" for j in order]
        out.append("{" + draw(BLANK) + draw(st.sampled_from([",", ", "])).join(row) + "}")
    return "\n".join(out) + draw(st.sampled_from(["", "\n"]))


@patient
@given(dense_body() | sparse_body())
def test_rows_read_alike_with_and_without_the_kernel(body: str) -> None:
    both(arff.read, (HEADER + body).encode(), LAST)


LETTERS = "@relation t\n@attribute v {a,b}\n@attribute w {0,1,2}\n@attribute l {0,1}\n@data\n"


@st.composite
def body_of_letters(draw: st.DrawFn) -> str:
    """Sparse rows of values of one byte, most of them written as plainly as can be."""
    wild = st.sampled_from(["1 ", "'1'", "\t0", "9", "", "10", "{", "% 1"])
    kinds = [st.sampled_from("ab?"), st.sampled_from("012?"), st.sampled_from("01?")]
    out = []
    for _ in range(draw(st.integers(1, 8))):
        chosen = sorted(draw(st.sets(st.integers(0, 2))))
        strange = draw(st.integers(0, 9)) == 0
        row = [f"{j} {draw(kinds[j] | wild if strange else kinds[j])}" for j in chosen]
        out.append("{" + draw(st.sampled_from([",", ", "])).join(row) + "}")
    return "\n".join(out) + draw(st.sampled_from(["", "\n"]))


@patient
@given(body_of_letters())
def test_rows_of_letters_read_alike_with_and_without_the_kernel(body: str) -> None:
    both(arff.read, (LETTERS + body).encode(), LAST)


def test_only_what_is_no_plain_letter_needs_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def sparse_rows(*arguments: object) -> tuple[int, int]:
        asked.append(arguments[4] is not None)  # the names
        return kernel(*arguments)

    kernel = fast_rows.rows.sparse_rows
    monkeypatch.setattr(fast_rows.rows, "sparse_rows", sparse_rows)
    plain = "{0 b,1 2,2 1}\n" * 100
    assert arff.read((LETTERS + plain).encode(), "t", LAST).Y.sum() == 100
    assert asked == [False] * len(asked)
    strange = plain + "{0 b,1 2,2 1 }\n" + plain
    assert arff.read((LETTERS + strange).encode(), "t", LAST).Y.sum() == 201
    assert asked[-2:] == [True, True]  # the rest of the text, and its end


@pytest.mark.parametrize("sparse", [False, True])
def test_there_is_room_for_all_rows_up_to_the_limit(sparse: bool) -> None:
    generator = np.random.default_rng(0)
    x = generator.integers(1, 9, (3000, 3))
    cell = "{{0 {},1 {},2 {}}}\n" if sparse else "{},{},{}\n"
    text = "@attribute a real\n@attribute b real\n@attribute l real\n@data\n"
    text += "".join(cell.format(*row) for row in x.tolist())
    request = Request(labels="l", classes=True)
    data = arff.read(text.encode(), "t", request)
    assert (data.X.toarray() if sparse else data.X).tolist() == x[:, :2].tolist()
    few = Request(labels="l", classes=True, limits=Limits(max_cells=256 * 2 if sparse else 8998))
    with pytest.raises(MlfsError, match="more than the limit of"):
        arff.read(text.encode(), "t", few)


WORDS = ["u", "v w", " u", "NA", "nan", "NaN", "Nan", "na", "?", "", " ", "1", "1_0", "inf", "é"]
CSV_CELL = NUMBERS | st.sampled_from([*WORDS, "-", ".", "1e5", "0x1", "٣", "\xa0", "1\x0b"])
QUOTED = st.sampled_from(
    ['"u"', '"v, w"', '"a ""b"""', '""', '"NA"', '"1.5"', '"1"', '" 1"', '"1 "', '"?"', '""""', "u"]
)
ODD_QUOTES = ['"x\ny"', 'q"q', '"u" ', ' "u"', '"u"x', '"open', '1"', '"1"2', '"""', '"1" ']


@st.composite
def csv_text(draw: st.DrawFn) -> str:
    separator = ","
    lines = [draw(st.sampled_from(["a,b,y", '"a","b","y"', 'a,"b",y']))]
    kinds = draw(
        st.lists(
            st.sampled_from([NUMBERS, st.sampled_from(WORDS), CSV_CELL, QUOTED, QUOTED | CSV_CELL]),
            min_size=2,
            max_size=2,
        )
    )
    last = draw(st.sampled_from(["01", ["0", "1", "01", "?"], ["u|v", "u", "", "1", '"u"']]))
    for _ in range(draw(st.integers(1, 8))):
        row = [*(draw(kind) for kind in kinds), draw(st.sampled_from(last))]
        odd = draw(st.integers(0, 40))
        if odd == 2:
            row[draw(st.integers(0, 2))] = draw(st.sampled_from(ODD_QUOTES))
        lines.append(separator.join(row[:-1] if odd == 0 else [*row, "1"] if odd == 1 else row))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    return end.join(lines) + draw(st.sampled_from(["", end, end + end]))


@patient
@given(csv_text())
def test_cells_read_alike_with_and_without_the_kernel(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "SMALL", 0)
        both(delimited.read, text.encode(), Request(labels="y"))


def test_quotes_are_read_by_the_kernel() -> None:
    cells = ['"u"', '"v, w"', '"a ""b"""', '""', "u", '"1"', "NA", '"NA"']
    text = "".join(f'{cells[i % 8]},{i % 3},"{i % 2}"\n' for i in range(2000))
    for header in ("a,b,y\n", '"a","b","y"\n'):
        request = Request(labels="y")
        both(delimited.read, (header + text).encode(), request)


def test_words_that_come_late_and_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "PROBE", 40)
    monkeypatch.setattr(delimited, "SLOTS", 16)
    monkeypatch.setattr(delimited, "HARD", 8)
    lines = [f"{i},w{i % 300},{i if i < 400 else 'x'},NA,{i % 2}" for i in range(500)]
    text = "\n".join(["a,b,c,d,y", *lines, ""])
    both(delimited.read, text.encode(), Request(labels="y"))
    careful = delimited.read(text.encode(), "t", Request(labels="y"))
    assert len(careful.columns[1].values) == 300
    assert len(careful.columns[2].values) == 401


@pytest.mark.parametrize(
    "body",
    [
        b"1,a,x,0,1\n% the end\n",  # a comment is no row beyond the limit
        b"1,a,x,0,1\n1,a,x,2,1\n",  # a row beyond it that is wrong
        b"1,a,x,0,1\n1,a,x,0,1\n",
        b"1,a,\xe9,0,1\n",  # a string that nobody wants, in another encoding
        b"1,a,'\xe9',0,1\n% \xe9\n",
        b"{2 \xe9}\n",
        b"%\n \n\n% x\n{0 1e-400, 1 bc, 4 1e300}\n",
        b"1_0,a,x,0,1\n",
        b"1e300,a,x,0,1e400\n",
        b"%",
    ],
)
def test_odd_ends_read_alike(body: bytes) -> None:
    for cells in (5, 45):
        request = Request(labels="l", limits=Limits(max_cells=cells))
        both(arff.read, HEADER.encode() + body, request)


def test_control_characters_are_no_blanks_of_numbers() -> None:
    rows = "".join(f"{i},{i % 2}\n" for i in range(2000))
    for text in ("a,y\n\x1c1,0\n2,1\n", f"a,y\n\x1c1,0\n{rows}"):
        both(delimited.read, text.encode(), Request(labels="y"))
        data = delimited.read(text.encode(), "t", Request(labels="y"))
        assert data.columns[0].kind == "nominal"


ENCODINGS = ["utf-8", "ascii", "latin-1", "utf-16", "utf-7", "punycode", "undefined", "a\0b"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    "start", [b"\xff\xfea,y\n", b"a,y\n\xe9,0\n", b"+2AA-,y\n", "é,y\n".encode()]
)
def test_encodings_are_read_or_refused_alike(encoding: str, start: bytes) -> None:
    request = Request(labels="y", encoding=encoding)
    rows = start + b"".join(b"%d,%d\n" % (i, i % 2) for i in range(2000))
    both(delimited.read, rows, request)


def test_half_a_surrogate_pair_is_no_text() -> None:
    for read in (delimited.read, arff.read):
        with pytest.raises(MlfsError, match="half a surrogate pair"):
            read(b"+2AA-,y\n1,0\n", "t", Request(labels="y", encoding="utf-7"))
