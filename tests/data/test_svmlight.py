import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlfs.data import svmlight
from mlfs.data.arrays import from_arrays
from mlfs.data.request import Limits, Request
from mlfs.errors import DataError, UsageError
from tests.any_dataset import assert_same, datasets, dense, outcome


def read(text, **options):
    content = text if isinstance(text, bytes) else text.encode()
    return svmlight.read(content, "t.svm", Request(**options))


def written(dataset):
    out = io.BytesIO()
    svmlight.write(dataset, out)
    return out.getvalue()


@given(datasets(missing=False))
def test_everything_reads_back_equal(dataset):
    back = read(written(dataset))
    assert_same(dataset, back)
    assert back.is_sparse


@given(datasets(missing=False, nominal=False))
def test_without_the_note_it_reads_back_up_to_what_never_occurs(dataset):
    whole = dense(dataset.X)
    if not whole.any():
        return
    back = read(written(dataset).split(b"\n", 1)[1])
    n, d, _ = back.shape
    assert n == dataset.shape[0]
    np.testing.assert_array_equal(back.X.toarray(), whole[:, :d])
    assert not whole[:, d:].any()


def test_scikit_learn_reads_what_we_write():
    from sklearn.datasets import load_svmlight_file

    dataset = from_arrays([[0.5, 0, 1], [0, 2, 0.25]], [{"a", "b"}, {"b"}])
    X, y = load_svmlight_file(io.BytesIO(written(dataset)), multilabel=True)
    np.testing.assert_array_equal(X.toarray(), dataset.X)
    assert y == [(0, 1), (1,)]


def test_labels_are_the_ids_present_in_the_order_of_their_numbers():
    data = read("10,5 3:0.5 7:1 # a comment\n 1:2\n1 2:1\n\t\n")
    assert data.label_names == ["1", "5", "10"]
    assert data.Y.toarray().tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert data.feature_names == [f"x{j}" for j in range(1, 8)]
    assert data.X.shape == (4, 7)
    assert data.notes == ("indices count from one in this file",)


def test_an_index_zero_anywhere_means_counting_from_zero():
    data = read("1 2:1\n2 0:3 2:1\n")
    assert data.feature_names == ["x0", "x1", "x2"]
    assert data.notes == ("indices count from zero in this file",)


@pytest.mark.parametrize(
    "text", ["\ufeff1 1:2\n", "1 1:2\r\n", "1 1:2", "# c\n\n1 1:2\n", "1 1:2 #\n", "1.0 1:2"]
)
def test_ways_to_write_the_same(text):
    data = read(text)
    assert (data.X.toarray().tolist(), data.label_names) == ([[2.0]], ["1"])


def test_indices_in_any_order():
    assert read("1 3:3 1:1 2:2\n").X.toarray().tolist() == [[1, 2, 3]]


def test_a_row_may_start_with_a_feature():
    assert read("1:1 2:2\n4 1:1\n").Y.toarray().tolist() == [[0], [1]]


def test_qid_is_skipped_and_a_note_says_so():
    data = read("1 qid:3 1:2\n")
    assert data.X.toarray().tolist() == [[2]]
    assert "qid: entries are skipped" in data.notes


def test_plus_and_minus_one_are_one_binary_label():
    data = read("+1 1:2\n-1 1:3\n")
    assert data.Y.toarray().tolist() == [[1], [0]]
    assert data.labels[0].values == ("0", "1")


def test_classes_if_asked_for():
    data = read("3 1:2\n1 1:3\n2 1:1\n", classes=True)
    assert (data.Y.tolist(), data.labels[0].values) == ([[2], [0], [1]], ("1", "2", "3"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "t.svm: the file holds no row; a row is written as 1,5,10 3:0.5 7:1"),
        ("# only\n", "t.svm: the file holds no row"),
        ("1\n2\n", "t.svm: no row holds a feature"),
        ("1 1:1\n2 2:x\n", "t.svm:2:5: 'x' is not a number"),
        ("1 1:1 1:2\n", "t.svm:1: the index 1 is there twice in this row"),
        ("2 4:1\n1 3:1 2:1 3:4\n", "t.svm:2: the index 3 is there twice in this row"),
        ("1 1:nan\n", "t.svm:1:5: nan cannot be used as a value; this format has no missing"),
        ("1 1:inf\n", "t.svm:1:5: inf cannot be used"),
        ("1 1:1e999\n", "t.svm:1:5: 1e999 cannot be used"),
        ("1 1:1_0\n", "t.svm:1:5: '1_0' is not a number"),
        ("1 -1:2\n", "t.svm:1:3: '-1' is not the index of a feature, a whole number from 0"),
        ("1 1.5:2\n", "t.svm:1:3: '1.5' is not the index"),
        ("1 a:2\n", "t.svm:1:3: 'a' is not the index"),
        ("1 :2\n", "t.svm:1:3: '' is not the index"),
        ("1 1:\n", "t.svm:1:5: '' is not a number"),
        ("1 1:2:3\n", "t.svm:1:5: '2:3' is not a number"),
        ("1 1:2:3 4 5:6\n", "t.svm:1:5: '2:3' is not a number"),
        ("1, 5 1:2\n", "t.svm:1:3: '' is not a label id; labels are whole numbers of at most 18"),
        ("1 5 1:2\n", "t.svm:1:3: '5' is not index:value (a blank inside the list of labels?)"),
        ("a 1:2\n", "t.svm:1:1: 'a' is not a label id"),
        ("1.5 1:2\n", "t.svm:1:1: '1.5' is not a label id"),
        ("1,-5 1:2\n", "t.svm:1: -5 is not a label id, a whole number from 0"),
        ("1 99999999:1\n", "t.svm: 25600000000 cells (a feature or label of a sparse table"),
        ("1 1:1 " + "9" * 30 + ":1\n", "t.svm:1:7: the index 9999999999999999999 is too large"),
        ("9" * 30 + " 1:1\n", "is not a label id; labels are whole numbers of at most 18 digits"),
        ("# mlfs {]\n1 1:1\n", "t.svm:1: the note '# mlfs' about the columns is not what mlfs"),
        ("1 \x1b[31m:2\n", r"t.svm:1:3: '\\x1b[31m' is not the index"),
        (b"1 1:1\n\xff 1:1\n", "t.svm:2:1: byte 0xff is not utf-8 text"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text, says):
    with pytest.raises(DataError) as caught:
        read(text)
    assert says in str(caught.value)


NOTE = '# mlfs {"features": ["a"], "nominal": {}, "labels": ["l"], "values": {}}\n'


@pytest.mark.parametrize("row", ["0 2:1\n", "0 0:1\n", "3 1:1\n"])
def test_rows_that_the_note_does_not_allow(row):
    with pytest.raises(DataError, match="note"):
        read(NOTE + row)


def test_no_labels_option_for_it_unless_it_says_the_same():
    assert read("1,2 1:1\n", labels=["1", "2"]).shape == (1, 1, 2)
    with pytest.raises(UsageError, match="an svmlight file holds its labels itself"):
        read("1,2 1:1\n", labels="first:1")


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
    with pytest.raises(DataError, match=f"{says}, which an svmlight file cannot hold: write .arff"):
        written(dataset)


@pytest.mark.parametrize("name", ["max_cells"])
def test_limits(name):
    with pytest.raises(DataError, match=f"raise it with --limit {name}="):
        read("1,2 2:1\n1 1:1\n", limits=replace(Limits(), **{name: 1}))


@given(st.text(alphabet="0123456789:,. #-+eqidna\n\r\t_x\x00é", max_size=60))
def test_whatever_the_text_it_is_data_or_a_sentence(text):
    data, message = outcome(read, text)
    if data is None:
        assert message.startswith("t.svm")
    else:
        assert np.isfinite(data.X.data).all()
