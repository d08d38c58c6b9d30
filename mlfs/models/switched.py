"""Linear learners of which each value of the parents has one, applied to rows together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logit

from mlfs.models.base_learners import Learner, linear_parts
from mlfs.models.inference.contract import MOST_PARENTS
from mlfs.models.switching import Switching

__all__ = ["SwitchedParts"]


@dataclass(frozen=True)
class SwitchedParts:
    """The coefficients of the classifiers of all `Switching` learners, side by side.

    Parameters
    ----------
    of_x : ndarray, shape (width, m)
        The coefficients of X, a column for each classifier.
    intercepts : ndarray, shape (m,)
        Their intercepts.
    columns : tuple of (ndarray of int or None)
        For each label the column of each value of its parents, the k-th parent being bit k; None
        where the label has no such learner.
    logistic : ndarray of bool
        For each label, whether the probability is the logistic function of the decision.
    """

    of_x: np.ndarray
    intercepts: np.ndarray
    columns: tuple[np.ndarray | None, ...]
    logistic: np.ndarray

    @classmethod
    def of(cls, learners: tuple[Learner, ...], width: int) -> SwitchedParts:
        """The coefficients of the `Switching` learners."""
        weights: list[np.ndarray] = []
        intercepts: list[float] = []
        columns: list[np.ndarray | None] = []
        logistic = np.zeros(len(learners), dtype=bool)
        for label, learner in enumerate(learners):
            parts = _parts(learner, width)
            if parts is None:
                columns.append(None)
                continue
            logistic[label] = all(log for _, _, log in parts)
            columns.append(np.arange(len(weights), len(weights) + len(parts)))
            weights.extend(coefficients for coefficients, _, _ in parts)
            intercepts.extend(intercept for _, intercept, _ in parts)
        of_x = np.column_stack(weights) if weights else np.zeros((width, 0))
        return cls(of_x, np.array(intercepts), tuple(columns), logistic)

    @property
    def scored(self) -> np.ndarray:
        """Which labels have such a learner."""
        return np.array([columns is not None for columns in self.columns])

    def times(self, X: Any) -> np.ndarray:
        """The decision of each classifier on each row, shape (n_rows, m)."""
        return np.asfortranarray(np.asarray(X @ self.of_x) + self.intercepts)


def _parts(learner: Learner, width: int) -> list[tuple[np.ndarray, float, bool]] | None:
    """Coefficients, intercept and kind of the classifier of each value of the parents."""
    switching = learner.estimator
    if type(switching) is not Switching or len(learner.parents) > MOST_PARENTS:
        return None
    columns = slice(None) if learner.columns is None else learner.columns
    out = []
    for number in range(1 << len(learner.parents)):
        values = number >> np.arange(len(learner.parents)) & 1
        classifier, share = switching.in_charge(values)
        coefficients = np.zeros(width)
        if classifier is None:
            out.append((coefficients, float(logit(share)), True))
            continue
        n_columns = width if learner.columns is None else len(learner.columns)
        linear = linear_parts(classifier, n_columns, 0)
        if linear is None:
            return None
        coefficients[columns] = linear.of_x[:n_columns]
        out.append((coefficients, linear.intercept, linear.logistic))
    return out
