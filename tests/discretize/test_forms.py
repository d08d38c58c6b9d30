"""However a table is given, what is counted of it is the same integers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numba.core import config

import mlfs
from mlfs.api.prepared import prepare
from mlfs.counting.codes import Codes
from mlfs.data.arrays import from_arrays
from mlfs.data.bit_slices import slice_table
from mlfs.discretize import coded, learn

EXAMPLES = 5 if config.DISABLE_JIT else 25
SHAPES = st.tuples(st.integers(1, 140), st.integers(1, 70))
LEVELS = st.sampled_from([1, 2, 3, 8, 9, 16, 17, 200])


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    """Bytes of up to so many levels, column by column, few or many of them 0."""
    n_rows, d = draw(SHAPES)
    generator = np.random.default_rng(draw(st.integers(0, 1000)))
    levels = np.array(draw(st.lists(LEVELS, min_size=d, max_size=d)))
    share = generator.choice([0.05, 0.5, 1.0], d)
    values = generator.integers(0, levels, (n_rows, d))
    return np.where(generator.random((n_rows, d)) < share, values, 0).astype(np.uint8)


def forms(X: np.ndarray) -> dict[str, object]:
    wide = np.zeros((X.shape[0], 2 * X.shape[1]), np.uint8)
    wide[:, ::2] = X
    return {
        "bytes": X,
        "bytes by column": np.asfortranarray(X),
        "every other column": wide[:, ::2],
        "int64": X.astype(np.int64),
        "int16": X.astype(np.int16),
        "float64": X.astype(np.float64),
        "float64 by column": np.asfortranarray(X.astype(np.float64)),
        "float32": X.astype(np.float32),
        "csr": sp.csr_array(X),
        "csr of floats": sp.csr_array(X.astype(np.float64)),
        "csc": sp.csc_array(X),
        "coo": sp.coo_array(X),
        "lists": X.tolist(),
    }


def same_codes(one: Codes, other: Codes) -> None:
    for name in ("indptr", "rows", "codes", "mode", "levels", "missing", "counts", "non_mode"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


@settings(deadline=None, max_examples=EXAMPLES)
@given(tables())
def test_every_form_has_the_same_binnings_and_codes(X):
    Y = (np.arange(len(X)) % 3 == 0).astype(int)
    found = []
    for x in forms(X).values():
        data = from_arrays(x, Y)
        binnings = learn(data)
        found.append((binnings, coded(data.table, binnings)))
    for binnings, codes in found[1:]:
        assert binnings == found[0][0]
        same_codes(codes, found[0][1])
    binnings, codes = found[0]
    for j, binning in enumerate(binnings):
        full = binning.apply(X[:, j].astype(float))
        np.testing.assert_array_equal(codes.column(j), full)
        np.testing.assert_array_equal(
            codes.counts[codes.offsets[j] : codes.offsets[j + 1]],
            np.bincount(full, minlength=binning.n_levels),
        )


@settings(deadline=None, max_examples=EXAMPLES)
@given(tables(), st.floats(0, 0.5), st.booleans())
def test_missing_and_odd_values_are_seen(X, share, by_column):
    generator = np.random.default_rng(X.size)
    table = X.astype(float)
    table[generator.random(X.shape) < share / 2] = np.nan
    table[generator.random(X.shape) < share / 9] = 0.5
    bits = slice_table(np.asfortranarray(table) if by_column else table)
    for j, column in enumerate(table.T):
        whole = np.isnan(column) | np.isin(column, range(16))
        assert bits.small[j] == whole.all()
        if whole.all():
            known = column[~np.isnan(column)].astype(int)
            assert bits.counts[j, :16].tolist() == np.bincount(known, minlength=16).tolist()
            assert bits.counts[j, 16] == np.isnan(column).sum()


@settings(deadline=None, max_examples=EXAMPLES)
@given(arrays.arrays(np.float64, (40, 5), elements=st.sampled_from([0.0, 1, 2, 3, 0.5, np.nan])))
def test_dense_and_sparse_tables_have_the_same_codes(X):
    Y = (np.arange(40) % 2).astype(int)
    dense, sparse = from_arrays(X, Y), from_arrays(sp.csr_array(X), Y)
    binnings = learn(dense)
    assert learn(sparse) == binnings
    codes = coded(dense.table, binnings)
    same_codes(codes, coded(sparse.table, binnings))


@settings(deadline=None, max_examples=EXAMPLES)
@given(tables(), st.integers(0, 100))
def test_packed_and_listed_columns_answer_alike(X, seed):
    data = from_arrays(X, np.zeros(len(X), int))
    packed = coded(data.table, learn(data))
    assume(packed.packed is not None)  # one great number fills no plane
    listed = Codes(
        packed.n_rows,
        packed.indptr,
        packed.rows,
        packed.codes,
        packed.mode,
        packed.levels,
        packed.missing,
    )
    same_codes(packed, listed)
    order = np.random.default_rng(seed).permutation(len(packed))[: 1 + seed % len(packed)]
    a, b = 0, 1 + seed % len(order)
    pairs = [
        (packed, listed),
        (packed.take(order), listed.take(order)),
        (packed.beside(listed), listed.beside(packed)),
        (
            packed.take(order).beside(packed),
            listed.beside(listed).take(
                np.concatenate([order, len(packed) + np.arange(len(packed))])
            ),
        ),
    ]
    for one, other in pairs:
        same_codes(one, other)
        for left, right in zip(one.by_row(a, b), other.by_row(a, b), strict=True):
            np.testing.assert_array_equal(left, right)
        for j in range(len(one)):
            np.testing.assert_array_equal(one.column(j), other.column(j))
            np.testing.assert_array_equal(one.alone(j).column(0), other.column(j))
            for left, right in zip(one.entries(j), other.entries(j), strict=True):
                np.testing.assert_array_equal(left, right)


@pytest.mark.compiled
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["mim", "jmi", "cmim", "scls"])
def test_the_answer_does_not_depend_on_the_form(criterion, weighted):
    generator = np.random.default_rng(3)
    X = generator.integers(0, generator.integers(1, 9, 80), (150, 80)).astype(np.uint8)
    Y = (generator.random((150, 3)) < 0.3).astype(np.int8)
    weights = generator.integers(1, 4, 150) if weighted else None
    labels = [Y, Y.astype(bool), Y.astype(float), np.asfortranarray(Y), sp.csr_array(Y)]
    answers = set()
    for table in zip(forms(X).values(), itertools.cycle(labels), strict=False):
        found = mlfs.select(table, criterion, 6, sample_weight=weights)
        answers.add((found.indices, found.scores.tobytes()))
    assert len(answers) == 1


def test_booleans_and_frames():
    pd = pytest.importorskip("pandas")
    generator = np.random.default_rng(4)
    X = generator.random((70, 66)) < generator.random(66)
    y = generator.random(70) < 0.4
    kept = [
        mlfs.select((x, y), "mim", 5).scores.tobytes()
        for x in (
            X,
            np.asfortranarray(X),
            sp.csr_array(X),
            X.astype(float),
            pd.DataFrame(X),
            pd.DataFrame(X.astype(np.uint8)),
        )
    ]
    assert len(set(kept)) == 1


@pytest.mark.compiled
def test_two_threads_slice_as_one(monkeypatch):
    monkeypatch.setattr("mlfs.data.bit_slices.THREADED_FROM", 0)
    monkeypatch.setattr("mlfs.data.bit_slices.BYTES", 4096)
    X = np.random.default_rng(5).integers(0, 20, (3000, 70)).astype(np.uint8)
    for x in (X, np.asfortranarray(X), X.astype(float)):
        one, two = slice_table(x, 1), slice_table(x, 2)
        assert np.array_equal(one.planes, two.planes)
        assert np.array_equal(one.counts, two.counts)


def test_the_array_of_the_user_stays_what_it_is():
    X = np.random.default_rng(6).integers(0, 2, (100, 70)).astype(np.uint8)
    before, y = X.copy(), X[:, 0].copy()
    ready = prepare((X, y))
    assert ready.dataset.table.dtype == np.uint8
    mlfs.select(ready.dataset, "mim", 3)
    assert np.array_equal(X, before)
    assert ready.dataset.X.dtype == np.float64
    assert np.array_equal(ready.dataset.X, before)
    X.flags.writeable = False
    assert mlfs.select((X, y), "mim", 3).indices == mlfs.select((before, y), "mim", 3).indices


@pytest.mark.parametrize("high", [1.0, 15.0, 62.0, 200.0])
def test_a_negative_zero_is_taken_as_zero(high):
    X, Y = np.array([[-0.0], [high], [0.0], [high]]), np.array([0, 1, 0, 1])
    for x in (X, X[::-1], X[:2], sp.csr_array(X), np.asfortranarray(X)):
        (binning,) = learn(from_arrays(x, Y[: x.shape[0]]))
        assert str(binning.values) == str((0.0, high))
