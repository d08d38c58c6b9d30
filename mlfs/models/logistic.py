"""Logistic regressions: one that chooses its penalty, and Newton's method that solves them.

`TunedLogistic` chooses its penalty by how likely rows held out are. `fit_each` fits one label on x
and each of some other columns, or on parts of the rows: regressions that differ little from each
other. Each is solved by Newton's method with the curvature that the one before it left; the optimum
is scikit-learn's, approached more closely than its default tolerance asks.

Each step is solved by conjugate gradients. Their preconditioner is a curvature that was factorised
once, in single precision where that bears it, and again only where it has become too different:
to factorise costs as much as some thirty steps of conjugate gradients.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import blas, lapack
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import _check_sample_weight, validate_data

from mlfs.errors import UsageError, printable
from mlfs.models.classes import two_classes
from mlfs.models.inference.contract import real, whole
from mlfs.models.problem import stratified_folds

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
            forcing = CLOSELY if gain < CLOSE else FORCING
            if self.factor.dtype == np.float32:
                step, iterations = self._step(rough, curvature, gradient, forcing)
                if not np.isfinite(step).all():
                    self.factor, fresh = exact_curvature_factor(x, curvature), True
            if self.factor.dtype == np.float64:
                step, iterations = self._step(x, curvature, gradient, forcing)
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
        Floating-point flags mean nothing here: kernels of BLAS also compute with what lies beyond
        an array, and a step of single precision that is not finite is computed again in double.
        """
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return self._conjugate_gradients(x, curvature, gradient, forcing)

    def _conjugate_gradients(
        self, x: Any, curvature: np.ndarray, gradient: np.ndarray, forcing: float
    ) -> tuple[np.ndarray, int]:
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
    if not sp.issparse(x):
        root = np.sqrt(curvature)[:, None]
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            rooted = np.multiply(x, root, dtype=np.float32, casting="same_kind")
            hessian = rooted.T @ rooted  # numpy computes one triangle of such a product
        if float(hessian.diagonal().max()) < BENDING:
            factor, failed = _cholesky(hessian, ROUGH_JITTER, lapack.spotrf)
            if not failed and np.isfinite(factor.diagonal()).all():
                return factor
    return exact_curvature_factor(x, curvature)


def exact_curvature_factor(x: Any, curvature: np.ndarray) -> np.ndarray:
    """The Cholesky factor (lower) of x' diag(curvature) x and the penalty, in double precision."""
    if sp.issparse(x):
        hessian = (x.T @ sp.csr_array(x.multiply(curvature[:, None]))).toarray(order="C")
    else:
        rooted = x * np.sqrt(curvature)[:, None]
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


PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
UNCHOSEN = 1.0
FITTED = 1e-8  # nats by which the objective over C may miss its optimum
ROUGH = 1e-5  # nats by which a regression that only compares penalties may miss its optimum


class TunedLogistic(LogisticRegression):  # type: ignore[misc]  # sklearn has no types
    """L2-penalised logistic regression of two classes; C by the log loss of rows held out.

    Parameters
    ----------
    C : float, optional
        This C, instead of one that is chosen.
    grid : tuple of float, default=(0.001, 0.01, ..., 100)
        What C is chosen from; of equals the least, which is the strongest penalty. It is 1 where
        a class is too small to be cut in folds, and for structure learners that compare many
        regressions, such as `Arborescence`.
    folds : int, default=3
        How many folds, stratified. A C that is behind by ten nats and five standard errors is not
        tried on further folds, nor are weaker penalties than that. Rows are distinguished by their
        content: neither their order nor a seed matters, and a row that counts twice is one that is
        there twice.

    Attributes
    ----------
    C_ : float
        The C that was chosen, or given.
    coef_, intercept_, classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> X = np.arange(12.0)[:, None]
    >>> model = TunedLogistic().fit(X, X[:, 0] > 5)
    >>> model.C_, model.predict([[2.0], [9.0]]).tolist()
    (100.0, [False, True])
    """

    def __init__(
        self, C: float | None = None, grid: tuple[float, ...] = PENALTIES, folds: int = 3
    ) -> None:
        super().__init__(C=C, solver="liblinear")
        self.grid = grid
        self.folds = folds

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose C, then fit on all rows."""
        self._check_parameters()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        self.classes_, codes = two_classes(y)
        if sp.issparse(X) and X.shape[1] <= MOST_COLUMNS:
            X = X.toarray()  # one way to solve narrow rows: sparse ones get what dense ones get
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        self.C_ = self._choose_C(X, codes, weights) if self.C is None else self.C
        self._solve(X, codes, weights, None)
        return self

    def again(self, X: Any, codes: np.ndarray, weights: np.ndarray | None = None) -> TunedLogistic:
        """Another one fitted on these rows, with the C that was chosen here.

        Its coefficients are searched from those of this one, as those of steps of EM are near.
        Nothing is checked: the rows are as a model hands them on, both classes among them, coded
        as 0 and 1.
        """
        model = TunedLogistic(self.C, self.grid, self.folds)
        model.classes_, model.n_features_in_, model.C_ = self.classes_, X.shape[1], self.C_
        if sp.issparse(X) and _is_narrow(X):
            X = X.toarray()
        model._solve(X, codes, weights, np.append(self.coef_[0], self.intercept_))
        return model

    def untuned(self) -> LogisticRegression:
        """The plain regression with the C that is given, or 1."""
        return LogisticRegression(C=UNCHOSEN if self.C is None else self.C)

    def _check_parameters(self) -> None:
        whole(self.folds, "folds", 2)
        if self.C is not None:
            real(self.C, "C is a positive number or None", lambda x: 0 < x < np.inf)
        grid = self.grid.tolist() if isinstance(self.grid, np.ndarray) else self.grid
        if not isinstance(grid, (tuple, list)) or not grid:
            raise UsageError(f"grid is a list of positive numbers, not {printable(repr(grid))}")
        for value in grid:
            real(value, "grid has positive numbers", lambda x: 0 < x < np.inf)

    def _choose_C(self, X: Any, codes: np.ndarray, weights: np.ndarray | None) -> float:
        """The C of the grid with the least log loss on rows held out."""
        grid = sorted(float(value) for value in self.grid)
        if len(grid) == 1:
            return grid[0]
        rows = np.arange(codes.size) if weights is None else np.flatnonzero(weights)
        X, codes = X[rows], codes[rows]
        shares = np.ones(rows.size) if weights is None else weights[rows]
        folds = stratified_folds(X, codes, self.folds)
        losses, judged = np.zeros((len(grid), codes.size)), np.zeros(codes.size, dtype=bool)
        newtons: list[Newton] = [Newton() for _ in grid]
        before: dict[int, np.ndarray] = {}
        for fold in range(self.folds):
            learn, test = folds != fold, folds == fold
            if np.unique(codes[learn]).size < 2 or not test.any():
                continue
            judged |= test
            x = with_last(X[test], intercept=True)
            fitted = _regressions(X[learn], codes[learn], shares[learn], grid, newtons, before)
            for loss, w in zip(losses, fitted, strict=True):
                z = np.asarray(x @ w)
                loss[test] = np.logaddexp(0.0, z) - codes[test] * z
        if not judged.any():
            return UNCHOSEN
        return grid[int(np.argmin(losses[:, judged] @ shares[judged]))]  # of equals the least

    def _solve(
        self, X: Any, codes: np.ndarray, weights: np.ndarray | None, start: np.ndarray | None
    ) -> None:
        if _is_narrow(X):
            shares = np.ones(codes.size) if weights is None else weights
            x = with_last(X, intercept=True)
            starts = [] if start is None else [start]
            w = Newton().solve(x, codes, self.C_ * shares, starts, FITTED * self.C_)
            self.coef_, self.intercept_ = w[None, :-1].copy(), w[-1:].copy()
            self.n_iter_ = np.ones(1, dtype=np.int32)
            return
        fitted = _by_scikit_learn(self.C_, X, codes, weights)
        self.coef_, self.intercept_, self.n_iter_ = fitted.coef_, fitted.intercept_, fitted.n_iter_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _regressions(
    X: Any,
    y: np.ndarray,
    shares: np.ndarray,
    grid: Sequence[float],
    newtons: Sequence[Newton],
    before: dict[int, np.ndarray],
) -> Iterator[np.ndarray]:
    """The coefficients for each C, each searched from those of the last C and of the last fold."""
    if not _is_narrow(X):
        for C in grid:
            linear = _by_scikit_learn(C, X, y, shares)
            yield np.append(linear.coef_[0], linear.intercept_)
        return
    x, w = with_last(X, intercept=True), None
    for i, C in enumerate(grid):
        starts = [start for start in (w, before.get(i)) if start is not None]
        w = before[i] = newtons[i].solve(x, y, C * shares, starts, C * ROUGH)
        yield w


def _is_narrow(X: Any) -> bool:
    return bool(X.shape[1] <= MOST_COLUMNS)


def _by_scikit_learn(
    C: float, X: Any, codes: np.ndarray, weights: np.ndarray | None
) -> LogisticRegression:
    learner = LogisticRegression(C=C, solver="liblinear")
    return learner.fit(X, codes, sample_weight=weights)
