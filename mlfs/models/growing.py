"""How a mixture of trees grows: each tree learned where the others predict badly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlfs.models.conditionals import FittedConditionals
from mlfs.models.em import Mixture, em, fitted_tree
from mlfs.models.features import FeaturePlan
from mlfs.models.problem import Problem
from mlfs.models.structures import StructureLearner

__all__ = ["Grower"]

NO_DOUBT = 1e-9


@dataclass(frozen=True)
class Grower:
    """How trees are added to a mixture, section 5.3 of Hong, Batal & Hauskrecht.

    Parameters
    ----------
    learner : learner of structures
        How a tree is learned.
    plan : FeaturePlan
        How the columns of its labels are found.
    tol, max_iter : float, int
        When EM ends.
    """

    learner: StructureLearner
    plan: FeaturePlan
    tol: float
    max_iter: int

    def first(self, problem: Problem) -> Mixture:
        """A mixture of one tree."""
        return Mixture((self._tree(problem),), np.ones(1))

    def next(self, problem: Problem, mixture: Mixture) -> Mixture | None:
        """A mixture with one tree more; None if all rows are predicted beyond doubt."""
        doubt = -np.expm1(np.minimum(0.0, mixture.on(problem.X).log_proba(problem.Y)))
        if problem.weights is not None:
            doubt = doubt * problem.weights
        total = doubt.sum()
        if total <= NO_DOUBT * problem.n_rows:
            return None
        # the paper's weights sum to 1; with a sum of N a penalty stays as strong as it was
        weights = doubt * (self._weight(problem) / total)
        every = np.arange(problem.n_rows)
        grown = mixture.grown(self._tree(problem.rows(every, weights)))
        return em(problem, grown, tol=self.tol, max_iter=self.max_iter)[0]

    @staticmethod
    def _weight(problem: Problem) -> float:
        return problem.n_rows if problem.weights is None else float(problem.weights.sum())

    def _tree(self, problem: Problem) -> FittedConditionals:
        before = self.plan.before(problem)
        structure = self.learner.learn(problem.on(before))
        after = self.plan.after(problem, structure, before)
        columns = tuple(None if own is None else np.sort(own) for own in after)
        return fitted_tree(problem.on(columns), structure)
