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
    "prepared": lambda a: mlfs.prepare((a, a[:, 0] > 0)).features,
}


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
    x, y, z = FORMS[form](X), FORMS[form](Y), FORMS[form](Y[:, :2])
    pair = list(zip(*columns(Y[:, :2]), strict=True))
    close(information.entropy(x), [naive.H(a) for a in columns(X)])
    close(information.entropy(x, y), every_pair(naive.H, X, Y))
    close(information.mutual_information(x, y), every_pair(naive.I, X, Y))
    close(information.symmetrical_uncertainty(x, y), every_pair(naive.SU, X, Y))
    given = every_pair(lambda a, b: naive.I(a, b, tuple(pair)), X, X)
    close(information.conditional_mutual_information(x, x, z), given)
    three = every_pair(lambda a, b: naive.interaction(a, b, columns(X)[2]), X, Y)
    close(information.interaction(x, y, FORMS[form](X[:, 2:3])), three)


def test_rows_with_missing_values_are_left_out_of_their_pairs_alone():
    generator = np.random.default_rng(2)
    X = generator.integers(0, [2, 3, 4], (80, 3)).astype(float)
    Y = generator.integers(0, [2, 3], (80, 2)).astype(float)
    for table in (X, Y):
        table[generator.random(table.shape) < 0.1] = np.nan
    own = [[None if np.isnan(v) else v for v in c] for c in X.T]
    other = [[None if np.isnan(v) else v for v in c] for c in Y.T]
    own, other = [tuple(c) for c in own], [tuple(c) for c in other]
    found = information.mutual_information(X, Y, missing="ignore")
    close(found, [[naive.I(a, b) for b in other] for a in own])
    given = information.conditional_mutual_information(X, Y, X[:, 0], missing="ignore")
    close(given, [[naive.I(a, b, own[0]) for b in other] for a in own])
    found = information.mutual_information(X, Y)
    levels = [[tuple(-1 if v is None else v for v in c) for c in part] for part in (own, other)]
    close(found, [[naive.I(a, b) for b in levels[1]] for a in levels[0]])
    with pytest.raises(DataError, match="values of X are missing"):
        information.mutual_information(X, Y, missing="error")


def test_labels_with_missing_values_are_those_of_the_search():
    X, _ = problem(3)
    Y = np.random.default_rng(3).integers(0, 2, (120, 3)).astype(float)
    Y[::7, 1] = np.nan
    ready = mlfs.prepare((X, Y))
    np.testing.assert_array_equal(information.mutual_information(ready), ready.info.mi_fl)
    np.testing.assert_array_equal(information.entropy(ready.labels), ready.info.h_l)
    su = information.symmetrical_uncertainty(ready)
    np.testing.assert_array_equal(su, ready.info.su_fl)


def test_dense_sparse_threads_and_files_give_the_same_bits(tmp_path):
    generator = np.random.default_rng(4)
    X = (generator.random((500, 300)) < 0.4).astype(np.uint8)
    X[:, ::50] = generator.integers(0, 12, (500, 6))  # binary planes, planes and lists
    plain = information.mutual_information(X, nominal_limit=20)
    assert (plain == plain.T).all()
    some = np.array([0, 1, 2, 50, 51])
    close(plain[np.ix_(some, some)], every_pair(naive.I, X[:, some], X[:, some]))
    entropy = information.entropy(X, nominal_limit=20)
    np.testing.assert_array_equal(plain.diagonal(), entropy)
    others = [
        information.mutual_information(X, nominal_limit=20, n_jobs=2),
        information.mutual_information(X, X.copy(), nominal_limit=20),
        information.mutual_information(sp.csc_array(X.astype(float)), nominal_limit=20),
        information.mutual_information(X, nominal_limit=20, out=tmp_path / "m.npy"),
        np.load(tmp_path / "m.npy"),
    ]
    for other in others:
        np.testing.assert_array_equal(other, plain)
    rows = information.mutual_information(X[:, :7], X, nominal_limit=20)
    np.testing.assert_array_equal(rows, plain[:7])
    wide = information.mutual_information(X, X[:, :7], nominal_limit=20)
    np.testing.assert_array_equal(wide, plain[:, :7])


def test_a_matrix_beyond_the_memory_is_a_map_of_a_file():
    X = (np.random.default_rng(5).random((50, 400)) < 0.4).astype(np.uint8)
    ready = mlfs.prepare((X, X[:, 0]))
    found = information.mutual_information(ready.features, ready.features, max_memory="1MB")
    assert isinstance(found, np.memmap)
    np.testing.assert_array_equal(found, information.mutual_information(X))


def test_weights_are_repetitions():
    X, Y = problem(6, rows=40)
    weights = np.random.default_rng(6).integers(0, 4, 40)
    found = information.mutual_information(X, Y, sample_weight=weights)
    again = information.mutual_information(X.repeat(weights, axis=0), Y.repeat(weights, axis=0))
    np.testing.assert_allclose(found, again, rtol=0, atol=1e-15)
    x, y, z = X, Y[:, 0], Y[:, 1]
    found = information.conditional_mutual_information(x, y, z, sample_weight=weights)
    again = information.conditional_mutual_information(*(v.repeat(weights, 0) for v in (x, y, z)))
    np.testing.assert_allclose(found, again, rtol=0, atol=1e-15)


def test_vectors_have_no_axis_and_frames_keep_names():
    text = pd.Series(["a", "b", None, "b"], name="word")
    close(information.mutual_information(text, [0, 1, 2, 1]), 1.5 * np.log(2))
    assert information.mutual_information([[0], [1], [2], [1]], text).shape == (1,)
    frame = pd.DataFrame({"u": [0, 0, 1, 1], "v": [0, 1, 0, 1]})
    found = information.mutual_information(frame, as_frame=True)
    assert (found / np.log(2)).round(9).to_dict() == {
        "u": {"u": 1.0, "v": 0.0},
        "v": {"u": 0.0, "v": 1.0},
    }
    column = information.mutual_information(frame, [0, 0, 1, 1], as_frame=True)
    assert (column / np.log(2)).round(9).to_dict() == {"u": 1.0, "v": 0.0}
    entropies = information.entropy(frame, as_frame=True)
    assert (entropies / np.log(2)).round(9).to_dict() == {"u": 1, "v": 1}
    sets = information.mutual_information([{"p"}, {"p", "q"}, set(), {"q"}], [1, 1, 0, 0])
    close(sets, [np.log(2), 0])


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


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0, 1], [0, 1, 1]), {}, "X has 2 rows and Y has 3: they must have the same rows"),
        (([0, 1], [0, 1]), {"as_frame": 1}, "as_frame is True or False, not 1"),
        (([0, 1], [0, 1]), {"out": "m.csv"}, "out is the path of a file that ends in .npy"),
        (([0, 1], [0, 1]), {"out": "/no/where/m.npy"}, "out cannot be written: '/no/where/m.npy'"),
        (([0.5, 1], [0, 1]), {"bins": "mdlp"}, "bins is 'mdlp', which needs labels"),
        (([0, 1], [[0], [np.inf]]), {}, "the argument Y: "),
        (([0, 1],), {"max_memory": "much"}, "max_memory is a number of bytes"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(arguments, options, message):
    with pytest.raises((UsageError, DataError)) as caught:
        information.mutual_information(*arguments, **options)
    assert str(caught.value).startswith(message)


def test_a_date_is_named():
    frame = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02"]), "u": [0, 1]})
    with pytest.raises(DataError, match="the column 'day' of X"):
        information.mutual_information(frame, [0, 1])


@pytest.mark.parametrize(
    "statement",
    [
        "import mlfs; mlfs.information.mutual_information([0, 1], [0, 1])",
        "from mlfs.information import entropy; entropy([0, 1])",
        "import mlfs.information.exact, mlfs; mlfs.information.entropy([0, 1])",
    ],
)
def test_the_functions_are_there_however_mlfs_is_imported(statement):
    done = subprocess.run([sys.executable, "-c", statement], check=False)
    assert done.returncode == 0
