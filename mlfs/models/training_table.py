"""The columns of the training data, so that other data are matched by name and by value.

- Columns are found by their names, in any order; a missing one is refused, others are reported.
- The values of a nominal column are matched by value, whatever their order in the file. A value
  that training did not have is refused, or taken as missing where the user says so.
- A nominal column of two values is 0 and 1, one of more becomes a column of 0 and 1 for each.
- A missing value becomes the mean of the training column, or its most frequent value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column, Dataset
from mlfs.data.request import UNNEEDED, Limits
from mlfs.errors import DataError, UsageError, listed, printable, setting
from mlfs.models.storage.storable import storable

MISSING = ("fill", "keep", "error")
SHOWN = 5
BARE = ("svmlight",)  # formats that do not show a column or label of zeros


@storable
@dataclass(frozen=True)
class TrainingTable:
    """The columns and labels of the training data, and how missing values are treated.

    Parameters
    ----------
    fields : tuple of Field
        The columns.
    labels : tuple of str
        The labels.
    missing : {"fill", "keep", "error"}
        A missing value is filled, handed to the base learner, or refused.

    Examples
    --------
    >>> from mlfs.data import from_arrays
    >>> table = TrainingTable.learn(from_arrays([[0.5], [np.nan], [1.5]], [[0], [1], [1]]))
    >>> table.matrix(from_arrays([[np.nan], [7.0]], None))[0].tolist()
    [[1.0], [7.0]]
    """

    fields: tuple[Field, ...]
    labels: tuple[str, ...]
    missing: str = "fill"

    def __post_init__(self) -> None:
        tuples = isinstance(self.fields, tuple) and isinstance(self.labels, tuple)
        if not tuples or not all(isinstance(field, Field) for field in self.fields):
            raise DataError("the columns of the training data are not there")
        if not all(isinstance(label, str) for label in self.labels):
            raise DataError("the labels of the training data are not there")
        if self.missing not in MISSING:
            raise UsageError(f"missing values are {', '.join(MISSING)}, not {self.missing!r}")
        for names in ([field.name for field in self.fields], self.labels):
            if len(set(names)) < len(names):
                raise DataError("two columns of the training data have one name")

    @classmethod
    def learn(cls, dataset: Dataset, missing: str = "fill") -> TrainingTable:
        """Learn the columns of training data, and what fills their gaps."""
        fills = fills_of(dataset)
        fields = tuple(
            Field(column.name, column.values, fill)
            for column, fill in zip(dataset.columns, fills, strict=True)
        )
        for label in dataset.labels:
            if label.values != ("0", "1"):
                raise DataError(
                    f"the label {printable(label.name)!r} has {len(label.values)} values: a model "
                    "learns labels that are there or not"
                )
        return cls(fields, tuple(dataset.label_names), missing)

    @property
    def feature_names(self) -> list[str]:
        """The names of the columns that the model sees."""
        return [name for field in self.fields for name in field.names]

    def matrix(self, dataset: Dataset, unseen: str = "error") -> tuple[Any, list[str]]:
        """The rows of a data set as the model takes them, and notes for the user.

        Parameters
        ----------
        dataset : Dataset
            With the columns of the training data, in any order; labels do not matter.
        unseen : {"error", "missing"}
            A nominal value that training did not have is refused, or taken as missing.

        Returns
        -------
        X : ndarray of float64 or csr_array
        notes : list of str
        """
        from mlfs.models.matched_rows import MatchedRows

        rows = MatchedRows(self, dataset, unseen, at_once=max(1, int(dataset.table.shape[0])))
        return next(iter(rows)), rows.notes

    def truth(
        self, dataset: Dataset, *, absent_is_no: bool = False
    ) -> tuple[np.ndarray, list[str]]:
        """The labels of a data set in the order of the model's: 0, 1, and -1 where missing.

        Parameters
        ----------
        dataset : Dataset
            With the labels of the training data, in any order.
        absent_is_no : bool
            A label that no row has leaves no trace in the data: its absence means 0.
        """
        absent_is_no = absent_is_no or dataset.source.format in BARE
        positions = {name: j for j, name in enumerate(dataset.label_names)}
        lacking = [name for name in self.labels if name not in positions]
        shown = printable(dataset.source.path, 400)
        if lacking and (not absent_is_no or len(lacking) == len(self.labels)):
            count = _count_of(lacking, "label", "of the model")
            raise DataError(
                f"{shown}: {count} missing: {listed(lacking, SHOWN)}",
                remedy=f"name the columns, or the one of lists, with {setting('labels')}",
            )
        others = [name for name in dataset.label_names if name not in set(self.labels)]
        message = f"{_count_of(others, 'label')} not in the training data and left out"
        notes = [f"{message}: {listed(others, SHOWN)}"] if others else []
        columns = [positions[name] for name in self.labels if name in positions]
        if any(dataset.labels[j].values != ("0", "1") for j in columns):
            raise DataError(f"{shown}: a label has other values than 0 and 1")
        labels = dataset.Y[:, columns]
        Y = np.zeros((dataset.Y.shape[0], len(self.labels)), dtype=np.int8)
        Y[:, [name in positions for name in self.labels]] = (
            labels.toarray() if sp.issparse(labels) else labels
        )
        return Y, notes

    def found(self, dataset: Dataset) -> tuple[list[int], list[str]]:
        """The column of a data set for each column of the training data, -1 if it has none."""
        positions = {column.name: j for j, column in enumerate(dataset.columns)}
        lacking = [field.name for field in self.fields if field.name not in positions]
        bare = dataset.source.format in BARE and len(lacking) < len(self.fields)
        if lacking and not bare:
            reasons = dict(dataset.left_out)
            reason = next((f" ({reasons[name]})" for name in lacking if name in reasons), "")
            if len(lacking) == len(self.fields):
                reason += _unnamed_hint(list(positions), lacking)
            raise DataError(
                f"{printable(dataset.source.path, 400)}: "
                f"{_count_of(lacking, 'column', 'of the training data')} missing: "
                f"{listed(lacking, SHOWN)}{reason}"
            )
        trained = {field.name for field in self.fields} | set(self.labels)
        unread = [name for name, reason in dataset.left_out if reason == UNNEEDED]
        others = [name for name in (*positions, *unread) if name not in trained]
        message = f"{_count_of(others, 'column')} not in the training data and left out"
        notes = [f"{message}: {listed(others, SHOWN)}"] if others else []
        return [positions.get(field.name, -1) for field in self.fields], notes

    def refuse_too_wide(self, dataset: Dataset, rows: int) -> None:
        """Refuse nominal columns that become too many, for so many rows at a time."""
        limits = Limits()
        width = sum(len(field.names) for field in self.fields)
        cells = 0 if dataset.is_sparse else width * rows
        if width > limits.max_attributes or cells > limits.max_cells:
            most = max(self.fields, key=lambda field: len(field.names))
            raise DataError(
                f"the nominal columns become {width} columns of 0 and 1, most of them from "
                f"{printable(most.name)!r} with {len(most.values)} values: leave it out with "
                f"{setting('exclude')}"
            )


def _unnamed_hint(found: Sequence[str], trained: Sequence[str]) -> str:
    """The hint where one side has no names of columns, but x0, x1, ..."""
    remedy = "a model finds columns by their names"
    if found[:1] == ["x0"]:
        return (
            f"; these data have no names, only x0, x1, ...: {remedy}, so write them into the data"
        )
    if trained[:1] == ["x0"]:
        return f"; the model was trained on columns without names: {remedy}, so train it with names"
    return ""


def _count_of(names: Sequence[str], noun: str, whose: str = "") -> str:
    whose = f" {whose}" if whose else ""
    return f"1 {noun}{whose} is" if len(names) == 1 else f"{len(names)} {noun}s{whose} are"


@storable
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
        return _map_codes([_finite_number(value) for value in column.values], x)
    position = {value: float(k) for k, value in enumerate(field.values)}
    if column.kind == "nominal":
        return _map_codes([position.get(value, -math.inf) for value in column.values], x)
    numbers = {_finite_number(value): k for value, k in position.items()}
    distinct, inverse = np.unique(x, return_inverse=True)
    table = [
        math.nan if math.isnan(value) else numbers.get(value, -math.inf)
        for value in distinct.tolist()
    ]
    return np.array(table)[inverse.reshape(-1)]


def _finite_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return -math.inf
    return number if math.isfinite(number) else -math.inf


def _map_codes(table: Sequence[float], x: np.ndarray) -> np.ndarray:
    return np.array([*table, math.nan])[np.where(np.isnan(x), len(table), x).astype(np.intp)]


def spread(field: Field, codes: np.ndarray) -> np.ndarray:
    """The columns that the model sees, missing in all of them where the value is missing."""
    if not field.indicators:
        return codes.reshape(-1, 1)
    out = (codes[:, None] == np.arange(len(field.values))).astype(np.float64)
    out[np.isnan(codes)] = np.nan
    return out


def fill_columns(field: Field) -> list[float]:
    """The values that replace missing ones in each column that the model sees."""
    if not field.indicators:
        return [field.fill]
    return [float(k == field.fill) for k in range(len(field.values))]


def fills_of(dataset: Dataset) -> list[float]:
    """The mean of each column of numbers, the most frequent position of each nominal one."""
    X, n = dataset.X, dataset.X.shape[0]
    sparse = sp.issparse(X)
    data = X.data if sparse else X
    filled = np.where(np.isnan(data), 0.0, data)
    if sparse:
        columns = X.tocoo().coords[1]
        sums = np.bincount(columns, filled, minlength=X.shape[1])
        gaps = np.bincount(columns[np.isnan(data)], minlength=X.shape[1])
    else:
        sums, gaps = filled.sum(axis=0), np.isnan(data).sum(axis=0)
    means = sums / np.maximum(n - gaps, 1)
    fills: list[float] = means.tolist()
    by_column = sp.csc_array(X) if sparse else X
    for j, column in enumerate(dataset.columns):
        if column.kind == "nominal":
            x = _vector(by_column, j)
            counts = np.bincount(x[~np.isnan(x)].astype(np.intp), minlength=1)
            fills[j] = float(counts.argmax())
    return fills
