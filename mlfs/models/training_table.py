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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import number_text
from mlfs.data.dataset import Column, Dataset
from mlfs.data.request import UNNEEDED, Limits
from mlfs.data.written_numbers import numbers_among
from mlfs.errors import DataError, UsageError, listed, plural, printable, setting

MISSING = ("fill", "keep", "error")
SHOWN = 5
BARE = ("svmlight",)  # formats that do not show a column or label of zeros
WIDEST = 2_000_000  # columns


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

    def of_columns(self, columns: np.ndarray) -> tuple[TrainingTable, np.ndarray]:
        """The table of the fields of some columns that a model sees; and their columns, ascending.

        A field of many values has a column for each, which stay together. One field always stays.

        Examples
        --------
        >>> table = TrainingTable((Field("a"), Field("b", ("u", "v", "w")), Field("c")), ("y",))
        >>> narrow, columns = table.of_columns(np.array([2]))
        >>> narrow.feature_names, columns.tolist()
        (['b=u', 'b=v', 'b=w'], [1, 2, 3])
        """
        owners = np.repeat(np.arange(len(self.fields)), [len(field.names) for field in self.fields])
        kept = np.unique(owners[columns]) if len(columns) else np.zeros(1, np.intp)
        fields = tuple(self.fields[k] for k in kept)
        return replace(self, fields=fields), np.flatnonzero(np.isin(owners, kept))

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
        where, notes = self.found(dataset)
        self.refuse_too_wide(dataset)
        X, lost = self._match(dataset, where)
        if lost and unseen != "missing":
            k = min(lost)
            self._refuse_unseen(self.fields[k], dataset, where[k], lost[k][0])
        if lost:
            shown = listed([self.fields[k].name for k in sorted(lost)], SHOWN)
            cells = plural(sum(count for _, count in lost.values()), "cell")
            notes.append(f"{shown}: unseen values taken as missing in {cells}")
        gaps = _gap_columns(X)
        if gaps.size and self.missing != "keep":
            notes.append(self._note_of_gaps(gaps, dataset))
            fills = [fill for field in self.fields for fill in fill_columns(field)]
            data = X.data if sp.issparse(X) else X
            data[np.isnan(data)] = np.array(fills)[gaps]
        return X, notes

    def _match(self, dataset: Dataset, where: list[int]) -> tuple[Any, dict[int, tuple[int, int]]]:
        """The rows, with NaN for gaps; of each field with unseen values the first row, and cells.

        Fields are numbered in the order of the training data.
        """
        X, pieces, run = dataset.X, [], []
        lost: dict[int, tuple[int, int]] = {}
        for k, (field, j) in enumerate(zip(self.fields, where, strict=True)):
            if j >= 0 and not field.indicators and same(field, dataset.columns[j]):
                run.append(j)
                continue
            if run:
                pieces.append(_take_columns(X, run))
                run = []
            codes = np.zeros(X.shape[0]) if j < 0 else codes_of(field, dataset, j)
            unknown = np.isneginf(codes)
            if unknown.any():
                lost[k] = int(unknown.argmax()), int(unknown.sum())
                codes[unknown] = np.nan
            pieces.append(spread(field, codes))
        if run:
            pieces.append(_take_columns(X, run))
        return _join_pieces(pieces, dataset), lost

    def _refuse_unseen(self, field: Field, dataset: Dataset, j: int, row: int) -> None:
        number, values = float(_vector(dataset.X, j)[row]), dataset.columns[j].values
        shown = values[int(number)] if values else number_text(number)
        values_known = listed(field.values, SHOWN) if field.values else "numbers"
        raise DataError(
            f"{printable(dataset.source.path, 400)}: column {printable(field.name)!r} holds "
            f"{printable(shown)!r} in row {row + 1}, which training did not have "
            f"(known: {values_known}); {setting('unseen', 'missing')} takes it as missing"
        )

    def _note_of_gaps(self, gaps: np.ndarray, dataset: Dataset) -> str:
        """Say how many cells of the data are filled, or refuse them."""
        if self.missing == "error":
            raise DataError(
                f"{printable(dataset.source.path, 400)}: column "
                f"{printable(self.feature_names[gaps[0]])!r} has missing values, and the model was "
                f"trained to refuse them ({setting('missing', 'error')})"
            )
        firsts = np.array([k == 0 for field in self.fields for k in range(len(field.names))])
        n = int(np.count_nonzero(firsts[gaps]))
        cells = "1 missing value is" if n == 1 else f"{n} missing values are"
        return f"{cells} filled with the mean, or the most frequent value, of training"

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
        message = f"{_count_of(others, 'column')} not used by the model and left out"
        notes = [f"{message}: {listed(others, SHOWN)}"] if others else []
        return [positions.get(field.name, -1) for field in self.fields], notes

    def refuse_too_wide(self, dataset: Dataset) -> None:
        """Refuse nominal columns that become too many."""
        width = sum(len(field.names) for field in self.fields)
        cells = 0 if dataset.is_sparse else width * int(dataset.table.shape[0])
        if width > WIDEST or cells > Limits().max_cells:
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
        plain = {value: _finite_number(value) for value in column.values}
        written = numbers_among([value for value, number in plain.items() if math.isinf(number)])
        return _map_codes([*{**plain, **written}.values()], x)
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
    return np.array([*table, math.nan])[np.where(np.isnan(x), float(len(table)), x).astype(np.intp)]


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


def _gap_columns(X: Any) -> np.ndarray:
    """The columns of the missing values, in the order of the rows."""
    return X.indices[np.isnan(X.data)] if sp.issparse(X) else np.nonzero(np.isnan(X))[1]


def _join_pieces(pieces: list[Any], dataset: Dataset) -> Any:
    if dataset.is_sparse:
        X = sp.csr_array(sp.hstack([sp.csr_array(piece) for piece in pieces], format="csr"))
        if max(X.nnz, *X.shape) < 1 << 31:  # some learners take no wider indices
            X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        return X
    matrix = pieces[0] if len(pieces) == 1 else np.hstack(pieces)
    return np.ascontiguousarray(matrix, dtype=np.float64)


def _take_columns(X: Any, columns: list[int]) -> Any:
    """A copy of some columns."""
    return X[:, columns] if sp.issparse(X) else np.take(X, columns, axis=1)
