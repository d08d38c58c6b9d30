"""Logistic regressions of one label given each other one, solved side by side.

They share x and differ in one column, or in how much the rows count. One factorised matrix, that
of the label alone, serves as a preconditioner for all that differ in a column or lack few rows, and
every step is two matrix products for all that are not solved yet. Parts with far fewer rows than
columns are stacked (`few_rows`), and other parts are solved one by one (`newton`). The optimum is
scikit-learn's; it is approached more closely than its default tolerance asks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from mlfs.models.structures.few_rows import fit_few_rows
from mlfs.models.structures.newton import (
    JITTER,
    NEAR,
    curvature_factor,
    objective,
    one_regression,
    penalty_of,
    solve_factored,
)

__all__ = [
    "FEW",
    "MOST_COLUMNS",
    "Logistic",
    "fit_side_by_side",
    "solvable",
]

MOST_COLUMNS = 512  # beyond, a factorised matrix costs more than it saves
NEWTON, CONJUGATE, HALVES = 100, 30, 20
FORCING = 0.03  # how closely each step is solved
LAST = 1e3  # times `near`: from such a gain on, one more step reaches it
FEW = 0.5  # rows per column up to which a part is solved in the coordinates of its rows
MOST = 0.8  # the share of the rows from which a part is solved beside others


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


def fit_side_by_side(
    x: Any,
    y: np.ndarray,
    c: float,
    shares: np.ndarray,
    others: np.ndarray | None = None,
    alone: np.ndarray | None = None,
    starts: Logistic | None = None,
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
    alone : ndarray, shape (m,), optional
        The solution of all rows on x, if it is known.
    starts : Logistic, optional
        Where each fit begins; NaN for those that begin at `alone`, or at a constant.
    """
    if alone is None:
        alone = one_regression(x, y, c * shares.max(axis=1))
    if starts is None:
        nowhere = np.full((x.shape[1], shares.shape[1]), np.nan)
        starts = Logistic(nowhere, nowhere[0])
    if others is not None:
        return _WithOthers(x, y, c * shares, others, alone).solve(NEAR * c, starts)
    counted = (shares > 0).sum(axis=0)
    few = counted <= FEW * x.shape[1]
    many = ~few & (counted >= MOST * x.shape[0])
    out = np.empty((x.shape[1], shares.shape[1]))
    if few.any():
        out[:, few] = fit_few_rows(x, y, c * shares[:, few], NEAR * c)
    if many.any():
        regressions = _OnParts(x, y, c * shares[:, many], alone)
        own_starts = Logistic(starts.of_x[:, many], starts.of_other[many])
        out[:, many] = regressions.solve(NEAR * c, own_starts).of_x
    for part in np.flatnonzero(~few & ~many):
        rows = np.flatnonzero(shares[:, part])
        row_shares, start = c * shares[rows, part], starts.of_x[:, part]
        start_points = [start] if np.isfinite(start[-1]) else []
        out[:, part] = one_regression(x[rows], y[rows], row_shares, start_points, NEAR * c)
    return Logistic(out, np.zeros(shares.shape[1]))


class _WithOthers:
    """Newton's method by conjugate gradients, for many regressions at once."""

    rough: np.ndarray | None = None  # x in single precision, enough for the inner solver

    def __init__(
        self, x: Any, y: np.ndarray, shares: np.ndarray, others: np.ndarray, alone: np.ndarray
    ) -> None:
        self.x, self.y, self.shares, self.others = x, y[:, None], shares, others
        self.penalty = penalty_of(x.shape[1])[:, None]
        self.w = np.repeat(alone[:, None], others.shape[1], axis=1)
        self.v = np.zeros(others.shape[1])
        p = expit(x @ alone)
        curvature = shares.max(axis=1) * p * (1 - p)
        self.factor = curvature_factor(x, curvature)
        border = x.T @ (curvature[:, None] * others)
        self.border = border
        self.inner = solve_factored(self.factor, border)
        corner = (curvature[:, None] * others**2).sum(axis=0) + 1.0
        self.corner = np.maximum(corner - (border * self.inner).sum(axis=0), JITTER)

    def solve(self, near: float, starts: Logistic) -> Logistic:
        """Step until no regression can gain more than `near`; solved ones are left out."""
        has_start = np.isfinite(starts.of_other)
        self.w, self.v = (
            np.where(has_start, starts.of_x, self.w),
            np.where(has_start, starts.of_other, 0.0),
        )
        w, v, unsolved = np.empty_like(self.w), np.empty_like(self.v), np.arange(self.v.size)
        z = self.x @ self.w + self.others * self.v
        value = self._value(z, self.w, self.v)
        for _ in range(NEWTON):
            p = expit(z)
            residual = self.shares * (p - self.y)
            g_w = self.x.T @ residual + self.penalty * self.w
            g_v = (self.others * residual).sum(axis=0) + self.v
            d_w, d_v = self._step(g_w, g_v, self.shares * p * (1 - p))
            gain = ((g_w * d_w).sum(axis=0) + g_v * d_v) / 2
            done = (gain <= near * LAST) & (gain >= 0)
            w[:, unsolved], v[unsolved] = self.w - done * d_w, self.v - done * d_v
            change = self.x @ d_w + self.others * d_v
            length = np.where(done | ~np.isfinite(gain), 0.0, 1.0)
            for _half in range(HALVES):
                new_value = self._value(
                    z - length * change, self.w - length * d_w, self.v - length * d_v
                )
                fails = (new_value >= value) & (length > 0)
                if not fails.any():
                    break
                length = np.where(fails, length / 2, length)
            length[new_value >= value] = 0.0
            self.w, self.v = self.w - length * d_w, self.v - length * d_v
            z, value = z - length * change, np.where(length > 0, new_value, value)
            w[:, unsolved[~done]], v[unsolved[~done]] = self.w[:, ~done], self.v[~done]
            active = np.flatnonzero(length)
            if self.rough is not None and (length[~done] == 0).any():
                self.rough, active = None, np.flatnonzero(~done)  # again, in double precision
            if not active.size:
                break
            if active.size < unsolved.size:
                unsolved, z, value = unsolved[active], z[:, active], value[active]
                self._keep(active)
        return Logistic(w, v)

    def _keep(self, kept: np.ndarray) -> None:
        """Keep some of the regressions."""
        self.w, self.v, self.shares = self.w[:, kept], self.v[kept], self.shares[:, kept]
        self.others = self.others[:, kept]
        self._keep_preconditioners(kept)

    def _keep_preconditioners(self, kept: np.ndarray) -> None:
        self.border, self.inner = self.border[:, kept], self.inner[:, kept]
        self.corner = self.corner[kept]

    def _value(self, z: np.ndarray, w: np.ndarray, v: np.ndarray) -> np.ndarray:
        return objective(z, self.y, self.shares) + ((self.penalty * w**2).sum(axis=0) + v**2) / 2

    def _precondition(self, r_w: np.ndarray, r_v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        t = solve_factored(self.factor, r_w)
        s = (r_v - (self.border * t).sum(axis=0)) / self.corner
        return t - self.inner * s, s

    def _step(
        self, g_w: np.ndarray, g_v: np.ndarray, curvature: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Solve curvature * step = gradient approximately, by conjugate gradients."""
        x, penalty, others = self.x, self.penalty, self.others
        if self.rough is not None:
            x, kind = self.rough, self.rough.dtype
            penalty, others, curvature = (
                array.astype(kind) for array in (penalty, others, curvature)
            )
            g_w, g_v = g_w.astype(kind), g_v.astype(kind)
        d_w, d_v = np.zeros_like(g_w), np.zeros_like(g_v)
        r_w, r_v = g_w, g_v
        h_w, h_v = self._precondition(r_w, r_v)
        direction_w, direction_v = h_w, h_v
        norm = (r_w * h_w).sum(axis=0) + r_v * h_v
        enough = FORCING**2 * norm
        for _ in range(CONJUGATE):
            product = curvature * (x @ direction_w + others * direction_v)
            b_w = x.T @ product + penalty * direction_w
            b_v = (others * product).sum(axis=0) + direction_v
            denominator = (direction_w * b_w).sum(axis=0) + direction_v * b_v
            length = np.divide(
                norm, denominator, out=np.zeros_like(denominator), where=denominator > 0
            )
            d_w, d_v = d_w + length * direction_w, d_v + length * direction_v
            r_w, r_v = r_w - length * b_w, r_v - length * b_v
            h_w, h_v = self._precondition(r_w, r_v)
            new = (r_w * h_w).sum(axis=0) + r_v * h_v
            if (new <= enough).all():
                break
            ratio = np.divide(new, norm, out=np.zeros_like(new), where=norm > 0)
            direction_w, direction_v = h_w + ratio * direction_w, h_v + ratio * direction_v
            norm = new
        return d_w, d_v


class _OnParts(_WithOthers):
    """Regressions on most of the rows, all on the same columns.

    The curvature of each is near that of all rows, from whose solution each begins.
    """

    def __init__(self, x: Any, y: np.ndarray, shares: np.ndarray, alone: np.ndarray) -> None:
        self.x, self.y, self.shares = x, y[:, None], shares
        self.others = np.zeros((1, shares.shape[1]))
        self.penalty = penalty_of(x.shape[1])[:, None]
        self.v = np.zeros(shares.shape[1])
        self.w = np.repeat(alone[:, None], shares.shape[1], axis=1)
        p = expit(x @ alone)
        self.factor = curvature_factor(x, shares.max(axis=1) * p * (1 - p))
        if self.factor.dtype == np.float32 and not sp.issparse(x):
            self.rough = x.astype(np.float32)

    def _precondition(self, r_w: np.ndarray, r_v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return solve_factored(self.factor, r_w).astype(r_w.dtype, copy=False), r_v

    def _keep_preconditioners(self, kept: np.ndarray) -> None:
        del kept
