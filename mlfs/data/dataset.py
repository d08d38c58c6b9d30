"""`Dataset`: a table of features with its labels, which every reader returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
import scipy.sparse as sp

from mlfs.errors import DataError, plural, printable

PARTS_OF_DATES = ("year", "month", "weekday", "hour")


def name_of_date(part: str) -> str:
    """The column that a part is of; any other name is itself.

    Examples
    --------
    >>> name_of_date("since (weekday)"), name_of_date("price (euro)")
    ('since', 'price (euro)')
    """
    name, _, kind = part.rpartition(" (")
    return name if kind.removesuffix(")") in PARTS_OF_DATES else part


@dataclass(frozen=True)
class Column:
    """One column of X.

    Parameters
    ----------
    name : str
        Its name in the file or frame.
    kind : {"numeric", "nominal"}
        ``nominal``: X holds the position of the value in `values`; ``numeric``: the value itself.
    values : tuple of str
        The values of a nominal column, in the order in which they were declared.
    """

    name: str
    kind: Kind = "numeric"
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Label:
    """One column of Y, which holds the position of the value in `values`.

    With `numbers` the values are those of a numeric target, rising, and are yet to be binned.
    """

    name: str
    values: tuple[str, ...] = ("0", "1")
    numbers: bool = False


@dataclass(frozen=True)
class Source:
    """Where a data set came from and how its labels were found."""

    path: str = "<memory>"
    format: str = "arrays"
    relation: str = ""
    labels_by: str = "given"


class _FloatTable:
    """X as float64: a table of another type is converted when X is first read."""

    def __get__(self, data: Dataset | None, owner: Any = None) -> Any:
        if data is None:
            raise AttributeError("X is an attribute of a data set, not of the class")
        table = data.__dict__["X"]
        if getattr(table, "dtype", np.float64) != np.float64 and table.dtype.kind in "biuf":
            table = data.__dict__["X"] = table.astype(np.float64)
        return table

    def __set__(self, data: Dataset, table: Any) -> None:
        data.__dict__["X"] = table


@dataclass(frozen=True, repr=False)
class Dataset:
    """Features X, labels Y, and the names and kinds of their columns.

    Parameters
    ----------
    X : ndarray of float64 or csr_array of float64, shape (N, d)
        NaN is a missing value. In a sparse X what is not stored is 0: the number 0,
        or the first value of a nominal column. Given as smaller numbers or booleans it is kept
        so, in `table`, and becomes float64 when X is first asked for.
    Y : ndarray or csr_array of int8 (int32 for many classes), shape (N, q)
        Positions in the label's `values`; -1 is a missing label (always stored).
    columns : sequence of Column
        One for each column of X.
    labels : sequence of Label
        One for each column of Y.
    weights : ndarray of float64, optional
        The weights of the rows, where the file has them.
    left_out : tuple of (str, str)
        Columns of the file that are not in X, each with the reason.
    source : Source
        Where it came from.
    notes : tuple of str
        What a user should know about how it was read.
    places : sequence of int, optional
        Where each column of X stands among the columns of the file or frame that are no labels;
        None if it has all of them.
    row_columns : mapping of str to series
        What else is known of each row, such as the columns of `obs` of AnnData, which can be held
        fixed (``given="batch"``).
    """

    X: Any
    Y: Any
    columns: Sequence[Column]
    labels: Sequence[Label]
    weights: np.ndarray | None = None
    left_out: tuple[tuple[str, str], ...] = ()
    source: Source = field(default_factory=Source)
    notes: tuple[str, ...] = ()
    places: Sequence[int] | None = field(default=None, compare=False)
    row_columns: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        rows, features, labels = self.shape
        sizes = f"{plural(rows, 'row')}, {plural(features, 'feature')}, {plural(labels, 'label')}"
        return f"<Dataset {printable(self.title, 60)}: {sizes}>"

    @property
    def title(self) -> str:
        """Its name: its relation without MEKA's options, or its file."""
        from mlfs.data.labels.finding import plain_relation

        return plain_relation(self.source.relation) or self.source.path

    def _repr_html_(self) -> str:
        from mlfs.data.html import as_html

        return as_html(self)

    @property
    def table(self) -> Any:
        """X as it is stored, of any type of numbers, until `X` is read."""
        return self.__dict__["X"]

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of the columns of X, without a list of them."""
        return names_of(self.columns)

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many values each column of X declares, see `declared_sizes`."""
        return declared_sizes(self.columns)

    @cached_property
    def date_columns(self) -> list[int]:
        """The nominal columns whose values are all dates."""
        from mlfs.data.dates import date_columns

        return [] if isinstance(self.columns, Uniform) else date_columns(self.columns)

    @property
    def feature_names(self) -> list[str]:
        """The names of the columns of X."""
        return list(self.names)

    @property
    def n_given(self) -> int:
        """The number of columns that were given, with those that are left out of X."""
        return self.shape[1] if self.places is None else len(self.left_out) + len({*self.places})

    @property
    def given(self) -> np.ndarray:
        """Where each column of X stands among those that were given."""
        return np.arange(self.shape[1]) if self.places is None else np.array(self.places, np.int64)

    @property
    def names_given(self) -> Sequence[str] | dict[int, str]:
        """The name of each column of X by its number among those that were given."""
        if self.places is None:
            return self.names
        names: dict[int, str] = {}
        for place, name in zip(self.places, self.feature_names, strict=True):
            names[place] = name_of_date(name) if place in names else name
        return names

    @property
    def label_names(self) -> list[str]:
        """The names of the columns of Y."""
        if isinstance(self.labels, Uniform):
            return list(self.labels.names)
        return [label.name for label in self.labels]

    @property
    def is_sparse(self) -> bool:
        """Whether X is sparse."""
        return bool(sp.issparse(self.table))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, features, labels."""
        return int(self.table.shape[0]), int(self.table.shape[1]), int(self.Y.shape[1])

    def with_changes(self, **fields: Any) -> Dataset:
        """Replace some fields; X stays as it is stored."""
        return replace(self, **{"X": self.table, **fields})

    def reduced(self, features: Any) -> Dataset:
        """Keep some columns of X, in the order given."""
        indices = np.asarray(features, dtype=np.int64)
        return replace(
            self,
            X=self.table[:, indices],
            columns=tuple(self.columns[j] for j in indices.tolist()),
            places=None,
        )


Dataset.X = _FloatTable()  # after the decorator, which would take it for a default


# ---- sequences of columns that are made one by one ----------------------------------------------


class LazySequence(Sequence[Any]):
    """A sequence that makes an item when it is asked for; equal to a tuple of the same items.

    A table of 47,000 columns in memory has columns that differ by nothing but their numbers; a list
    of `Column` objects would take longer than counting such a table.
    """

    def _item(self, j: int) -> Any:
        raise NotImplementedError

    @overload
    def __getitem__(self, j: int) -> Any: ...
    @overload
    def __getitem__(self, j: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, j: int | slice) -> Any:
        if isinstance(j, slice):
            return tuple(self._item(k) for k in range(*j.indices(len(self))))
        position = j + len(self) if j < 0 else j
        if not 0 <= position < len(self):
            raise IndexError(f"{j} of {len(self)}")
        return self._item(int(position))

    def __iter__(self) -> Iterator[Any]:
        return map(self._item, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (LazySequence, tuple, list)):
            return NotImplemented
        return len(self) == len(other) and all(
            item == other_item for item, other_item in zip(self, other, strict=True)
        )

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __add__(self, other: Sequence[Any]) -> tuple[Any, ...]:
        return (*self, *other)

    def __radd__(self, other: Sequence[Any]) -> tuple[Any, ...]:
        return (*other, *self)

    def __repr__(self) -> str:
        return repr(tuple(self))


class NumberedNames(LazySequence):
    """The names x0, x1, ..., or from another number on.

    Examples
    --------
    >>> NumberedNames("x", 3), NumberedNames("x", 2, 1)
    (('x0', 'x1', 'x2'), ('x1', 'x2'))
    """

    def __init__(self, prefix: str, size: int, first: int = 0) -> None:
        self.prefix, self.size, self.first = prefix, size, first

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[str]:
        return (f"{self.prefix}{j}" for j in range(self.first, self.first + self.size))

    def _item(self, j: int) -> str:
        return f"{self.prefix}{self.first + j}"


class Uniform(LazySequence):
    """Columns, or labels, that differ only in their names.

    Parameters
    ----------
    names : sequence of str
        Their names.
    template : Column or Label
        What each of them is.
    """

    def __init__(self, names: Sequence[str], template: Column | Label) -> None:
        self.names, self.template = names, template

    def __len__(self) -> int:
        return len(self.names)

    def _item(self, j: int) -> Any:
        return replace(self.template, name=self.names[j])


def names_of(columns: Sequence[Column]) -> Sequence[str]:
    """The names of columns; no list of them where they are alike.

    Examples
    --------
    >>> from mlfs.data.dataset import Column
    >>> names_of([Column("a"), Column("b")])
    ['a', 'b']
    """
    return columns.names if isinstance(columns, Uniform) else [column.name for column in columns]


def declared_sizes(columns: Sequence[Column]) -> np.ndarray:
    """How many values each column declares: -1 if it is numeric.

    Examples
    --------
    >>> from mlfs.data.dataset import Column
    >>> declared_sizes([Column("a"), Column("b", "nominal", ("yes", "no"))]).tolist()
    [-1, 2]
    """
    if isinstance(columns, Uniform):
        column: Any = columns.template
        return np.full(len(columns), len(column.values) if column.kind == "nominal" else -1)
    sizes = (len(column.values) if column.kind == "nominal" else -1 for column in columns)
    return np.fromiter(sizes, np.int64, len(columns))


# ---- two data sets, one below the other ---------------------------------------------------------


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
        X=stack(train.X, test.X),
        Y=stack(train.Y, test.Y),
        weights=weights,
        notes=tuple(dict.fromkeys([*train.notes, *test.notes])),
        row_columns={},
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


def stack(first: Any, second: Any) -> Any:
    """The rows of two tables, one below the other."""
    if sp.issparse(first) or sp.issparse(second):
        return sp.vstack([sp.csr_array(first), sp.csr_array(second)]).tocsr()
    return np.concatenate([first, second])


Kind = Literal["numeric", "nominal"]
