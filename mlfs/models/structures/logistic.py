"""Logistic regressions of one label given each other one, solved side by side.

They share x and differ in one column, or in how much the rows count, so one factorised matrix,
that of the label alone, serves all of them as a preconditioner, and every step is two matrix
products for all of them together. The optimum is scikit-learn's; it is approached more closely
than its default tolerance asks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

__all__ = ["MOST_COLUMNS", "Logistic", "one_regression", "side_by_side", "solvable", "with_last"]

MOST_COLUMNS = 512  # beyond, a factorised matrix costs more than it saves
NEAR = 1e-11  # how far a solution may be from the optimum, in the unit of the objective over C
NEWTON, CONJUGATE, HALVES = 100, 30, 20
FORCING = 0.03  # how closely each step is solved
JITTER = 1e-10


class Logistic(NamedTuple):
    """The coefficients of several regressions: of x (and the intercept), and of the other label."""

    of_x: np.ndarray
    of_other: np.ndarray


def solvable(estimator: Any, n_columns: int) -> bool:
    """Whether a base learner is a plain L2-penalised logistic regression of moderate width."""
    if type(estimator) is not LogisticRegression or n_columns > MOST_COLUMNS:
        return False
    plain = LogisticRegression().get_params()
    given = estimator.get_params()
    free = {"C", "tol", "max_iter", "random_state", "n_jobs", "verbose", "solver", "fit_intercept"}
    same = all(given[name] == plain[name] for name in given if name not in free)
    number = (
        isinstance(given["C"], (int, float, np.integer, np.floating)) and 0 < given["C"] < np.inf
    )
    return bool(same and number and given["solver"] != "liblinear")


def with_last(x: Any, intercept: bool) -> Any:
    """The columns of x, and after them one for the intercept: of ones, or of nothing."""
    last = np.full((x.shape[0], 1), float(intercept))
    if sp.issparse(x):
        return sp.csr_array(sp.hstack([x, sp.csr_array(last)], format="csr"))
    return np.hstack([np.asarray(x, np.float64), last])


def side_by_side(
    x: Any, y: np.ndarray, c: float, shares: np.ndarray, others: np.ndarray | None = None
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
    others : ndarray, shape (n, k), optional
        The column that each fit has beside x.
    """
    alone = one_regression(x, y, c * shares.max(axis=1))
    if others is None and shares.shape[1] == 1:
        return Logistic(alone[:, None], np.zeros(1))
    if others is None:
        return _OnParts(x, y, c * shares, alone).solved(NEAR * c)
    return _Given(x, y, c * shares, others, alone).solved(NEAR * c)


def _penalty(width: int) -> np.ndarray:
    penalty = np.ones(width)
    penalty[-1] = 0.0
    return penalty


def _objective(z: np.ndarray, y: np.ndarray, shares: np.ndarray) -> np.ndarray:
    return np.asarray((shares * (np.logaddexp(0.0, z) - y * z)).sum(axis=0))


def _hessian(x: Any, curvature: np.ndarray) -> np.ndarray:
    if sp.issparse(x):
        return np.asarray((x.T @ sp.csr_array(x.multiply(curvature[:, None]))).toarray())
    return np.asarray(x.T @ (x * curvature[:, None]))


def _factor(x: Any, curvature: np.ndarray, penalty: np.ndarray) -> Any:
    hessian = _hessian(x, curvature)
    hessian[np.diag_indices_from(hessian)] += penalty
    hessian[np.diag_indices_from(hessian)] += JITTER * max(1.0, float(hessian.diagonal().max()))
    return cho_factor(hessian, lower=True, overwrite_a=True, check_finite=False)


def one_regression(
    x: Any,
    y: np.ndarray,
    shares: np.ndarray,
    *,
    start: np.ndarray | None = None,
    near: float | None = None,
) -> np.ndarray:
    """Newton's method for one regression; the last coefficient is the intercept.

    Parameters
    ----------
    x, y
        As for `side_by_side`.
    shares : ndarray, shape (n,)
        How much each row counts, times C.
    start : ndarray, optional
        Coefficients to begin with.
    near : float, optional
        How far the objective may be from the optimum.
    """
    penalty = _penalty(x.shape[1])
    near = NEAR * float(shares.max()) if near is None else near
    w = np.zeros(x.shape[1]) if start is None else start
    z = np.asarray(x @ w)
    value = float(_objective(z, y, shares)) + float(penalty @ w**2) / 2
    for _ in range(NEWTON):
        p = expit(z)
        gradient = x.T @ (shares * (p - y)) + penalty * w
        step = cho_solve(_factor(x, shares * p * (1 - p), penalty), gradient, check_finite=False)
        if float(gradient @ step) / 2 <= near:
            return w - step  # so near, a whole step squares what is left of the error
        moved, length = x @ step, 1.0
        for _half in range(HALVES):
            tried = w - length * step
            worth = float(_objective(z - length * moved, y, shares))
            worth += float(penalty @ tried**2) / 2
            if worth < value:
                break
            length /= 2
        else:
            break
        w, z, value = tried, z - length * moved, worth
    return w


class _Given:
    """Newton's method by conjugate gradients, for many regressions at once."""

    def __init__(
        self, x: Any, y: np.ndarray, shares: np.ndarray, others: np.ndarray, alone: np.ndarray
    ) -> None:
        self.x, self.y, self.shares, self.others = x, y[:, None], shares, others
        self.penalty = _penalty(x.shape[1])[:, None]
        self.w = np.repeat(alone[:, None], others.shape[1], axis=1)
        self.v = np.zeros(others.shape[1])
        p = expit(x @ alone)
        curvature = shares.max(axis=1) * p * (1 - p)
        self.factor = _factor(x, curvature, self.penalty[:, 0])
        border = x.T @ (curvature[:, None] * others)
        self.border = border
        self.inner = cho_solve(self.factor, border, check_finite=False)
        corner = (curvature[:, None] * others**2).sum(axis=0) + 1.0
        self.corner = np.maximum(corner - (border * self.inner).sum(axis=0), JITTER)

    def solved(self, near: float) -> Logistic:
        """Step until no regression can gain more than `near`."""
        z = self.x @ self.w
        value = self._value(z, self.w, self.v)
        for _ in range(NEWTON):
            p = expit(z)
            residual = self.shares * (p - self.y)
            g_w = self.x.T @ residual + self.penalty * self.w
            g_v = (self.others * residual).sum(axis=0) + self.v
            d_w, d_v = self._step(g_w, g_v, self.shares * p * (1 - p))
            gain = ((g_w * d_w).sum(axis=0) + g_v * d_v) / 2
            if (gain <= near).all():
                break
            moved = self.x @ d_w + self.others * d_v
            length = np.where(gain > near, 1.0, 0.0)
            for _half in range(HALVES):
                worth = self._value(
                    z - length * moved, self.w - length * d_w, self.v - length * d_v
                )
                fails = (worth >= value) & (length > 0)
                if not fails.any():
                    break
                length = np.where(fails, length / 2, length)
            length[worth >= value] = 0.0
            if not length.any():
                break
            self.w, self.v = self.w - length * d_w, self.v - length * d_v
            z = z - length * moved
            value = np.where(length > 0, worth, value)
        return Logistic(self.w, self.v)

    def _value(self, z: np.ndarray, w: np.ndarray, v: np.ndarray) -> np.ndarray:
        return _objective(z, self.y, self.shares) + ((self.penalty * w**2).sum(axis=0) + v**2) / 2

    def _preconditioned(self, r_w: np.ndarray, r_v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        t = cho_solve(self.factor, r_w, check_finite=False)
        s = (r_v - (self.border * t).sum(axis=0)) / self.corner
        return t - self.inner * s, s

    def _step(
        self, g_w: np.ndarray, g_v: np.ndarray, curvature: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Solve the curvature times the step = gradient, nearly."""
        d_w, d_v = np.zeros_like(g_w), np.zeros_like(g_v)
        r_w, r_v = g_w, g_v
        h_w, h_v = self._preconditioned(r_w, r_v)
        along_w, along_v = h_w, h_v
        energy = (r_w * h_w).sum(axis=0) + r_v * h_v
        enough = FORCING**2 * energy
        for _ in range(CONJUGATE):
            bent = curvature * (self.x @ along_w + self.others * along_v)
            b_w = self.x.T @ bent + self.penalty * along_w
            b_v = (self.others * bent).sum(axis=0) + along_v
            bend = (along_w * b_w).sum(axis=0) + along_v * b_v
            length = np.divide(energy, bend, out=np.zeros_like(bend), where=bend > 0)
            d_w, d_v = d_w + length * along_w, d_v + length * along_v
            r_w, r_v = r_w - length * b_w, r_v - length * b_v
            h_w, h_v = self._preconditioned(r_w, r_v)
            new = (r_w * h_w).sum(axis=0) + r_v * h_v
            if (new <= enough).all():
                break
            turn = np.divide(new, energy, out=np.zeros_like(new), where=energy > 0)
            along_w, along_v = h_w + turn * along_w, h_v + turn * along_v
            energy = new
        return d_w, d_v


class _OnParts(_Given):
    """Regressions on the same columns that differ in how much the rows count.

    The curvature of each is taken for that of all rows, times the share of the curvature that its
    rows have: with the eigenvectors of one matrix, all of these are inverted at once.
    """

    def __init__(self, x: Any, y: np.ndarray, shares: np.ndarray, alone: np.ndarray) -> None:
        self.x, self.y, self.shares = x, y[:, None], shares
        self.others = np.zeros((1, shares.shape[1]))
        self.penalty = _penalty(x.shape[1])[:, None]
        # from nothing but the frequency: where all rows are classified without doubt, parts of
        # them may bend too little for a first step
        self.w = np.zeros((x.shape[1], shares.shape[1]))
        frequency = (shares * self.y).sum(axis=0) / shares.sum(axis=0)
        self.w[-1] = x[0, -1] * logit(np.clip(frequency, JITTER, 1 - JITTER))
        self.v = np.zeros(shares.shape[1])
        p = expit(x @ alone)
        bent = p * (1 - p)
        curvature = shares.max(axis=1) * bent
        values, self.vectors = np.linalg.eigh(_hessian(x, curvature))
        part = (shares * bent[:, None]).sum(axis=0) / max(float(curvature.sum()), JITTER)
        self.inverse = 1.0 / (np.maximum(values, 0.0)[:, None] * part + 1.0)

    def _preconditioned(self, r_w: np.ndarray, r_v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.vectors @ (self.inverse * (self.vectors.T @ r_w)), r_v
