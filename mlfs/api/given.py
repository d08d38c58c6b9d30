"""Hold columns fixed: what features tell within the strata of rows that share their values."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from mlfs.api.candidates import Grouping, features_named
from mlfs.api.estimators import chosen_correction, info_of
from mlfs.data.columns import check_weights
from mlfs.data.dataset import Dataset
from mlfs.data.frames import array_of, as_frame, family
from mlfs.errors import Caution, UsageError, plural
from mlfs.information.adjusted import AdjustedInfo
from mlfs.information.info import Info
from mlfs.information.joint_picks import renumber
from mlfs.information.stratified import StratifiedInfo
from mlfs.information.table import Table

AN_ARRAY = "an array"  # in settings, for values that are not kept


def is_set(given: Any) -> bool:
    """Whether anything is held fixed."""
    return not (isinstance(given, (list, tuple)) and not given)


def columns_of_rows(given: Any, dataset: Dataset) -> list[str]:
    """The names in `given`, if all are of columns that the data set has beside X."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, (list, tuple)) or not dataset.row_columns:
        return []
    return list(names) if all(name in dataset.row_columns for name in names) else []


def codes_of_rows(given: Any, dataset: Dataset, sample_weight: Any) -> np.ndarray | None:
    """Number the strata of an array or a frame with a row for each row of the data.

    Rows of weight 0, which are not counted, are left out. It is None where columns are named.
    """
    names = columns_of_rows(given, dataset)
    if names:
        columns = [np.asarray(dataset.row_columns[name]).astype(str) for name in names]
        given = np.column_stack(columns)
    if isinstance(given, (str, Integral, list, tuple)):
        return None
    given = as_frame(given)
    table = array_of(given) if family(given) else np.asarray(given)
    table = table[:, None] if table.ndim == 1 else table
    rows = dataset.shape[0]
    if table.ndim != 2 or table.shape[0] != rows or not table.shape[1]:
        msg = f"is an array of shape {np.shape(given)}, and there are {plural(rows, 'row')}: give "
        raise UsageError(f"{msg}a value for each row, or name columns in a list", option="given")
    weights = dataset.weights if sample_weight is None else sample_weight
    kept = slice(None) if weights is None else check_weights(weights, rows) > 0
    columns = [column.astype(str) if column.dtype.kind == "O" else column for column in table.T]
    return _joint([np.unique(column[kept], return_inverse=True)[1] for column in columns])


def _joint(columns: list[np.ndarray]) -> np.ndarray:
    """Number the joint values of some coded columns.

    Examples
    --------
    >>> _joint([np.array([0, 0, 2]), np.array([1, 0, 1])]).tolist()
    [1, 0, 2]
    """
    codes = np.zeros(columns[0].size, np.int64)
    for column in columns:
        codes = renumber(codes * (int(column.max(initial=0)) + 1) + column)[1]
    return codes


def within_strata(
    table: Table,
    codes: np.ndarray | None,
    dataset: Dataset,
    grouping: Grouping,
    options: Mapping[str, Any],
    skipped: list[int],
    notes: list[str],
) -> tuple[Info, tuple[int, ...]]:
    """The information within the strata, or of all rows if nothing is held fixed; and what is.

    Parameters
    ----------
    table : Table
        All rows.
    codes : ndarray of int or None
        The strata of rows; None where the option names columns.
    dataset : Dataset
        The data.
    grouping : Grouping
        The candidates.
    options : mapping
        Those of `mlfs.prepare`.
    skipped : list of int
        The candidates that are left out of searches.
    notes : list of str
        Gets what a user should know.
    """
    held: list[int] = []
    if not is_set(options["given"]):
        return info_of(table, options["correction"], skipped), ()
    if codes is None:
        held = grouping.candidates(features_named(options["given"], dataset, "given"))
        codes = _joint([table.column(table.position(candidate)) for candidate in held])
    columns = tuple(grouping.columns(held))
    if codes.size != dataset.shape[0]:
        msg = f"has a value for {plural(codes.size, 'row')}, and {dataset.shape[0]} of them count"
        raise UsageError(f"{msg}: make the array a column, and name it", option="given")
    sizes = np.bincount(codes)
    if 2 * sizes.size > codes.size:
        msg = f"makes {sizes.size} strata of {plural(codes.size, 'row')}: too few rows are in each"
        raise UsageError(f"{msg}, hold columns of fewer values fixed", option="given")
    if sizes.size == 1:
        notes.append(Caution("given has one value in all rows, and nothing is held fixed"))
        return info_of(table, options["correction"], [*skipped, *held]), columns
    alone = int((sizes == 1).sum())
    if alone:
        notes.append(Caution(f"{alone} of {sizes.size} strata of given tell nothing: one row each"))
    info = StratifiedInfo.of(table, codes)
    if chosen_correction(options["correction"], info, [*skipped, *held]) == "expected":
        info = info.made_of(AdjustedInfo)
    return info, columns
