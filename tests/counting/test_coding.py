"""Coded tables: what goes in comes out, by column, and by row."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.counting.anchor import Anchor, ColumnAnchor
from mlfs.counting.codes import Codes
from mlfs.counting.label_columns import code_labels, with_masks
from mlfs.discretize import coded, learn


def matrix(seed, missing=0.15):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, [1, 2, 3, 9, 4], (25, 5))
    X[:, 3] *= rng.random(25) < 0.2
    X[rng.random(X.shape) < missing] = -1
    return X


def restored(codes):
    """The matrix that was coded: the missing level is -1 again."""
    columns = [codes.column(j) for j in range(len(codes))]
    return np.stack(
        [
            np.where(column == gone, -1, column) if gone >= 0 else column
            for column, gone in zip(columns, codes.missing.tolist(), strict=True)
        ],
        axis=1,
    )


def check_form(codes):
    """Rows ascend, nothing stored is the base, and codes are below levels."""
    assert codes.indptr[0] == 0
    assert codes.indptr[-1] == codes.rows.size == codes.codes.size
    for j in range(len(codes)):
        rows, values = codes.entries(j)
        assert (np.diff(rows) > 0).all()
        assert (values != codes.mode[j]).all()
        assert ((values >= 0) & (values < codes.levels[j])).all()
        if codes.missing[j] >= 0:
            assert codes.missing[j] == codes.levels[j] - 1


@pytest.mark.parametrize("seed", range(4))
def test_a_matrix_survives(seed):
    X = matrix(seed)
    codes = Codes.from_dense(X)
    check_form(codes)
    np.testing.assert_array_equal(restored(codes), X)
    assert len(codes) == 5
    assert codes.n_rows == 25


@pytest.mark.parametrize("seed", range(4))
def test_the_base_is_the_most_frequent_code(seed):
    X = matrix(seed, missing=0)
    codes = Codes.from_dense(X)
    assert codes.mode.tolist() == [int(np.bincount(column).argmax()) for column in X.T]
    assert (codes.missing == -1).all()
    assert codes.levels.tolist() == [int(column.max()) + 1 for column in X.T]


def test_odd_columns():
    codes = Codes.from_dense(np.array([[-1, 0, 7], [-1, 0, 7]]))
    check_form(codes)
    assert codes.levels.tolist() == [2, 1, 8]
    assert codes.missing.tolist() == [1, -1, -1]
    assert codes.mode.tolist() == [1, 0, 7]
    assert codes.valid(ignore_missing=True).tolist() == [1, 1, 8]
    assert codes.valid(ignore_missing=False).tolist() == [2, 1, 8]
    assert codes.rows.size == 0


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (1, 1)])
def test_odd_shapes(shape):
    codes = Codes.from_dense(np.zeros(shape, int))
    check_form(codes)
    assert (codes.n_rows, len(codes)) == shape
    assert len(with_masks(codes)[0]) == shape[1]


def test_codes_that_are_no_codes_are_refused():
    with pytest.raises(ValueError, match=r"-2|negative"):
        Codes.from_dense([[-2], [0]])
    with pytest.raises(ValueError, match=r"matrix|2-D|two dimensions|not enough values"):
        Codes.from_dense([0, 1])


@pytest.mark.parametrize("seed", range(4))
def test_masks_tell_where_labels_are_missing(seed):
    X = matrix(seed)
    X[:, 1], X[:, 2] = np.where(X[:, 4] < 0, -1, 1), np.where(X[:, 4] < 0, -1, 0)
    X[:, 0] = 0
    codes, mask_of = with_masks(Codes.from_dense(X))
    check_form(codes)
    assert mask_of[0] == -1
    assert mask_of[1] == mask_of[2] == mask_of[4] != mask_of[3]
    assert len(codes) == 5 + len(set(mask_of[mask_of >= 0].tolist()))
    np.testing.assert_array_equal(restored(codes)[:, :5], X)
    for j, at in enumerate(mask_of.tolist()):
        if at >= 0:
            np.testing.assert_array_equal(codes.column(at) == codes.missing[at], X[:, j] < 0)


def test_masks_of_labels_that_are_missing_mostly_or_always():
    X = np.array([[-1, -1], [-1, -1], [-1, 1]])
    codes, mask_of = with_masks(Codes.from_dense(X))
    check_form(codes)
    assert codes.column(int(mask_of[0])).tolist() == [1, 1, 1]
    assert codes.column(int(mask_of[1])).tolist() == [1, 1, 0]


def test_without_missing_values_there_are_no_masks():
    codes = Codes.from_dense([[0, 1], [1, 1]])
    same, mask_of = with_masks(codes)
    assert same is codes
    assert mask_of.tolist() == [-1, -1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array, sp.coo_array])
def test_labels_dense_and_sparse(seed, form):
    rng = np.random.default_rng(seed)
    Y = rng.integers(-1, [2, 3, 1], (20, 3)).astype(np.int8)
    Y[:, 2] = 0
    codes = code_labels(form(Y), [2, 3, 2])
    check_form(codes)
    np.testing.assert_array_equal(restored(codes), Y)
    assert codes.levels.tolist() == [3, 4, 2]
    assert codes.missing.tolist() == [2, 3, -1]


def test_labels_with_stored_zeros():
    Y = sp.csr_array((np.array([0, 1, -1], np.int8), ([0, 1, 2], [0, 0, 0])), shape=(4, 1))
    codes = code_labels(Y, [2])
    check_form(codes)
    assert restored(codes).ravel().tolist() == [0, 1, -1, 0]


def test_shuffling_keeps_rows_together():
    X = matrix(0, missing=0.3)
    X = np.hstack([X, X])
    codes = with_masks(Codes.from_dense(X))[0]
    order = np.random.default_rng(1).permutation(codes.n_rows)
    before, after = restored(codes), restored(codes.moved(order))
    assert not np.array_equal(before, after)
    assert sorted(map(tuple, before.tolist())) == sorted(map(tuple, after.tolist()))


def test_columns_of_two_levels_need_no_codes():
    X = sp.random_array((300, 90), density=0.1, format="csr", rng=np.random.default_rng(3))
    X.data[:] = 1
    X = sp.csr_array(sp.hstack([X, np.zeros((300, 1))]))  # a constant column needs none either
    data = mlfs.data.from_arrays(X, np.ones((300, 1), int))
    found = coded(data.table, learn(data))
    assert not found.has_codes
    check_form(found)
    other = Codes.from_dense(X.toarray())
    np.testing.assert_array_equal(restored(found), restored(other))
    for columns in ([3, 4, 5], [90, 1, 40], list(range(90, 0, -1)), []):
        some, same = (codes.take(np.array(columns, int)) for codes in (found, other))
        assert not some.has_codes
        np.testing.assert_array_equal(some.codes, same.codes)
        for one, two in zip(some.by_row(0, len(some)), same.by_row(0, len(same)), strict=True):
            np.testing.assert_array_equal(one, two)
    beside = found.beside(other)
    np.testing.assert_array_equal(restored(beside), np.hstack([restored(other)] * 2))


@pytest.mark.parametrize("levels", [1, 2, 4, 12])
def test_a_column_given_in_full_is_the_anchor_that_its_codes_are(levels):
    generator = np.random.default_rng(levels)
    column = generator.integers(0, levels, 150)
    column[:levels] = range(levels)
    codes = Codes.from_dense(column[:, None])
    mode, n = int(codes.mode[0]), np.bincount(column)
    one, two = Anchor(codes, 0, levels, n), ColumnAnchor(column, mode, levels, levels, n)
    for name in ("rows", "row_cells", "codes", "all_cells", "planes", "non_mode"):
        own, other = np.asarray(getattr(one, name)), np.asarray(getattr(two, name))
        assert own.dtype == other.dtype
        np.testing.assert_array_equal(own, other)
