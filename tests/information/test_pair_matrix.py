"""Information as functions: matrices of any tables, against the formulas from scratch."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import mlfs
from mlfs import DataError, UsageError
from tests import naive

information = mlfs.information

FORMS = {
    "array": lambda a: a,
    "sparse": lambda a: sp.csr_array(a.astype(float)),
    "pandas": lambda a: pd.DataFrame(a, columns=[f"c{j}" for j in range(a.shape[1])]),
    "polars": lambda a: pl.DataFrame({f"c{j}": a[:, j] for j in range(a.shape[1])}),
    "list": lambda a: a.tolist(),
}


def prepared(X, Y, **options):
    """Labels of several classes are taken."""
    return mlfs.prepare(mlfs.data.from_arrays(X, Y, classes=True), **options)


def columns(table):
    return [tuple(column) for column in np.asarray(table).T.tolist()]


def every_pair(formula, X, Y):
    return np.array([[formula(a, b) for b in columns(Y)] for a in columns(X)])


def problem(seed, rows=120):
    """Binary, rare, many-valued and constant columns."""
    generator = np.random.default_rng(seed)
    X = generator.integers(0, [2, 2, 3, 9, 2, 1], (rows, 6))
    X[:, 4] = generator.random(rows) < 0.03
    return X, generator.integers(0, [2, 3, 2], (rows, 3))


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_every_function_agrees_with_its_formula(form):
    X, Y = problem(1)
    ready = prepared(FORMS[form](np.hstack([X, Y])), Y)
    x, y, z = ready.features[:6], ready.labels, ready.features[6:8]
    pair = list(zip(*columns(Y[:, :2]), strict=True))
    close(information.entropy(x), [naive.H(a) for a in columns(X)])
    close(information.entropy(ready)[:6], [naive.H(a) for a in columns(X)])
    close(information.entropy(x, y), every_pair(naive.H, X, Y))
    close(information.mutual_information(x, y), every_pair(naive.I, X, Y))
    close(information.mutual_information(ready)[:6], every_pair(naive.I, X, Y))
    close(information.symmetrical_uncertainty(x, y), every_pair(naive.SU, X, Y))
    given = every_pair(lambda a, b: naive.I(a, b, tuple(pair)), X, X)
    close(information.conditional_mutual_information(x, x, z), given)
    three = every_pair(lambda a, b: naive.interaction(a, b, columns(X)[2]), X, Y)
    close(information.interaction(x, y, ready.features[2:3]), three)


def test_labels_with_missing_values_are_those_of_the_search():
    X, _ = problem(3)
    Y = np.random.default_rng(3).integers(0, 2, (120, 3)).astype(float)
    Y[::7, 1] = np.nan
    ready = mlfs.prepare((X, Y))
    np.testing.assert_array_equal(information.mutual_information(ready), ready.info.mi_fl)
    np.testing.assert_array_equal(information.entropy(ready.labels), ready.info.h_l)
    su = information.symmetrical_uncertainty(ready)
    np.testing.assert_array_equal(su, ready.info.su_fl)


def test_dense_sparse_and_threads_give_the_same_bits():
    generator = np.random.default_rng(4)
    X = (generator.random((500, 300)) < 0.4).astype(np.uint8)
    X[:, ::50] = generator.integers(0, 12, (500, 6))  # binary planes, planes and lists
    y = X[:, 1]
    ready = mlfs.prepare((X, y), nominal_limit=20)
    plain = information.mutual_information(ready.features)
    assert (plain == plain.T).all()
    some = np.array([0, 1, 2, 50, 51])
    close(plain[np.ix_(some, some)], every_pair(naive.I, X[:, some], X[:, some]))
    np.testing.assert_array_equal(plain.diagonal(), information.entropy(ready))
    for data, n_jobs in (((X, y), 2), ((sp.csc_array(X.astype(float)), y), 1)):
        other = mlfs.prepare(data, nominal_limit=20, n_jobs=n_jobs).features
        np.testing.assert_array_equal(information.mutual_information(other), plain)
    seven = ready.features[:7]
    rows = information.mutual_information(seven, ready.features)
    np.testing.assert_array_equal(rows, plain[:7])
    wide = information.mutual_information(ready.features, seven)
    np.testing.assert_array_equal(wide, plain[:, :7])


def test_weights_are_repetitions():
    X, Y = problem(6, rows=40)
    weights = np.random.default_rng(6).integers(0, 4, 40)
    weighed = prepared(X, Y, sample_weight=weights)
    repeated = prepared(X.repeat(weights, axis=0), Y.repeat(weights, axis=0))
    found, again = map(information.mutual_information, (weighed, repeated))
    np.testing.assert_allclose(found, again, rtol=0, atol=1e-15)
    found, again = (
        information.conditional_mutual_information(r.features, r.labels[0], r.labels[1])
        for r in (weighed, repeated)
    )
    np.testing.assert_allclose(found, again, rtol=0, atol=1e-15)


def test_single_columns_have_no_axis_and_frames_have_names():
    frame = pd.DataFrame({"u": [0, 0, 1, 1], "v": [0, 1, 0, 1], "word": ["a", "b", None, "b"]})
    ready = prepared(frame, [0, 1, 2, 1])
    close(information.mutual_information(ready.features["word"], ready.labels[0]), 1.5 * np.log(2))
    assert information.mutual_information(ready.features["word"], ready.labels).shape == (1,)
    found = information.mutual_information(ready.features[:2], as_frame=True)
    assert (found / np.log(2)).round(9).to_dict() == {
        "u": {"u": 1.0, "v": 0.0},
        "v": {"u": 0.0, "v": 1.0},
    }
    column = information.mutual_information(ready.features[:2], ready.features["u"], as_frame=True)
    assert (column / np.log(2)).round(9).to_dict() == {"u": 1.0, "v": 0.0}
    entropies = information.entropy(ready.features[:2], as_frame=True)
    assert (entropies / np.log(2)).round(9).to_dict() == {"u": 1, "v": 1}
    sets = information.mutual_information((frame[["u"]], [{"p"}, {"p", "q"}, set(), {"q"}]))
    close(sets, [[np.log(2), 0.0]])


def test_columns_are_chosen_by_name_glob_and_number():
    frame = pd.DataFrame({"u": [0, 0, 1, 1], "v": [0, 1, 0, 1], "w": [0, 1, 1, 0]})
    ready = mlfs.prepare((frame, [0, 0, 1, 1]))
    assert ready.features["u"].single
    assert list(ready.features[["w", 0]].names) == ["w", "u"]
    assert len(ready.features[1:]) == 2
    u, v, w = (ready.features[name] for name in "uvw")
    given = information.conditional_mutual_information(u, v, w)
    close(given, np.log(2))
    with pytest.raises(LookupError, match="'x'"):
        ready.features["x"]


READY = mlfs.prepare(([[0, 1], [1, 1], [1, 0]], [0, 1, 1]))
OTHER = mlfs.prepare(([[0, 1], [1, 1], [1, 0]], [0, 1, 1]))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[0], [1]], [0, 1]), {}, "X and Y are columns of one Prepared"),
        ((READY.features, [0, 1, 1]), {}, "Y is columns of the Prepared of X, such as"),
        ((READY.features, OTHER.labels), {}, "the columns are of two Prepared"),
        ((READY.features,), {"bins": "width"}, "bins is for mlfs.prepare, and the data are"),
        ((READY,), {"as_frame": 1}, "as_frame is True or False, not 1"),
        (((READY.dataset.X, [0, 1, 1]),), {"max_memory": "much"}, "max_memory is a number of"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(arguments, options, message):
    with pytest.raises((UsageError, DataError)) as caught:
        information.mutual_information(*arguments, **options)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "statement",
    [
        "import mlfs; mlfs.information.mutual_information(([[0], [1]], [0, 1]))",
        "from mlfs.information import entropy; entropy(([[0], [1]], [0, 1]))",
        "import mlfs.information.exact, mlfs; mlfs.information.entropy(([[0], [1]], [0, 1]))",
    ],
)
def test_the_functions_are_there_however_mlfs_is_imported(statement):
    done = subprocess.run([sys.executable, "-c", statement], check=False)
    assert done.returncode == 0
