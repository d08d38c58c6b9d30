"""Rows, labels, weights and columns per label from which a structure or a model is learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mlfs.api.options import threads
from mlfs.api.prepared import DEFAULTS, NO_MATTER, Prepared, prepare
from mlfs.data.columns import force_nominal
from mlfs.data.dataset import Column, Dataset, Label

__all__ = ["MISSING", "Problem"]

MISSING = -1


@dataclass(frozen=True)
class Problem:
    """Rows and labels as models see them, checked and coded.

    Parameters
    ----------
    X : ndarray of float64 or csr_array, shape (n, d)
        The features as they were given.
    Y : ndarray of int8, shape (n, q)
        The labels: 0, 1, or -1 where missing.
    names : tuple of str
        The names of the labels.
    feature_names : tuple of str
        The names of the columns of X; ``x0, x1, ...`` by default.
    weights : ndarray of float64, optional
        How much each row counts; rows of weight 0 are left out beforehand.
    base_estimator : classifier, optional
        Cloned for every label that is to be fitted.
    features : tuple of (ndarray of int or None), optional
        The columns of X that each label may use; None is all of them.
    n_jobs : int, optional
        How many labels are fitted at the same time; the answer does not depend on it.
    seed : int
        Seeds every random choice.
    shared : list of Prepared
        What was prepared so far, for all problems on the same rows.

    Examples
    --------
    >>> problem = Problem(np.eye(3), np.array([[0], [1], [-1]], np.int8), ("sad",))
    >>> problem.q, problem.observed(0).tolist(), problem.features[0]
    (1, [0, 1], None)
    """

    X: Any
    Y: np.ndarray
    names: tuple[str, ...]
    feature_names: tuple[str, ...] = ()
    weights: np.ndarray | None = None
    base_estimator: Any = None
    features: tuple[np.ndarray | None, ...] = ()
    n_jobs: int | None = None
    seed: int = 0
    shared: list[Prepared] = field(default_factory=list, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.feature_names:
            names = tuple(f"x{j}" for j in range(self.X.shape[1]))
            object.__setattr__(self, "feature_names", names)
        if not self.features:
            object.__setattr__(self, "features", (None,) * self.q)

    def __getstate__(self) -> dict[str, Any]:
        # caches hold locks, so a worker prepares the data again
        return self.__dict__ | {"shared": []}

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.Y.shape[0])

    @property
    def q(self) -> int:
        """How many labels there are."""
        return int(self.Y.shape[1])

    def observed(self, *labels: int) -> np.ndarray:
        """The rows in which none of some labels is missing."""
        return np.flatnonzero((self.Y[:, list(labels)] != MISSING).all(axis=1))

    def generator(self, *stream: int) -> np.random.Generator:
        """A generator of random numbers that depends on the seed and the stream alone."""
        return np.random.default_rng([self.seed, *stream])

    def on(self, features: tuple[np.ndarray | None, ...]) -> Problem:
        """The same problem with other columns for each label."""
        return replace(self, features=features)

    def rows(self, rows: np.ndarray, weights: np.ndarray | None = None) -> Problem:
        """The problem on some rows; with other weights if they are given (for these rows)."""
        row_weights = None if self.weights is None else self.weights[rows]
        return replace(
            self,
            X=self.X[rows],
            Y=self.Y[rows],
            weights=row_weights if weights is None else weights,
            shared=[],
        )

    def weighted(self, weights: np.ndarray) -> Problem:
        """The problem on the same rows, which count differently."""
        return replace(self, weights=weights, shared=[])

    def prepared(self, nominal: Sequence[str] = (), **options: Any) -> Prepared:
        """The data prepared with options of `mlfs.prepare`; made once for the same options.

        Parameters
        ----------
        nominal : sequence of str
            The columns of X that are taken as nominal, by name.
        **options
            Those of `mlfs.prepare`.

        Examples
        --------
        >>> problem = Problem(np.eye(3), np.array([[0], [1], [0]], np.int8), ("sad",))
        >>> problem.prepared() is problem.prepared(bins="mean-sd")
        True
        """
        options = DEFAULTS | options
        n_jobs = options["n_jobs"]
        options["n_jobs"] = threads(self.n_jobs if n_jobs is None else n_jobs)
        del options["sample_weight"]
        data = self.dataset()
        if nominal:
            _, columns = force_nominal(data.X, data.columns, nominal)
            data = data.with_changes(columns=tuple(columns))
            return prepare(data, sample_weight=self.weights, **options)
        settings = {name: value for name, value in options.items() if name not in NO_MATTER}
        for prepared in self.shared:
            if prepared.made_with(**settings):
                return prepared
        self.shared.append(prepare(data, sample_weight=self.weights, **options))
        return self.shared[-1]

    def dataset(self) -> Dataset:
        """The rows and labels as a data set of numeric columns."""
        columns = tuple(Column(name) for name in self.feature_names)
        return Dataset(self.X, self.Y, columns, tuple(Label(name) for name in self.names))
