"""What all learners of label structures share, and mutual information of pairs of labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator

from mlfs.counting.weights import on_grid
from mlfs.information.for_search import label_pair
from mlfs.information.info import Info
from mlfs.search.label_parents import Edge, Structure

if TYPE_CHECKING:
    from mlfs.models.problem import Problem

__all__ = ["LabelPairs", "StructureLearner", "labels_alone"]


class StructureLearner(BaseEstimator):  # type: ignore[misc]  # sklearn has no types
    """Learns the parents of each label from data.

    To write your own, keep the parameters of ``__init__`` under their names and write `learn`.
    """

    def learn(self, problem: Problem) -> Structure:
        """The structure of the labels of a problem."""
        raise NotImplementedError


def labels_alone(problem: Problem) -> Info:
    """The counts of the labels beside no features: enough where only labels are compared."""
    nothing = np.zeros((problem.n_rows, 1), np.int32)
    weights = None if problem.weights is None else on_grid(problem.weights)
    return Info.from_codes(nothing, problem.Y.astype(np.int32), weights=weights)


@dataclass(frozen=True)
class LabelPairs:
    """Entropy and mutual information of all pairs of labels, on the rows where both are known.

    Parameters
    ----------
    info : Info
        The counts.
    n_rows : ndarray of float, shape (q, q)
        How many rows, or what weight of rows, each pair is known on.
    """

    info: Info
    n_rows: np.ndarray

    @classmethod
    def of(cls, problem: Problem) -> LabelPairs:
        """Count the pairs of labels of a problem."""
        known = (problem.Y >= 0).astype(np.float64)
        weights = np.ones(problem.n_rows) if problem.weights is None else problem.weights
        info = problem.shared[0].info if problem.shared else labels_alone(problem)
        return cls(info, (known * weights[:, None]).T @ known)

    @cached_property
    def _parts(self) -> tuple[np.ndarray, np.ndarray]:
        q = self.info.q
        mi, least = np.zeros((q, q)), np.zeros((q, q))
        for label in range(q):
            mi[label], h_f, h_l = label_pair(self.info, label)
            least[label] = np.minimum(h_f, h_l)
        np.fill_diagonal(mi, 0.0)
        return mi, least

    @property
    def information(self) -> np.ndarray:
        """I(a;b), the diagonal 0."""
        return self._parts[0]

    @cached_property
    def normalised(self) -> np.ndarray:
        """I(a;b) / min(H(a), H(b)), eq. (25) of the PACC paper; 0 with a constant label."""
        mi, least = self._parts
        return np.divide(mi, least, out=np.zeros_like(mi), where=least > 0)

    @cached_property
    def g(self) -> np.ndarray:
        """The statistic of the G-test of each pair, 2 N I(a;b)."""
        return 2.0 * self.n_rows * self.information

    @property
    def constant(self) -> np.ndarray:
        """Which labels have one value."""
        return self.info.h_l == 0

    def weights(self, structure: Structure) -> dict[Edge, float]:
        """The normalised information of each edge."""
        return {edge: float(self.normalised[edge]) for edge in structure.edges}
