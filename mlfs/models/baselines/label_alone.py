"""The base of models with a classifier for each label on more columns than those of X."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.metaestimators import available_if

from mlfs.models.baselines.column_model import ColumnModel, on_columns, probabilistic
from mlfs.models.conditionals import Conditionals, FittedConditionals
from mlfs.models.problem import Problem
from mlfs.models.structures.chains import Independent

__all__ = ["AppendedModel", "each_alone", "independent", "outputs"]


def independent(problem: Problem) -> FittedConditionals:
    """The base learner fitted for each label alone."""
    return FittedConditionals.fit(problem, Independent().learn(problem))


def each_alone(held: Conditionals, way: str) -> np.ndarray:
    """Of each label without parents its ``proba``, ``decision`` or ``decide``, (n_rows, q)."""
    none = np.zeros((held.n_rows, 0), dtype=np.int8)
    every = slice(None)
    if way == "proba":
        columns = [np.exp(held.log_proba(label, every, none)[:, 1]) for label in range(held.q)]
    else:
        columns = [getattr(held, way)(label, every, none) for label in range(held.q)]
    return np.column_stack(columns)


def outputs(held: Conditionals) -> np.ndarray:
    """The probability of each label, or its decision value where there are no probabilities."""
    return each_alone(held, "proba" if held.probabilistic else "decision")


class AppendedModel(ColumnModel):
    """A classifier for each label on the columns of X and others that are made of them.

    A subclass has ``_learn(problem)``, which returns the new columns of the training rows, and
    ``_appended(x)``, which returns those of any rows; and ``original``, whether X is kept.
    """

    original: Any

    def _learn(self, problem: Problem) -> np.ndarray:
        raise NotImplementedError

    def _appended(self, x: Any) -> np.ndarray:
        raise NotImplementedError

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Learn the new columns, then the classifiers."""
        problem = self._begin(X, y, sample_weight)
        wide = self._beside(problem.X, self._learn(problem))
        self._fitted = independent(on_columns(problem, wide))
        return self

    def _beside(self, x: Any, new: np.ndarray) -> Any:
        if not self.original:
            return new
        if sp.issparse(x):
            return sp.csr_array(sp.hstack([x, sp.csr_array(new)], format="csr"))
        return np.hstack([x, new])

    def _held(self, X: Any) -> Conditionals:
        x = self._rows(X)
        return self._fitted.on(self._beside(x, self._appended(x)))

    def predict(self, X: Any) -> np.ndarray:
        """The labels of each row, each decided alone.

        Returns
        -------
        ndarray, shape (n, q)
            Of the values that Y had; 0 and 1 where it had booleans or sets.
        """
        return self._given(each_alone(self._held(X), "decide"))

    @available_if(probabilistic)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each label.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        return self._shares(each_alone(self._held(X), "proba"))

    @available_if(lambda model: not probabilistic(model))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The decision of each label, where the base learner gives no probabilities.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        found = each_alone(self._held(X), "decision")
        return found[:, 0] if self._labels.flat else found

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__
