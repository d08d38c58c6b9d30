"""Probabilities of labels on rows that their classifiers have not seen.

For a label alone, P(l | x), and for a label given each other one, P(l | x, p = 0 or 1). q labels
take q fits for the former and q (q - 1) for the latter, in every fold. Logistic regressions, the
default, are solved by `mlfs.models.logistic`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import joblib
import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from mlfs.api.options import threads
from mlfs.errors import DataError, UsageError, printable
from mlfs.models.base_learners import fit_learner, refuse_unweightable, stacked, with_one_thread
from mlfs.models.logistic import (
    MOST_COLUMNS,
    Logistic,
    Newton,
    fit_each,
    solvable,
    with_last,
)
from mlfs.models.problem import Stream
from mlfs.models.progress_reports import report_each

if TYPE_CHECKING:
    from mlfs.models.problem import Problem


LEAST = 1e-12  # no probability is less, so that logarithms are finite
AT_ONCE = 64  # regressions whose coefficients are kept together
Split = tuple[np.ndarray, np.ndarray]


class FoldPart(NamedTuple):
    """The rows that one label learns from in one fold, and the rows that are held out there."""

    label: int
    fold: int
    rows: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class HeldOut:
    """A problem whose rows are cut into those to learn from and those held out.

    Parameters
    ----------
    problem : Problem
        What is learned from.
    splits : sequence of (rows to learn from, rows held out)
        One for each fold.
    what : str
        What is learned, in words.
    """

    problem: Problem
    splits: Sequence[Split]
    what: str

    def for_each_label(self, work: Callable[..., np.ndarray], *arguments: Any) -> np.ndarray:
        """``work(self, label, *arguments)`` for all labels, as rows; several at the same time."""
        q = self.problem.q
        n_jobs = min(threads(self.problem.n_jobs), q)
        labels = report_each(self.what, range(q)) if n_jobs == 1 else range(q)
        tasks = (joblib.delayed(with_one_thread)(work, self, k, *arguments) for k in labels)
        return np.array(joblib.Parallel(n_jobs)(tasks))

    @cached_property
    def varying(self) -> list[int]:
        """The labels of which both values are known."""
        Y = self.problem.Y
        return np.flatnonzero((Y == 0).any(axis=0) & (Y == 1).any(axis=0)).tolist()

    def alone(self, label: int) -> np.ndarray:
        """P(label = 1 | x) of every row that is held out once; NaN for the others."""
        out = np.full(self.problem.n_rows, np.nan)
        for fold, (learn, test) in enumerate(self.splits):
            rows = _usable_rows(self.problem, learn, label)
            share = self._share(label, rows)
            if share is not None:
                out[test] = share
            elif self._plain(label):
                out[test] = self._predict_together(FoldPart(label, fold, rows, test), None)[0, 0]
            else:
                out[test] = self._predict_fitted(label, rows, test, None)[0]
        return np.clip(out, LEAST, 1 - LEAST)

    def given_each(
        self,
        label: int,
        others: Sequence[int],
    ) -> Iterator[tuple[int, np.ndarray]]:
        """For each other label p the P(label = 1 | x, p = 0 and p = 1), (2, n)."""
        for start in range(0, len(others), AT_ONCE):
            candidates = list(others[start : start + AT_ONCE])
            out = np.full((2, len(candidates), self.problem.n_rows), np.nan)
            for fold, (learn, test) in enumerate(self.splits):
                remaining = []
                for k, other in enumerate(candidates):
                    rows = _usable_rows(self.problem, learn, label, other)
                    share = self._share(label, rows)
                    if share is not None:
                        out[:, k, test] = share
                    elif self._plain(label):
                        remaining.append(k)
                    else:
                        out[:, k, test] = self._predict_fitted(label, rows, test, other)
                if remaining:
                    rows = _usable_rows(self.problem, learn, label)
                    part = FoldPart(label, fold, rows, test)
                    probabilities = self._predict_together(part, [candidates[k] for k in remaining])
                    out[:, np.array(remaining)[:, None], test] = probabilities
                out[:, :, test] = np.clip(out[:, :, test], LEAST, 1 - LEAST)
            for k, other in enumerate(candidates):
                yield other, out[:, k]

    def _share(self, label: int, rows: np.ndarray) -> float | None:
        """The smoothed share of ones of a label that is constant in some rows; else None."""
        ones = int(self.problem.Y[rows, label].sum(dtype=np.int64))
        return (ones + 0.5) / (rows.size + 1) if ones in {0, rows.size} else None

    @cached_property
    def _alone(self) -> dict[tuple[int, int], np.ndarray]:
        """The regressions of labels alone, by label and fold."""
        return {}

    @cached_property
    def _finite(self) -> bool:
        x = self.problem.X
        return bool(np.isfinite(x.data if sp.issparse(x) else x).all())

    def _plain(self, label: int) -> bool:
        """Whether our own solver takes it; the learner refuses values that are not finite."""
        columns = self.problem.features[label]
        width = self.problem.X.shape[1] if columns is None else len(columns)
        return self._finite and solvable(self._plainest, width)

    @cached_property
    def _min_rows(self) -> int | None:
        """How many rows a value of the other label needs for a classifier of its own."""
        from mlfs.models.switching import Switching

        estimator = self.problem.base_estimator
        return estimator.min_rows if type(estimator) is Switching else None

    @property
    def _plainest(self) -> Any:
        """The base learner, or what it makes one of for each value of the other label."""
        estimator = self.problem.base_estimator
        return estimator if self._min_rows is None else estimator.base_estimator

    def _x(self, label: int, rows: np.ndarray) -> Any:
        columns = self.problem.features[label]
        x = self.problem.X[rows]
        return x if columns is None else x[:, columns]

    def _predict_together(self, part: FoldPart, others: list[int] | None) -> np.ndarray:
        """P(label = 1) of the rows held out given each value of each other label, (2, k, test)."""
        if others is not None and self._min_rows is not None:
            return self._predict_switched(part, others)
        inputs = shares = None
        if others is not None:
            values = self.problem.Y[part.rows][:, others]
            inputs = np.maximum(values, 0).astype(np.float64)
            shares = self._weights(part)[:, None] * (values >= 0)
        logistic = self._solve(part, shares, inputs)
        decision = self._decision(part, logistic)
        return np.stack([expit(decision), expit(decision + logistic.of_other[:, None])])

    def _predict_switched(self, part: FoldPart, others: list[int]) -> np.ndarray:
        """Predict as `Switching` does: for each value by the regression on the rows that have it.

        As there, values of one class are answered by its share, and values of few rows by the
        regression on all of them.
        """
        y, values = self.problem.Y[part.rows, part.label], self.problem.Y[part.rows][:, others]
        weights = self._weights(part)
        parts = np.concatenate([values == 0, values == 1], axis=1)
        with_label = parts & (y == 1)[:, None]
        no_ones, all_ones = ~with_label.any(axis=0), (with_label == parts).all(axis=0)
        size = weights @ parts
        ones = np.where(all_ones, size, weights @ with_label)
        few = size < self._min_rows
        parts[:, few] = (np.tile(values, 2) >= 0)[:, few]
        constant = ~few & (no_ones | all_ones)
        out = np.empty((parts.shape[1], part.test.size))
        out[constant] = ((ones + 0.5) / (size + 1))[constant, None]
        if not constant.all():
            shares = weights[:, None] * parts[:, ~constant]
            out[~constant] = expit(self._decision(part, self._solve(part, shares, None)))
        return out.reshape(2, values.shape[1], part.test.size)

    def _solve(
        self, part: FoldPart, shares: np.ndarray | None, inputs: np.ndarray | None
    ) -> Logistic:
        """The regressions on shares of the rows; on all of them, of the label alone, if None."""
        estimator = self._plainest
        x = with_last(self._x(part.label, part.rows), bool(estimator.fit_intercept))
        y = self.problem.Y[part.rows, part.label].astype(np.float64)
        c = float(estimator.C)
        key = (part.label, part.fold)
        if key not in self._alone:  # once for all other labels
            self._alone[key] = Newton().solve(x, y, c * self._weights(part))
        if shares is None:
            return Logistic(self._alone[key][:, None], np.zeros(1))
        return fit_each(x, y, c, shares, inputs, self._alone[key])

    def _weights(self, part: FoldPart) -> np.ndarray:
        weights = self.problem.weights
        return np.ones(part.rows.size) if weights is None else weights[part.rows]

    def _decision(self, part: FoldPart, logistic: Logistic) -> np.ndarray:
        x = with_last(self._x(part.label, part.test), bool(self._plainest.fit_intercept))
        return np.asarray((x @ logistic.of_x).T)

    def _predict_fitted(
        self,
        label: int,
        rows: np.ndarray,
        test: np.ndarray,
        parent: int | None,
    ) -> np.ndarray:
        """P(label = 1) of the test rows by any classifier, for each value of the other label."""
        parents = () if parent is None else (parent,)
        part = self.problem.rows(rows)
        estimator = fit_learner(part, label, parents, part.weights).estimator
        x = self._x(label, test)
        values = [np.full((test.size, len(parents)), value, np.int8) for value in (0, 1)]
        return np.array(
            [
                estimator.predict_proba(stacked(x, None, value, estimator))[:, 1]
                for value in values[: 1 + len(parents)]
            ]
        )


def _usable_rows(problem: Problem, rows: np.ndarray, *labels: int) -> np.ndarray:
    """The rows that count and in which some labels are known."""
    usable = (problem.Y[rows][:, list(labels)] >= 0).all(axis=1)
    if problem.weights is not None:
        usable &= problem.weights[rows] > 0
    return rows[usable]


SPARSE = 0.2  # the share of values other than 0 up to which zeros are not stored


def held_out(problem: Problem, folds: Any, what: str = "label structure") -> HeldOut:
    """Cut the rows of a problem.

    Parameters
    ----------
    problem : Problem
        What is learned from; its seed draws the rows.
    folds : int or float
        The number of folds, each held out once; or, below 1, the share of the rows that is
        held out in a single split, as in the papers.
    what : str
        What is learned, in words.
    """
    _refuse(problem)
    n = problem.n_rows
    shuffled = problem.generator(Stream.HELD_OUT).permutation(n)
    integer = isinstance(folds, (int, np.integer)) and not isinstance(folds, bool)
    if integer and folds >= 2:
        parts = [np.sort(part) for part in np.array_split(shuffled, min(int(folds), n))]
    elif isinstance(folds, (float, np.floating)) and 0 < folds < 1:
        parts = [np.sort(shuffled[: min(max(1, round(float(folds) * n)), n - 1)])]
    else:
        msg = (
            "folds is a number of folds from 2 on, or a share of the rows between 0 and 1, "
            f"not {printable(repr(folds))}"
        )
        raise UsageError(msg)
    all_rows = np.arange(n)
    if hasattr(problem.base_estimator, "untuned"):
        problem = replace(problem, base_estimator=problem.base_estimator.untuned())
    splits = [(np.setdiff1d(all_rows, part, assume_unique=True), part) for part in parts]
    return HeldOut(replace(problem, X=_stored_rows(problem), shared=[]), splits, what)


def _stored_rows(problem: Problem) -> Any:
    """X, without its zeros where it is wide, mostly zeros, and the base learner takes both."""
    x = problem.X
    estimator = problem.base_estimator
    inner = getattr(estimator, "base_estimator", estimator)
    if sp.issparse(x) or type(inner) is not LogisticRegression:
        return x
    if x.shape[1] <= MOST_COLUMNS or np.count_nonzero(x) > SPARSE * x.size:
        return x
    return sp.csr_array(x)


def _refuse(problem: Problem) -> None:
    estimator = problem.base_estimator
    name = printable(type(estimator).__name__)
    if not hasattr(estimator, "predict_proba"):
        msg = (
            f"this structure is learned from probabilities, and {name} has no predict_proba: use "
            "LogisticRegression, or learn the structure from counts, as OneParent() does"
        )
        raise UsageError(msg)
    refuse_unweightable(estimator, problem.weights)
    if problem.n_rows < 2:
        msg = "this structure needs rows to hold out, and there is only 1 sample"
        raise DataError(msg)
