"""The base of models with a classifier for each label on more columns than those of X."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.metaestimators import available_if

from mlfs.models.base_learners import Learner
from mlfs.models.baselines.column_model import ProbableModel, on_columns
from mlfs.models.conditionals import Conditionals, FittedConditionals
from mlfs.models.label_model import probabilistic
from mlfs.models.problem import Problem
from mlfs.models.structures.chains import Independent

__all__ = ["AppendedModel", "each_alone", "independent", "independent_part", "outputs"]


def independent(problem: Problem) -> FittedConditionals:
    """The base learner fitted for each label alone."""
    return FittedConditionals.fit(problem, Independent().learn(problem))


def independent_part(problem: Problem, before: Sequence[Learner | None] = ()) -> FittedConditionals:
    """The base learners grown by a part of the rows; `before` are those that earlier parts left."""
    return FittedConditionals.grow(problem, Independent().learn(problem), before)


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


class AppendedModel(ProbableModel):
    """A classifier for each label on the columns of X and others that are made of them.

    A subclass has ``_columns(problem)``, which returns the new columns of the training rows, and
    ``_appended(x)``, which returns those of any rows; and ``original``, whether X is kept.
    """

    original: Any
    _mark = "_fitted"

    def _columns(self, problem: Problem) -> np.ndarray:
        raise NotImplementedError

    def _appended(self, x: Any) -> np.ndarray:
        raise NotImplementedError

    def _learn(self, problem: Problem) -> None:
        wide = self._beside(problem.X, self._columns(problem))
        self._fitted = independent(on_columns(problem, wide))

    def _beside(self, x: Any, new: np.ndarray) -> Any:
        if not self.original:
            return new
        if sp.issparse(x):
            return sp.csr_array(sp.hstack([x, sp.csr_array(new)], format="csr"))
        return np.hstack([x, new])

    def _held(self, x: Any) -> Conditionals:
        return self._fitted.on(self._beside(x, self._appended(x)))

    def _decided(self, x: Any) -> np.ndarray:
        return each_alone(self._held(x), "decide")

    def _ones(self, x: Any) -> np.ndarray:
        return each_alone(self._held(x), "proba")

    @available_if(lambda model: not probabilistic(model))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The decision of each label, where the base learner gives no probabilities.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        return self._decisions(each_alone(self._held(self._rows(X)), "decision"))
