"""MLkNN: multi-label k nearest neighbours (Zhang & Zhou, 2007)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mlfs.compare.log_odds import LogOddsModel
from mlfs.errors import DataError, UsageError, printable

__all__ = ["MLkNN"]


class MLkNN(LogOddsModel):
    """Multi-label k nearest neighbours.

    With c the number of the k nearest training rows that have the label,
    P(l | c) is proportional to P(l) P(c | l), both counted on the training rows and smoothed.

    Parameters
    ----------
    k : int, default=10
        How many neighbours, by Euclidean distance.
    smoothing : float, default=1.0
        s, the smoothing of Laplace.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> MLkNN(k=2).fit(X, [[0], [0], [0], [1], [1], [1]]).predict([[0.05], [5.05]]).tolist()
    [[0], [1]]
    """

    def __init__(self, k: int = 10, smoothing: float = 1.0, n_jobs: int | None = None) -> None:
        self.k = k
        self.smoothing = smoothing
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Count, for each label, how many neighbours of a row have it.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d)
            The rows.
        y : array, shape (n, q)
            Their labels; rows that miss a label are left out of that label.
        """
        from sklearn.neighbors import NearestNeighbors

        if isinstance(self.k, bool) or not isinstance(self.k, (int, np.integer)) or self.k < 1:
            raise UsageError(f"k is a number of neighbours, not {printable(repr(self.k))}")
        if not self.smoothing > 0:
            raise UsageError("smoothing is greater than 0")
        problem = self._begin(X, y)
        if problem.n_rows < 2:
            raise DataError(f"MLkNN needs two rows or more, not n_samples = {problem.n_rows}")
        k = min(int(self.k), problem.n_rows - 1)
        self._finder = NearestNeighbors(n_neighbors=k, n_jobs=self.n_jobs).fit(problem.X)
        self._has = (problem.Y == 1).astype(np.int32)
        near = self._has[self._finder.kneighbors(return_distance=False)].sum(axis=1)
        s = self.smoothing
        known = [np.equal(problem.Y, value) for value in (0, 1)]
        rows = np.stack([one.sum(axis=0) for one in known])
        prior = np.log(s + rows)
        counts = np.stack(
            [
                np.stack([((near == c) & one).sum(axis=0) for c in range(k + 1)], axis=1)
                for one in known
            ]
        )
        likely = np.log(s + counts) - np.log(s * (k + 1) + rows)[:, :, None]
        self._log_odds = (prior[1] - prior[0])[:, None] + likely[1] - likely[0]
        return self

    def predict_log_odds(self, X: Any) -> np.ndarray:
        """The log odds: log P(l=1|x) - log P(l=0|x) of each row and label.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d)
            The rows.
        """
        matrix = self._rows(X)
        near = self._has[self._finder.kneighbors(matrix, return_distance=False)].sum(axis=1)
        odds: np.ndarray = self._log_odds[np.arange(self._has.shape[1])[None, :], near]
        return odds
