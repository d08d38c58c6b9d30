"""Mixtures of trees: what they say of label vectors, and how EM learns their parameters.

P(y|x) = sum_k lambda_k P(y|x, T_k), each T_k a forest of labels with a base learner for each
label given its parent. Algorithm 1 of Hong, Batal & Hauskrecht (2014).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mlfs.errors import UsageError, printable
from mlfs.models.base_learners import Learner
from mlfs.models.conditionals import AppliedConditionals, FittedConditionals
from mlfs.models.features import FeaturePlan
from mlfs.models.inference.contract import log_proba_of
from mlfs.models.problem import MISSING, Problem
from mlfs.models.progress_reports import stage
from mlfs.models.storage.storable import storable
from mlfs.models.structures import StructureLearner
from mlfs.search.label_parents import Structure


@storable
@dataclass(frozen=True)
class Mixture:
    """Trees with what was learned about them, and how much each counts.

    Parameters
    ----------
    trees : tuple of FittedConditionals
        The components T_k.
    shares : ndarray of float64, shape (K,)
        The mixture coefficients lambda_k; they sum to 1.
    """

    trees: tuple[FittedConditionals, ...]
    shares: np.ndarray

    def grown(self, tree: FittedConditionals) -> Mixture:
        """With one more tree, which gets 1/K; the others keep their proportions."""
        size = len(self.trees) + 1
        shares = np.append(self.shares * (size - 1), 1.0) / size
        return Mixture((*self.trees, tree), shares)

    def on(self, X: Any) -> MixtureOnRows:
        """Apply the trees to rows (ndarray of float64 or csr)."""
        return MixtureOnRows(self, tuple(tree.on(X) for tree in self.trees))


@dataclass(frozen=True)
class MixtureOnRows:
    """A mixture applied to rows.

    Parameters
    ----------
    mixture : Mixture
        The mixture.
    components : tuple of AppliedConditionals
        Its trees applied to the rows.
    """

    mixture: Mixture
    components: tuple[AppliedConditionals, ...]

    def parts(self, Y: np.ndarray) -> np.ndarray:
        """Log lambda_k + log P(y|x, T_k), shape (n_rows, K); missing labels are summed out."""
        logs = [observed_log_proba(conditionals, Y) for conditionals in self.components]
        return np.column_stack(logs) + _log_shares(self.mixture.shares)

    def log_proba(self, Y: np.ndarray) -> np.ndarray:
        """Log P(y|x), shape (n_rows,); missing labels are summed out."""
        return log_sum(self.parts(Y))

    def joint(self) -> Callable[[np.ndarray], np.ndarray]:
        """A fast log P(y|x) of complete label vectors, for many of them on the same rows."""
        tables = self._tables
        parents, shares = self._parents, _log_shares(self.mixture.shares)
        rows, labels = np.arange(tables.shape[1])[:, None], np.arange(tables.shape[2])

        def log_proba(Y: np.ndarray) -> np.ndarray:
            values = np.asarray(Y, dtype=np.intp)
            padded = np.concatenate([values, np.zeros((len(values), 1), np.intp)], axis=1)
            logs = [
                table[rows, labels, padded[:, parent], values].sum(axis=1)
                for table, parent in zip(tables, parents, strict=True)
            ]
            return log_sum(np.column_stack(logs) + shares)

        return log_proba

    @cached_property
    def _tables(self) -> np.ndarray:
        """Log P(value | x, value of the parent), shape (K, n_rows, q, 2, 2)."""
        first = self.components[0]
        out = np.empty((len(self.components), first.n_rows, first.q, 2, 2))
        for tree, conditionals in zip(out, self.components, strict=True):
            for label in range(first.q):
                tree[:, label] = conditionals.table(label)
        return out

    @property
    def _parents(self) -> list[list[int]]:
        """The parent of each label in each tree; q where it has none."""
        q = self.components[0].q
        structures = [conditionals.structure.parents for conditionals in self.components]
        return [[parent[0] if parent else q for parent in parents] for parents in structures]


def fit_tree(
    problem: Problem,
    structure: Structure,
    weights: np.ndarray | None = None,
    like: tuple[Learner, ...] = (),
) -> FittedConditionals:
    """A tree with its fitted base learners; refused if it is no forest or has no probabilities."""
    if not structure.is_forest:
        name = next(
            name
            for name, parents in zip(structure.names, structure.parents, strict=True)
            if parents[1:]
        )
        msg = (
            f"the structure gives the label {printable(name)!r} more than one parent, but a "
            "mixture is of trees: use a learner of trees such as Arborescence() or OneParent()"
        )
        raise UsageError(msg)
    fitted = FittedConditionals.fit(problem, structure, weights, like)
    if not fitted.probabilistic:
        name = printable(type(problem.base_estimator).__name__)
        msg = (
            f"the base learner {name} gives no probabilities, which a mixture is made of: use one "
            "with predict_proba, such as LogisticRegression"
        )
        raise UsageError(msg)
    return fitted


def refit(
    problem: Problem, tree: FittedConditionals, weights: np.ndarray | None
) -> FittedConditionals:
    """The same structure on the same columns, its base learners fitted anew.

    What they have chosen by themselves (`TunedLogistic` its C) is kept.
    """
    columns = tuple(learner.columns for learner in tree.learners)
    return fit_tree(problem.on(columns), tree.structure, weights, tree.learners)


def observed_log_proba(conditionals: AppliedConditionals, Y: np.ndarray) -> np.ndarray:
    """Log P of the labels that are known, the missing (-1) summed out; exact on a forest."""
    incomplete = (Y == MISSING).any(axis=1)
    total = np.zeros(len(Y))
    complete = np.flatnonzero(~incomplete)
    if complete.size:
        total[complete] = log_proba_of(conditionals, complete, Y[complete])
    if incomplete.any():
        total[incomplete] = _sum_out(conditionals, Y, np.flatnonzero(incomplete))
    return total


def _sum_out(conditionals: AppliedConditionals, Y: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Log P with missing labels summed out, from the leaves to the roots."""
    structure = conditionals.structure
    below = np.zeros((conditionals.q, rows.size, 2))
    for value in (0, 1):
        below[:, :, value][1 - value == Y[rows].T] = -np.inf
    total = np.zeros(rows.size)
    for label in reversed(structure.order):
        label_parents = structure.parents[label]
        for value in (0, 1)[: 1 + len(label_parents)]:
            parents = np.full((rows.size, len(label_parents)), value, dtype=np.int8)
            message = log_sum(conditionals.log_proba(label, rows, parents) + below[label])
            if label_parents:
                below[label_parents[0], :, value] += message
            else:
                total += message
    return total


def responsibilities(parts: np.ndarray) -> np.ndarray:
    """gamma_k(n), eq. (8): how likely each tree made each row, shape (n_rows, K)."""
    return np.asarray(np.exp(parts - log_sum(parts)[:, None]))


def em_step(problem: Problem, mixture: Mixture, gammas: np.ndarray) -> Mixture:
    """The M-step, lines 7 to 12 of Algorithm 1.

    A row counts N w_k(n) = N gamma_k(n) / Gamma_k for the base learners of tree k, times its own
    weight: (10), but with weights that sum to N, so that a penalty is as strong for each tree as
    for one tree alone.
    """
    row_weights = np.ones(problem.n_rows) if problem.weights is None else problem.weights
    counts = gammas * row_weights[:, None]
    totals = counts.sum(axis=0)
    trees = tuple(
        refit(problem, tree, count * (row_weights.sum() / total)) if total > 0 else tree
        for tree, count, total in zip(mixture.trees, counts.T, totals, strict=True)
    )
    return Mixture(trees, totals / totals.sum())


def em(
    problem: Problem, mixture: Mixture, *, tol: float, max_iter: int
) -> tuple[Mixture, list[float]]:
    """Algorithm 1: learn the parameters of a first mixture anew on the rows of a problem.

    Parameters
    ----------
    problem : Problem
        The rows.
    mixture : Mixture
        The trees; their parameters and coefficients are where it begins.
    tol : float
        It has converged when the mean log-likelihood of a row rises by no more than that.
    max_iter : int
        The greatest number of M-steps; at least one is made.

    Returns
    -------
    Mixture, list of float
        The mixture of the greatest likelihood after the first M-step, and the mean
        log-likelihood of a row before each step and after the last.
    """
    if len(mixture.trees) == 1:
        best = Mixture((refit(problem, mixture.trees[0], None),), np.ones(1))
        logs = best.on(problem.X).log_proba(problem.Y)
        return best, [float(np.average(logs, weights=problem.weights))]
    parts = mixture.on(problem.X).parts(problem.Y)
    trace = [float(np.average(log_sum(parts), weights=problem.weights))]
    best, reached = mixture, -np.inf
    for number in range(1, max(1, max_iter) + 1):
        with stage(f"EM step {number} of at most {max_iter}"):
            step = em_step(problem, mixture, responsibilities(parts))
        parts = step.on(problem.X).parts(problem.Y)
        trace.append(float(np.average(log_sum(parts), weights=problem.weights)))
        mixture = step
        if trace[-1] > reached:
            best, reached = step, trace[-1]
        if trace[-1] - trace[-2] <= tol:
            break
    return best, trace


def log_sum(values: np.ndarray) -> np.ndarray:
    """Log sum exp over the last axis.

    Examples
    --------
    >>> log_sum(np.log([[0.5, 0.5]])).tolist()
    [0.0]
    """
    return np.asarray(np.logaddexp.reduce(values, axis=-1))


def _log_shares(shares: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(shares))


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
        with stage("tree 1"):
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
        with stage(f"tree {len(mixture.trees) + 1}"):
            grown = mixture.grown(self._tree(problem.weighted(weights)))
            return em(problem, grown, tol=self.tol, max_iter=self.max_iter)[0]

    @staticmethod
    def _weight(problem: Problem) -> float:
        return problem.n_rows if problem.weights is None else float(problem.weights.sum())

    def _tree(self, problem: Problem) -> FittedConditionals:
        before = self.plan.before(problem)
        structure = self.learner.learn(problem.on(before))
        after = self.plan.after(problem, structure, before)
        return fit_tree(problem.on_sorted(after), structure)
