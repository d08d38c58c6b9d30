"""Check the truth that metrics are computed of, and share what several of them compute alike."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from mlfs.errors import DataError, MlfsWarning, printable

P = ParamSpec("P")
R = TypeVar("R")
_KEPT: ContextVar[dict[Any, Any] | None] = ContextVar("kept", default=None)


@contextlib.contextmanager
def sharing() -> Iterator[None]:
    """In this block a function that is `shared` is computed once for the same objects."""
    if _KEPT.get() is not None:
        yield
        return
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def shared(function: Callable[P, R]) -> Callable[P, R]:
    """A function whose results are kept within `sharing`; nobody may write into them.

    Examples
    --------
    >>> as_list = shared(lambda values: list(values))
    >>> values = (1, 2)
    >>> with sharing():
    ...     as_list(values) is as_list(values)
    True
    >>> as_list(values) is as_list(values)
    False
    """

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        results = _KEPT.get()
        if results is None:
            return function(*args, **kwargs)
        key = (function, *map(id, args), *((name, id(value)) for name, value in kwargs.items()))
        if key not in results:
            results[key] = args, kwargs, function(*args, **kwargs)  # what has an id must live on
        result: R = results[key][2]
        return result

    return wrapper


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
    if (array == -1).any() and not (array == 0).any():
        msg = "Y holds -1 and no 0, and -1 is taken as a label that is not known: if it means that "
        warnings.warn(f"{msg}a label is absent, write 0", MlfsWarning, stacklevel=2)
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
