"""IBLR and CHF: what neighbours, or a first layer of classifiers, say is appended to X."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.models.baselines.bases import (
    AppendedModel,
    UnweightedModel,
    independent,
    independent_part,
    on_columns,
    outputs,
)
from mlfs.models.baselines.nearest import Neighbours
from mlfs.models.inference.contract import whole
from mlfs.models.problem import Problem, Stream
from mlfs.models.progress_reports import stage
from mlfs.models.splits import random_folds
from mlfs.models.storage.storable import storable


@storable
class IBLR(UnweightedModel, AppendedModel):
    """Instance-based logistic regression: the label shares of the neighbours are features.

    Cheng & Huellermeier, Combining instance-based learning and logistic regression for
    multilabel classification, Machine Learning 76 (2009).

    Parameters
    ----------
    k : int, default=10
        How many neighbours, by Euclidean distance. A row is not a neighbour of its own.
    scale : bool, default=False
        Divide each column by its range in training before distances are taken, as Weka and
        Mulan do.
    original : bool, default=True
        Whether the columns of X are features too (IBLR-ML+), or the shares alone (IBLR-ML).
    features, n
        The columns of X, as for `StructuredClassifier`: those selected for any label. The
        neighbours are found on them.
    base_estimator : classifier, optional
        Cloned for each label; by default logistic regression with C = 5.
    n_jobs, random_state
        As for `StructuredClassifier`.

    Notes
    -----
    A missing label counts as half of one.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> IBLR(k=2).fit(X, [[0], [0], [0], [1], [1], [1]]).predict([[0.05], [5.05]]).tolist()
    [[0], [1]]
    """

    def __init__(
        self,
        k: int = 10,
        scale: bool = False,
        original: bool = True,
        features: Any = None,
        n: Any = None,
        base_estimator: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(features, n, base_estimator, n_jobs, random_state)
        self.k = k
        self.scale = scale
        self.original = original

    def _columns(self, problem: Problem) -> np.ndarray:
        self._near = Neighbours.of(problem, self.k, self.scale)
        self._has = np.where(problem.Y < 0, 0.5, problem.Y)
        return self._near.counts(problem.X, self._has, exclude_self=True) / self._near.k

    def _new_columns(self, x: Any) -> np.ndarray:
        return self._near.counts(x, self._has) / self._near.k


@storable
class CHF(AppendedModel):
    """Classification with heterogeneous features: a second layer sees what the first one says.

    Godbole & Sarawagi, Discriminative methods for multi-labeled classification (2004): the
    probabilities of all labels by a first layer of classifiers, one for each label, are
    features of a second layer. Decision values take their place where the base learner gives
    no probabilities.

    Parameters
    ----------
    folds : int, default=0
        0, as in the paper: the first layer says something about the rows it was trained on.
        From 2 on: about each row by classifiers trained on the other folds.
    original : bool, default=True
        Whether the columns of X are features of the second layer too.
    features, n
        The columns of X, as for `StructuredClassifier`: those selected for any label.
    base_estimator : classifier, optional
        Cloned for each label in both layers; by default logistic regression with C = 5.
    n_jobs, random_state
        As for `StructuredClassifier`.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> CHF().fit(X, [[0, 0], [0, 1], [1, 1], [1, 1]]).predict([[0.0], [3.0]]).tolist()
    [[0, 0], [1, 1]]
    """

    def __init__(
        self,
        folds: int = 0,
        original: bool = True,
        features: Any = None,
        n: Any = None,
        base_estimator: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(features, n, base_estimator, n_jobs, random_state)
        self.folds = folds
        self.original = original

    def _check(self) -> None:
        whole(self.folds, "folds", 0)

    def _columns(self, problem: Problem) -> np.ndarray:
        self._first = independent(problem)
        answers = self._new_columns(problem.X)
        folds = random_folds(problem, self.folds, Stream.FIRST_LAYER) if self.folds > 1 else []
        for number, (learn, test) in enumerate(folds):
            with stage(f"first layer, fold {number + 1} of {len(folds)}"):
                answers[test] = outputs(independent(problem.rows(learn)).on(problem.X[test]))
        return answers

    def _grows(self) -> bool:
        return self.folds == 0 and super()._grows()

    def _grow(self, problem: Problem, first: bool) -> None:
        self._first = independent_part(problem) if first else self._first.grown(problem)
        wide = on_columns(problem, self._append_columns(problem.X, self._new_columns(problem.X)))
        self._fitted = independent_part(wide) if first else self._fitted.grown(wide)

    def _new_columns(self, x: Any) -> np.ndarray:
        return outputs(self._first.on(x))
