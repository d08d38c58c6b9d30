import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlfs.data.arrays import from_arrays
from mlfs.data.request import Limits, Request
from mlfs.data.svmlight import read_xmc, write_xmc
from mlfs.errors import DataError
from tests.any_dataset import assert_same, datasets, outcome


def read(text, **options):
    content = text if isinstance(text, bytes) else text.encode()
    return read_xmc(content, "t.txt", Request(**options))


def written(dataset):
    out = io.BytesIO()
    write_xmc(dataset, out)
    return out.getvalue()


@given(datasets(missing=False))
def test_x_and_y_read_back_equal(dataset):
    back = read(written(dataset))
    assert_same(dataset, back, names=False, kinds=False)
    assert back.shape == dataset.shape


def test_default_names_read_back_equal():
    dataset = from_arrays([[0.5, 0], [0, 0]], [[0, 1], [0, 0]])
    assert_same(dataset, read(written(dataset)))


@pytest.mark.parametrize(
    "text",
    [
        "2 3 4\n0,3 0:0.5 2:1\n 1:1\n",
        "2 3 4\r\n0,3 0:0.5 2:1\r\n 1:1\r\n\r\n",
        "\ufeff2 3 4\n3,0 2:1 0:0.5\n1:1",
    ],
)
def test_ways_to_write_the_same(text):
    data = read(text)
    assert data.X.toarray().tolist() == [[0.5, 0, 1], [0, 1, 0]]
    assert data.Y.toarray().tolist() == [[1, 0, 0, 1], [0, 0, 0, 0]]


def test_rows_without_anything_are_kept():
    assert read("3 1 1\n0 0:1\n\n\n").shape == (3, 1, 1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "t.txt:1:1: the first line is ''; expected N D L: the numbers of rows, features and"),
        ("1 2\n", "t.txt:1:1: the first line is '1 2'; expected N D L"),
        ("1 2 -3\n", "t.txt:1:1: the first line is '1 2 -3'; expected N D L"),
        ("2 3 4\n0 0:1\n", "t.txt:3: the first line says 2 rows and 1 follow"),
        ("1 3 4\n0 0:1\n1 1:1\n", "t.txt:3: the first line says 1 row and 2 follow"),
        ("1 3 4\n0 3:1\n", "t.txt:2: the first line says 3 features, counted from 0, and this row"),
        ("3 3 4\n1 0:1\n0 7:0 8:0\n1 9:0\n", "t.txt:4: the first line says 3 features"),
        ("1 3 4\n0,4 1:1\n", "t.txt:2:1: the first line says 4 labels, counted from 0, and this"),
        ("1 3 4\n-1 1:1\n", "t.txt:2:1: the first line says 4 labels"),
        ("1 3 4\n0 1:x\n", "t.txt:2:5: 'x' is not a number"),
        ("1 3 4\n0 1:nan\n", "t.txt:2:5: nan cannot be used"),
        ("1 3 4\n0 1:1 1:1\n", "t.txt:2: the index 1 is there twice"),
        ("0 3 4\n", "t.txt:1: the first line says 0 rows and 3 features"),
        (
            "1 99999999 1\n0 0:1\n",
            "t.txt: 25600000000 cells (a feature or label of a",
        ),
        ("1 2 99999999\n0 0:1\n", "raise it with --limit max_cells=25600000256"),
        ("999999999999 2 1\n0 0:1\n", "the first line says 999,999,999,999 rows and 1 follow"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text, says):
    with pytest.raises(DataError) as caught:
        read(text)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("dataset", "says"),
    [
        (from_arrays([[1.0], [np.nan]], [[1], [0]]), "X has missing values"),
        (from_arrays([[1.0], [2]], [[1], [np.nan]]), "Y has missing labels"),
        (from_arrays([[1.0], [2], [3]], ["a", "b", "c"]), "Y has labels of several classes"),
        (from_arrays([[1.0], [2]], [[1], [0]], sample_weight=[1, 2]), "the rows have weights"),
    ],
)
def test_what_cannot_be_written_is_said(dataset, says):
    with pytest.raises(DataError, match=f"{says}, which an XMC file cannot hold: write .arff"):
        written(dataset)


@pytest.mark.parametrize("name", ["max_cells"])
def test_limits(name):
    with pytest.raises(DataError, match=f"raise it with --limit {name}="):
        read("2 2 2\n1,1 1:1\n0 1:1\n", limits=replace(Limits(), **{name: 1}))


@given(st.text(alphabet="01234:, \n\r\tx", max_size=40))
def test_whatever_the_text_it_is_data_or_a_sentence(text):
    data, message = outcome(read, "2 3 4\n" + text)
    assert data is not None or message.startswith("t.txt")
