"""Calibrated label ranking (Fuernkranz, Huellermeier, Loza Mencia & Brinker, 2008)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from mlfs.errors import UsageError, check_name
from mlfs.models.baselines.bases import ColumnModel, each_alone, independent, independent_part
from mlfs.models.label_model import probabilistic
from mlfs.models.problem import MISSING, Problem
from mlfs.models.storage.storable import parameters, storable

VOTES = ("binary", "weighted")
TIE = 1e-9


@storable
@parameters
class CalibratedLabelRanking(ColumnModel):
    """A classifier for each pair of labels, and a virtual label between relevant and not.

    Fuernkranz, Huellermeier, Loza Mencia & Brinker, Multilabel classification via calibrated
    label ranking, Machine Learning 73 (2008). The classifier of a pair is trained on the rows
    that have one of the two labels, that of a label and the virtual one on all rows. Each gives
    a vote; the labels with more votes than the virtual label are predicted.

    Parameters
    ----------
    vote : {"binary", "weighted"}, default="binary"
        Whole votes, or the probabilities of the classifiers as shares of a vote.
    features, n
        The columns of X, as for `StructuredClassifier`: those selected for any label.
    base_estimator : classifier, optional
        Cloned for each pair; by default logistic regression with C = 5.
    n_jobs, random_state
        As for `StructuredClassifier`.

    Attributes
    ----------
    pairs_ : ndarray of int, shape (m, 2)
        The pairs of labels that have a classifier: those that some row tells apart.
    columns_ : ndarray of int or None
        The columns of X that it looks at; None is all of them.
    classes_, label_names_, n_features_in_, feature_names_in_
        As for `StructuredClassifier`.

    Notes
    -----
    q (q + 1) / 2 classifiers for q labels: 21 for 6, 5,151 for 101. A pair that no row tells
    apart gives half of a vote to each.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> model = CalibratedLabelRanking().fit(X, [[0, 1], [0, 1], [1, 0], [1, 0]])
    >>> model.decision_function([[0.0], [3.0]]).tolist(), model.predict([[0.0], [3.0]]).tolist()
    ([[-1.0, 1.0], [1.0, -1.0]], [[0, 1], [1, 0]])
    """

    vote: str = "binary"

    _mark = "_fitted"

    def _learn(self, problem: Problem) -> None:
        self.pairs_, marks = _pairs(problem)
        self._fitted = independent(_with_pairs(problem, marks))

    def _grow(self, problem: Problem, first: bool) -> None:
        learners = () if first else self._fitted.learners
        before = [] if first else [(a, b) for a, b in self.pairs_.tolist()]
        fitted_pairs = dict(zip(before, learners[problem.q :], strict=True))
        self.pairs_, marks = _pairs(problem, before)
        pair_learners = [fitted_pairs.get((a, b)) for a, b in self.pairs_.tolist()]
        alone = [None] * problem.q if first else learners[: problem.q]
        self._fitted = independent_part(_with_pairs(problem, marks), [*alone, *pair_learners])

    def _check(self) -> None:
        check_name(self.vote, "vote", VOTES)
        if self.vote == "weighted" and not probabilistic(self):
            raise UsageError("the base learner gives no probabilities: use vote='binary'")

    def decision_function(self, X: Any) -> np.ndarray:
        """The votes of each label less those of the virtual label.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        return self._decisions(self._votes(self._rows(X)))

    def _votes(self, x: Any) -> np.ndarray:
        self._check()
        won = each_alone(self._fitted.on(x), "decide" if self.vote == "binary" else "proba")
        won = won.astype(np.float64)
        q = len(self.label_names_)
        alone, pairs = won[:, :q], won[:, q:]
        votes = alone + (q - 1) / 2
        for (a, b), won_by_a in zip(self.pairs_.tolist(), pairs.T, strict=True):
            votes[:, a] += won_by_a - 0.5
            votes[:, b] += 0.5 - won_by_a
        totals: np.ndarray = votes - (1 - alone).sum(axis=1, keepdims=True)
        return totals

    def _decide(self, x: Any) -> np.ndarray:
        return self._votes(x) > TIE


def _with_pairs(problem: Problem, marks: np.ndarray) -> Problem:
    """The problem with one more label for each pair, after its own labels."""
    names = tuple(f"pair {number}" for number in range(marks.shape[1]))
    labels = np.hstack([problem.Y, marks])
    return replace(problem, Y=labels, names=(*problem.names, *names), features=(), shared=[])


def _pairs(
    problem: Problem, kept: Collection[tuple[int, int]] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """The pairs that differ in some row or are known, and each row's winner: 1, 0, or missing."""
    pairs, marks = [], []
    for a in range(problem.q):
        for b in range(a + 1, problem.q):
            label_a, label_b = problem.Y[:, a], problem.Y[:, b]
            mark = np.where(
                (label_a != MISSING) & (label_b != MISSING) & (label_a != label_b), label_a, MISSING
            )
            if (mark != MISSING).any() or (a, b) in kept:
                pairs.append((a, b))
                marks.append(mark.astype(np.int8))
    columns = np.column_stack(marks) if marks else np.zeros((problem.n_rows, 0), np.int8)
    return np.array(pairs, dtype=np.intp).reshape(-1, 2), columns
