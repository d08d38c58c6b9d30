import csv
import io
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mlfs.data
from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import Column, Dataset, Label
from mlfs.data.delimited import csv_reader as delimited
from mlfs.data.delimited.records import MISSING, delimiter_of
from mlfs.data.request import Limits, Request
from mlfs.data.written_numbers import with_written_numbers
from mlfs.errors import DataError, UsageError
from tests.any_dataset import assert_same, datasets, dense, outcome


def read(text, labels="y", tsv=False, **options):
    content = text if isinstance(text, bytes) else text.encode()
    reader = delimited.read_tsv if tsv else delimited.read
    return reader(content, "t.csv", Request(labels=labels, **options))


def written(dataset, tsv=False):
    out = io.BytesIO()
    (delimited.write_tsv if tsv else delimited.write)(dataset, out)
    return out.getvalue()


def numeric_text(value):
    try:
        float(value)
    except ValueError:
        return value in ("NA", "?", "NaN", "nan")
    return True


def infinite_words(column):
    """Nothing but words that read as numbers, one of them as an infinite one."""
    if column.kind != "nominal" or not all(map(numeric_text, column.values)):
        return False
    known = [value for value in column.values if value.strip() not in MISSING]
    return any(not math.isfinite(float(value)) for value in known)


def as_text(dataset):
    """The cells of a data set as what CSV can carry of them."""
    table = []
    for j, column in enumerate(dataset.columns):
        x = dense(dataset.X)[:, j].tolist()
        if column.kind == "nominal":
            table.append([None if math.isnan(v) else column.values[int(v)] for v in x])
        else:
            table.append([None if math.isnan(v) else v for v in x])
    return table


@pytest.mark.parametrize("tsv", [False, True])
@given(dataset=datasets())
def test_cells_names_and_labels_read_back_equal(tsv, dataset):
    names = dataset.label_names
    if any(infinite_words(column) for column in dataset.columns):
        with pytest.raises(DataError, match="could not tell from an infinite number"):
            written(dataset, tsv)
        return
    back = read(written(dataset, tsv), labels=names, tsv=tsv)
    assert back.feature_names == dataset.feature_names
    assert back.labels == dataset.labels
    np.testing.assert_array_equal(dense(back.Y), dense(dataset.Y))
    for column, own, found in zip(dataset.columns, as_text(dataset), as_text(back), strict=True):
        words = [value for value in own if value is not None]
        if column.kind == "nominal" and all(map(numeric_text, words)):
            continue
        assert own == found


@given(datasets(nominal=False))
def test_numeric_data_read_back_equal_with_kinds(dataset):
    assert_same(dataset, read(written(dataset), labels=dataset.label_names))


@given(datasets(missing=False, classes=True))
def test_pythons_csv_module_reads_what_we_write(dataset):
    content, refusal = outcome(written, dataset)
    assert content or "could not tell apart, or from 0 and 1" in refusal
    rows = list(csv.reader(io.StringIO((content or b"").decode(), newline="")))
    if not content:
        return
    assert len(rows) == dataset.shape[0] + 1
    assert {len(row) for row in rows} == {len(dataset.columns) + len(dataset.labels)}
    assert rows[0] == [*dataset.feature_names, *dataset.label_names]


@pytest.mark.parametrize("values", [("1.0", "1", "01"), ("no", "yms"), ("5", "yes")])
def test_classes_that_would_read_as_others_are_not_written(values):
    codes = np.array([[0], [1], [2]] if len(values) == 3 else [[values[0] != "no"]] * 3)
    dataset = from_arrays([[1.0], [0.0], [2.0]], [[1], [0], [1]])
    dataset = replace(dataset, Y=codes.astype(np.int8), labels=(Label("y", values),))
    with pytest.raises(DataError, match="could not tell apart, or from 0 and 1"):
        written(dataset)


@pytest.mark.parametrize("row", ["{big},0", '"{big}",0', "{big} ,0"])
@pytest.mark.parametrize("rows_before", [0, 5000])
def test_whole_numbers_that_a_float_rounds_are_text(row, rows_before):
    text = "a,y\n" + "1,0\n" * rows_before + row.format(big=2**53 + 1) + "\n"
    dataset = read(text.encode(), labels="y")
    (column,) = dataset.columns
    assert column.values[-1].strip() == str(2**53 + 1)
    assert dataset.X[-1, 0] == len(column.values) - 1
    assert "column 'a' is read as text: it holds a whole number beyond 2**53" in dataset.notes[0]
    place = rf"t.csv:{rows_before + 2}.* holds 9007199254740993 ?, a whole number bey"
    with pytest.raises(DataError, match=place):
        read(text.replace("a,y", "y,a").encode(), labels="y")
    exact = text.replace(str(2**53 + 1), str(2**53))
    assert read(exact.encode(), labels="y").X[-1, 0] == 2**53
    words = read(f"{text}u,1\n".encode(), labels="y").columns[0].values
    assert words[-2:] == (str(2**53 + 1), "u")


def test_values_come_back_sorted_and_only_those_present():
    dataset = replace(
        from_arrays([[1.0], [0.0]], [[1], [0]]), columns=(Column("c", "nominal", ("z", "b", "q")),)
    )
    back = read(written(dataset), labels="y0")
    assert (back.columns[0].values, back.X.tolist()) == (("b", "z"), [[0], [1]])


def test_formulas_are_quoted_and_unchanged():
    dataset = from_arrays(np.array([["=1+1"], ["@x"]], dtype=object), [[1], [0]])
    assert written(dataset) == b'x0,y0\n"=1+1",1\n"@x",0\n'
    assert read(written(dataset), labels="y0").columns[0].values == ("=1+1", "@x")


@pytest.mark.parametrize(
    "text",
    [
        "a,b,y\n1,u,1\n2,v,0\n",
        "\ufeffa,b,y\n1,u,1\n2,v,0",
        "a,b,y\r\n1,u,1\r\n2,v,0\r\n",
        "a,b,y\r1,u,1\r2,v,0\r",
        'a,b,y\n"1","u","1"\n"2","v","0"\n',
        '"a","b","y"\n1,"u",1\n2,"v",0\n\n\n',
        "a, b ,y\n 1, u,1\n2 ,v,0 \n",
        "a,b,y\n\n1,u,1\n2,v,0\n",
        'a,b,y\n1, "u" ,1\n2,v,0\n',
    ],
)
def test_ways_to_write_the_same(text):
    data = read(text)
    assert data.feature_names == ["a", "b"]
    assert data.columns[1].values == ("u", "v")
    assert data.X.tolist() == [[1, 0], [2, 1]]
    assert data.Y.tolist() == [[1], [0]]


def test_quotes_hold_separators_quotes_and_line_ends():
    data = read('"a,1",y\n"x ""q""\nz",1\r\n"p,\r\nq",0\n')
    assert data.feature_names == ["a,1"]
    assert data.columns[0].values == ("p,\r\nq", 'x "q"\nz')


@pytest.mark.parametrize("word", ["", "?", "NA", "NaN", "nan"])
def test_missing(word):
    data = read(f"a,b,c,y\n1,u,{word},1\n{word},{word},{word},{word}\n")
    np.testing.assert_array_equal(data.X, [[1, 0, np.nan], [np.nan] * 3])
    assert data.Y.tolist() == [[1], [-1]]
    assert [column.kind for column in data.columns] == ["numeric", "nominal", "numeric"]


def test_a_quoted_word_is_text_in_a_column_of_text():
    data = read('a,b,y\n"NA",1,1\n"",2,0\nx,"NA",1\n')
    assert data.columns[0].values == ("", "NA", "x")
    assert np.isnan(data.X[2, 1])


def test_a_quoted_blank_is_missing_where_the_whole_header_is_quoted():
    data = read('"a","y"\n"","1"\n"x","0"\n')
    assert np.isnan(data.X[0, 0])


def test_a_column_becomes_text_late_and_missing_cells_come_late():
    n = 10_000
    body = "".join(f"{i},{i % 2}\n" for i in range(n))
    data = read("a,y\n" + body + "x,1\n,1\n")
    assert data.columns[0].kind == "nominal"
    assert len(data.columns[0].values) == n + 1
    assert np.isnan(data.X[-1, 0])


def test_underscores_are_not_digits():
    assert read("a,y\n1_0,1\n2,0\n").columns[0].values == ("1_0", "2")


def test_a_column_of_lists():
    data = read("a,tags\n1,u|v\n2,\n3,v\n4,?\n", labels="tags")
    assert data.label_names == ["u", "v"]
    assert dense(data.Y).tolist() == [[1, 1], [0, 0], [0, 1], [-1, -1]]
    data = read('a,tags\n1,"3;11"\n2,3\n', labels="tags", separator=";")
    assert data.label_names == ["3", "11"]


def test_classes():
    data = read("a,y\n1,u\n2,v\n3,w\n", classes=True)
    assert data.labels[0].values == ("u", "v", "w")
    assert data.Y.tolist() == [[0], [1], [2]]


def test_an_identifier_is_noted():
    body = "".join(f"n{i},{i % 2}\n" for i in range(20))
    assert "looks like an identifier" in read("id,y\n" + body).notes[0]


def test_a_tab_separated_file():
    data = read("a\tb\ty\n1\tu,v\t1\n\t\t\n", tsv=True)
    assert data.columns[1].values == ("u,v",)
    assert data.Y.tolist() == [[1], [-1]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "t.csv: the file is empty; a header line of column names is expected"),
        ("\n\n", "t.csv: the file is empty"),
        ("a,y\n", "t.csv: there is a header and no row of data"),
        ("1,2.5,0\n3,4,1\n", "t.csv:1:1: the first line holds only numbers, and a header line of"),
        ("a;b;y\n1;2;0\n", "t.csv:1:2: the header holds no comma and 2 times ';', so the cells"),
        ("a\ty\n1\t0\n", "t.csv:1:2: the header holds no comma and 1 times '\\t', so the cells"),
        ("a,,y\n1,2,3\n", "t.csv:1:3: column 2 has no name in the header (an index that pandas"),
        ("a,a,y\n1,2,3\n", "t.csv:1:3: two columns are named 'a'; rename one"),
        ("a,y\n1,1\n2\n", "t.csv:3: this row has 1 cell and the header has 2: give it 2, or"),
        ("a,y\n1,1\n2,0,7\n", "t.csv:3:5: this row has 3 cells and the header has 2"),
        ("a,b,y\n1,x,1\n\n2,0,7,\n", "t.csv:4:7: this row has 4 cells and the header has 3"),
        ("a,y\n1e400,1\n", "t.csv:2:1: column 'a' holds 1e400, which is infinite or beyond"),
        ("a,b,y\n1,2,0\n1,-inf,1\n", "t.csv:3:3: column 'b' holds -inf, which is infinite"),
        ('a,y\n"x,1\n2,0\n', "t.csv:2:1: this quote is never closed"),
        ('a,y\n1,0\n"x"z,1\n', "t.csv:3:4: 'z,1' follows a closing quote, where a comma or the"),
        ('a,y\n5" disk,1\n', "t.csv:2:2: a quote in the middle of the cell '5\" disk': quote the"),
        (b"a,y\n1,0\n\xe9,1\n", "t.csv:3:1: byte 0xe9 is not utf-8 text; say which one it is, for"),
        ("a,y\n1,2\n2,3\n", "t.csv: the label 'y' has the values {2, 3}"),
        ("a\x1b[2J,a\x1b[2J,y\n1,2,0\n", r"two columns are named 'a\\x1b[2J'"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text, says):
    with pytest.raises(DataError) as caught:
        read(text, labels="last:1")
    assert says in str(caught.value)


def test_another_encoding():
    assert read("é,y\nü,1\nà,0\n".encode("latin-1"), encoding="latin-1").feature_names == ["é"]


def test_no_labels_known():
    with pytest.raises(UsageError, match="no label columns are known"):
        read("a,y\n1,0\n", labels=None)


@pytest.mark.parametrize("name", ["max_cells"])
def test_limits(name):
    with pytest.raises(DataError, match=f"raise it with --limit {name}="):
        read("a,y\n1,0\n2,1\n", limits=replace(Limits(), **{name: 1}))


def test_weights_and_equal_names_cannot_be_written():
    dataset = from_arrays([[1.0], [2]], [[1], [0]], sample_weight=[1, 2])
    with pytest.raises(DataError, match="the rows have weights, which CSV cannot hold: write"):
        written(dataset)
    dataset = from_arrays([[1.0], [2]], [[1], [0]], feature_names=["a"], label_names=["a"])
    with pytest.raises(DataError, match="two columns are named 'a', which CSV cannot hold"):
        written(dataset)


def test_a_million_numbers_are_read_as_they_were_written():
    rng = np.random.default_rng(0)
    X = rng.random((2000, 500)).round(6)
    content = written(from_arrays(X, (X[:, :3] > 0.5).astype(int)))
    data = read(content, labels="last:3")
    np.testing.assert_array_equal(data.X, X)


@given(st.text(alphabet='ay1,"\n\r\t ;?.é\x00', max_size=40))
def test_whatever_the_text_it_is_data_or_a_sentence(text):
    data, message = outcome(read, "a,b,y\n" + text)
    assert data is not None or message.startswith("t.csv")


COMMA = 'a;b;w;y\n1,5;x,1;2.5;1\n2;y;1,25;0\n-3e1;?;"0,5";1\n'


def rows(n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3)).round(3)
    lines = [f"{a};{b};{c};w{i % 3};{i % 2}" for i, (a, b, c) in enumerate(X.tolist())]
    return "\n".join(["a;b;c;w;y", *lines, ""])


def test_a_decimal_comma_is_read_with_any_other_delimiter():
    data = read(COMMA, delimiter=";", decimal=",")
    assert data.X[:, 0].tolist() == [1.5, 2, -30]
    assert [column.values for column in data.columns[1:]] == [("x,1", "y"), ("0,5", "1,25", "2.5")]
    tabs = read(COMMA.replace(";", "\t"), tsv=True, decimal=",")
    np.testing.assert_array_equal(tabs.X, data.X)
    with pytest.raises(UsageError, match="the comma is both between the cells and in the numbers"):
        read("a,y\n1,0\n", decimal=",")


@pytest.mark.parametrize("word", ["w", "w.", "w,"])
def test_large_files_take_the_same_signs(word):
    point = rows(2000).replace(";w0", f";{word}0")
    comma = "".join(
        line if k == 0 else re.sub(r"(\d)\.(\d)", r"\1,\2", line)
        for k, line in enumerate(point.splitlines(keepends=True))
    )
    assert_same(read(comma, delimiter=";", decimal=","), read(point, delimiter=";"))
    assert_same(read(point, delimiter=";"), read(point.replace(";", "\t"), tsv=True))


@pytest.mark.parametrize("text", ["ab", "1", '"', "é", "-", "\n"])
def test_what_no_delimiter_can_be(text):
    with pytest.raises(UsageError, match="delimiter is one character that no number is written"):
        delimiter_of(text)


@pytest.mark.parametrize("names", [("\ufeffa", "a"), ("a", "\ufeffb"), ("\ufeffa", "b")])
def test_a_name_that_begins_with_a_byte_order_mark_comes_back(tmp_path, names):
    data = from_arrays(np.arange(12.0).reshape(6, 2), [[0], [1]] * 3, feature_names=names)
    mlfs.data.write(data, tmp_path / "x.csv")
    assert tuple(mlfs.data.read(tmp_path / "x.csv").feature_names) == names


def test_a_column_without_a_name_is_not_written(tmp_path):
    data = from_arrays(np.arange(12.0).reshape(6, 2), [[0], [1]] * 3, feature_names=("b", ""))
    with pytest.raises(DataError, match="column 2 has no name, which a CSV file cannot hold"):
        mlfs.data.write(data, tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("write", "example"),
    [
        (lambda k: f'"{1000 + k:,}"', "1,000"),
        (lambda k: f"{k} {('GB', 'MB')[k % 2]}", "0 GB' and '1 MB"),
        (hex, "0x0"),
        (lambda k: f'"{k}{".,"[k % 2]}5"', "0.5' and '1,5"),
    ],
    ids=["thousands", "two units", "hex", "two decimal signs"],
)
def test_numbers_that_cannot_be_read_are_told(write: Any, example: str) -> None:
    rows = "".join(f"{write(k)},{k % 2}\n" for k in range(30))
    data = mlfs_read(f"x,y\n{rows}")
    (note,) = [note for note in data.notes if "look like numbers" in note]
    assert re.search(rf"'x' is nominal with 30 values, .*such as '{example}", note)


def mlfs_read(text: str) -> Dataset:
    """A CSV file as `mlfs.read` gives it."""
    data = delimited.read(text.encode(), "t.csv", Request(labels="y"))
    return with_written_numbers(data, "read")


def test_a_few_words_among_numbers_are_told_with_their_first_row() -> None:
    cells = [str(k / 4) for k in range(40)]
    cells[16] = cells[30] = "lost"
    rows = "".join(f"{cell},{k % 2}\n" for k, cell in enumerate(cells))
    data = mlfs_read(f"x,y\n{rows}")
    (note,) = [note for note in data.notes if "all numbers but" in note]
    assert "all numbers but 'lost' (in 2 rows, first in row 17)" in note
    words = "".join(f"word{k},{k % 2}\n" for k in range(30))
    plain = mlfs_read(f"x,y\n{words}")
    assert not any("numbers" in note for note in plain.notes)


def test_one_word_among_numbers_is_named_whatever_their_signs():
    numbers = "".join(f"{value / 7:.3f},{value % 2}\n" for value in range(-40, 40))
    dataset = mlfs_read(f"a,y\n{numbers}broken,1\n")
    assert any("all numbers but 'broken' (in 1 row, first in row 81)" in n for n in dataset.notes)
