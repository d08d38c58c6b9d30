"""Numeric targets in memory: columns of Y that keep their numbers until they are binned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import are_numbers, floats_of, is_missing, number_text, refuse_infinite
from mlfs.data.dataset import Label
from mlfs.data.labels.label_arrays import as_label_array, targets, unwrap
from mlfs.data.labels.label_sets import is_sets, label_names
from mlfs.data.labels.label_values import stack_labels

__all__ = ["coded_numbers", "numeric_targets"]


def numeric_targets(
    y: Any, n_rows: int, names: Sequence[str] | None = None, classes: bool = False
) -> tuple[Any, Sequence[Label]]:
    """Turn Y into positions like `targets`, but keep columns of numbers as numbers.

    Examples
    --------
    >>> Y, labels = numeric_targets([2.5, 0.5, 2.5], 3)
    >>> Y.ravel().tolist(), labels[0].values, labels[0].numbers
    ([1, 0, 1], ('0.5', '2.5'), True)
    """
    if y is None or is_sets(y, classes=True):
        return targets(y, n_rows, names, classes)
    plain, series_names = unwrap(y, names)
    if isinstance(plain, dict):
        columns = list(plain.items())
        if names is not None:
            renamed = label_names(names, len(columns))
            columns = [(name, cells) for name, (_, cells) in zip(renamed, columns, strict=True)]
        is_single = False
    else:
        array = plain.toarray() if sp.issparse(plain) else as_label_array(plain)
        if array.ndim not in (1, 2) or len(array) != n_rows or array.dtype.kind not in "biufO":
            return targets(y, n_rows, names, classes)
        is_single = array.ndim == 1
        matrix = array.reshape(len(array), -1)
        columns = list(zip(label_names(series_names, matrix.shape[1]), matrix.T, strict=True))
    codes: list[np.ndarray] = []
    labels: list[Label] = []
    for name, cells in columns:
        numbers = _numbers(name, cells)
        if numbers is None or len(numbers) != n_rows or np.isin(numbers, (-1, 0, 1)).all():
            label_codes, (label,) = targets({name: cells}, n_rows, None, classes or is_single)
        else:
            label_codes, label = coded_numbers(name, numbers)
        codes.append(label_codes.reshape(-1))
        labels.append(label)
    return stack_labels(codes, n_rows), tuple(labels)


def _numbers(name: str, cells: Any) -> np.ndarray | None:
    """The values of a column as floats; None if it holds anything but numbers."""
    array = np.asarray(cells)
    if array.dtype.kind in "iuf":
        return array.astype(np.float64)
    if array.dtype.kind != "O":
        return None
    values = [None if is_missing(cell) else cell for cell in array.tolist()]
    kinds = {type(cell) for cell in values if cell is not None}
    if not are_numbers(kinds) or kinds & {bool, np.bool_}:
        return None
    return floats_of(name, values, "label")


def coded_numbers(name: str, x: np.ndarray) -> tuple[np.ndarray, Label]:
    """Code a numeric target by the places of its values among those that occur, rising."""
    refuse_infinite(x, [name], noun="label")
    missing = np.isnan(x)
    distinct, codes = np.unique(np.where(missing, 0.0, x), return_inverse=True)
    codes = np.where(missing, -1, codes.reshape(-1)).astype(np.int32)
    return codes, Label(name, tuple(map(number_text, distinct.tolist())), numbers=True)
