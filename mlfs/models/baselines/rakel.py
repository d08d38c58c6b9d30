"""RAkEL: label powersets of random small sets of labels (Tsoumakas, Katakis & Vlahavas, 2011)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from mlfs.models.baselines.bases import ProbableModel
from mlfs.models.baselines.powerset import SetClassifiers
from mlfs.models.ensemble import check_vote
from mlfs.models.inference.contract import whole
from mlfs.models.label_model import probabilistic
from mlfs.models.problem import Problem
from mlfs.models.progress_reports import stage
from mlfs.models.storage.storable import storable

__all__ = ["RAkEL", "drawn_labelsets"]

STREAM = 73  # of the random numbers of a problem


@storable
class RAkEL(ProbableModel):
    """Random k-labelsets: a label powerset for each of many small sets of labels.

    Tsoumakas, Katakis & Vlahavas, Random k-labelsets for multilabel classification (2011):
    RAkELd with disjoint sets, RAkELo with overlapping ones whose members vote.

    Parameters
    ----------
    k : int, default=3
        How many labels a set has.
    n_estimators : int, optional
        How many overlapping sets; by default twice as many as there are labels, and never more
        than there are sets.
    disjoint : bool, default=False
        Cut the labels into ceil(q / k) sets instead; the last one may be smaller.
    vote : {"majority", "mean"}, default="majority"
        What `predict` returns: the labels that more than half of their members predict, or those
        whose mean probability is above one half. Probabilities are always means.
    features, n
        The columns of X, as for `StructuredClassifier`: those selected for any label.
    base_estimator : classifier, optional
        Cloned for each label set of each member; by default logistic regression with C = 5.
    n_jobs, random_state
        As for `StructuredClassifier`.

    Attributes
    ----------
    labelsets_ : list of ndarray of int
        The labels of each member.
    columns_ : ndarray of int or None
        The columns of X that it looks at; None is all of them.
    classes_, label_names_, n_features_in_, feature_names_in_
        As for `StructuredClassifier`.

    Notes
    -----
    Overlapping sets are distinct, and the first ones contain every label once, so that each label
    has a member. A row that misses a label is left out of the members that have this label.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> model = RAkEL(k=2, disjoint=True).fit(X, [[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> model.predict([[0.0], [3.0]]).tolist()
    [[0, 0], [1, 1]]
    """

    _mark = "_members"

    def __init__(
        self,
        k: int = 3,
        n_estimators: int | None = None,
        disjoint: bool = False,
        vote: str = "majority",
        features: Any = None,
        n: Any = None,
        base_estimator: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(features, n, base_estimator, n_jobs, random_state)
        self.k = k
        self.n_estimators = n_estimators
        self.disjoint = disjoint
        self.vote = vote

    def _check(self) -> None:
        whole(self.k, "k")
        if self.n_estimators is not None:
            whole(self.n_estimators, "n_estimators")
        check_vote(self.vote, "the base learner gives", probabilistic(self))

    def _learn(self, problem: Problem) -> None:
        self._train(problem, lambda part, _: SetClassifiers.learn(part))

    def _grow(self, problem: Problem, first: bool) -> None:
        before = [] if first else self._members
        self._train(
            problem,
            lambda part, i: SetClassifiers.learn_part(part, before[i] if before else None),
            first=first,
        )

    def _train(
        self, problem: Problem, train: Callable[[Problem, int], SetClassifiers], first: bool = True
    ) -> None:
        """Draw the label sets, if this is the first part of the rows, and train each of them."""
        if first:
            draw = problem.generator(STREAM)
            self.labelsets_ = drawn_labelsets(
                draw, problem.q, self.k, self.n_estimators, bool(self.disjoint)
            )
        members = []
        for i, labels in enumerate(self.labelsets_):
            names = tuple(problem.names[label] for label in labels)
            part = replace(problem, Y=problem.Y[:, labels], names=names, features=(), shared=[])
            with stage(f"label set {i + 1} of {len(self.labelsets_)}"):
                members.append(train(part, i))
        self._members = members

    def _mean(self, x: Any, answer: Callable[[SetClassifiers, Any], np.ndarray]) -> np.ndarray:
        """The mean of the members' answers for each label."""
        q = len(self.label_names_)
        total, times = np.zeros((x.shape[0], q)), np.zeros(q)
        for labels, member in zip(self.labelsets_, self._members, strict=True):
            total[:, labels] += answer(member, x)
            times[labels] += 1
        return np.clip(total / times, 0.0, 1.0)

    def _decide(self, x: Any) -> np.ndarray:
        check_vote(self.vote, "the base learner gives", probabilistic(self))
        if self.vote == "mean":
            return self._ones(x) > 0.5
        return self._mean(x, SetClassifiers.best_sets) > 0.5

    def _ones(self, x: Any) -> np.ndarray:
        return self._mean(x, SetClassifiers.ones)

    @available_if(lambda model: not probabilistic(model))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The share of votes less one half, where the base learner gives no probabilities.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        return self._decisions(self._mean(self._rows(X), SetClassifiers.best_sets) - 0.5)


def drawn_labelsets(
    draw: np.random.Generator, q: int, k: int, count: int | None, disjoint: bool
) -> list[np.ndarray]:
    """Random sets of k of q labels, ascending; the first ones contain every label once.

    Parameters
    ----------
    draw : Generator
        The random numbers.
    q, k : int
        How many labels there are, and how many a set has.
    count : int or None
        How many sets: no fewer than it takes to contain every label, and no more than there are.
    disjoint : bool
        No more sets than it takes, the last one smaller where k does not divide q.

    Examples
    --------
    >>> sets = drawn_labelsets(np.random.default_rng(0), 5, 2, None, disjoint=True)
    >>> sorted(len(one) for one in sets)
    [1, 2, 2]
    """
    k = min(k, q)
    order = draw.permutation(q)
    sets = [np.sort(order[start : start + k]) for start in range(0, q, k)]
    if disjoint:
        return sets
    if sets[-1].size < k:
        others = draw.permutation(np.setdiff1d(np.arange(q), sets[-1]))
        sets[-1] = np.sort(np.concatenate([sets[-1], others[: k - sets[-1].size]]))
    n_sets = min(2 * q if count is None else count, comb(q, k))
    seen = {tuple(labels.tolist()) for labels in sets}
    while len(sets) < n_sets:
        labels = np.sort(draw.permutation(q)[:k])
        if tuple(labels.tolist()) not in seen:
            seen.add(tuple(labels.tolist()))
            sets.append(labels)
    return sets
