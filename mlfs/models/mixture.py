"""A mixture of trees: several tree-shaped chains, each for the rows that it explains best.

Hong, Batal & Hauskrecht, A mixtures-of-trees framework for multi-label classification (2014).
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from mlfs.api.options import SEEDS, seed_of
from mlfs.api.value_kinds import SHARE
from mlfs.errors import UsageError
from mlfs.models.em import Grower, Mixture, em
from mlfs.models.features import feature_plan
from mlfs.models.inference import MaxSum, anneal, marginals, sample
from mlfs.models.inference.contract import blocks, real, whole
from mlfs.models.label_model import LabelModel
from mlfs.models.problem import Problem, Stream, split_aside
from mlfs.models.progress_reports import stage
from mlfs.models.storage.storable import parameters, storable
from mlfs.models.structures import Arborescence, learner_for
from mlfs.models.switching import Switching
from mlfs.models.tuned import TunedLogistic

CELLS = 1 << 22


@storable
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

    # ---- learning ---------------------------------------------------------------------------

    def _learn(self, problem: Problem) -> None:
        # one limit for all fits: setting it for each takes ten times as long as a small fit
        with threadpool_limits(limits=1, user_api="blas"):
            mixture = self._learn_mixture(problem)
        self._mixture = mixture
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

    def _learn_mixture(self, problem: Problem) -> Mixture:
        """The mixture, its parameters learned on all rows."""
        grower = Grower(
            Arborescence() if self.structure is None else learner_for(self.structure),
            feature_plan(self.features, self.n),
            tol=float(self.tol),
            max_iter=whole(self.max_iter, "max_iter"),
        )
        self.held_out_: list[float] = []
        if self.n_trees is not None or problem.n_rows < 2:
            mixture = grower.first(problem)
            for _ in range((self.n_trees or 1) - 1):
                larger = grower.next(problem, mixture)
                if larger is None:
                    break
                mixture = larger
        else:
            mixture = self._grow_trees(problem, grower)
        with stage("all rows"):
            final, self.log_likelihood_ = em(
                problem, mixture, tol=grower.tol, max_iter=grower.max_iter
            )
        return final

    def _check(self) -> None:
        if self.n_trees is not None:
            whole(self.n_trees, "n_trees")
        whole(self.max_trees, "max_trees")
        whole(self.n_steps, "n_steps", 0)
        if not 0 < SHARE.read("validation", self.validation) < 1:
            msg = f"validation is a share of the rows between 0 and 1, not {self.validation}"
            raise UsageError(msg)
        real(self.tol, "tol is a number from 0 on", lambda x: x >= 0)

    def _grow_trees(self, problem: Problem, grower: Grower) -> Mixture:
        """Section 5.3.2: grow on some rows, stop when the others become less likely."""
        train, aside = split_aside(problem, self.validation, Stream.VALIDATION)

        def likely(mixture: Mixture) -> float:
            logs = mixture.on(aside.X).log_proba(aside.Y)
            return float(np.average(logs, weights=aside.weights))

        mixture = grower.first(train)
        self.held_out_.append(likely(mixture))
        while len(mixture.trees) < self.max_trees:
            larger = grower.next(train, mixture)
            if larger is None:
                break
            self.held_out_.append(likely(larger))
            if self.held_out_[-1] < self.held_out_[-2]:
                break
            mixture = larger
        return mixture

    def _default_learner(self) -> Any:
        return Switching(TunedLogistic())

    # ---- answering --------------------------------------------------------------------------

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
