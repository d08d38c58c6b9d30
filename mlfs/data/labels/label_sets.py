"""Label sets: a list with the names of the labels of each row."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import is_missing
from mlfs.data.dataset import Label
from mlfs.data.labels.finding import first_duplicate
from mlfs.errors import DataError, plural, printable

__all__ = ["is_missing_row", "is_sets", "label_names", "label_sets", "rising_rows", "whole_rows"]

CONTAINERS = (list, tuple, set, frozenset, np.ndarray)


def label_sets(
    rows: Sequence[Any], names: Sequence[str] | None = None
) -> tuple[sp.csr_array, tuple[Label, ...]]:
    """One binary label for each distinct name in a list of sets; in a row of None all are missing.

    `names`, when given, are all the labels there can be, in their order.
    """
    unknown = [i for i, row in enumerate(rows) if is_missing_row(row)]
    skip = set(unknown)
    distinct: set[Any] = set()
    for i, row in enumerate(rows):
        if i in skip:
            continue
        if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
            raise DataError(
                f"row {i + 1} of Y is {printable(row)!r}, the others are sets of labels: "
                "give each row a list, tuple or set of names"
            )
        distinct.update(row)
    for name in distinct:
        is_name = isinstance(name, (str, numbers.Integral)) and not isinstance(name, bool)
        if is_missing(name) or not is_name:
            raise DataError(
                f"a label set in Y holds {printable(name)!r}: label names are text or integers"
            )
    if all(isinstance(name, numbers.Integral) for name in distinct):
        ordered = [str(int(name)) for name in sorted(distinct)]
    else:
        ordered = sorted(str(name) for name in distinct)
        if len(set(ordered)) < len(ordered):
            raise DataError("Y mixes numbers and text that read the same: name labels by text")
    if names is not None:
        strange = sorted(set(ordered) - set(names))
        if strange:
            raise DataError(
                f"Y holds the label {printable(strange[0])!r}, which is not among the label names"
            )
        ordered = label_names(names, len(names))
    position = {name: j for j, name in enumerate(ordered)}
    indptr: list[int] = [0]
    indices: list[int] = []
    data: list[int] = []
    for i, row in enumerate(rows):
        columns = (
            range(len(ordered)) if i in skip else sorted({position[str(name)] for name in row})
        )
        indices.extend(columns)
        data.extend([-1 if i in skip else 1] * len(columns))
        indptr.append(len(indices))
    matrix = sp.csr_array(
        (np.array(data, np.int8), np.array(indices, np.int32), np.array(indptr, np.int64)),
        shape=(len(rows), len(ordered)),
    )
    return matrix, tuple(Label(name) for name in ordered)


def is_missing_row(row: object) -> bool:
    """Whether a row of label sets says that nothing is known of it."""
    return not isinstance(row, CONTAINERS) and is_missing(row)


def is_sets(y: Any, classes: bool = False) -> bool:
    """Whether Y is a list of label sets rather than a matrix written as lists.

    Rows of as many whole numbers each are label sets if they are no table of 0 and 1 and the
    numbers rise in each row; with `classes` they are a table.

    Examples
    --------
    >>> is_sets([[1, 2], [0, 5]]), is_sets([[0, 1], [0, 0]]), is_sets([[2, 1], [0, 5]])
    (True, False, False)
    """
    if isinstance(y, np.ndarray):
        if y.dtype != object or y.ndim != 1:
            return False
        y = y.tolist()
    if not isinstance(y, (list, tuple)):
        return False
    sets = [row for row in y if not is_missing_row(row)]
    if not any(isinstance(row, CONTAINERS) for row in sets):
        return False
    if any(isinstance(row, (set, frozenset)) or not isinstance(row, CONTAINERS) for row in sets):
        return True
    lengths = {len(row) for row in sets}
    return (
        len(sets) < len(y)
        or len(lengths) > 1
        or lengths == {0}
        or any(isinstance(name, str) for row in sets for name in row)
        or (not classes and rising_rows(sets))
    )


def whole_rows(y: Any) -> bool:
    """Whether Y is a list of lists of different whole numbers, not all of them 0 and 1."""
    if not isinstance(y, (list, tuple)) or not all(isinstance(row, (list, tuple)) for row in y):
        return False
    high = 0
    for row in y:
        if not all(isinstance(j, numbers.Integral) and not isinstance(j, bool) for j in row):
            return False
        if len(set(row)) < len(row) or min(row, default=0) < 0:
            return False
        high = max(high, *row, 0)
    return high > 1


def rising_rows(y: Any) -> bool:
    """Whether Y is a list of lists of two or more rising whole numbers, not all of them 0 and 1."""
    return whole_rows(y) and all(len(row) > 1 and list(row) == sorted(row) for row in y)


def label_names(names: Sequence[str] | None, q: int) -> list[str]:
    """Names for q labels: those given, checked, or y0, y1, ..."""
    if names is None:
        return [f"y{j}" for j in range(q)]
    names = [str(name) for name in names]
    if len(names) != q:
        raise DataError(f"{len(names)} label names were given and Y has {plural(q, 'label')}")
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise DataError(f"the label name {printable(duplicate)!r} is given twice")
    return names
