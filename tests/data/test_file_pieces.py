"""Files are read in pieces that know nothing of each other, as workers do: the same data set."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.data.file_pieces import open_pieces
from mlfs.errors import DataError, UsageError


def dense(table):
    return table.toarray() if hasattr(table, "toarray") else np.asarray(table)


def joined(pieces, n):
    """The data set of n shares, each read from pieces that were sent."""
    rows = [pickle.loads(pickle.dumps(pieces)).read(a, b) for a, b in pieces.shares(n)]
    agreed = pieces.agreed([pickle.loads(pickle.dumps(some.found)) for some in rows])
    parts = [some.dataset(agreed) for some in rows]
    assert [part.shape[0] for part in parts] == [some.n_rows for some in rows]
    first = parts[0]
    for part in parts:
        assert (list(part.columns), list(part.labels)) == (list(first.columns), list(first.labels))
    weights = None
    if first.weights is not None:
        weights = np.concatenate([part.weights for part in parts])
    stack = sp.vstack if first.is_sparse else np.vstack
    X = stack([part.X for part in parts])
    Y = np.vstack([dense(part.Y) for part in parts])
    return replace(first, X=X, Y=Y, weights=weights)


def assert_the_whole(found, wanted):
    for name in ("labels", "notes", "source", "left_out"):
        assert getattr(found, name) == getattr(wanted, name), name
    assert list(found.columns) == list(wanted.columns)
    np.testing.assert_array_equal(dense(found.X), dense(wanted.X))
    np.testing.assert_array_equal(dense(found.Y), dense(wanted.Y))
    np.testing.assert_array_equal(found.weights, wanted.weights)


@pytest.mark.parametrize("suffix", ["arff", "csv", "tsv.gz", "npz", "parquet", "mat"])
@pytest.mark.parametrize("n", [1, 3])
def test_every_format_in_shares(suffix, n, tmp_path):
    if suffix == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    file = tmp_path / f"a.{suffix}"
    mlfs.write(mlfs.read("docs/examples/songs.arff"), file)
    assert_the_whole(joined(open_pieces(file), n), mlfs.read(file))


def test_shares_are_even():
    pieces = open_pieces("docs/examples/songs.arff")
    for n in range(1, 80):
        shares = pieces.shares(n)
        assert len(shares) == min(n, len(pieces))
        sizes = [last - first for first, last in shares]
        assert max(sizes) - min(sizes) <= 1
        assert sum(sizes) == len(pieces)


def test_a_file_that_changes_or_goes_is_named(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("a,y\n1,0\n0,1\n")
    pieces = open_pieces(file, labels="y")
    file.write_text("a,y\n1,0\n")
    with pytest.raises(DataError, match=r"a\.csv: the file changed while it was read"):
        pieces.read(0, 1)
    file.unlink()
    with pytest.raises(UsageError, match="there is no file"):
        pieces.read(0, 1)
