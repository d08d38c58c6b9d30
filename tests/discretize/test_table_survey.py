"""Columns of small integers are learned and coded from counts as other columns are."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import Column, Dataset, Label
from mlfs.discretize import coded, encode, learn
from mlfs.discretize.encoder import Survey, encode_small


def table(seed: int, rows: int = 90) -> Dataset:
    """Columns of every kind: small, too large, negative, broken, missing, constant, nominal."""
    rng = np.random.default_rng(seed)
    columns = [
        rng.integers(0, 2, rows),
        rng.integers(0, 16, rows),
        rng.integers(0, 17, rows),
        rng.integers(0, 11, rows),
        rng.integers(3, 6, rows),
        rng.integers(-1, 2, rows),
        rng.random(rows),
        rng.integers(0, 3, rows) + 0.5 * (rng.random(rows) < 0.05),
        np.full(rows, 7),
        np.full(rows, np.nan),
        np.where(rng.random(rows) < 0.6, np.nan, rng.integers(0, 3, rows)),
        np.where(rng.random(rows) < 0.1, np.nan, rng.integers(0, 3, rows)),
        rng.integers(0, 4, rows),
        rng.integers(0, 3, rows),
        -0.0 * rng.integers(0, 2, rows),
        rng.integers(0, 1000, rows),
        np.where(rng.random(rows) < 0.6, np.nan, 0.0),
    ]
    kinds = [Column(f"x{j}") for j in range(len(columns))]
    kinds[12] = Column("x12", "nominal", ("a", "b", "c", "d", "never"))
    kinds[13] = Column("x13", "nominal", tuple(f"v{k}" for k in range(20)))
    order = rng.permutation(len(columns))
    X = np.ascontiguousarray(np.stack(columns, axis=1)[:, order], dtype=np.float64)
    return Dataset(X, np.ones((rows, 1), np.int8), tuple(kinds[j] for j in order), (Label("y"),))


PARTS = ("indptr", "rows", "codes", "mode", "levels", "missing", "counts")


def general(monkeypatch):
    """Survey tables as if no column held small integers only."""
    survey = Survey.of

    def no_small(table, n_jobs=1):
        found = survey(table, n_jobs)
        found.small[:] = False
        return found

    monkeypatch.setattr(Survey, "of", no_small)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("nominal_limit", [0, 3, 10, 16, 1000])
def test_small_integers_are_learned_and_coded_as_other_numbers(seed, nominal_limit, monkeypatch):
    data = table(seed)
    short = learn(data, nominal_limit=nominal_limit)
    short_codes = encode(data, short)
    general(monkeypatch)
    assert learn(data, nominal_limit=nominal_limit) == short
    long_codes = encode(data, short)
    for part in PARTS:
        one, other = getattr(short_codes, part), getattr(long_codes, part)
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


@pytest.mark.parametrize("seed", range(4))
def test_values_that_were_never_seen_go_where_they_should(seed, monkeypatch):
    binnings = learn(table(seed))
    strange = table(seed + 100)
    strange.X[::7] += 3
    strange.X[::11] = np.nan
    short = encode(strange, binnings)
    general(monkeypatch)
    long = encode(strange, binnings)
    for part in PARTS:
        assert np.array_equal(getattr(short, part), getattr(long, part))


def test_a_table_of_small_numbers_alone():
    X = np.random.default_rng(0).integers(0, 3, (50, 4)).astype(float)
    columns = tuple(Column(name) for name in "abcd")
    data = Dataset(X, np.ones((50, 1), np.int8), columns, (Label("y"),))
    binnings = learn(data)
    coded = encode(data, binnings)
    for j, binning in enumerate(binnings):
        full = np.full(50, coded.mode[j])
        at = slice(coded.indptr[j], coded.indptr[j + 1])
        full[coded.rows[at]] = coded.codes[at]
        assert np.array_equal(full, binning.apply(X[:, j]))


@pytest.mark.parametrize("seed", range(5))
def test_sparse_columns_that_are_mostly_not_0_are_coded_from_their_counts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((70, 6)) < 0.8, [1, 2, 1, 3, 1, 0], rng.integers(0, 4, (70, 6)))
    X = np.where(rng.random(X.shape) < 0.1, np.nan, X.astype(float))
    given = sp.csr_array(X)
    given.data[::9] = 0.0  # stored, and 0
    X = given.toarray()
    learned = learn(from_arrays(X, X[:, :1] > 0))
    columns, codes = encode_small(Survey.of(given), learned)
    assert columns.tolist() == list(range(6))
    assert (codes.mode > 0).any()
    for name in ("indptr", "rows", "codes", "mode", "levels", "missing", "counts"):
        np.testing.assert_array_equal(getattr(codes, name), getattr(coded(X, learned), name), name)
