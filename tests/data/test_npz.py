import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

from mlfs.data import npz
from mlfs.data.arrays import from_arrays
from mlfs.data.request import Limits, Request
from mlfs.errors import DataError, UsageError
from tests.any_dataset import assert_same, datasets


def save(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def written(dataset):
    out = io.BytesIO()
    npz.write(dataset, out)
    return out.getvalue()


def read(content, **options):
    return npz.read(content, "t.npz", Request(**options))


X = np.array([[0.5, 1.0], [2.0, 0.0], [0.0, 3.0]])
Y = np.array([[1, 0], [0, 1], [1, 1]])
S = sp.csr_array(X)


@given(datasets(classes=True))
def test_everything_reads_back_equal(dataset):
    back = read(written(dataset))
    assert_same(dataset, back)
    assert back.is_sparse == dataset.is_sparse


def test_weights_read_back_equal():
    dataset = from_arrays(X, Y, sample_weight=[1, 0.5, 2])
    assert_same(dataset, read(written(dataset)))


def test_written_twice_is_the_same_bytes():
    assert written(from_arrays(X, Y)) == written(from_arrays(X, Y))


@pytest.mark.parametrize("data", [True, False])
def test_the_parts_of_a_csr_matrix(data):
    parts = {"X_indices": S.indices, "X_indptr": S.indptr, "X_shape": np.array(S.shape)}
    if data:
        parts["X_data"] = S.data
    found = read(save(Y=Y, **parts))
    assert found.is_sparse
    expected = X if data else (X != 0).astype(float)
    np.testing.assert_array_equal(found.X.toarray(), expected)


def test_text_in_x_is_nominal_and_labels_may_be_minus_one():
    found = read(save(X=np.array([["b"], ["a"]]), Y=np.array([[1, -1], [-1, -1]])))
    assert found.columns[0].values == ("a", "b")
    assert found.Y.tolist() == [[1, 0], [0, 0]]


def test_labels_said_again_are_accepted_if_they_are_the_same():
    assert read(save(X=X, Y=Y), labels="last:2").label_names == ["y0", "y1"]
    with pytest.raises(UsageError, match="npz file holds its labels itself; leave labels out"):
        read(save(X=X, Y=Y), labels="x0")


def zipped(**entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(f"{name}.npy", content)
    return out.getvalue()


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def huge():
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**9)}
    )
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "this is no npz (zip) file; write one with numpy.savez(file, X=X, Y=Y)"),
        (npy(X), "this is one .npy array; write one with"),
        (save(X=X, Y=Y)[:-40], "this is no npz (zip) file"),
        (save(), "there is no array X"),
        (save(X=X), "there is no array Y (nor Y_data, Y_indices, Y_indptr, Y_shape); the file"),
        (save(X=X, Y=Y[:2]), "X has 3 rows and Y has 2"),
        (save(X=np.array([[1, "a"]], dtype=object), Y=Y[:1]), "holds Python objects (a pickle)"),
        (save(X=X, Y=Y, feature_names=np.array(["a", 1], dtype=object)), "(a pickle)"),
        (save(X=np.array([[np.inf]]), Y=[[1]]), "column 'x0' holds inf in row 1"),
        (save(X=np.float64(3), Y=[1]), "the array X is a single value"),
        (save(X=X, X_indptr=S.indptr, Y=Y), "X is there dense and as X_indptr; keep one"),
        (save(X_indptr=S.indptr, X_shape=[3, 2], Y=Y), "X_indices of a CSR matrix is missing"),
        (
            save(X_indptr=S.indptr, X_indices=S.indices + 9, X_shape=[3, 2], Y=Y),
            "do not make a CSR matrix",
        ),
        (
            save(X_indptr=[0, 9, 1, 0], X_indices=S.indices[:0], X_shape=[3, 2], Y=Y),
            "indptr must be a non-decreasing sequence",
        ),
        (
            save(X_indptr=[0, 9, 1, 2], X_indices=S.indices, X_shape=[3, 2], Y=Y),
            "do not make a CSR matrix",
        ),
        (zipped(X=huge(), Y=npy(Y)), "the array X cannot be read"),
        (zipped(X=b"\x93NUMPY\x01\x00\xff\xff{", Y=npy(Y)), "the array X cannot be read"),
        (zipped(X=b"nothing", Y=npy(Y)), "the array X cannot be read"),
        (save(X=X, Y=Y, feature_names=np.array(["a"])), "1 feature names were given and X has 2"),
        (
            save(X=X, Y=Y, label_columns=np.array([0, 7]), label_values=np.array(["a", "b"])),
            "label_columns names a column that is not there",
        ),
        (
            save(X=X, Y=Y, nominal_columns=np.array([0]), nominal_values=np.array(["a"])),
            "the nominal column 'x0' has 1 values and X holds the position 0.5",
        ),
    ],
)
def test_what_cannot_be_read_is_said(content, says):
    with pytest.raises(DataError) as caught:
        read(content)
    assert str(caught.value).startswith("t.npz: ")
    assert says in str(caught.value)


def test_one_sparse_matrix_of_scipy_lacks_y():
    out = io.BytesIO()
    sp.save_npz(out, S)
    with pytest.raises(DataError, match=r"scipy.sparse.save_npz, so Y is missing; save both"):
        read(out.getvalue())


def test_a_zip_bomb_is_refused_before_it_is_unpacked():
    content = zipped(X=npy(np.zeros((1000, 1000))), Y=npy(np.zeros((1000, 1))))
    assert len(content) < 50_000
    with pytest.raises(DataError, match="unpacked bytes are more than the limit of 100000; raise"):
        read(content, limits=Limits(max_decompressed=100_000))


@pytest.mark.parametrize("name", ["max_cells", "max_decompressed"])
def test_limits(name):
    with pytest.raises(DataError, match=f"raise it with --limit {name}="):
        read(save(X=X, Y=Y), limits=replace(Limits(), **{name: 1}))
