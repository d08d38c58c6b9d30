"""Logistic regression that chooses its penalty by how likely rows held out are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import _check_sample_weight, validate_data

from mlfs.errors import UsageError, printable
from mlfs.models.classes import two_classes
from mlfs.models.inference.contract import real, whole
from mlfs.models.problem import stratified_folds
from mlfs.models.storage.storable import storable
from mlfs.models.structures.newton import MOST_COLUMNS, Newton, with_last

PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
UNCHOSEN = 1.0
FITTED = 1e-8  # nats by which the objective over C may miss its optimum
ROUGH = 1e-5  # nats by which a regression that only compares penalties may miss its optimum


@storable
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
