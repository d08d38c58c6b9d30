"""MLNB: naive Bayes for each label, the classifier of the SCLS paper's comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.counting.entries import edges_of
from mlfs.data.dataset import Column, Dataset, Label
from mlfs.discretize import METHODS, Binning, learn
from mlfs.errors import UsageError, printable
from mlfs.models.baselines.bases import LogOddsModel
from mlfs.models.parameters import parameters
from mlfs.models.problem import Problem

KINDS = ("auto", "gaussian", "bernoulli", "binned")


@parameters
class MLNB(LogOddsModel):
    """Multi-label naive Bayes: for each label the features are independent given the label.

    P(l | x) is proportional to P(l) prod_f P(x_f | l), with P(l=1) = (s + n_l) / (2 s + N).

    Parameters
    ----------
    kind : {"auto", "gaussian", "bernoulli", "binned"}, default="auto"
        How x_f is distributed given the label: normally, with the mean and variance of the rows
        with the label and of those without; or by a Bernoulli distribution of x_f > 0,
        with (s + count) / (2 s + rows). ``"auto"`` uses Bernoulli for columns that hold
        only 0 and 1 in training. ``"binned"`` cuts columns into levels, on the rows that
        it trains on, and counts these: (s + count) / (levels s + rows). That is the classifier
        of the SCLS paper's tables.
    smoothing : float, default=1.0
        s, the smoothing of Laplace.
    variance : float, default=1e-3
        This share of a column's variance (of all rows) is added to its variances, so that a
        column which is constant among the rows of a rare label does not decide alone.
    bins : str, default="laim"
        How ``"binned"`` cuts columns: a method of `mlfs.discretize`.

    Examples
    --------
    >>> model = MLNB().fit([[0, 1], [0, 0], [1, 1], [1, 0]], [[0], [0], [1], [1]])
    >>> model.predict([[0, 1], [1, 1]]).tolist()
    [[0], [1]]
    """

    kind: str = "auto"
    smoothing: float = 1.0
    variance: float = 1e-3
    bins: str = "laim"

    n_jobs = None

    def _check(self) -> None:
        if self.kind not in KINDS:
            msg = f"kind is one of {', '.join(KINDS)}, not {printable(repr(self.kind))}"
            raise UsageError(msg)
        if not self.smoothing > 0 or not self.variance >= 0:
            raise UsageError("smoothing is greater than 0, and variance not less")
        if self.bins not in METHODS:
            msg = f"bins is one of {', '.join(METHODS)}, not {printable(repr(self.bins))}"
            raise UsageError(msg)

    def _learn(self, problem: Problem) -> None:
        if self.kind == "binned":
            self._levels = _Levels(problem, self.bins, self.smoothing)
            return
        weights = np.ones(problem.n_rows) if problem.weights is None else problem.weights
        bernoulli = self._bernoulli(problem.X)
        self._is_bernoulli = bernoulli
        on = (problem.X[:, bernoulli] > 0) * 1.0
        gaussian = problem.X[:, ~bernoulli]
        squares = gaussian * gaussian
        total = weights.sum()
        mean = weights @ gaussian / total
        floor = self.variance * np.maximum(weights @ squares / total - mean**2, 0.0)
        floor[floor <= 0] = 1e-9
        s = self.smoothing
        self._sides = []
        for value in (0, 1):
            share = (value == problem.Y) * weights[:, None]
            rows = share.sum(axis=0)
            on_share = (s + share.T @ on) / (2 * s + rows)[:, None]
            divisor = np.maximum(rows, 1e-300)[:, None]
            means = np.where(rows[:, None] > 0, share.T @ gaussian / divisor, mean)
            spread = np.maximum(share.T @ squares / divisor - means**2, 0.0) + floor
            self._sides.append(_Side(np.log(s + rows), on_share, means, spread))

    def _bernoulli(self, X: Any) -> np.ndarray:
        d = X.shape[1]
        if self.kind != "auto":
            return np.full(d, self.kind == "bernoulli")
        if sp.issparse(X):
            odd = np.zeros(d, bool)
            odd[X.indices[(X.data != 0) & (X.data != 1)]] = True
            return ~odd
        return ((X == 0) | (X == 1)).all(axis=0)

    def predict_log_odds(self, X: Any) -> np.ndarray:
        """The log odds: log P(l=1|x) - log P(l=0|x) of each row and label.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d)
            The rows.
        """
        matrix = self._rows(X)
        if self.kind == "binned":
            return self._levels.log_odds(matrix)
        on = (matrix[:, self._is_bernoulli] > 0) * 1.0
        gaussian = matrix[:, ~self._is_bernoulli]
        squares = gaussian * gaussian
        without, with_ = (side.log_density(on, gaussian, squares) for side in self._sides)
        return np.asarray(with_ - without)


class _Side:
    """The distributions of the columns in the rows with a label, or in those without it."""

    def __init__(
        self, prior: np.ndarray, on_share: np.ndarray, means: np.ndarray, spread: np.ndarray
    ) -> None:
        self.bernoulli = np.log(on_share) - np.log1p(-on_share)
        self.linear = means / spread
        self.square = -0.5 / spread
        constant = np.log1p(-on_share).sum(axis=1)
        constant -= 0.5 * (means**2 / spread + np.log(2 * np.pi * spread)).sum(axis=1)
        self.constant = prior + constant

    def log_density(self, on: Any, gaussian: Any, squares: Any) -> np.ndarray:
        """The sum log P(l) + sum_f log P(x_f | l), without what is the same for all labels."""
        total: np.ndarray = (
            on @ self.bernoulli.T + gaussian @ self.linear.T + squares @ self.square.T
        )
        return total + self.constant


class _Levels:
    """How often each level of each column occurs with each label, and without it."""

    def __init__(self, problem: Problem, method: str, smoothing: float) -> None:
        self._binnings = _binnings(problem, method)
        sizes = [binning.n_levels for binning in self._binnings]
        self._first = edges_of(sizes)
        on = self._indicators(problem.X)
        weights = np.ones(problem.n_rows) if problem.weights is None else problem.weights
        s, levels = smoothing, np.repeat(sizes, sizes)
        sides = []
        for value in (0, 1):
            share = (value == problem.Y) * weights[:, None]
            rows = share.sum(axis=0)
            counts = (on.T @ share).T
            sides.append(
                (np.log(s + counts) - np.log(s * levels + rows[:, None]), np.log(s + rows))
            )
        self._worth = sides[1][0] - sides[0][0]
        self._prior = sides[1][1] - sides[0][1]

    def log_odds(self, X: Any) -> np.ndarray:
        odds: np.ndarray = self._indicators(X) @ self._worth.T + self._prior
        return odds

    def _indicators(self, X: Any) -> Any:
        """A column of 0 and 1 for each level."""
        n, d = X.shape
        columns = sp.csc_array(X) if sp.issparse(X) else X
        levels = np.empty((n, d), np.int64)
        for j, binning in enumerate(self._binnings):
            values = columns[:, [j]].toarray().ravel() if sp.issparse(columns) else columns[:, j]
            levels[:, j] = self._first[j] + binning.apply(values)
        bounds = np.arange(0, n * d + 1, d)
        return sp.csr_array(
            (np.ones(n * d), levels.ravel(), bounds), shape=(n, int(self._first[-1]))
        )


def _binnings(problem: Problem, method: str) -> list[Binning]:
    names = problem.feature_names or tuple(f"x{j}" for j in range(problem.X.shape[1]))
    labels = tuple(Label(name) for name in problem.names)
    data = Dataset(problem.X, problem.Y, tuple(Column(name) for name in names), labels)
    return list(learn(data, method, weights=problem.weights))
