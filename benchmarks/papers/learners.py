"""The base learners of the papers, where they are not scikit-learn's as they come."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

__all__ = ["ScaledLogistic", "TunedLogistic", "liblinear_svm"]

NARROW = 300  # columns up to which a factorised Hessian is the fastest way


def liblinear_svm(rows: int, columns: int) -> LinearSVC:
    """Liblinear as the authors of oCC call it: C = 1, a bias of 1, and it stops by its default.

    With more rows than columns that is its solver 2, which stops at 0.01: on columns of very
    different sizes far from the optimum, which shows in the tables. Otherwise it is solver 1, the
    dual, which stops at 0.1.
    """
    dual = rows <= columns
    return LinearSVC(dual=dual, tol=0.1 if dual else 0.01)


class ScaledLogistic(LogisticRegression):  # type: ignore[misc]  # sklearn has no types
    """As Weka's Logistic: the ridge weighs the coefficients of columns of unit variance.

    Parameters
    ----------
    C : float
        The ridge is 1 / (2 C) times the squares of the coefficients; the intercept is free.
    """

    def __init__(self, C: float = 5.0) -> None:
        super().__init__(C=C, max_iter=200, tol=1e-3)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on scaled columns, and scale the coefficients back."""
        scale = _deviations(X)
        narrow = not sp.issparse(X) and X.shape[1] <= NARROW
        self.solver = "newton-cholesky" if narrow else "lbfgs"
        scaled = X @ sp.diags_array(1 / scale) if sp.issparse(X) else X / scale
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            super().fit(scaled, y, sample_weight)
        self.coef_ = self.coef_ / scale
        return self


def _deviations(X: Any) -> np.ndarray:
    if sp.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        deviation = np.sqrt(np.maximum(square - mean**2, 0))
    else:
        deviation = X.std(axis=0)
    return np.where(deviation > 1e-12, deviation, 1.0)


class TunedLogistic(LogisticRegression):  # type: ignore[misc]  # sklearn has no types
    """Liblinear's logistic regression of the C that has the least logistic loss in three folds.

    Parameters
    ----------
    grid : tuple of float
        What C is chosen from.
    share : float or None
        The share that one split trains on, instead of three folds.
    tol : float
        Where liblinear stops; its own default is 0.01.
    """

    def __init__(
        self, grid: tuple[float, ...], share: float | None = None, tol: float = 1e-4
    ) -> None:
        super().__init__(max_iter=200, tol=tol, solver="liblinear")
        self.grid, self.share = grid, share

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose C, then fit on all rows."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            losses = [self._loss(C, X, y) for C in self.grid]
            self.C = self.grid[int(np.argmin(losses))]
            return super().fit(X, y, sample_weight)

    def _loss(self, C: float, X: Any, y: np.ndarray) -> float:
        total = 0.0
        for train, test in self._folds(y):
            if np.unique(y[train]).size < 2:
                continue
            one = LogisticRegression(C=C, solver=self.solver, tol=self.tol, max_iter=200)
            one.fit(X[train], y[train])
            shares = one.predict_proba(X[test])[np.arange(test.size), y[test]]
            total -= np.log(np.maximum(shares, 1e-15)).sum()
        return total

    def _folds(self, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        draw = np.random.default_rng(0)
        if self.share is not None:
            order = draw.permutation(y.size)
            cut = round(self.share * y.size)
            return [(order[:cut], order[cut:])]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return list(StratifiedKFold(3, shuffle=True, random_state=0).split(y[:, None], y))
