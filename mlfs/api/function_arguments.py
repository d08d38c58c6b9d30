"""The arguments of the functions of `mlfs.information`: any tables become coded columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.as_dataset import as_dataset
from mlfs.api.coded_columns import CodedColumns
from mlfs.api.counted import count_columns
from mlfs.api.missing_values import refuse_missing
from mlfs.api.options import PREPARING
from mlfs.api.prepared import Prepared, apply_weights, prepared_of
from mlfs.binnings import BINNINGS
from mlfs.counting.memory import bytes_of
from mlfs.data.arrays import from_arrays
from mlfs.data.columns import library_of
from mlfs.data.dataset import Dataset
from mlfs.data.frames import as_frame, family
from mlfs.data.labels.label_arrays import targets
from mlfs.data.labels.label_values import is_sets
from mlfs.errors import DataError, MlfsError, UsageError, plural, printable
from mlfs.information.pair_matrix import Side

CALL_OPTIONS = ("n_jobs", "max_memory")  # options of these functions even where data are prepared


def two_columns_of(data: Any, options: dict[str, Any]) -> tuple[CodedColumns, CodedColumns]:
    """The features and the labels of data that have labels, or a table twice."""
    if isinstance(data, (Prepared, Dataset, str, os.PathLike)):
        skipped = CALL_OPTIONS if isinstance(data, Prepared) else ()
        preparing = {name: options[name] for name in PREPARING if name not in skipped}
        if isinstance(data, Prepared):
            preparing = _of_prepared(preparing)
        prepared = prepared_of(data, preparing)
        return prepared.features, prepared.labels
    columns, _ = columns_of(data, "X", options, None)
    return columns, columns


def _of_prepared(options: dict[str, Any]) -> dict[str, Any]:
    """The options without the default correction of functions, which is another one."""
    plain = options["correction"] == "none"
    return {key: value for key, value in options.items() if not (plain and key == "correction")}


def columns_of(
    data: Any, name: str, options: dict[str, Any], weights: np.ndarray | None
) -> tuple[CodedColumns, np.ndarray | None]:
    """The coded columns of an argument, and the weights of its rows as they were given."""
    if isinstance(data, CodedColumns):
        return data, data.side.weights
    if isinstance(data, Prepared):
        preparing = {key: options[key] for key in PREPARING if key not in CALL_OPTIONS}
        prepared_of(data, _of_prepared(preparing))
        return data.features, data.weights
    try:
        dataset, single = _dataset(data)
    except MlfsError as error:
        if name == "X" or isinstance(data, (str, os.PathLike)):
            raise
        raise type(error)(f"the argument {name}: {error}") from None
    if dataset.left_out:
        column, why = dataset.left_out[0]
        msg = f"the column {printable(column)!r} of {name} cannot be used: {why}; leave it out"
        raise DataError(msg)
    if BINNINGS[options["bins"]].by_labels and not dataset.labels:
        msg = (
            f"is {options['bins']!r}, which needs labels: use another binning, or mlfs.prepare the "
            f"data with their labels and give what it returns as {name}"
        )
        raise UsageError(msg, option="bins")
    weight_argument = options["sample_weight"]
    if weight_argument is None and dataset.weights is None:
        weight_argument = weights
    weighted, mass = apply_weights(dataset, weight_argument, [])
    if options["missing"] == "error":
        refuse_missing(weighted)
    most = bytes_of(options["max_memory"])
    _, _, table = count_columns(weighted, mass, options, most, 0)
    positions = np.arange(table.d) if table.positions is None else table.positions
    own_weights = dataset.weights if weight_argument is None else weight_argument
    side = Side(table, positions)
    return CodedColumns(side, dataset.names, single, options["correction"]), own_weights


def _dataset(data: Any) -> tuple[Dataset, bool]:
    """Read an argument; also whether it is a vector."""
    data = as_frame(data)
    if isinstance(data, (Dataset, str, os.PathLike)):
        return as_dataset(data), False
    if not sp.issparse(data) and not family(data) and is_sets(data):
        rows = list(data)
        table, labels = targets(rows, len(rows))
        names: Sequence[str] = [label.name for label in labels]
        return from_arrays(table, feature_names=names), False
    if hasattr(data, "to_frame") and library_of(data):  # a series
        named_series = data if data.name else data.rename("x0")
        return from_arrays(named_series.to_frame()), True
    if not sp.issparse(data) and not family(data):
        array = data if isinstance(data, np.ndarray) else _array(data)
        if array.ndim == 1:
            return from_arrays(array.reshape(-1, 1)), True
        data = array if isinstance(data, np.ndarray) else data
    return from_arrays(data), False


def _array(data: Any) -> np.ndarray:
    """A list as an array; text and missing values stay objects."""
    try:
        array = np.asarray(data)
    except ValueError:  # rows differ in length, and from_arrays says so
        return np.zeros((0, 0))
    return np.asarray(data, dtype=object) if array.dtype.kind in "US" else array


def check_rows(x: CodedColumns, y: CodedColumns, y_name: str) -> None:
    """Refuse columns of other rows, weights or corrections than those of X."""
    if x.n_rows != y.n_rows:
        msg = (
            f"X has {plural(x.n_rows, 'row')} and {y_name} has {y.n_rows:,}: "
            "they must have the same rows, in the same order"
        )
        raise DataError(msg)
    weights: Any = x.side.weights, y.side.weights  # None where there are none
    if not np.array_equal(*weights):
        msg = f"the rows of X and {y_name} are weighted differently: give sample_weight"
        raise DataError(msg)
    if x.correction != y.correction:
        msg = (
            f"information of X is prepared with the correction {x.correction!r}, and that of "
            f"{y_name} with {y.correction!r}: give correction, or prepare both alike"
        )
        raise UsageError(msg)
