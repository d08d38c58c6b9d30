"""Check the arguments of metrics: true labels, some of them unknown, predictions and scores.

A true label is 0 or 1; -1 and NaN mean that it is unknown.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from mlfs.compare.sharing import shared
from mlfs.errors import DataError, printable

__all__ = ["Truth", "labels_of", "mean", "scores_of", "truth_of"]


class Truth(NamedTuple):
    """Which labels each row has, and which of them are known; both of shape (n, q)."""

    relevant: np.ndarray
    known: np.ndarray

    @property
    def complete(self) -> np.ndarray:
        """The rows that miss no label."""
        return np.asarray(self.known.all(axis=1))


@shared
def truth_of(Y: Any) -> Truth:
    """Read true labels: 0 and 1, or booleans; -1 and NaN where one is not known.

    Examples
    --------
    >>> truth_of([[1, 0], [-1, 1]]).known.tolist()
    [[True, True], [False, True]]
    """
    array = matrix(Y, "Y")
    if array.dtype == bool:
        return Truth(array, np.ones(array.shape, dtype=bool))
    missing = np.isnan(array) | (array == -1)
    refuse_other_than(array, missing | (array == 0) | (array == 1), "Y", "0, 1, or -1 or NaN")
    return Truth(array == 1, ~missing)


@shared
def labels_of(predicted: Any, truth: Truth) -> np.ndarray:
    """Read predicted labels, of the shape of the true ones: 0 and 1, or booleans.

    Examples
    --------
    >>> labels_of([[1, 0]], truth_of([[1, 1]])).tolist()
    [[True, False]]
    """
    array = matrix(predicted, "predicted", truth)
    if array.dtype == bool:
        return array
    refuse_other_than(array, (array == 0) | (array == 1), "predicted", "0 or 1")
    return array == 1


@shared
def scores_of(scores: Any, truth: Truth) -> np.ndarray:
    """Read a score for each label of each row; the greater, the surer. NaN is refused.

    Examples
    --------
    >>> scores_of([[0.9, 0.2]], truth_of([[1, 0]])).tolist()
    [[0.9, 0.2]]
    """
    array = np.asarray(matrix(scores, "scores", truth), dtype=np.float64)
    refuse_other_than(array, ~np.isnan(array), "scores", "a number")
    return array


def mean(values: Any) -> float:
    """The mean, summed exactly and so independent of the order of the values; NaN of none.

    Examples
    --------
    >>> mean([0.1] * 10)
    0.1
    """
    numbers = np.asarray(values, dtype=np.float64).tolist()
    return math.fsum(numbers) / len(numbers) if numbers else math.nan


def matrix(values: Any, name: str, truth: Truth | None = None) -> np.ndarray:
    """Values as an array of numbers of two dimensions, of the shape of the truth."""
    try:
        array = np.asarray(values.toarray() if hasattr(values, "toarray") else values)
        if array.dtype != bool:
            array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        msg = f"{name} holds something other than numbers: give a table, a row for each instance"
        raise DataError(msg) from None
    if array.ndim != 2:
        msg = f"{name} has {array.ndim} dimensions: give a table, a row for each instance and a "
        msg += "column for each label"
        raise DataError(msg)
    if truth is not None and array.shape != truth.known.shape:
        msg = f"{name} has the shape {array.shape}, but Y has {truth.known.shape}"
        raise DataError(msg)
    return array


def refuse_other_than(array: np.ndarray, valid: np.ndarray, name: str, expected: str) -> None:
    """Refuse an array with values that are not valid, and name the first of them."""
    if not valid.all():
        row, column = (int(index) for index in np.argwhere(~valid)[0])
        shown = printable(array[row, column])
        position = f"row {row + 1}, column {column + 1}"
        msg = f"{name} holds {shown} in {position}, where {expected} is expected"
        raise DataError(msg)
