"""The arrays of a data set that a model is given in the place of X and y."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs.api.prepared import Prepared
from mlfs.data.dataset import Dataset
from mlfs.errors import UsageError, printable

__all__ = ["Opened", "open_arrays", "open_rows"]


class Opened(NamedTuple):
    """The arrays and names that a model takes from a data set.

    Parameters
    ----------
    X, Y : array or sparse matrix
        The features and the labels.
    weights : ndarray or None
        The weights of the rows.
    feature_names, label_names : tuple of str
        The names of the columns.
    prepared : Prepared or None
        What is counted already.
    """

    X: Any
    Y: Any
    weights: np.ndarray | None
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    prepared: Prepared | None


def open_arrays(data: Dataset | Prepared, y: Any, sample_weight: Any) -> Opened:
    """The arrays of a data set, all of whose features must be numbers.

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
    return Opened(open_rows(dataset), _with_nan(dataset.Y), weights, *names, prepared)


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
