"""Fitted base learners applied to rows: P(label | x, parents) for any rows and parents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.counting.entries import edges_of
from mlfs.errors import UsageError, printable
from mlfs.models.base_learners import (
    ROWS_AT_ONCE,
    Learner,
    fit_learners,
    linear_parts,
    stacked,
    wants_dense,
)
from mlfs.models.problem import Problem
from mlfs.search.label_parents import Structure

LEAST = 1e-12  # no probability is less, so that logarithms are finite
SPARSE = 0.1  # a product with coefficients of less density is faster sparse
EDGE = float(np.log1p(-LEAST) - np.log(LEAST))
Rows = Any  # a slice or an array of int


@dataclass(frozen=True)
class FittedConditionals:
    """The fitted classifiers of all labels given their parents.

    Parameters
    ----------
    structure : Structure
        The parents of each label.
    learners : tuple of Learner
        One for each label.
    width : int
        How many columns X has.
    sparse : bool
        Whether X was sparse in training; some learners predict for sparse rows only.
    """

    structure: Structure
    learners: tuple[Learner, ...]
    width: int
    sparse: bool = False

    @property
    def used_columns(self) -> np.ndarray | None:
        """The columns of X that some learner looks at, ascending; None is all of them."""
        fitted = [learner.columns for learner in self.learners if learner.estimator is not None]
        columns = [one for one in fitted if one is not None]
        if len(columns) < len(fitted):
            return None
        return np.unique(np.concatenate([np.zeros(0, np.intp), *columns]))

    def narrowed(self, columns: np.ndarray) -> FittedConditionals:
        """Give the learners rows that have only some columns of X, ascending.

        A constant looks at none, and no longer says at which it was to look.
        """
        learners = tuple(
            learner
            if learner.columns is None
            else replace(
                learner,
                columns=np.searchsorted(columns, np.intersect1d(learner.columns, columns)),
            )
            for learner in self.learners
        )
        return replace(self, learners=learners, width=len(columns))

    @classmethod
    def fit(
        cls,
        problem: Problem,
        structure: Structure,
        weights: np.ndarray | None = None,
        like: tuple[Learner, ...] = (),
    ) -> FittedConditionals:
        """Fit the base learner of each label; weights, if given, replace the problem's."""
        learners = fit_learners(problem, structure, weights, like)
        return cls(structure, learners, int(problem.X.shape[1]), bool(sp.issparse(problem.X)))

    @property
    def probabilistic(self) -> bool:
        """Whether all learners know probabilities."""
        return all(learner.probabilistic for learner in self.learners)

    def on(self, X: Any) -> AppliedConditionals:
        """Apply the learners to rows (ndarray of float64 or csr)."""
        return AppliedConditionals(self, X)

    @cached_property
    def linear(self) -> _Linear:
        """The coefficients of all linear learners, for one product with X."""
        return _Linear.of(self.learners, self.width)


class AppliedConditionals:
    """The learners applied to some rows; what depends on X alone is computed once.

    Parameters
    ----------
    fitted : FittedConditionals
        What was learned.
    X : ndarray of float64 or csr_array
        The rows.
    """

    def __init__(self, fitted: FittedConditionals, X: Any) -> None:
        self.fitted, self.X = fitted, X
        self.structure = fitted.structure
        self.n_rows, self.q = int(X.shape[0]), len(fitted.learners)
        self.probabilistic = fitted.probabilistic
        self._parts = fitted.linear
        self._scored = self._parts.scored

    def log_proba(self, label: int, rows: Rows, parents: np.ndarray) -> np.ndarray:
        """Log P(label = 0 or 1 | x, parents), shape (len(rows), 2).

        Parameters
        ----------
        label : int
            The label.
        rows : slice or array of int
            Which rows; a row may come more than once.
        parents : ndarray of int8, shape (len(rows), n_parents)
            The values of its parents, in ascending order of the parents.
        """
        self._check_probabilities()
        logits = self._logits(label, rows, parents)
        if logits is not None:
            return _from_logits(logits)
        proba = self._answers("predict_proba", label, rows, parents)
        return np.log(np.clip(np.asarray(proba, dtype=np.float64), LEAST, 1 - LEAST))

    def proba(self, label: int, rows: Rows, parents: np.ndarray) -> np.ndarray:
        """P(label = 1 | x, parents), shape (len(rows),)."""
        return np.asarray(np.exp(self.log_proba(label, rows, parents)[:, 1]))

    def decide(self, label: int, rows: Rows, parents: np.ndarray) -> np.ndarray:
        """The learner's own decision, int8; it needs no probabilities."""
        learner = self.fitted.learners[label]
        if learner.estimator is None:
            return np.full(len(parents), learner.constant, dtype=np.int8)
        if self._scored[label]:
            return (self._scores(label, rows, parents) > 0).astype(np.int8)
        return self._answers("predict", label, rows, parents).astype(np.int8)

    def decision(self, label: int, rows: Rows, parents: np.ndarray) -> np.ndarray:
        """The learner's decision function, positive for 1; log odds where it has none."""
        learner = self.fitted.learners[label]
        if learner.estimator is None:
            return np.full(len(parents), EDGE if learner.constant else -EDGE)
        if self._scored[label]:
            return self._scores(label, rows, parents)
        if hasattr(learner.estimator, "decision_function"):
            values = self._answers("decision_function", label, rows, parents)
            return np.asarray(values, dtype=np.float64).reshape(-1)
        if learner.probabilistic:
            logs = self.log_proba(label, rows, parents)
            return logs[:, 1] - logs[:, 0]
        return 2.0 * self.decide(label, rows, parents) - 1.0

    def _check_probabilities(self) -> None:
        if not self.probabilistic:
            kinds = [type(learner.estimator).__name__ for learner in self.fitted.learners]
            probabilistic = [learner.probabilistic for learner in self.fitted.learners]
            name = printable(kinds[probabilistic.index(False)])
            msg = (
                f"the base learner {name} gives no probabilities (it has no predict_proba): use "
                "one that does, such as LogisticRegression, or greedy inference"
            )
            raise UsageError(msg)

    def _logits(self, label: int, rows: Rows, parents: np.ndarray) -> np.ndarray | None:
        """The log odds where they are known without asking the estimator."""
        learner = self.fitted.learners[label]
        if learner.estimator is None:
            return np.full(len(parents), EDGE if learner.constant else -EDGE)
        return self._scores(label, rows, parents) if self._parts.logistic[label] else None

    def _scores(self, label: int, rows: Rows, parents: np.ndarray) -> np.ndarray:
        of_x = self._x_scores[rows, label]
        of_parents = self._parts.of_parents[label]
        return of_x + offsets(parents, of_parents) if of_parents.size else of_x.copy()

    def _answers(self, method: str, label: int, rows: Rows, parents: np.ndarray) -> np.ndarray:
        """The answers of a label's estimator; in blocks where sparse rows are made dense."""
        learner = self.fitted.learners[label]
        predict = getattr(learner.estimator, method)
        all_rows = isinstance(rows, slice) and rows == slice(None)
        x = self._as_in_training if all_rows else self._as_in_training[rows]
        step = max(1, len(parents))
        if sp.issparse(x) and wants_dense(learner.estimator):
            width = x.shape[1] if learner.columns is None else len(learner.columns)
            step = max(1, ROWS_AT_ONCE // max(1, width))
        if step >= len(parents):
            return np.asarray(predict(stacked(x, learner.columns, parents, learner.estimator)))
        starts = range(0, len(parents), step)
        parts = ((x[i : i + step], parents[i : i + step]) for i in starts)
        return np.concatenate(
            [
                predict(stacked(part, learner.columns, values, learner.estimator))
                for part, values in parts
            ]
        )

    @cached_property
    def _as_in_training(self) -> Any:
        if self.fitted.sparse:
            return self.X if sp.issparse(self.X) else sp.csr_array(self.X)
        return self.X.toarray() if sp.issparse(self.X) else self.X

    @cached_property
    def _x_scores(self) -> np.ndarray:
        """The share of X in the decision of each linear label, and the intercepts."""
        return np.asfortranarray(self._parts.times(self.X))


def offsets(parents: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """The share of the parents in a decision."""
    if parents.flags.f_contiguous:
        return coefficients @ parents.T.astype(np.float64)
    return parents.astype(np.float64) @ coefficients


def _from_logits(logits: np.ndarray) -> np.ndarray:
    """Log P(0) and log P(1): as by `np.logaddexp`, in a sixth of its time."""
    bounded = np.clip(logits, -EDGE, EDGE)
    log1p_exp = np.log1p(np.exp(-np.abs(bounded)))
    return np.column_stack(
        [-np.maximum(bounded, 0.0) - log1p_exp, np.minimum(bounded, 0.0) - log1p_exp]
    )


@dataclass(frozen=True)
class _Linear:
    """The coefficients of the linear learners, side by side."""

    of_x: Any
    intercepts: np.ndarray
    of_parents: tuple[np.ndarray, ...]
    scored: np.ndarray
    logistic: np.ndarray

    @classmethod
    def of(cls, learners: tuple[Learner, ...], width: int) -> _Linear:
        parts = [linear_parts(learner) for learner in learners]
        of_x = [np.zeros(0) if part is None else part.of_x for part in parts]
        sizes = [len(coefficients) for coefficients in of_x]
        rows = [
            (np.arange(width) if learner.columns is None else learner.columns)[:size]
            for learner, size in zip(learners, sizes, strict=True)
        ]
        shape = (width, len(learners))
        matrix: Any
        if sum(sizes) < SPARSE * width * len(learners):
            ends = edges_of(sizes)
            matrix = sp.csc_array((np.concatenate(of_x), np.concatenate(rows), ends), shape)
        else:
            matrix = np.zeros(shape)
            for label, coefficients in enumerate(of_x):
                matrix[rows[label], label] = coefficients
        return cls(
            matrix,
            np.array([0.0 if part is None else part.intercept for part in parts]),
            tuple(np.zeros(0) if part is None else part.of_parents for part in parts),
            np.array([part is not None for part in parts]),
            np.array([part is not None and part.logistic for part in parts]),
        )

    def times(self, X: Any) -> np.ndarray:
        product = X @ self.of_x
        product = product.toarray() if sp.issparse(product) else np.asarray(product)
        return product + self.intercepts
