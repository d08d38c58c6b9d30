"""A data set that a model is given in the place of X and y: its arrays and its names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs.api.prepared import Prepared
from mlfs.data.dataset import Dataset, NumberedNames
from mlfs.data.frames import family
from mlfs.errors import DataError, UsageError, printable

__all__ = ["Opened", "column_names", "open_arrays", "open_rows", "refuse_other_columns"]


class Opened(NamedTuple):
    """What a model takes from a data set, besides X.

    Parameters
    ----------
    Y : array or sparse matrix
        The labels.
    weights : ndarray or None
        The weights of the rows.
    feature_names, label_names : tuple of str
        The names of the columns.
    prepared : Prepared or None
        What is counted already.
    """

    Y: Any
    weights: np.ndarray | None
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    prepared: Prepared | None


def open_arrays(data: Dataset | Prepared, y: Any, sample_weight: Any) -> Opened:
    """The labels, weights and names of a data set.

    Examples
    --------
    >>> from mlfs import prepare
    >>> open_arrays(prepare(([[0], [1]], [[0], [1]])), None, None).Y.tolist()
    [[0], [1]]
    """
    kind = type(data).__name__
    if y is not None:
        msg = f"is given beside a {kind}, which knows its labels: leave it out"
        raise UsageError(msg, option="y")
    prepared = data if isinstance(data, Prepared) else None
    if prepared is not None and sample_weight is not None:
        msg = "is given beside a Prepared, which knows its weights: prepare the data with it"
        raise UsageError(msg, option="sample_weight")
    dataset = data.dataset if isinstance(data, Prepared) else data
    weights = data.weights if sample_weight is None else sample_weight
    if prepared is not None and (weights is not None or prepared.options["estimator"] != "counts"):
        prepared = None  # nothing of it is used
    names = tuple(dataset.feature_names), tuple(dataset.label_names)
    return Opened(_with_nan(dataset.Y), weights, *names, prepared)


def _with_nan(Y: Any) -> Any:
    """Labels with NaN where they are missing: -1 may be taken for a class."""
    if not ((Y.data if sp.issparse(Y) else Y) < 0).any():
        return Y
    codes = Y.toarray() if sp.issparse(Y) else Y
    return np.where(codes < 0, np.nan, codes)


def open_rows(data: Dataset | Prepared) -> Any:
    """The features of a data set, all of which must be numbers."""
    dataset = data.dataset if isinstance(data, Prepared) else data
    words = [column.name for column in dataset.columns if column.values]
    if words:
        msg = (
            f"the column {printable(words[0])!r} is nominal, and a model takes numbers: encode it, "
            "or use `mlfs train`"
        )
        raise UsageError(msg)
    return dataset.X


def column_names(X: Any) -> tuple[str, ...] | None:
    """The names that the columns of a data set or a frame have; None if they are only numbered.

    Examples
    --------
    >>> from mlfs import data
    >>> column_names(data.from_arrays([[1, 2]], feature_names=["age", "size"]))
    ('age', 'size')
    """
    if isinstance(X, (Dataset, Prepared)):
        names = (X.dataset if isinstance(X, Prepared) else X).names
        return None if isinstance(names, NumberedNames) else tuple(names)
    if hasattr(X, "column_names"):  # of pyarrow
        return tuple(X.column_names)
    names = tuple(X.columns) if family(X, "X") else ()
    return names if names and all(isinstance(name, str) for name in names) else None


def refuse_other_columns(given: Sequence[str], known: Sequence[str]) -> None:
    """Raise `DataError` unless the columns of X are those of training, in the same order.

    Examples
    --------
    >>> refuse_other_columns(["size", "age"], ["age", "size"])
    Traceback (most recent call last):
    mlfs.errors.DataError: X has the column 'size' where training had 'age': put the columns in \
the order of training
    """
    given, known = list(given), list(known)
    if given == known:
        return
    pairs = zip(given, known, strict=False)
    j = next((j for j, (a, b) in enumerate(pairs) if a != b), min(len(given), len(known)))
    if j == len(given):
        said = f"X lacks the column {printable(known[j])!r}, which training had"
    elif j == len(known):
        said = f"X has the column {printable(given[j])!r}, which training did not have"
    else:
        said = f"X has the column {printable(given[j])!r} where training had "
        said += repr(printable(known[j]))
    if sorted(given) == sorted(known):
        raise DataError(f"{said}: put the columns in the order of training")
    raise DataError(f"{said}: give the columns of training, by the same names")
