"""Names, kinds and values of the columns as JSON, for formats that have room for a note.

svmlight keeps it in a comment on the first line, Parquet in its metadata. What a file says is
checked as any other input: it is data, not an instruction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlfs.data.dataset import Column, Dataset, Label
from mlfs.data.labels import resolve, twice
from mlfs.data.request import Request
from mlfs.errors import DataError, ParseError, UsageError, printable

__all__ = ["default_columns", "dump", "load", "refuse_other_labels"]


def dump(dataset: Dataset) -> str:
    """Write down what the columns and labels are.

    Examples
    --------
    >>> from mlfs.data.arrays import from_arrays
    >>> dump(from_arrays([[1.0], [2.0]], [[0], [1]], feature_names=["size"]))
    '{"features": ["size"], "nominal": {}, "labels": ["y0"], "values": {}}'
    """
    nominal = {str(j): list(c.values) for j, c in enumerate(dataset.columns) if c.kind == "nominal"}
    values = {
        str(j): list(lab.values) for j, lab in enumerate(dataset.labels) if lab.values != ("0", "1")
    }
    return json.dumps(
        {
            "features": dataset.feature_names,
            "nominal": nominal,
            "labels": dataset.label_names,
            "values": values,
        }
    )


def load(text: str, path: str, line: int | None = None) -> tuple[list[Column], list[Label]]:
    """Read what `dump` wrote.

    Examples
    --------
    >>> text = '{"features": ["a"], "nominal": {"0": ["u"]}, "labels": ["l"], "values": {}}'
    >>> load(text, "t.svm")
    ([Column(name='a', kind='nominal', values=('u',))], [Label(name='l', values=('0', '1'))])
    """
    try:
        found = json.loads(text)
        columns = [Column(name) for name in _texts(found["features"])]
        for j, values in found["nominal"].items():
            columns[int(j)] = replace(columns[int(j)], kind="nominal", values=_texts(values))
        labels = [Label(name) for name in _texts(found["labels"])]
        for j, values in found["values"].items():
            labels[int(j)] = Label(labels[int(j)].name, _texts(values))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise ParseError(
            "the note '# mlfs' about the columns is not what mlfs writes; delete it", path, line
        ) from None
    for names in ([c.name for c in columns], [lab.name for lab in labels]):
        double = twice(names)
        if double is not None:
            raise ParseError(f"two columns are named {printable(double)!r}; rename one", path, line)
    return columns, labels


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError
    return tuple(values)


def default_columns(d: int, first: int = 0) -> tuple[Column, ...]:
    """Name columns that have no name of their own by their index in the file."""
    return tuple(Column(f"x{j}") for j in range(first, first + d))


def refuse_other_labels(
    request: Request, columns: Sequence[Column], labels: Sequence[Label], path: str, form: str
) -> None:
    """Accept ``--labels`` for a format that holds its labels apart only if it says the same."""
    if request.labels is None:
        return
    names = [*(column.name for column in columns), *(label.name for label in labels)]
    said: tuple[int, ...] = ()
    if twice(names) is None:
        try:
            said = resolve(names, request, path).columns
        except (DataError, UsageError, LookupError):
            said = ()
    if said != tuple(range(len(columns), len(names))):
        raise UsageError(
            f"{printable(path, 400)}: {form} holds its labels itself; leave --labels out"
        )
