"""A mixture of trees: several tree-shaped chains, each for the rows that it explains best.

P(y|x) = sum_k lambda_k P(y|x, T_k), each T_k a forest of labels with a base learner for each
label given its parent. Hong, Batal & Hauskrecht, A mixtures-of-trees framework for multi-label
classification (2014).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from mlfs.api.options import SEEDS, seed_of
from mlfs.api.value_kinds import SHARE
from mlfs.errors import UsageError, printable
from mlfs.models.base_learners import Learner, with_one_thread
from mlfs.models.conditionals import AppliedConditionals, FittedConditionals
from mlfs.models.features import feature_plan, narrowed_features
from mlfs.models.inference import MaxSum, anneal, marginals, sample
from mlfs.models.inference.contract import blocks, log_proba_of, real, table_of, whole
from mlfs.models.label_model import LabelModel
from mlfs.models.logistic import TunedLogistic
from mlfs.models.parameters import parameters
from mlfs.models.problem import MISSING, Problem, Stream, split_aside
from mlfs.models.progress_reports import stage
from mlfs.models.structures import Arborescence, learner_for
from mlfs.models.switching import Switching
from mlfs.search.label_parents import Structure

CELLS = 1 << 22
NO_DOUBT = 1e-9


@parameters
class MixtureOfTrees(LabelModel):
    """P(y|x) = sum_k lambda_k P(y|x, T_k), each T_k a tree of labels with its base learners.

    Trees are added one after another, each learned on rows that count by how badly the mixture
    so far predicts them, 1 - P(y|x); after each, all parameters are learned anew by EM. That
    stops when rows kept aside become less likely; then the parameters of the mixture without the
    last tree are learned on all rows.

    Parameters
    ----------
    structure : learner of structures, optional
        How a tree is learned; `Arborescence` by default, as in the paper. Any that gives each
        label at most one parent, such as `OneParent`, which is much faster with many labels.
    features : optional
        The columns of each label, as for `StructuredClassifier`; selected for each tree.
    n : int, float or "auto", optional
        How many features a criterion in `features` selects.
    base_estimator : classifier, optional
        With ``predict_proba`` and sample weights. By default ``Switching(TunedLogistic())``, as
        in the authors' code: a logistic regression for each value of a label's parent, the C of
        each chosen of 0.001, 0.01, ..., 100 in 3 folds before EM, which keeps it.
    n_trees : int, optional
        The number of trees, learned on all rows, instead of the rule above.
    max_trees : int, default=20
        The greatest number of trees; 20 is the most that the paper shows.
    validation : float, default=0.3
        The share of rows that is kept aside to decide when to stop (ours; the paper is silent).
    tol, max_iter : float, int, default=0.001, 15
        EM ends when the mean log-likelihood of a row rises by no more than `tol`, or after
        `max_iter` steps (15 as in the authors' code; the paper is silent).
    n_steps : int, default=150
        The steps of simulated annealing in `predict`, as in the paper; 0 takes the best of the
        trees' own modes.
    n_jobs : int, optional
        How many base learners are fitted at the same time; the answer does not depend on it.
    random_state : int or RandomState, default=0
        Seeds the split, the structures and the annealing; None is another seed each
        time.

    Attributes
    ----------
    structures_ : list of Structure
        The tree of each component.
    weights_ : ndarray of float64
        How much each counts: the mixture coefficients lambda.
    features_ : list of dict of str to ndarray
        For each component the columns of X that each label looks at, ascending.
    estimators_ : list of list
        For each component the base learner of each label, None where the label is constant.
    held_out_ : list of float
        The mean log-likelihood of the rows kept aside with 1, 2, ... trees; the last is the one
        that was not better. Empty with `n_trees`.
    log_likelihood_ : list of float
        The mean log-likelihood of a training row before each step of the last EM, and after it.
    n_iter_ : int
        The steps of the last EM.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.models.mixture import MixtureOfTrees
    >>> draw = np.random.default_rng(0)
    >>> X = draw.normal(size=(80, 3))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0, X[:, 2] > 0]).astype(int)
    >>> model = MixtureOfTrees(n_trees=2).fit(X, Y)
    >>> len(model.structures_), model.score(X, Y) > 0.8
    (2, True)
    """

    structure: Any = None
    features: Any = None
    n: Any = None
    base_estimator: Any = None
    _: KW_ONLY
    n_trees: int | None = None
    max_trees: int = 20
    validation: float = 0.3
    tol: float = 1e-3
    max_iter: int = 15
    n_steps: int = 150
    n_jobs: int | None = None
    random_state: Any = 0

    _mark = "_mixture"
    _poor_score = True

    def _learn(self, problem: Problem) -> None:
        mixture = self._mixture = with_one_thread(self._learn_mixture, problem)
        self.n_iter_ = max(1, len(self.log_likelihood_) - 1)
        self._seed = problem.seed
        self.weights_ = mixture.shares
        self.structures_ = [tree.structure for tree in mixture.trees]
        self.features_ = [
            problem.named_columns([learner.columns for learner in tree.learners])
            for tree in mixture.trees
        ]
        self.estimators_ = [
            [learner.estimator for learner in tree.learners] for tree in mixture.trees
        ]

    def used_columns(self) -> np.ndarray | None:
        """The columns of X that some tree looks at."""
        used = [tree.used_columns for tree in self._mixture.trees]
        columns = [one for one in used if one is not None]
        return np.unique(np.concatenate(columns)) if len(columns) == len(used) else None

    def narrow(self, columns: np.ndarray) -> None:
        """Let the trees take rows of some columns of X."""
        super().narrow(columns)
        trees = tuple(tree.narrowed(columns) for tree in self._mixture.trees)
        self._mixture = replace(self._mixture, trees=trees)
        self.features_ = [narrowed_features(one, columns) for one in self.features_]

    def _learn_mixture(self, problem: Problem) -> Mixture:
        """The mixture, its parameters learned on all rows.

        Section 5.3.2: without `n_trees` it grows on some rows, and stops when the others become
        less likely.
        """
        train, aside, most = problem, None, self.n_trees or 1
        if self.n_trees is None and problem.n_rows > 1:
            train, aside = split_aside(problem, self.validation, Stream.VALIDATION)
            most = self.max_trees
        self.held_out_: list[float] = []
        with stage("tree 1"):
            mixture = larger = Mixture((self._tree(train),), np.ones(1))
        while True:
            if aside is not None:
                logs = larger.on(aside.X).log_proba(aside.Y)
                self.held_out_.append(float(np.average(logs, weights=aside.weights)))
                if self.held_out_[-1] < max(self.held_out_[-2:]):
                    break
            mixture = larger
            grown = self._grown(train, mixture) if len(mixture.trees) < most else None
            if grown is None:
                break
            larger = grown
        with stage("all rows"):
            final, self.log_likelihood_ = self._by_em(problem, mixture)
        return final

    def _tree(self, problem: Problem) -> FittedConditionals:
        learner = Arborescence() if self.structure is None else learner_for(self.structure)
        plan = feature_plan(self.features, self.n)
        before = plan.before(problem)
        structure = learner.learn(problem.on(before))
        return fit_tree(problem.on_sorted(plan.after(problem, structure, before)), structure)

    def _grown(self, problem: Problem, mixture: Mixture) -> Mixture | None:
        """A mixture with one tree more; None if all rows are predicted beyond doubt."""
        doubt = -np.expm1(np.minimum(0.0, mixture.on(problem.X).log_proba(problem.Y)))
        weight: float = problem.n_rows
        if problem.weights is not None:
            doubt, weight = doubt * problem.weights, float(problem.weights.sum())
        total = doubt.sum()
        if total <= NO_DOUBT * problem.n_rows:
            return None
        # the paper's weights sum to 1; with a sum of N a penalty stays as strong as it was
        weights = doubt * (weight / total)
        with stage(f"tree {len(mixture.trees) + 1}"):
            tree = self._tree(problem.weighted(weights))
            return self._by_em(problem, mixture.grown(tree))[0]

    def _by_em(self, problem: Problem, mixture: Mixture) -> tuple[Mixture, list[float]]:
        return em(problem, mixture, tol=float(self.tol), max_iter=int(self.max_iter))

    def _check(self) -> None:
        if self.n_trees is not None:
            whole(self.n_trees, "n_trees")
        whole(self.max_trees, "max_trees")
        whole(self.max_iter, "max_iter")
        whole(self.n_steps, "n_steps", 0)
        if not 0 < SHARE.read("validation", self.validation) < 1:
            msg = f"validation is a share of the rows between 0 and 1, not {self.validation}"
            raise UsageError(msg)
        real(self.tol, "tol is a number from 0 on", lambda x: x >= 0)

    def _default_learner(self) -> Any:
        return Switching(TunedLogistic())

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label vector of each row, found by annealing.

        It starts from the best of the trees' own modes. The answer for a row does not depend on
        the other rows.
        """
        matrix = self._rows(X)
        labels = np.empty((matrix.shape[0], len(self.label_names_)), dtype=np.int8)
        for rows, mixture in self._blocks(matrix):
            modes = [MaxSum().predict(tree) for tree in mixture.components]
            labels[rows] = anneal(
                mixture.joint(), np.stack(modes), seed=self._seed, n_steps=self.n_steps
            )
        return self._decode(labels)

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(label = 1 | x) of each label, exact: the trees' marginals, weighted; shape (n, q)."""
        matrix = self._rows(X)
        probabilities = np.zeros((matrix.shape[0], len(self.label_names_)))
        for rows, mixture in self._blocks(matrix):
            for share, tree in zip(self.weights_, mixture.components, strict=True):
                probabilities[rows] += share * marginals(tree)
        return self._shares(np.clip(probabilities, 0.0, 1.0))

    def joint_log_proba(self, X: Any, Y: Any) -> np.ndarray:
        """Log P(y|x) of each row; labels that are missing are summed out.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n, d)
            The rows.
        Y : array, sparse matrix or frame, shape (n, q)
            Their labels.
        """
        matrix = self._rows(X)
        codes = self._labels.codes(Y, matrix.shape[0])
        return self._mixture.on(matrix).log_proba(codes)

    def sample(self, X: Any, n: int = 1, seed: int = 0) -> np.ndarray:
        """Label vectors drawn from P(y|x): a tree by its weight, then labels from that tree.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n_rows, d)
            The rows.
        n : int
            How many vectors for each row.
        seed : int
            Seeds the draws.

        Returns
        -------
        ndarray, shape (n, n_rows, q)
        """
        matrix = self._rows(X)
        n = whole(n, "the number of samples")
        draw = np.random.default_rng([seed_of(seed), Stream.DRAWS])
        tree_of_row = draw.choice(len(self.weights_), size=(n, matrix.shape[0]), p=self.weights_)
        labels = np.empty((n, matrix.shape[0], len(self.label_names_)), dtype=np.int8)
        for k, tree in enumerate(self._mixture.trees):
            drawn = sample(tree.on(matrix), seed=int(draw.integers(SEEDS)), n=n)
            labels[tree_of_row == k] = drawn[tree_of_row == k]
        flat = self._decode(labels.reshape(-1, labels.shape[2]))
        return flat.reshape(labels.shape)

    def _blocks(self, matrix: Any) -> Any:
        """Rows in blocks, each with the mixture applied to it."""
        cells = 4 * len(self.structures_) * len(self.label_names_)
        for rows in blocks(matrix.shape[0], cells, CELLS):
            yield rows, self._mixture.on(matrix[rows])


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
    """A mixture applied to rows; the components are its trees applied to them."""

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
        shares, q = _log_shares(self.mixture.shares), self.components[0].q
        rows, labels = np.arange(self.components[0].n_rows), np.arange(q)
        tables, parents = [], []
        for tree in self.components:
            table = np.empty((len(rows), q, 2, 2))  # of a value, and the value of the parent
            for label in range(q):
                table[:, label] = table_of(tree, label, rows)
            tables.append(table)
            parents.append([parent[0] if parent else q for parent in tree.structure.parents])

        def log_proba(Y: np.ndarray) -> np.ndarray:
            values = np.asarray(Y, dtype=np.intp)
            padded = np.concatenate([values, np.zeros((len(values), 1), np.intp)], axis=1)
            logs = [
                table[rows[:, None], labels, padded[:, parent], values].sum(axis=1)
                for table, parent in zip(tables, parents, strict=True)
            ]
            return log_sum(np.column_stack(logs) + shares)

        return log_proba


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
    """Fit the base learners of a structure anew, on its columns.

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
