"""Labels divided: HOMER's hierarchy of label clusters, and calibrated label ranking by pairs.

Tsoumakas, Katakis & Vlahavas (2008); Fuernkranz, Huellermeier, Loza Mencia & Brinker (2008).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlfs.errors import UsageError, check_name
from mlfs.models.baselines.bases import (
    ColumnModel,
    ProbableModel,
    each_alone,
    independent,
)
from mlfs.models.conditionals import FittedConditionals
from mlfs.models.inference.contract import whole
from mlfs.models.label_model import probabilistic
from mlfs.models.parameters import parameters
from mlfs.models.problem import MISSING, Problem, Stream
from mlfs.models.progress_reports import stage

ROUNDS = 20


@dataclass(frozen=True)
class HomerNode:
    """A node of the hierarchy: a classifier for each of its children.

    Parameters
    ----------
    children : tuple of tuple of int
        The labels of each child.
    below : tuple of int
        For each child the number of its own node, or -1 for a single label.
    fitted : FittedConditionals
        A learner for each child: whether a row has any of its labels.
    """

    children: tuple[tuple[int, ...], ...]
    below: tuple[int, ...]
    fitted: FittedConditionals


@parameters
class HOMER(ProbableModel):
    """Labels in a hierarchy of clusters of similar size; a cluster is entered if it is predicted.

    Tsoumakas, Katakis & Vlahavas, Effective and efficient multilabel classification in domains
    with large number of labels (2008): balanced k-means on the labels' columns; in each node a
    classifier for each child, trained on the rows that have a label of the node.

    Parameters
    ----------
    k : int, default=3
        How many children a node has.
    features, n
        The columns of X, as for `StructuredClassifier`: those selected for any label.
    base_estimator : classifier, optional
        Cloned for each child; by default logistic regression with C = 5.
    n_jobs, random_state
        As for `StructuredClassifier`.

    Attributes
    ----------
    clusters_ : list of tuple of tuple of int
        The labels of each child of each node; the first node is the root.
    columns_ : ndarray of int or None
        The columns of X that it looks at; None is all of them.
    classes_, label_names_, n_features_in_, feature_names_in_
        As for `StructuredClassifier`.

    Notes
    -----
    The probability of a label is the product of those on the way to it. Missing labels count as
    0 where labels are clustered, and a row is left out of a child that it may have or not.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> model = HOMER(k=2).fit(X, [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0]])
    >>> model.clusters_, model.predict([[0.0], [3.0]]).tolist()
    ([((0, 1), (2,)), ((0,), (1,))], [[0, 0, 1], [1, 1, 0]])
    """

    k: int = 3

    _mark = "_nodes"

    def _check(self) -> None:
        whole(self.k, "k", 2)

    def _learn(self, problem: Problem) -> None:
        weights = np.ones(problem.n_rows) if problem.weights is None else problem.weights
        columns = (problem.Y == 1).T * np.sqrt(weights)
        draw = problem.generator(Stream.CLUSTERS)
        nodes: list[HomerNode] = []
        waiting = [tuple(range(problem.q))]
        for labels in waiting:  # the list grows: the children of a node are appended
            children = _split_labels(columns, labels, self.k, draw)
            below = []
            for child in children:
                below.append(len(waiting) if len(child) > 1 else -1)
                waiting += [child] if len(child) > 1 else []
            with stage(f"node {len(nodes) + 1}"):
                fitted = independent(_child_problem(problem, labels, children, root=not nodes))
            nodes.append(HomerNode(children, tuple(below), fitted))
        self._nodes = nodes

    @property
    def clusters_(self) -> list[tuple[tuple[int, ...], ...]]:
        """The labels of each child of each node."""
        return [node.children for node in self._nodes]

    def _walk_nodes(self, x: Any, method: str) -> np.ndarray:
        """The product over the nodes on the path to a label of their answers."""
        out = np.zeros((x.shape[0], len(self.label_names_)))
        reached: dict[int, tuple[np.ndarray, np.ndarray]] = {
            0: (np.arange(x.shape[0]), np.ones(x.shape[0]))
        }
        for number, node in enumerate(self._nodes):
            rows, before = reached.pop(number)
            if not rows.size:
                answers = np.zeros((0, len(node.children)))
            else:
                answers = each_alone(node.fitted.on(x[rows]), method) * before[:, None]
            for child, below, values in zip(node.children, node.below, answers.T, strict=True):
                if below < 0:
                    out[rows, child[0]] = values
                else:
                    kept = values > 0
                    reached[below] = rows[kept], values[kept]
        return out

    def _decide(self, x: Any) -> np.ndarray:
        return self._walk_nodes(x, "decide")

    def _ones(self, x: Any) -> np.ndarray:
        return self._walk_nodes(x, "proba")


def _split_labels(
    columns: np.ndarray, labels: tuple[int, ...], k: int, draw: np.random.Generator
) -> tuple[tuple[int, ...], ...]:
    if len(labels) <= k:
        return tuple((label,) for label in labels)
    cluster = balanced_clusters(columns[np.array(labels, dtype=np.intp)], k, draw)
    groups = [tuple(labels[i] for i in np.flatnonzero(cluster == number)) for number in range(k)]
    return tuple(sorted(group for group in groups if group))


def _child_problem(
    problem: Problem, labels: tuple[int, ...], children: tuple[tuple[int, ...], ...], root: bool
) -> Problem:
    """The rows that have a label of a node, with a label for each of its children."""
    node_labels = problem.Y[:, np.array(labels, dtype=np.intp)]
    rows = np.arange(problem.n_rows) if root else np.flatnonzero((node_labels == 1).any(axis=1))
    marks = np.full((rows.size, len(children)), MISSING, dtype=np.int8)
    for number, child in enumerate(children):
        part = problem.Y[rows][:, np.array(child, dtype=np.intp)]
        marks[(part == 0).all(axis=1), number] = 0
        marks[(part == 1).any(axis=1), number] = 1
    names = tuple(f"child {number}" for number in range(len(children)))
    return replace(problem.rows(rows), Y=marks, names=names, features=())


def balanced_clusters(points: np.ndarray, k: int, draw: np.random.Generator) -> np.ndarray:
    """The cluster of each point, by k-means with at most ceil(n / k) points in each.

    A point that finds its nearest cluster full takes the place of the farthest point there, if
    it is nearer, and that one goes on to its next cluster.

    Parameters
    ----------
    points : ndarray, shape (n, d)
        The points.
    k : int
        How many clusters, fewer than points.
    draw : Generator
        Draws the points that are the first centres.

    Examples
    --------
    >>> points = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> of = balanced_clusters(points, 2, np.random.default_rng(0))
    >>> bool(of[0] == of[1]), bool(of[2] == of[3]), bool(of[0] == of[2])
    (True, True, False)
    """
    centres = points[draw.permutation(len(points))[:k]]
    cluster = np.full(len(points), -1)
    for _ in range(ROUNDS):
        squares = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)
        distances = np.round(squares - 2 * points @ centres.T, 9)
        new = _assign(distances, -(-len(points) // k))
        if (new == cluster).all():
            break
        cluster = new
        means = [
            points[cluster == number].mean(axis=0) if (cluster == number).any() else centre
            for number, centre in enumerate(centres)
        ]
        centres = np.array(means)
    return cluster


def _assign(distances: np.ndarray, most: int) -> np.ndarray:
    cluster_of = np.full(len(distances), -1)
    preferences = np.argsort(distances, axis=1, kind="stable")
    n_tried = np.zeros(len(distances), dtype=np.intp)
    for point in range(len(distances)):
        while True:
            cluster = preferences[point, n_tried[point]]
            n_tried[point] += 1
            cluster_of[point] = cluster
            members = np.flatnonzero(cluster_of == cluster)
            if members.size <= most:
                break
            # the farthest member tries its next cluster
            point = int(members[distances[members, cluster].argmax()])
            cluster_of[point] = -1
    return cluster_of


VOTES = ("binary", "weighted")
TIE = 1e-9


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


def _pairs(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """The pairs that differ in some row, and each row's winner: 1, 0, or missing."""
    pairs, marks = [], []
    for a in range(problem.q):
        for b in range(a + 1, problem.q):
            label_a, label_b = problem.Y[:, a], problem.Y[:, b]
            mark = np.where(
                (label_a != MISSING) & (label_b != MISSING) & (label_a != label_b), label_a, MISSING
            )
            if (mark != MISSING).any():
                pairs.append((a, b))
                marks.append(mark.astype(np.int8))
    columns = np.column_stack(marks) if marks else np.zeros((problem.n_rows, 0), np.int8)
    return np.array(pairs, dtype=np.intp).reshape(-1, 2), columns
