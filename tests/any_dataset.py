"""Data sets of every kind for round trips, and what it means that two are the same."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from mlfs.data.dataset import Column, Dataset, Label
from mlfs.errors import DataError

__all__ = ["assert_same", "datasets", "dense", "outcome"]

TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6
).filter(lambda text: text == text.strip())
TRICKY = st.sampled_from(
    ["a,b", 'say "no"', "line\nend", "tab\there", "=1+1", "@x", "-1", "NA", "?", "1e5", "ü", "é|è"]
)
NAME = st.one_of(TEXT, TRICKY)
NUMBER = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-5, 5).map(float),
    st.sampled_from([0.1, 1e-300, 1e300, 123456789.25, 2.0**53]),
)


@st.composite
def datasets(draw, *, missing=True, names=NAME, nominal=True, classes=False, sparse=None, wide=4):
    """Draw a data set; `sparse` None draws that too."""
    n, d, q = draw(st.integers(1, 8)), draw(st.integers(1, wide)), draw(st.integers(1, wide))
    own = draw(st.lists(names, min_size=d + q, max_size=d + q, unique=True))
    X = np.zeros((n, d))
    columns = []
    for j in range(d):
        values = ()
        if nominal and draw(st.booleans()):
            values = tuple(draw(st.lists(names, min_size=1, max_size=4, unique=True)))
        cell = st.integers(0, len(values) - 1).map(float) if values else NUMBER
        if missing:
            cell = st.one_of(cell, st.just(float("nan")))
        X[:, j] = draw(st.lists(st.one_of(st.just(0.0), cell), min_size=n, max_size=n))
        columns.append(Column(own[j], "nominal" if values else "numeric", values))
    labels = []
    Y = np.zeros((n, q), np.int8)
    for j in range(q):
        values = ("0", "1")
        if classes and draw(st.booleans()):
            values = tuple(draw(st.lists(names, min_size=3, max_size=5, unique=True)))
        low = -1 if missing else 0
        Y[:, j] = draw(st.lists(st.integers(low, len(values) - 1), min_size=n, max_size=n))
        labels.append(Label(own[d + j], values))
    if draw(st.booleans()) if sparse is None else sparse:
        X = sp.csr_array(X)
    if draw(st.booleans()) if sparse is None else sparse:
        Y = sp.csr_array(Y)
    return Dataset(X, Y, tuple(columns), tuple(labels))


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix)


def assert_same(a, b, *, names=True, kinds=True):
    """Compare what two data sets hold; sparse or dense does not count."""
    np.testing.assert_array_equal(dense(a.X), dense(b.X))
    np.testing.assert_array_equal(dense(a.Y), dense(b.Y))
    if names:
        assert a.feature_names == b.feature_names
        assert a.label_names == b.label_names
    if kinds:
        assert a.columns == b.columns
        assert a.labels == b.labels
    if a.weights is None:
        assert b.weights is None
    else:
        np.testing.assert_array_equal(a.weights, b.weights)


def outcome(read, *args):
    """What reading gives: a data set and no message, or None and the message."""
    try:
        return read(*args), ""
    except DataError as error:
        return None, str(error)
