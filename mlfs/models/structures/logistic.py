"""Logistic regressions of one label given each other one, which differ little from each other.

They share x and differ in one column, or in how much the rows count. Each is solved by Newton's
method (`newton`) with the curvature that the one before it left. The optimum is scikit-learn's; it
is approached more closely than its default tolerance asks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from mlfs.models.structures.newton import NEAR, Newton, in_span

MOST_COLUMNS = 512  # beyond, a factorised matrix costs more than it saves
FEW = 0.5  # rows per column up to which a part is solved in the coordinates of its rows


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
    others: np.ndarray | None = None,
    start: np.ndarray | None = None,
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
    start : ndarray, shape (m,), optional
        The coefficients of x with which each fit begins; by default those of a constant decision.
    """
    n_fits, newton, starts = shares.shape[1], Newton(), []
    if start is not None:
        starts = [start if others is None else np.append(0.0, start)]
    out = Logistic(np.empty((x.shape[1], n_fits)), np.zeros(n_fits))
    for fit in range(n_fits):
        rows = np.flatnonzero(shares[:, fit])
        part = x if rows.size == x.shape[0] else x[rows]
        weights = c * shares[rows, fit]
        if others is not None:
            part = _with_first(part, others[rows, fit])
        if others is None and rows.size <= FEW * x.shape[1]:
            dense = part.toarray() if sp.issparse(part) else part
            spanned, basis = in_span(dense)
            w = basis @ Newton().solve(spanned, y[rows], weights, near=NEAR * c)
        else:
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
