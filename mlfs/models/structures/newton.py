"""Newton's method for one L2-penalised logistic regression, and for others on similar rows.

Each step is solved by conjugate gradients. Their preconditioner is a curvature that was factorised
once, in single precision where that bears it, and again only where it has become too different:
to factorise costs as much as some thirty steps of conjugate gradients.

Logistic regressions of one label given each other one, which differ little from each other.

They share x and differ in one column, or in how much the rows count. Each is solved by Newton's
method (`newton`) with the curvature that the one before it left. The optimum is scikit-learn's; it
is approached more closely than its default tolerance asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import blas, lapack
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

NEAR = 1e-11  # how far a solution may be from the optimum, in the unit of the objective over C
STEPS, CONJUGATE, HALVES = 100, 60, 20
FORCING = 0.03  # the accuracy of a step; closer from a gain of CLOSE on
CLOSE, CLOSELY = 1e-2, 1e-4
STALE = 8  # steps of conjugate gradients from which the next curvature is factorised anew
BENDING = 1e6  # the greatest curvature, beside a penalty of 1, that single precision bears
JITTER, ROUGH_JITTER = 1e-10, 1e-6


def with_last(x: Any, intercept: bool) -> Any:
    """The columns of x, and a last one for the intercept: of ones, or of zeros without."""
    last = np.full((x.shape[0], 1), float(intercept))
    if sp.issparse(x):
        return sp.csr_array(sp.hstack([x, sp.csr_array(last)], format="csr"))
    return np.hstack([np.asarray(x, np.float64), last])


def penalty_of(width: int) -> np.ndarray:
    """1 for each coefficient, 0 for the intercept."""
    penalty = np.ones(width)
    penalty[-1] = 0.0
    return penalty


def objective(z: np.ndarray, y: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The loss of decisions z, without the penalty; a sum over the first axis."""
    return np.asarray((shares * (np.logaddexp(0.0, z) - y * z)).sum(axis=0))


class Newton:
    """Solves regressions of one width, each with the curvature that the last one left."""

    def __init__(self) -> None:
        self.factor: np.ndarray | None = None

    def solve(
        self,
        x: Any,
        y: np.ndarray,
        shares: np.ndarray,
        starts: Sequence[np.ndarray] = (),
        near: float | None = None,
    ) -> np.ndarray:
        """The coefficients of one regression; the last one is the intercept.

        Parameters
        ----------
        x : ndarray or csr_array, shape (n, m)
            With a column for the intercept at the end, see `with_last`.
        y : ndarray, shape (n,)
            0 and 1.
        shares : ndarray, shape (n,)
            How much each row counts, times C.
        starts : sequence of ndarray
            Coefficients to begin with, the best of these; by default those of a constant decision.
        near : float, optional
            How far the objective may be from the optimum.
        """
        penalty = penalty_of(x.shape[1])
        near = NEAR * float(shares.max()) if near is None else near
        candidates = [
            (start, np.asarray(x @ start)) for start in starts or [_constant(x, y, shares)]
        ]
        values = [float(objective(z, y, shares)) + float(penalty @ w**2) / 2 for w, z in candidates]
        best = int(np.argmin(values))
        (w, z), value = candidates[best], values[best]
        gain, fresh = np.inf, False
        rough = x if sp.issparse(x) else x.astype(np.float32)
        for _ in range(STEPS):
            p = expit(z)
            gradient = x.T @ (shares * (p - y)) + penalty * w
            curvature = shares * p * (1 - p)
            if self.factor is None:
                self.factor, fresh = curvature_factor(x, curvature), True
            enough = rough if self.factor.dtype == np.float32 else x
            forcing = CLOSELY if gain < CLOSE else FORCING
            step, iterations = self._step(enough, curvature, gradient, forcing)
            gain = float(gradient @ step) / 2
            if gain <= near:
                return np.asarray(w - step)
            change, length = x @ step, 1.0
            for _half in range(HALVES):
                new_w = w - length * step
                new_value = float(objective(z - length * change, y, shares))
                new_value += float(penalty @ new_w**2) / 2
                if new_value < value:
                    break
                length /= 2
            else:
                if fresh:
                    break
                iterations = CONJUGATE  # again, with the curvature at this point
                length = 0.0
            if length:
                w, z, value = new_w, z - length * change, new_value
            fresh = False
            if iterations >= STALE:
                self.factor = None
        return np.asarray(w)

    def _step(
        self, x: Any, curvature: np.ndarray, gradient: np.ndarray, forcing: float
    ) -> tuple[np.ndarray, int]:
        """Solve curvature * step = gradient approximately; and the number of iterations.

        It is computed in the precision of x: what single precision leaves open, the next step has.
        """
        penalty, curvature, residual = (
            array.astype(x.dtype) for array in (penalty_of(x.shape[1]), curvature, gradient)
        )
        out = np.zeros_like(residual)
        preconditioned = solve_factored(self.factor, residual)
        direction = preconditioned
        norm = float(residual @ preconditioned)
        enough = forcing**2 * norm
        for iteration in range(1, CONJUGATE + 1):
            product = x.T @ (curvature * (x @ direction)) + penalty * direction
            denominator = float(direction @ product)
            if denominator <= 0:
                return out, iteration
            length = norm / denominator
            out = out + length * direction
            residual = residual - length * product
            preconditioned = solve_factored(self.factor, residual)
            new = float(residual @ preconditioned)
            if new <= enough:
                return out, iteration
            direction = preconditioned + (new / norm) * direction
            norm = new
        return out, CONJUGATE


def _constant(x: Any, y: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The coefficients of a decision that is the same for all rows, where there is an intercept."""
    w = np.zeros(x.shape[1])
    total = float(shares.sum())
    if total > 0:
        frequency = float(np.clip(shares @ y / total, JITTER, 1 - JITTER))
        w[-1] = float(x[0, -1]) * float(logit(frequency))
    return w


def curvature_factor(x: Any, curvature: np.ndarray) -> np.ndarray:
    """The Cholesky factor (lower) of x' diag(curvature) x and the penalty."""
    if sp.issparse(x):
        hessian = (x.T @ sp.csr_array(x.multiply(curvature[:, None]))).toarray(order="C")
    else:
        root = np.sqrt(curvature)[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            rooted = np.multiply(x, root, dtype=np.float32, casting="same_kind")
            hessian = rooted.T @ rooted  # numpy computes one triangle of such a product
        if float(hessian.diagonal().max()) < BENDING:
            factor, failed = _cholesky(hessian, ROUGH_JITTER, lapack.spotrf)
            if not failed:
                return factor
        rooted = x * root
        hessian = rooted.T @ rooted
    return _cholesky(hessian, JITTER, lapack.dpotrf)[0]


def _cholesky(hessian: np.ndarray, jitter: float, potrf: Any) -> tuple[np.ndarray, bool]:
    diagonal = hessian.reshape(-1)[:: len(hessian) + 1]
    diagonal[:-1] += 1.0  # the penalty of all but the intercept
    diagonal += jitter * max(1.0, float(diagonal.max()))
    factor, failed = potrf(hessian.T, lower=1, overwrite_a=1, clean=0)
    return np.asarray(factor), bool(failed)


def solve_factored(factor: Any, right: np.ndarray) -> np.ndarray:
    """The solution of a factorised system for one right side."""
    trsv = blas.strsv if factor.dtype == np.float32 else blas.dtrsv
    return np.asarray(trsv(factor, trsv(factor, right, lower=1), lower=1, trans=1))


MOST_COLUMNS = 512  # beyond, a factorised matrix costs more than it saves


class Logistic(NamedTuple):
    """The coefficients of several regressions: of x (and the intercept), and of the other label."""

    of_x: np.ndarray
    of_other: np.ndarray


def solvable(estimator: Any, n_columns: int) -> bool:
    """Whether a base learner is a plain L2-penalised logistic regression of moderate width."""
    if type(estimator) is not LogisticRegression or n_columns > MOST_COLUMNS:
        return False
    defaults = LogisticRegression().get_params()
    settings = estimator.get_params()
    free = {"C", "tol", "max_iter", "random_state", "n_jobs", "verbose", "solver", "fit_intercept"}
    same = all(settings[name] == defaults[name] for name in settings if name not in free)
    number = (
        isinstance(settings["C"], (int, float, np.integer, np.floating))
        and 0 < settings["C"] < np.inf
    )
    return bool(same and number and settings["solver"] != "liblinear")


def fit_each(
    x: Any,
    y: np.ndarray,
    c: float,
    shares: np.ndarray,
    others: np.ndarray | None,
    start: np.ndarray,
) -> Logistic:
    """Fit y on x, on parts of the rows, or on x and each of some other columns.

    Parameters
    ----------
    x : ndarray or csr_array, shape (n, m)
        With a column for the intercept at the end, see `with_last`.
    y : ndarray, shape (n,)
        0 and 1.
    c : float
        The weight of the loss beside the penalty.
    shares : ndarray, shape (n, k)
        How much each row counts in each fit.
    others : ndarray, shape (n, k), or None
        The column that each fit has beside x.
    start : ndarray, shape (m,)
        The coefficients of x with which each fit begins.
    """
    n_fits, newton = shares.shape[1], Newton()
    starts = [start if others is None else np.append(0.0, start)]
    out = Logistic(np.empty((x.shape[1], n_fits)), np.zeros(n_fits))
    for fit in range(n_fits):
        rows = np.flatnonzero(shares[:, fit])
        part = x if rows.size == x.shape[0] else x[rows]
        weights = c * shares[rows, fit]
        if others is not None:
            part = _with_first(part, others[rows, fit])
        w = newton.solve(part, y[rows], weights, starts, NEAR * c)
        if others is None:
            out.of_x[:, fit] = w
        else:
            out.of_other[fit], out.of_x[:, fit] = w[0], w[1:]
    return out


def _with_first(x: Any, column: np.ndarray) -> Any:
    """The columns of x behind another one."""
    if sp.issparse(x):
        return sp.csr_array(sp.hstack([sp.csr_array(column[:, None]), x], format="csr"))
    return np.column_stack([column, x])
