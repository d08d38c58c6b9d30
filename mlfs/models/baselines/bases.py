"""The bases of these methods: one choice of columns, more columns than those of X, log odds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from mlfs.api.prepared import Prepared
from mlfs.data.dataset import Dataset
from mlfs.errors import DataError, UsageError
from mlfs.models.base_learners import stacked
from mlfs.models.conditionals import AppliedConditionals, FittedConditionals
from mlfs.models.features import AllFeatures, feature_plan
from mlfs.models.label_model import LabelModel, probabilistic
from mlfs.models.parameters import parameters
from mlfs.models.problem import Problem
from mlfs.models.structures.chains import Independent


def independent(problem: Problem) -> FittedConditionals:
    """The base learner fitted for each label alone."""
    return FittedConditionals.fit(problem, Independent().learn(problem))


def each_alone(conditionals: AppliedConditionals, method: str) -> np.ndarray:
    """The ``proba``, ``decision`` or ``decide`` of labels without parents, (n_rows, q)."""
    no_parents = np.zeros((conditionals.n_rows, 0), dtype=np.int8)
    answer = getattr(conditionals, method)
    return np.column_stack(
        [answer(label, slice(None), no_parents) for label in range(conditionals.q)]
    )


def outputs(conditionals: AppliedConditionals) -> np.ndarray:
    """The probability of each label, or its decision value where there are no probabilities."""
    return each_alone(conditionals, "proba" if conditionals.probabilistic else "decision")


def on_columns(problem: Problem, X: Any) -> Problem:
    """Give the rows and labels another matrix of features, which every label looks at."""
    return replace(problem, X=X, feature_names=(), features=(), shared=[])


@parameters
class ColumnModel(LabelModel):
    """A model with ``features`` and ``n``: it looks at what is selected for any of the labels.

    ``_begin`` selects on the training rows, and what it returns has the selected columns only;
    so has what ``_rows`` returns. A subclass has ``_decide(x)``, the labels of rows.

    Attributes
    ----------
    columns_ : ndarray of int or None
        The columns of X that the model looks at, ascending; None is all of them.
    """

    _: KW_ONLY
    features: Any = None
    n: Any = None
    base_estimator: Any = None
    n_jobs: int | None = None
    random_state: Any = 0

    _poor_score = True

    def _begin(self, X: Any, Y: Any, sample_weight: Any = None) -> Problem:
        plan = feature_plan(self.features, self.n)
        problem = super()._begin(X, Y, sample_weight)
        self.columns_: np.ndarray | None = None
        if isinstance(plan, AllFeatures):
            return problem
        before = plan.before(problem)
        label_columns = plan.after(problem, Independent().learn(problem.on(before)), before)
        selected = [columns for columns in label_columns if columns is not None]
        if len(selected) < len(label_columns):
            return problem
        self.columns_ = np.unique(np.concatenate(selected)).astype(np.intp)
        if not self.columns_.size:
            raise DataError("no feature is selected for any label: there is nothing to learn from")
        names = tuple(problem.feature_names[j] for j in self.columns_)
        cut = on_columns(problem, problem.X[:, self.columns_])
        return replace(cut, feature_names=names)

    def used_columns(self) -> np.ndarray | None:
        """The columns of X that are selected for some label."""
        return self.columns_

    def narrow(self, columns: np.ndarray) -> None:
        """Let the model take rows of some columns of X."""
        super().narrow(columns)
        if self.columns_ is not None:
            self.columns_ = np.searchsorted(columns, self.columns_)

    def _matrix(self, X: Any, *, reset: bool) -> Any:
        matrix = super()._matrix(X, reset=reset)
        return matrix if reset or self.columns_ is None else matrix[:, self.columns_]

    def predict(self, X: Any) -> np.ndarray:
        """The labels of each row.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n, d)
            The rows.

        Returns
        -------
        ndarray, shape (n, q)
            0 and 1 for each label; shape (n,), of the values of y, where that had one dimension.
        """
        return self._decode(self._decide(self._rows(X)).astype(np.int8))

    def _decide(self, x: Any) -> np.ndarray:
        raise NotImplementedError


class ProbableModel(ColumnModel):
    """A model that has probabilities if its base learner has; ``_ones(x)`` returns P(label = 1).

    Where it has none, ``_margins(x)``, if there is one, returns decision values.
    """

    @available_if(probabilistic)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each label.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n, d)
            The rows.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        return self._shares(self._ones(self._rows(X)))

    @available_if(lambda model: hasattr(model, "_margins") and not probabilistic(model))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The decision of each label, where the base learner gives no probabilities.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        return self._decisions(self._margins(self._rows(X)))

    _margins: Callable[[Any], np.ndarray]

    def _ones(self, x: Any) -> np.ndarray:
        raise NotImplementedError


class UnweightedModel(ColumnModel):
    """One that takes no weights of rows."""

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Learn from rows and their labels.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n, d); or Dataset or Prepared
            The features.
        y : array, sparse matrix or frame, shape (n, q)
            The labels; left out with a Dataset or a Prepared, which know theirs.

        Returns
        -------
        self
        """
        return super().fit(X, y)

    def _begin(self, X: Any, Y: Any, sample_weight: Any = None) -> Problem:
        if isinstance(X, (Dataset, Prepared)) and X.weights is not None:
            msg = f"the data have weights of rows, which {type(self).__name__} cannot use"
            raise UsageError(f"{msg}: take another model, or leave them out")
        return super()._begin(X, Y, sample_weight)


class AppendedModel(ProbableModel):
    """A classifier for each label on the columns of X and others that are made of them.

    A subclass has ``_columns(problem)``, which returns the new columns of the training rows, and
    ``_new_columns(x)``, which returns those of any rows; and ``original``, whether X is kept.
    """

    original: Any
    _mark = "_fitted"

    def _columns(self, problem: Problem) -> np.ndarray:
        raise NotImplementedError

    def _new_columns(self, x: Any) -> np.ndarray:
        raise NotImplementedError

    def _learn(self, problem: Problem) -> None:
        wide = self._append_columns(problem.X, self._columns(problem))
        self._fitted = independent(on_columns(problem, wide))

    def _append_columns(self, x: Any, new: np.ndarray) -> Any:
        return stacked(x, None, new) if self.original else new

    def _apply(self, x: Any) -> AppliedConditionals:
        return self._fitted.on(self._append_columns(x, self._new_columns(x)))

    def _decide(self, x: Any) -> np.ndarray:
        return each_alone(self._apply(x), "decide")

    def _ones(self, x: Any) -> np.ndarray:
        return each_alone(self._apply(x), "proba")

    def _margins(self, x: Any) -> np.ndarray:
        return each_alone(self._apply(x), "decision")


class LogOddsModel(LabelModel):
    """A model whose probabilities and predictions follow from the log odds of each label."""

    base_estimator = None
    random_state = 0

    @abstractmethod
    def predict_log_odds(self, X: Any) -> np.ndarray:
        """The log odds: log P(l=1|x) - log P(l=0|x) of each row and label.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d)
            The rows.
        """

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(l=1|x) of each row and label.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d)
            The rows.
        """
        log_odds = np.clip(self.predict_log_odds(X), -700, 700)
        shares: np.ndarray = 1 / (1 + np.exp(-log_odds))
        return self._shares(shares)

    def predict(self, X: Any) -> np.ndarray:
        """The labels whose probability is greater than one half.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d)
            The rows.
        """
        return self._decode((self.predict_log_odds(X) > 0).astype(np.int8))
