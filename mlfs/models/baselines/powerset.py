"""Label powerset and pruned sets: each label set that occurs is one class.

RAkEL: label powersets of random small sets of labels (Tsoumakas, Katakis & Vlahavas, 2011).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np

from mlfs.errors import DataError
from mlfs.models.baselines.bases import ProbableModel, each_alone, independent
from mlfs.models.conditionals import LEAST, FittedConditionals
from mlfs.models.ensemble import check_vote
from mlfs.models.inference.contract import TIE, whole
from mlfs.models.label_model import probabilistic
from mlfs.models.parameters import parameters
from mlfs.models.problem import MISSING, Problem, Stream
from mlfs.models.progress_reports import stage


@dataclass(frozen=True)
class SetClassifiers:
    """A classifier for each label set against all others.

    Parameters
    ----------
    sets : ndarray of int8, shape (s, q)
        The label sets.
    fitted : FittedConditionals
        A learner for each of them.
    """

    sets: np.ndarray
    fitted: FittedConditionals

    @classmethod
    def learn(cls, problem: Problem, p: int = 0, b: int = 0) -> SetClassifiers:
        """Fit them on the rows without missing labels; sets in p rows or fewer are pruned."""
        complete = _complete_rows(problem)
        sets, set_of_row = np.unique(problem.Y[complete], axis=0, return_inverse=True)
        weights = None if problem.weights is None else problem.weights[complete]
        counts = np.bincount(set_of_row, weights, minlength=len(sets))
        rows, classes = _prune(sets, set_of_row, counts, p, b)
        kept = np.unique(classes)
        return cls(sets[kept], independent(_set_problem(problem, complete[rows], classes, kept)))

    def best_sets(self, x: Any) -> np.ndarray:
        """The set of greatest decision value, of equals the lowest; int8, (n_rows, q)."""
        scores = each_alone(self.fitted.on(x), "decision")
        best: np.ndarray = self.sets[(scores >= scores.max(axis=1, keepdims=True) - TIE).argmax(1)]
        return best

    def ones(self, x: Any) -> np.ndarray:
        """P(label = 1), from the probabilities of the sets with their sum made 1."""
        shares = each_alone(self.fitted.on(x), "proba")
        shares /= shares.sum(axis=1, keepdims=True)
        return np.clip(shares @ self.sets.astype(np.float64), LEAST, 1 - LEAST)


def _complete_rows(problem: Problem) -> np.ndarray:
    """The rows whose whole label set is known."""
    complete = np.flatnonzero((problem.Y != MISSING).all(axis=1))
    if not complete.size:
        msg = (
            "every row misses one of the labels that are taken as a set: there is nothing to "
            "learn; leave out the labels that are missing most, or use br"
        )
        raise DataError(msg)
    return complete


def _set_problem(
    problem: Problem, rows: np.ndarray, classes: np.ndarray, kept: np.ndarray
) -> Problem:
    """The problem with a label for each kept set: whether it is the set of the row."""
    marks = (classes[:, None] == kept).astype(np.int8)
    names = tuple(f"set {number}" for number in range(kept.size))
    return replace(problem.rows(rows), Y=marks, names=names, features=())


def _prune(
    sets: np.ndarray, set_of_row: np.ndarray, counts: np.ndarray, p: int, b: int
) -> tuple[np.ndarray, np.ndarray]:
    """The training rows, those of pruned sets perhaps repeated, and the set number of each.

    A row of a rare set is taken for each of up to b frequent subsets of its set: those of most
    labels, then the most frequent.
    """
    frequent = counts > p
    if frequent.all() or not frequent.any():
        return np.arange(set_of_row.size), set_of_row
    frequent_sets = np.flatnonzero(frequent)
    size = sets.sum(axis=1, dtype=np.intp)
    by_size = frequent_sets[
        np.lexsort((frequent_sets, -counts[frequent_sets], -size[frequent_sets]))
    ]
    subsets_of: dict[int, np.ndarray] = {}
    for rare in np.flatnonzero(~frequent):
        contained = (sets[by_size] <= sets[rare]).all(axis=1) & (size[by_size] > 0)
        subsets_of[int(rare)] = by_size[contained][:b]
    rows = [np.flatnonzero(frequent[set_of_row])]
    classes = [set_of_row[rows[0]]]
    for row in np.flatnonzero(~frequent[set_of_row]):
        row_subsets = subsets_of[int(set_of_row[row])]
        rows.append(np.full(row_subsets.size, row))
        classes.append(row_subsets)
    return np.concatenate(rows).astype(np.intp), np.concatenate(classes).astype(np.intp)


@parameters
class LabelPowerset(ProbableModel):
    """Each label set that occurs in training is a class; pruned sets with p above 0.

    Tsoumakas & Katakis, Multi-label classification: an overview (2007). Pruned sets: Read,
    Pfahringer & Holmes, Multi-label classification using ensembles of pruned sets (2008). The
    classes are decided one against all others by the base learner. Only sets that are kept can
    be predicted.

    Parameters
    ----------
    p : int, default=0
        Sets in p rows or fewer are pruned. If all are as rare, none is.
    b : int, default=0
        A row of a pruned set is taken for each of up to b frequent subsets of it: those of most
        labels, of these the most frequent. With 0 such rows are left out.
    features, n
        The columns of X, as for `StructuredClassifier`: those selected for any label.
    base_estimator : classifier, optional
        Cloned for each set; by default logistic regression with C = 5.
    n_jobs, random_state
        As for `StructuredClassifier`.

    Attributes
    ----------
    sets_ : ndarray of int8, shape (s, q)
        The label sets.
    columns_ : ndarray of int or None
        The columns of X that it looks at; None is all of them.
    classes_, label_names_, n_features_in_, feature_names_in_
        As for `StructuredClassifier`.

    Notes
    -----
    Rows with a missing label are left out.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> model = LabelPowerset().fit(X, [[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> model.sets_.tolist(), model.predict([[0.0], [3.0]]).tolist()
    ([[0, 0], [1, 1]], [[0, 0], [1, 1]])
    """

    p: int = 0
    b: int = 0

    _mark = "_sets"

    def _check(self) -> None:
        whole(self.p, "p", 0)
        whole(self.b, "b", 0)

    def _learn(self, problem: Problem) -> None:
        self._sets = SetClassifiers.learn(problem, self.p, self.b)

    @property
    def sets_(self) -> np.ndarray:
        """The label sets that are classes."""
        return self._sets.sets

    def _decide(self, x: Any) -> np.ndarray:
        return self._sets.best_sets(x)

    def _ones(self, x: Any) -> np.ndarray:
        return self._sets.ones(x)


@parameters
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

    k: int = 3
    n_estimators: int | None = None
    disjoint: bool = False
    vote: str = "majority"

    _mark = "_members"

    def _check(self) -> None:
        whole(self.k, "k")
        if self.n_estimators is not None:
            whole(self.n_estimators, "n_estimators")
        check_vote(self.vote, "the base learner gives", probabilistic(self))

    def _learn(self, problem: Problem) -> None:
        draw = problem.generator(Stream.LABELSETS)
        self.labelsets_ = drawn_labelsets(
            draw, problem.q, self.k, self.n_estimators, bool(self.disjoint)
        )
        members = []
        for i, labels in enumerate(self.labelsets_):
            names = tuple(problem.names[label] for label in labels)
            part = replace(problem, Y=problem.Y[:, labels], names=names, features=(), shared=[])
            with stage(f"label set {i + 1} of {len(self.labelsets_)}"):
                members.append(SetClassifiers.learn(part))
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

    def _margins(self, x: Any) -> np.ndarray:
        """The share of votes less one half."""
        return self._mean(x, SetClassifiers.best_sets) - 0.5


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
