"""ReliefF for many labels: good features differ between rows whose labels differ.

diff(f, a, b) is 0 or 1 for a nominal column, and \\|x_a - x_b\\| / (max - min) for a numeric one;
neighbours are found by the Euclidean distance of these. A missing value differs from any other by
1/2. The sample of rows depends on the seed alone.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mlfs.compare.data_sources import dense, rows_of
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.dataset import Dataset
from mlfs.errors import DataError


class _Space:
    """The rows of a data set, with the distances of ReliefF."""

    def __init__(self, data: Dataset) -> None:
        X = np.array(data.X.toarray() if sp.issparse(data.X) else data.X, dtype=np.float64)
        self.nominal = np.array([column.kind == "nominal" for column in data.columns], bool)
        self.missing = np.isnan(X)
        X[self.missing] = 0.0
        for j in np.flatnonzero(~self.nominal):
            values = X[~self.missing[:, j], j]
            low, high = (values.min(), values.max()) if values.size else (0.0, 0.0)
            X[:, j] = (X[:, j] - low) / (high - low) if high > low else 0.0
        # a nominal column of two values has the distances of a numeric one
        two = np.array([len(column.values) <= 2 for column in data.columns], bool)
        self._many = np.flatnonzero(self.nominal & ~two)
        self._plain = np.flatnonzero(~(self.nominal & ~two))
        self.X, self.any_missing = X, bool(self.missing.any())
        self._squares = (X[:, self._plain] ** 2).sum(axis=1)

    def distances(self, row: int) -> np.ndarray:
        """The squared distances of all rows from one."""
        numeric = self.X[:, self._plain]
        squared = self._squares + self._squares[row] - 2 * (numeric @ numeric[row])
        for j in self._many:
            squared += self.X[:, j] != self.X[row, j]
        squared = np.maximum(squared, 0.0)
        squared[row] = np.inf
        return np.round(squared, 9)  # equal distances must stay equal in spite of rounding errors

    def differences(self, row: int, others: np.ndarray) -> np.ndarray:
        """diff(f, row, other), of shape (others, features)."""
        differences = np.abs(self.X[others] - self.X[row])
        differences[:, self._many] = self.X[np.ix_(others, self._many)] != self.X[row, self._many]
        if self.any_missing:
            differences[self.missing[others] | self.missing[row]] = 0.5
        return differences


def ppt_relieff(train: TrainingRows, seed: int, *, k: int, rows: int, prune: int) -> np.ndarray:
    """ReliefF (Kononenko, 1994) on label sets as classes; rows of rarer sets are left out.

    Parameters
    ----------
    train : TrainingRows
        The training rows; ReliefF takes their values as they are.
    seed : int
        Seeds the sample.
    k, rows, prune : int
        Neighbours in each class, size of the sample, and how often a label set must occur.
    """
    data = train.data
    kept_rows, classes = _prune(data, prune)
    return _relieff(_Space(rows_of(data, kept_rows)), classes, seed, k, rows)


def rf_br(train: TrainingRows, seed: int, *, k: int, rows: int) -> np.ndarray:
    """ReliefF for each label of two values, and the mean of the labels (Spolaor et al., 2013).

    Parameters
    ----------
    train : TrainingRows
        The training rows; ReliefF takes their values as they are.
    seed : int
        Seeds the sample.
    k, rows : int
        Neighbours in each class, and size of the sample.
    """
    labels, space = dense(train.data.Y), _Space(train.data)
    worths = np.zeros((labels.shape[1], train.data.shape[1]))
    for worth, column in zip(worths, labels.T, strict=True):
        _, classes = np.unique(column, return_inverse=True)
        if classes.max(initial=0):  # a constant label says nothing
            worth += _relieff(space, classes, seed, k, rows)
    return worths.mean(axis=0)


def _relieff(space: _Space, classes: np.ndarray, seed: int, k: int, rows: int) -> np.ndarray:
    n = classes.size
    share = np.bincount(classes) / n
    weights = np.zeros(space.X.shape[1])
    sample = _sample(n, rows, seed)
    for row in sample:
        distance = space.distances(int(row))
        order = np.lexsort((distance, classes))
        starts = np.searchsorted(classes[order], np.arange(share.size))
        rank = np.arange(n) - starts[classes[order]]
        neighbours = order[(rank < k) & (order != row)]
        same_class = classes[neighbours] == classes[row]
        times = np.bincount(classes[neighbours], minlength=share.size)
        worth = share[classes[neighbours]] / (1 - share[classes[row]])
        worth = np.where(same_class, -1.0, worth) / times[classes[neighbours]]
        weights += worth @ space.differences(int(row), neighbours)
    return weights / sample.size


def relieff_ml(train: TrainingRows, seed: int, *, k: int, rows: int) -> np.ndarray:
    """RReliefF, the share of labels that differ as the distance of two rows' answers.

    Parameters
    ----------
    train : TrainingRows
        The training rows; ReliefF takes their values as they are.
    seed : int
        Seeds the sample.
    k, rows : int
        Neighbours of each row, and size of the sample.
    """
    data = train.data
    labels = dense(data.Y)
    space = _Space(data)
    n, d = data.shape[:2]
    other_label, other_value, both_differ = 0.0, np.zeros(d), np.zeros(d)
    k = min(k, n - 1)
    sample = _sample(n, rows, seed)
    for row in sample:
        neighbours = np.argsort(space.distances(int(row)), kind="stable")[:k]
        label_distance = (labels[neighbours] != labels[row]).mean(axis=1)
        differences = space.differences(int(row), neighbours)
        other_label += float(label_distance.sum()) / k
        other_value += differences.sum(axis=0) / k
        both_differ += label_distance @ differences / k
    same_label = sample.size - other_label
    weights = both_differ / other_label if other_label > 0 else np.zeros(d)
    return weights - ((other_value - both_differ) / same_label if same_label > 0 else 0.0)


def _prune(data: Dataset, prune: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows whose label set occurs often enough, and the number of the set of each."""
    labels = dense(data.Y)
    _, set_numbers, times = np.unique(labels, axis=0, return_inverse=True, return_counts=True)
    frequent = times >= prune
    if frequent.sum() < 2:
        msg = (
            f"fewer than two label sets occur {prune} times or more, so that ppt-relieff has "
            "no classes to compare: lower prune"
        )
        raise DataError(msg)
    kept_rows = np.flatnonzero(frequent[set_numbers.ravel()])
    number = np.cumsum(frequent) - 1
    return kept_rows, number[set_numbers.ravel()[kept_rows]]


def _sample(n: int, rows: int, seed: int) -> np.ndarray:
    if n <= rows:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, rows, replace=False))
