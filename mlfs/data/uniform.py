"""Sequences of names and columns that are made one by one, when they are asked for.

A table of 47,000 columns in memory has columns that differ by nothing but their numbers; a list of
`Column` objects would take longer than counting such a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    from mlfs.data.dataset import Column, Label

__all__ = [
    "LazySequence",
    "NumberedNames",
    "UniformColumns",
    "UniformLabels",
    "declared_sizes",
    "names_of",
]


class LazySequence(Sequence[Any]):
    """A sequence that makes an item when it is asked for; equal to a tuple of the same items."""

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


class UniformColumns(LazySequence):
    """Columns that differ only in their names.

    Parameters
    ----------
    names : sequence of str
        Their names.
    column : Column
        What each of them is.
    """

    def __init__(self, names: Sequence[str], column: Column) -> None:
        self.names, self.column = names, column

    def __len__(self) -> int:
        return len(self.names)

    def _item(self, j: int) -> Column:
        return type(self.column)(self.names[j], self.column.kind, self.column.values)


class UniformLabels(LazySequence):
    """Labels that differ only in their names.

    Parameters
    ----------
    names : sequence of str
        Their names.
    label : Label
        What each of them is.
    """

    def __init__(self, names: Sequence[str], label: Label) -> None:
        self.names, self.label = names, label

    def __len__(self) -> int:
        return len(self.names)

    def _item(self, j: int) -> Label:
        return type(self.label)(self.names[j], self.label.values)


class _ColumnNames(LazySequence):
    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns)

    def _item(self, j: int) -> str:
        return self.columns[j].name


def names_of(columns: Sequence[Column]) -> Sequence[str]:
    """The names of columns, without a list of them.

    Examples
    --------
    >>> from mlfs.data.dataset import Column
    >>> names_of([Column("a"), Column("b")])
    ('a', 'b')
    """
    return columns.names if isinstance(columns, UniformColumns) else _ColumnNames(columns)


def declared_sizes(columns: Sequence[Column]) -> np.ndarray:
    """How many values each column declares: -1 if it is numeric.

    Examples
    --------
    >>> from mlfs.data.dataset import Column
    >>> declared_sizes([Column("a"), Column("b", "nominal", ("yes", "no"))]).tolist()
    [-1, 2]
    """
    if isinstance(columns, UniformColumns):
        column = columns.column
        return np.full(len(columns), len(column.values) if column.kind == "nominal" else -1)
    sizes = (len(column.values) if column.kind == "nominal" else -1 for column in columns)
    return np.fromiter(sizes, np.int64, len(columns))
