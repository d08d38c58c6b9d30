import csv
import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given

from mlfs.data import mat
from mlfs.data.arrays import from_arrays
from mlfs.data.request import Limits, Request
from mlfs.errors import DataError
from tests.any_dataset import assert_same, datasets, dense, outcome
from tests.shared import shared_data

X = np.array([[0.5, 1.0], [2.0, 0.0], [0.0, 3.0]])
Y = np.array([[1, 0], [0, 1], [1, 1]])
FILES = [
    ("emotions", "emotions.mat"),
    ("yahoo-arts", "yahoo-arts-5000-top2pct.mat"),
    ("rcv1subset1", "rcv1subset1.mat"),
]


def save(**variables):
    out = io.BytesIO()
    scipy.io.savemat(out, variables)
    return out.getvalue()


def read(content, **options):
    return mat.read(content, "t.mat", Request(**options))


def written(dataset):
    out = io.BytesIO()
    mat.write(dataset, out)
    return out.getvalue()


@given(datasets(classes=True))
def test_everything_reads_back_equal(dataset):
    back = read(written(dataset))
    assert_same(dataset, back)
    assert back.is_sparse == dataset.is_sparse


def test_weights_read_back_equal():
    dataset = from_arrays(X, Y, sample_weight=[1, 0.5, 2])
    assert_same(dataset, read(written(dataset)))


@pytest.mark.parametrize("data", [X, sp.csc_matrix(X)])
@pytest.mark.parametrize("target", [Y, Y.T, 2.0 * Y.T - 1, sp.csc_matrix(Y.T)])
def test_either_way_round(data, target):
    found = read(save(data=data, target=target))
    np.testing.assert_array_equal(dense(found.X), X)
    np.testing.assert_array_equal(dense(found.Y), Y)
    assert found.is_sparse == sp.issparse(data)


def test_data_that_only_fits_turned_is_turned_and_a_note_says_so():
    found = read(save(data=np.arange(10.0).reshape(2, 5), target=np.ones((5, 3))))
    assert found.shape == (5, 2, 3)
    assert "data is D x N in this file and was transposed" in found.notes


def test_a_square_target_is_labels_by_rows_and_a_note_says_so():
    found = read(save(data=X, target=np.array([[1, 1, 1], [0, 0, 0], [0, 1, 0]])))
    assert found.Y.tolist() == [[1, 0, 0], [1, 0, 1], [1, 0, 0]]
    assert any("square" in note for note in found.notes)


def test_train_then_test_and_what_is_not_read():
    found = read(
        save(train_data=X, train_target=Y.T, test_data=X[:1], test_target=Y[:1].T, name="n")
    )
    np.testing.assert_array_equal(found.X, np.vstack([X, X[:1]]))
    np.testing.assert_array_equal(found.Y, np.vstack([Y, Y[:1]]))
    assert found.notes == (
        "rows: 3 of train_data, then 1 of test_data",
        "not read from the file: name",
    )


@pytest.mark.parametrize(("name", "file"), FILES)
def test_the_real_files_are_as_the_catalogue_says(name, file):
    content = shared_data(f"{name}/{file}").read_bytes()
    with shared_data("CATALOGUE.tsv").open(encoding="utf-8") as stream:
        row = next(r for r in csv.DictReader(stream, delimiter="\t") if r["files"] == file)
    data = mat.read(content, file, Request())
    n, d, q = data.shape
    assert [n, d, q] == [int(row[key]) for key in ("N", "d", "q")]
    assert f"{data.Y.sum() / n:.4f}" == row["cardinality"]
    assert len(np.unique(data.Y, axis=0)) == int(row["distinct_labelsets"])
    assert_same(data, mat.read(written(data), file, Request()))


HDF5 = (b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM").ljust(512) + b"\x89HDF\r\n\x1a\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "this is not a MATLAB file of version 4 to 7"),
        (b"x" * 500, "this is not a MATLAB file of version 4 to 7"),
        (HDF5, "MATLAB 7.3 file (HDF5), which is not read; save it in MATLAB with save('file.mat'"),
        (save(data=X, target=Y)[:-200], "this is not a MATLAB file of version 4 to 7"),
        (save(X=X, Y=Y), "the variables data and target (or train_data,"),
        (save(data=X), "of these the file holds: data"),
        (save(data=X, target=np.ones((4, 4))), "data is 3 x 2 and target 4 x 4; one side"),
        (save(data={"a": 1}, target=Y), "the variable data is of class struct; a matrix"),
        (save(data="text", target=Y), "the variable data is of class char; a matrix of numbers"),
        (save(data=X, target=np.array([[0, 1, 5]])), "label 'y0' holds 5 in row 3"),
        (save(data=X * 1j, target=Y), "complex"),
        (save(data=np.full((3, 1), np.inf), target=Y), "column 'x0' holds inf in row 1"),
        (save(data=X, target=Y, feature_names=["a"]), "feature_names holds 1 names for 2 columns"),
        (
            save(train_data=X, train_target=Y, test_data=X[:, :1], test_target=Y),
            "train has 2 features and 2 labels, test has 1 and 2; they must agree",
        ),
    ],
)
def test_what_cannot_be_read_is_said(content, says):
    with pytest.raises(DataError) as caught:
        read(content)
    assert str(caught.value).startswith("t.mat: ")
    assert says in str(caught.value)


def test_a_compressed_bomb_is_refused_before_it_is_unpacked():
    out = io.BytesIO()
    scipy.io.savemat(out, {"data": np.zeros((5000, 500)), "target": Y}, do_compression=True)
    content = out.getvalue()
    assert len(content) < 50_000
    with pytest.raises(DataError, match="unpacked bytes are more than the limit of 1000000"):
        read(content, limits=Limits(max_decompressed=1_000_000))


@pytest.mark.parametrize("seed", range(20))
def test_a_broken_file_is_a_sentence_and_never_a_crash(seed):
    content = bytearray(save(data=X, target=Y))
    rng = np.random.default_rng(seed)
    for place in rng.integers(128, len(content), size=4):
        content[place] = rng.integers(256)
    data, message = outcome(read, bytes(content))
    assert data is not None or message.startswith("t.mat")
