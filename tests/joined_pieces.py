"""The pieces of a file read in shares that know nothing of each other, as workers do."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from mlfs.data.packed_table import PackedTable

__all__ = ["assert_the_whole", "dense", "joined", "parts_of"]


def joined(pieces, n):
    """The data set of n shares."""
    parts = parts_of(pieces, n)
    first = parts[0]
    for part in parts:
        assert (list(part.columns), list(part.labels)) == (list(first.columns), list(first.labels))
        assert part.is_sparse == first.is_sparse
        assert sp.issparse(part.Y) == sp.issparse(first.Y)
        assert (part.X.dtype, part.Y.dtype) == (first.X.dtype, first.Y.dtype)
        assert (part.weights is None) == (first.weights is None)
    weights = None
    if first.weights is not None:
        weights = np.concatenate([part.weights for part in parts])
    stack = sp.vstack if first.is_sparse else np.vstack
    X = stack([part.X for part in parts])
    Y = np.vstack([dense(part.Y) for part in parts])
    return replace(first, X=X, Y=sp.csr_array(Y) if sp.issparse(first.Y) else Y, weights=weights)


def parts_of(pieces, n):
    """The data sets of n shares, each read from pieces that were sent."""
    shares = pieces.shares(n)
    rows = [_sent(pieces).read(*share) for share in shares]
    while (again := pieces.refine([_sent(some.summary) for some in rows])) is not pieces:
        pieces = again
        rows = [
            some if pieces.accepts(some) else _sent(pieces).read(*share)
            for some, share in zip(rows, shares, strict=True)
        ]
    common = pieces.combine([_sent(some.summary) for some in rows])
    return [some.dataset(_sent(common)) for some in rows]


def _sent(thing):
    return pickle.loads(pickle.dumps(thing))


def dense(table):
    """A table as an array."""
    if isinstance(table, PackedTable) or sp.issparse(table):
        return table.toarray()
    return np.asarray(table)


def assert_the_whole(found, wanted):
    """The same in every field, type and number."""
    for name in ("labels", "notes", "source", "left_out"):
        assert getattr(found, name) == getattr(wanted, name), name
    assert list(found.columns) == list(wanted.columns)
    assert (found.is_sparse, sp.issparse(found.Y)) == (wanted.is_sparse, sp.issparse(wanted.Y))
    np.testing.assert_array_equal(dense(found.X), dense(wanted.X))
    np.testing.assert_array_equal(dense(found.Y), dense(wanted.Y))
    np.testing.assert_array_equal(found.weights, wanted.weights)
