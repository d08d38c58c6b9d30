"""The nearest training rows: MLkNN (Zhang & Zhou, 2007), BRkNN (Spyromitros et al., 2008), IBLR.

IBLR and CHF append what neighbours, or a first layer of classifiers, say to X.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.errors import DataError, UsageError, check_name, printable
from mlfs.models.baselines.bases import (
    AppendedModel,
    LogOddsModel,
    ProbableModel,
    UnweightedModel,
    independent,
    outputs,
)
from mlfs.models.conditionals import LEAST
from mlfs.models.inference.contract import blocks, real, whole
from mlfs.models.parameters import parameters
from mlfs.models.problem import Problem, Stream, random_folds
from mlfs.models.progress_reports import stage

CELLS = 1 << 20  # distances at once
SLACK = 1e-10  # squared distances that differ by less, relative to the norms, are equal


@dataclass(frozen=True)
class Neighbours:
    """Rows among which the nearest are found.

    Of equally distant rows the first are taken, and what differs by rounding alone is equally
    distant: so dense and sparse rows, and any blocks of them, have the same neighbours.

    Parameters
    ----------
    rows : ndarray of float64 or csr_array, shape (n, d)
        The training rows.
    k : int
        How many neighbours.
    scale : bool, default=False
        Divide each column by its range in the training rows, as Weka and Mulan do.

    Examples
    --------
    >>> near = Neighbours(np.array([[0.0], [1.0], [5.0], [6.0]]), 2)
    >>> near.counts(np.array([[0.2]]), np.array([[1], [1], [0], [0]])).tolist()
    [[2.0]]
    """

    rows: Any
    k: int
    scale: bool = False

    @classmethod
    def of(cls, problem: Problem, k: Any, scale: Any = False) -> Neighbours:
        """The training rows of a problem, with `k` no more than there are other rows."""
        n_neighbours = whole(k, "k")
        if not isinstance(scale, (bool, np.bool_)):
            raise UsageError(f"scale is True or False, not {printable(repr(scale))}")
        if problem.n_rows < 2:
            msg = f"neighbours need two rows or more, not n_samples = {problem.n_rows}"
            raise DataError(msg)
        return cls(problem.X, min(n_neighbours, problem.n_rows - 1), bool(scale))

    @cached_property
    def _centre(self) -> np.ndarray:
        """The means of dense columns, subtracted so that a common offset costs no digits."""
        return np.asarray(self.rows.mean(axis=0))

    @cached_property
    def _ranges(self) -> np.ndarray:
        rows = self.rows.tocsc() if sp.issparse(self.rows) else self.rows
        highest, lowest = rows.max(axis=0), rows.min(axis=0)
        if sp.issparse(rows):
            highest, lowest = highest.toarray().ravel(), lowest.toarray().ravel()
        return np.asarray(np.where(highest > lowest, highest - lowest, 1.0))

    @cached_property
    def _squares(self) -> np.ndarray:
        return _square_norms(self._centred(self.rows))

    def _centred(self, x: Any) -> Any:
        if sp.issparse(self.rows):
            x = sp.csr_array(x)
            return sp.csr_array(x.multiply(1 / self._ranges)) if self.scale else x
        x = (x.toarray() if sp.issparse(x) else x) - self._centre
        return x / self._ranges if self.scale else x

    def counts(self, x: Any, marks: np.ndarray, exclude_self: bool = False) -> np.ndarray:
        """The sum of the neighbours' marks.

        Parameters
        ----------
        x : ndarray of float64 or csr_array, shape (m, d)
            The rows.
        marks : ndarray, shape (n, q)
            A row of numbers for each training row, such as its labels.
        exclude_self : bool, default=False
            `x` are the training rows, and none is a neighbour of its own.

        Returns
        -------
        ndarray of float64, shape (m, q)
        """
        x, rows = self._centred(x), self._centred(self.rows)
        out = np.empty((x.shape[0], marks.shape[1]))
        for block in blocks(x.shape[0], len(self._squares), CELLS):
            product = x[block] @ rows.T
            product = product.toarray() if sp.issparse(product) else product
            distances = _square_norms(x[block])[:, None] + self._squares - 2 * product
            slack = SLACK * (_square_norms(x[block]) + self._squares.max())[:, None]
            if exclude_self:
                distances[np.arange(block.size), block] = np.inf
            selected = sp.csr_array(_nearest(distances, slack, self.k).astype(np.float64))
            out[block] = selected @ marks.astype(np.float64)
        return out


def _square_norms(x: Any) -> np.ndarray:
    squares = x.multiply(x) if sp.issparse(x) else x * x
    return np.asarray(squares.sum(axis=1)).ravel()


def _nearest(distances: np.ndarray, slack: np.ndarray, k: int) -> np.ndarray:
    """A mask of the k least values of each row; of equal ones the first."""
    kth = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    closer, tied = distances < kth - slack, np.abs(distances - kth) <= slack
    room = k - closer.sum(axis=1, keepdims=True)
    nearest: np.ndarray = closer | (tied & (np.cumsum(tied, axis=1, dtype=np.int32) <= room))
    return nearest


EXTENSIONS = {
    "none": "the labels of more than half of the neighbours",
    "a": "the same, and where that is no label, the most frequent one",
    "b": "as many of the most frequent ones as the neighbours have on average",
}
TIE = 1e-9


class MLkNN(LogOddsModel, UnweightedModel):
    """Multi-label k nearest neighbours (Zhang & Zhou, Pattern Recognition 40, 2007).

    With c the number of the k nearest training rows that have the label,
    P(l | c) is proportional to P(l) P(c | l), both counted on the training rows and smoothed.

    Parameters
    ----------
    k : int, default=10
        How many neighbours, by Euclidean distance.
    smoothing : float, default=1.0
        s, the smoothing of Laplace.
    scale : bool, default=False
        Divide each column by its range in training before distances are taken, as Weka and
        Mulan do.
    features, n
        The columns of X, as for `StructuredClassifier`: those selected for any label.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> MLkNN(k=2).fit(X, [[0], [0], [0], [1], [1], [1]]).predict([[0.05], [5.05]]).tolist()
    [[0], [1]]
    """

    n_jobs = None
    _mark = "_log_odds"

    def __init__(
        self,
        k: int = 10,
        smoothing: float = 1.0,
        scale: bool = False,
        features: Any = None,
        n: Any = None,
    ) -> None:
        self.k = k
        self.smoothing = smoothing
        self.scale = scale
        self.features = features
        self.n = n

    def _check(self) -> None:
        real(self.smoothing, "smoothing is a number greater than 0", lambda x: x > 0)

    def _learn(self, problem: Problem) -> None:
        self._near = Neighbours.of(problem, self.k, self.scale)
        k, s = self._near.k, float(self.smoothing)
        self._has = (problem.Y == 1).astype(np.int8)
        neighbour_counts = self._near.counts(problem.X, self._has, exclude_self=True)
        masks = [np.equal(problem.Y, value) for value in (0, 1)]
        rows = np.stack([mask.sum(axis=0) for mask in masks])
        prior = np.log(s + rows)
        counts = np.stack(
            [
                np.stack(
                    [((neighbour_counts == c) & mask).sum(axis=0) for c in range(k + 1)], axis=1
                )
                for mask in masks
            ]
        )
        log_likelihood = np.log(s + counts) - np.log(s * (k + 1) + rows)[:, :, None]
        self._log_odds = (prior[1] - prior[0])[:, None] + log_likelihood[1] - log_likelihood[0]

    def predict_log_odds(self, X: Any) -> np.ndarray:
        """The log odds: log P(l=1|x) - log P(l=0|x) of each row and label.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d)
            The rows.
        """
        x = self._rows(X)
        neighbour_counts = self._near.counts(x, self._has).astype(np.intp)
        log_odds: np.ndarray = self._log_odds[
            np.arange(self._has.shape[1])[None, :], neighbour_counts
        ]
        return log_odds


@parameters
class BRkNN(UnweightedModel, ProbableModel):
    """The share of the k nearest training rows that have a label.

    Spyromitros, Tsoumakas & Vlahavas, An empirical study of lazy multilabel classification
    algorithms (2008). The neighbours are found once for all labels.

    Parameters
    ----------
    k : int, default=10
        How many neighbours, by Euclidean distance.
    extension : {"none", "a", "b"}, default="none"
        ``none``: the labels of more than half of the neighbours. ``a`` (BRkNN-a): where that is
        no label, the most frequent one. ``b`` (BRkNN-b): the s most frequent ones, s being the
        mean number of labels of the neighbours, rounded. Of equals the first labels.
    scale : bool, default=False
        Divide each column by its range in training before distances are taken, as Weka and
        Mulan do.
    features, n
        The columns of X, as for `StructuredClassifier`: those selected for any label.

    Notes
    -----
    A missing label counts as half of one.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> BRkNN(k=2).fit(X, [[0], [0], [0], [1], [1], [1]]).predict([[0.05], [5.05]]).tolist()
    [[0], [1]]
    """

    k: int = 10
    extension: str = "none"
    scale: bool = False

    base_estimator = None
    n_jobs = None
    random_state = 0
    _mark = "_near"

    def _check(self) -> None:
        check_name(self.extension, "extension of BRkNN", EXTENSIONS)

    def _learn(self, problem: Problem) -> None:
        self._near = Neighbours.of(problem, self.k, self.scale)
        self._has = np.where(problem.Y < 0, 0.5, problem.Y)

    def _shares_of(self, x: Any) -> np.ndarray:
        """The share of the neighbours that have each label."""
        return self._near.counts(x, self._has) / self._near.k

    def _ones(self, x: Any) -> np.ndarray:
        return np.clip(self._shares_of(x), LEAST, 1 - LEAST)

    def _decide(self, x: Any) -> np.ndarray:
        self._check()
        ones = self._shares_of(x)
        decided = ones > 0.5 + TIE
        if self.extension != "none":
            place = np.argsort(np.argsort(-ones.round(9), axis=1, kind="stable"), axis=1)
            size = np.floor(ones.sum(axis=1) + 0.5 + TIE)[:, None]
            leading = place < (size if self.extension == "b" else 1)
            lacking = ~decided.any(axis=1, keepdims=True) & (ones > 0)
            decided = leading if self.extension == "b" else decided | (leading & lacking)
        return decided


@parameters
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

    k: int = 10
    scale: bool = False
    original: bool = True

    def _columns(self, problem: Problem) -> np.ndarray:
        self._near = Neighbours.of(problem, self.k, self.scale)
        self._has = np.where(problem.Y < 0, 0.5, problem.Y)
        return self._near.counts(problem.X, self._has, exclude_self=True) / self._near.k

    def _new_columns(self, x: Any) -> np.ndarray:
        return self._near.counts(x, self._has) / self._near.k


@parameters
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

    folds: int = 0
    original: bool = True

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

    def _new_columns(self, x: Any) -> np.ndarray:
        return outputs(self._first.on(x))
