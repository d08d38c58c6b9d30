"""Regressions by Newton's method: what BLAS flags beyond an array is no warning and no result."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from mlfs import models
from mlfs.metrics import evaluate
from mlfs.models.logistic import Newton, TunedLogistic, with_last

GARBAGE = (np.nan, np.inf, -np.inf, 3e38)


def problem(n=90, m=5, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, m))
    y = (x[:, 0] + rng.logistic(size=n) > 0).astype(float)
    y[:2] = 0, 1
    return x, y


def planted(array, offset, garbage):
    """The same numbers inside of a larger array that is full of garbage."""
    margin = 64
    room = np.full(array.size + 2 * margin, garbage, array.dtype)
    view = room[margin + offset : margin + offset + array.size].reshape(array.shape)
    view[...] = array
    return view


class Flagging(np.ndarray):
    """Rows of which each product in single precision sets a flag, as some kernels of BLAS do."""

    def __matmul__(self, other):
        out = np.asarray(self) @ np.asarray(other)
        if out.dtype == np.float32:
            np.subtract(np.full(1, np.inf, np.float32), np.inf)
        return out


class Failing(np.ndarray):
    """Rows of which no product in single precision is a number."""

    def __matmul__(self, other):
        out = np.asarray(self) @ np.asarray(other)
        return np.full_like(out, np.nan) if out.dtype == np.float32 and out.ndim == 1 else out


def test_flags_of_single_precision_are_no_warning():
    x, y = problem()
    rows = with_last(x, intercept=True)
    with pytest.warns(RuntimeWarning, match="invalid value"):
        rows.astype(np.float32).view(Flagging) @ np.ones(6, np.float32)
    found = Newton().solve(rows.view(Flagging), y, np.ones(y.size))
    assert found.tolist() == Newton().solve(rows, y, np.ones(y.size)).tolist()


def test_a_step_that_is_not_finite_is_computed_in_double_precision():
    x, y = problem()
    rows = with_last(x, intercept=True)
    exact = LogisticRegression(tol=1e-12, max_iter=1000, solver="newton-cholesky").fit(x, y)
    found = Newton().solve(rows.view(Failing), y, np.ones(y.size))
    assert found == pytest.approx([*exact.coef_[0], *exact.intercept_], abs=1e-6)


@pytest.mark.parametrize("garbage", GARBAGE)
def test_what_lies_beyond_an_array_changes_no_step(garbage):
    for m in range(1, 17):
        x, y = problem(m=m, seed=m)
        rows = with_last(x, intercept=True)
        expected = Newton().solve(rows, y, np.ones(y.size))
        for offset in range(8):
            shares = planted(np.ones(y.size), offset, garbage)
            found = Newton().solve(planted(rows, offset, garbage), y, shares)
            assert found == pytest.approx(expected, abs=1e-9)
        for offset in range(16):
            rough = planted(rows.astype(np.float32), offset, garbage)
            curvature, gradient = np.full(y.size, 0.25), rows.T @ (0.5 - y)
            steps = []
            for matrix in (rough, rows):
                newton = Newton()
                newton.factor = np.eye(m + 1, dtype=matrix.dtype)
                steps.append(newton._step(matrix, curvature, gradient, 1e-3)[0])
            assert steps[0] == pytest.approx(steps[1], rel=0.05, abs=0.05)


@pytest.mark.parametrize("name", ["br", "llsf", "mlknn", "homer", "lift", "rakel"])
def test_what_lies_beyond_an_array_changes_no_model_and_no_metric(name):
    rng = np.random.default_rng(3)
    for m in (1, 3, 7, 16):
        x, _ = problem(m=m, seed=m)
        Y = (x[:, :1] + rng.normal(size=(90, 3)) > 0).astype(int)
        model = models.make(name)
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        answer = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
        model.fit(x, Y)
        clean = np.asarray(answer(x))
        model.fit(planted(x, m % 5, np.nan), Y)
        assert np.asarray(answer(planted(x, 3, np.inf))) == pytest.approx(clean, abs=1e-9)
        values = [evaluate(Y, (s > 0.5).astype(int), s) for s in (planted(clean, 1, np.nan), clean)]
        assert values[0] == pytest.approx(values[1], nan_ok=True)


def test_the_penalty_is_chosen_alike_beside_garbage():
    x, y = problem(m=4)
    clean, dirty = TunedLogistic().fit(x, y), TunedLogistic().fit(planted(x, 3, np.nan), y)
    assert dirty.C_ == clean.C_
    assert dirty.coef_ == pytest.approx(clean.coef_, abs=1e-9)
