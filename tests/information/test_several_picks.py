"""Words of `Info` about several picks or labels, against the formulas and in every layout."""

from __future__ import annotations

import numpy as np
import pytest

from mlfs.counting import column_groups
from mlfs.counting.parts import Parts
from mlfs.information.info import Info
from tests import naive, naive_more
from tests.left_out import info_of_codes

PICKED = [4, 1, 0]
WORDS = {
    "cmi_fL_given_S": lambda info: info.cmi_fL_given_S(PICKED),
    "joint_fssL": lambda info: info.joint_fssL(4, 1),
    "cmi_fs_given_s": lambda info: info.cmi_fs_given_s(1, 4),
    "cmi_fs_given_L": lambda info: info.cmi_fs_given_L(4),
    "cmi_fL_given_L": lambda info: info.cmi_fL_given_L,
    "gini_fL": lambda info: info.gini_fL,
    "gini_fsL": lambda info: info.gini_fsL(4),
}


def table(rows=120, seed=0):
    generator = np.random.default_rng(seed)
    X = (generator.random((rows, 9)) < [0.5, 0.5, 0.5, 0.05, 0.05, 0.5, 0.5, 0.5, 0.5]).astype(int)
    X[:, 5] = generator.integers(0, 4, rows)
    X[:, 6] += X[:, 4] * generator.integers(0, 3, rows)
    X[:, 8] = generator.integers(0, 20, rows)
    Y = (generator.random((rows, 3)) < [0.5, 0.1, 0.3]).astype(int)
    Y[:, 0] ^= X[:, 0] & X[:, 1]
    Y[:, 2] += Y[:, 1] * X[:, 5]  # a label of several classes
    return X, Y


def holes(X, Y, where):
    generator = np.random.default_rng(5)
    X, Y = X.copy(), Y.copy()
    if "x" in where:
        X[generator.random(X.shape) < 0.1] = -1
    if "y" in where:
        Y[generator.random(Y.shape) < 0.1] = -1
    return X, Y


def formula(word, f, x, y):
    I, joint = naive.I, naive.joint
    own = {
        "cmi_fL_given_S": lambda: sum(I(x[f], l, *(x[s] for s in PICKED)) for l in y),
        "joint_fssL": lambda: sum(I(joint(joint(x[f], x[4]), x[1]), l) for l in y),
        "cmi_fs_given_s": lambda: naive.mean(I(x[f], x[1], x[4], about=(l,)) for l in y),
        "cmi_fs_given_L": lambda: sum(I(x[f], x[4], l) for l in y),
        "cmi_fL_given_L": lambda: sum(I(x[f], a, b) for a in y for b in y if a is not b),
        "gini_fL": lambda: sum(naive_more.gini_gain(x[f], l) for l in y),
        "gini_fsL": lambda: sum(naive_more.gini_gain(joint(x[f], x[4]), l) for l in y),
    }
    return own[word]()


def columns(values):
    return [tuple(None if v < 0 else v for v in column) for column in values.T.tolist()]


@pytest.mark.parametrize("where", ["", "x", "y", "xy"])
@pytest.mark.parametrize("word", WORDS)
def test_each_word_is_its_formula(word, where):
    X, Y = holes(*table(), where)
    info = info_of_codes(X, Y, ignore_missing=True)
    wanted = [formula(word, f, columns(X), columns(Y)) for f in range(X.shape[1])]
    np.testing.assert_allclose(WORDS[word](info), wanted, rtol=0, atol=1e-12)
    some = WORDS[word](info.only([7, 0, 4]))
    assert some.tobytes() == WORDS[word](info)[[7, 0, 4]].tobytes()


@pytest.mark.parametrize("word", WORDS)
def test_layouts_threads_and_weights_change_no_bit(word, monkeypatch):
    X, Y = table(300)
    wanted = WORDS[word](Info.from_codes(X, Y)).tobytes()
    for cost in (-1.0, 2.0):  # planes only, lists only
        monkeypatch.setattr(column_groups, "WORD_COST", cost)
        for options in ({}, {"n_jobs": 2}, {"weights": np.ones(300, int)}):
            assert WORDS[word](Info.from_codes(X, Y, **options)).tobytes() == wanted
    times = np.random.default_rng(3).integers(1, 4, 300)
    weighed = WORDS[word](Info.from_codes(X, Y, weights=times))
    repeated = WORDS[word](
        Info.from_codes(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0))
    )
    assert weighed.tobytes() == repeated.tobytes()


def test_picks_may_be_asked_in_any_order_and_again():
    X, Y = table()
    info = Info.from_codes(X, Y)
    alone = Info.from_codes(X, Y).cmi_fL_given_S([2, 3])
    for picked in ([2], [2, 3], [5, 2], [2, 3], [3, 2]):
        found = info.cmi_fL_given_S(picked)
    assert found.tobytes() == alone.tobytes()
    assert (info.cmi_fL_given_S([]) == info.mi_fL).all()
    np.testing.assert_allclose(info.cmi_fL_given_S([2]), info.cmi_fL_given_s(2), atol=1e-15)


def test_rows_that_stand_alone_drop_out():
    X, Y = table(40)
    parts = Parts.of_all(40)
    sizes = []
    for s in range(9):
        parts = parts.refined(X[:, s])
        assert (np.diff(parts.edges) > 1).all()
        sizes.append(parts.rows.size)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 0
    assert not Info.from_codes(X, Y).cmi_fL_given_S(list(range(9))).any()


def test_a_view_on_some_labels():
    X, Y = table()
    view = Info.from_codes(X, Y).for_labels([2, 0])
    assert view.labels.tolist() == [2, 0]
    both = Info.from_codes(X, Y[:, [0, 2]])
    np.testing.assert_allclose(view.mi_fL, both.mi_fL, atol=1e-15)
    np.testing.assert_allclose(view.interaction_fLL, both.interaction_fLL, atol=1e-15)
