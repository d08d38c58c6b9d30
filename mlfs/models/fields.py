"""One column of training data: its values, what fills its gaps, and other data in its terms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column, Dataset
from mlfs.errors import DataError

__all__ = ["Field", "codes_of", "fill_columns", "fills_of", "same", "spread"]


@dataclass(frozen=True)
class Field:
    """A column of the training data.

    Parameters
    ----------
    name : str
        Its name.
    values : tuple of str
        The values of a nominal column; none for numbers.
    fill : float
        What a missing value becomes: the mean, or the position of the most frequent value.

    Examples
    --------
    >>> Field("colour", ("blue", "red", "white")).names
    ('colour=blue', 'colour=red', 'colour=white')
    """

    name: str
    values: tuple[str, ...] = ()
    fill: float = 0.0

    def __post_init__(self) -> None:
        texts = isinstance(self.values, tuple) and all(isinstance(v, str) for v in self.values)
        if not (isinstance(self.name, str) and texts and isinstance(self.fill, float)):
            raise DataError("a column of the training data has no name, or no values")

    @property
    def indicators(self) -> bool:
        """Whether each of its values has a column of 0 and 1."""
        return len(self.values) > 2

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that the model sees."""
        if self.indicators:
            return tuple(f"{self.name}={value}" for value in self.values)
        return (self.name,)


def same(field: Field, column: Column) -> bool:
    """Whether a column holds what the field held, so that its numbers mean the same."""
    return field.values == column.values and (column.kind == "nominal") == bool(field.values)


def _vector(X: Any, j: int) -> np.ndarray:
    column = X[:, [j]]
    return np.asarray(column.toarray() if sp.issparse(column) else column, np.float64).ravel()


def codes_of(field: Field, dataset: Dataset, j: int) -> np.ndarray:
    """A column in the field's terms: NaN where missing, -inf where the value is not known."""
    x, column = _vector(dataset.X, j), dataset.columns[j]
    if not field.values:
        if column.kind == "numeric":
            return x
        return _through([_number(value) for value in column.values], x)
    position = {value: float(k) for k, value in enumerate(field.values)}
    if column.kind == "nominal":
        return _through([position.get(value, -math.inf) for value in column.values], x)
    numbers = {_number(value): k for value, k in position.items()}
    distinct, at = np.unique(x, return_inverse=True)
    table = [
        math.nan if math.isnan(value) else numbers.get(value, -math.inf)
        for value in distinct.tolist()
    ]
    return np.array(table)[at.reshape(-1)]


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return -math.inf
    return number if math.isfinite(number) else -math.inf


def _through(table: Sequence[float], x: np.ndarray) -> np.ndarray:
    return np.array([*table, math.nan])[np.where(np.isnan(x), len(table), x).astype(np.intp)]


def spread(field: Field, codes: np.ndarray) -> np.ndarray:
    """The columns that the model sees, missing in all of them where the value is missing."""
    if not field.indicators:
        return codes.reshape(-1, 1)
    out = (codes[:, None] == np.arange(len(field.values))).astype(np.float64)
    out[np.isnan(codes)] = np.nan
    return out


def fill_columns(field: Field) -> list[float]:
    """What fills the gaps of each column that the model sees."""
    if not field.indicators:
        return [field.fill]
    return [float(k == field.fill) for k in range(len(field.values))]


def fills_of(dataset: Dataset) -> list[float]:
    """The mean of each column of numbers, the most frequent position of each nominal one."""
    X, n = dataset.X, dataset.X.shape[0]
    sparse = sp.issparse(X)
    data = X.data if sparse else X
    known = np.where(np.isnan(data), 0.0, data)
    if sparse:
        at = X.tocoo().coords[1]
        sums = np.bincount(at, known, minlength=X.shape[1])
        gaps = np.bincount(at[np.isnan(data)], minlength=X.shape[1])
    else:
        sums, gaps = known.sum(axis=0), np.isnan(data).sum(axis=0)
    means = sums / np.maximum(n - gaps, 1)
    fills: list[float] = means.tolist()
    by_column = sp.csc_array(X) if sparse else X
    for j, column in enumerate(dataset.columns):
        if column.kind == "nominal":
            x = _vector(by_column, j)
            counts = np.bincount(x[~np.isnan(x)].astype(np.intp), minlength=1)
            fills[j] = float(counts.argmax())
    return fills
