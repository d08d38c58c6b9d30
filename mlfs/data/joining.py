"""Two data sets with the same columns, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column, Dataset, Label
from mlfs.errors import DataError, printable

__all__ = ["join_datasets"]


def join_datasets(train: Dataset, test: Dataset) -> Dataset:
    """Join two data sets: the training rows, then the test rows.

    The columns and labels must be the same, in the same order.
    """
    _refuse_others(train, test, "columns", train.columns, test.columns)
    _refuse_others(train, test, "labels", train.labels, test.labels)
    weights = None
    if train.weights is not None and test.weights is not None:
        weights = np.concatenate([train.weights, test.weights])
    return replace(
        train,
        X=_stack(train.X, test.X),
        Y=_stack(train.Y, test.Y),
        weights=weights,
        notes=tuple(dict.fromkeys([*train.notes, *test.notes])),
    )


def _refuse_others(
    train: Dataset,
    test: Dataset,
    kind: str,
    ours: Sequence[Column | Label],
    theirs: Sequence[Column | Label],
) -> None:
    if tuple(ours) == tuple(theirs):
        return
    paths = (printable(train.source.path, 400), printable(test.source.path, 400))
    differ = [a.name for a, b in zip(ours, theirs, strict=False) if a != b]
    first = f", the first is {printable(differ[0])!r}" if differ else ""
    msg = f"{paths[0]} and {paths[1]} differ in their {kind} ({len(ours)}, {len(theirs)}){first}"
    raise DataError(msg)


def _stack(first: Any, second: Any) -> Any:
    if sp.issparse(first) or sp.issparse(second):
        return sp.vstack([sp.csr_array(first), sp.csr_array(second)]).tocsr()
    return np.concatenate([first, second])
