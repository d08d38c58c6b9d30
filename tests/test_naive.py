"""The oracle itself: values worked out by hand, and the outside judgement of scipy and sklearn."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.problems import problem, with_holes

LN2 = log(2)
A = (0, 0, 1, 1)
B = (0, 1, 0, 1)
XOR = (0, 1, 1, 0)
ONE = (1, 1, 1, 1)
SEEDS = st.integers(0, 2**32 - 1)


def near(value):
    return pytest.approx(value, abs=1e-12)


def test_entropies_by_hand():
    assert naive.H() == 0
    assert naive.H(()) == 0
    assert naive.H(ONE) == 0
    assert naive.H(A) == near(LN2)
    assert naive.H(A, B) == near(2 * LN2)
    assert naive.H((0, 0, 0, 1)) == near(log(4) - 0.75 * log(3))


def test_information_by_hand():
    assert naive.I(A, A) == near(LN2)
    assert naive.I(A, B) == near(0)
    assert naive.I(A, B, XOR) == near(LN2)
    assert naive.I(A, ONE) == near(0)
    assert naive.interaction(A, B, XOR) == near(-LN2)
    assert naive.interaction(A, A, A) == near(LN2)
    assert naive.SU(A, A) == near(1)
    assert naive.SU(A, B) == near(0)
    assert naive.SU(ONE, ONE) == 0


def test_missing_rows_are_left_out_of_the_whole_term():
    assert naive.I((0, 0, 1, 1, None), (0, 0, 1, 1, 0)) == near(LN2)
    assert naive.I((0, 1, 0, 1), (0, 1, 1, 0)) == near(0)
    assert naive.I((0, 1, 0, 1), (0, 1, 1, 0), about=((1, 1, None, None),)) == near(LN2)
    assert naive.I((0, None), (None, 0)) == 0
    assert naive.joint((0, None), (1, 1)) == ((0, 1), None)


@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_against_scipy_and_sklearn(seed):
    stats = pytest.importorskip("scipy.stats")
    metrics = pytest.importorskip("sklearn.metrics")
    X, Y = problem(seed).naive()
    for x in X:
        counts = np.unique(x, return_counts=True)[1]
        assert naive.H(x) == pytest.approx(stats.entropy(counts), abs=1e-12)
        for l in Y:
            assert naive.I(x, l) == pytest.approx(metrics.mutual_info_score(x, l), abs=1e-12)
            by_value = sum(
                X[0].count(z)
                / len(l)
                * metrics.mutual_info_score(
                    [v for v, w in zip(x, X[0], strict=True) if w == z],
                    [v for v, w in zip(l, X[0], strict=True) if w == z],
                )
                for z in set(X[0])
            )
            assert naive.I(x, l, X[0]) == pytest.approx(by_value, abs=1e-12)


@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_conditional_information_given_a_unique_id_is_nothing(seed):
    X, Y = problem(seed).naive()
    unique = tuple(range(len(Y[0])))
    assert all(naive.I(x, l, unique) == near(0) for x in X for l in Y)
    assert all(naive.I(x, l, (7,) * len(l)) == near(naive.I(x, l)) for x in X for l in Y)


@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_chain_rule_with_holes(seed):
    X, Y = with_holes(problem(seed), seed, x=0.2, y=0.2).naive("ignore")
    a, b, l = naive.whole(X[0], X[1], Y[0])
    assert naive.I(naive.joint(X[0], X[1]), Y[0]) == near(naive.I(a, l) + naive.I(b, l, a))
    assert naive.interaction(X[0], X[1], Y[0]) == near(naive.I(b, l) - naive.I(b, l, a))


def test_criteria_by_hand_on_the_xor():
    X, Y = [A, B, A, ONE], [XOR, A]
    first = {"disr", "jmim", "pmu", "d2f", "cife", "icap", "cmim", "mim", "jmi", "mrmr"}
    for name in first | {"ami", "mdmr", "scls"}:
        score = getattr(naive, f"J_{name}")
        assert score(0, [], X, Y) == near(LN2)
    assert naive.J_scls(3, [], X, Y) == float("-inf")
    # B after A: no relevance alone, all of the XOR together with A.
    after = {
        "mim": 0,
        "jmi": 2 * LN2,  # I(A; XOR | B) + I(A; A | B)
        "mrmr": 0,
        "scls": 0,
        "ami": 0,
        "mdmr": LN2,
        "cmim": 0,
        "jmim": 2 * LN2,
        "disr": LN2 / (2 * LN2) + LN2 / (2 * LN2),
        "d2f": LN2,
        "icap": 0,
        "pmu": LN2 - -LN2,  # I(B; XOR; A) = -ln 2 once more
    }
    for name, value in after.items():
        assert getattr(naive, f"J_{name}")(1, [0], X, Y) == near(value), name
    # The copy of A after A.
    copy = {
        "mim": LN2,
        "jmi": LN2 + 0,
        "mrmr": LN2 - 2 * LN2,
        "scls": LN2 - LN2,
        "ami": LN2 - LN2,
        "mdmr": LN2 - (LN2 - 0),
        "cmim": 0,
        "jmim": LN2,
        "disr": 0 / 2 + 1,
        "d2f": LN2 - LN2,
        "icap": LN2 - LN2,
        "pmu": 0,
    }
    for name, value in copy.items():
        assert getattr(naive, f"J_{name}")(2, [0], X, Y) == near(value), name


def test_mlfs_by_hand():
    # I(XOR; A | B) = ln 2: the parent A of the label XOR speaks for B.
    X, Y, P = [A, B], [XOR], [[A]]
    assert naive.J_mlfs_global(1, [], X, Y, P) == near(LN2)
    assert naive.J_mlfs_global(1, [], X, Y, P, beta=0.5) == near(LN2 / 2)
    assert naive.J_mlfs_global(1, [0], X, Y, P, beta=0.5, gamma=3) == near(3.5 * LN2)
    assert naive.J_mlfs_local(0, [], X, Y, P) == near(0)


def test_merit_by_hand():
    X, Y = [A, B, A], [A]
    assert naive.merit([], X, Y) == 0
    assert naive.J_mlcfs(0, [], X, Y, [[]]) == near(1)
    assert naive.J_mlcfs(1, [0], X, Y, [[]]) == near(2 * 0.5 / sqrt(2))
    assert naive.J_mlcfs(2, [0], X, Y, [[]]) == near(2 / sqrt(2 + 2))
    # A parent counts in the size and in both means.
    assert naive.J_mlcfs(1, [], X, Y, [[A]]) == near(2 * 0.5 / sqrt(2))
    assert naive.J_mlcfs_global(0, [], X, [A, B]) == near(0.5)
    assert naive.best_first(X, Y) == ((0,), near(1))


def test_imbalance_and_mlig_by_hand():
    Y = [(1, 1, 1, 1, 0, 0), (1, 1, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0)]
    each, ir, cvir = naive.imbalance(Y)
    assert each == [1, 2, None]
    assert ir == near(1.5)
    assert cvir == near(sqrt(0.5) / 1.5)
    beta = 1.5 / (2 * (cvir + 1))
    alpha = 0.3 * (exp(beta) - 1) / (exp(beta) + 1) + 0.15
    assert naive.mlig_sizes(Y, 100)[1:] == [round(100 * alpha), 15]
    assert naive.mlig_sizes(Y, 2) == [1, 1, 1]
    assert naive.mlig_sizes([(1, 0)], 100) == [round(15 + 30 * (exp(1) - 1) / (exp(1) + 1))]


def test_label_structure_by_hand():
    X, Y = [ONE], [A, A, B]
    assert naive.order_gain(0, [], X, Y) == near(LN2)
    assert naive.order_gain(2, [], X, Y) == near(0)
    assert naive.order_gain(1, [0], X, Y) == near(LN2)
    # k = 2 brings I(Y_2; Y_1 | Y_3) with it: B leaves I(A; A | B) = ln 2.
    assert naive.order_gain(2, [0, 1], X, Y) == near(LN2)
    assert naive.order_gain(2, [0, 1], X, Y, second=False) == near(0)
    assert naive.parent_gain(1, 0, [], [A, XOR, B]) == near(0)
    assert naive.parent_gain(1, 0, [2], [A, XOR, B]) == near(LN2)
