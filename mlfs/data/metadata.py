"""Names, kinds and values of the columns as JSON, for formats that have room for a note.

svmlight keeps it in a comment on the first line, Parquet in its metadata. What a file says is
checked as any other input: it is data, not an instruction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import Column, Dataset, Label
from mlfs.data.labels.chosen import resolve, twice
from mlfs.data.request import Request
from mlfs.errors import DataError, ParseError, UsageError, printable

__all__ = [
    "default_columns",
    "dump",
    "from_parts",
    "load",
    "pairs",
    "refuse_other_labels",
    "values_of",
]


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


def pairs(columns: Sequence[Sequence[str]]) -> tuple[np.ndarray, list[str]]:
    """Flatten the values of columns: the column of each value, and the value.

    Examples
    --------
    >>> pairs([(), ("u", "v")])
    (array([1, 1], dtype=int32), ['u', 'v'])
    """
    held = [(j, value) for j, values in enumerate(columns) for value in values]
    return np.array([j for j, _ in held], dtype=np.int32), [value for _, value in held]


def values_of(
    columns: Any, texts: list[str] | None, key: str, width: int, path: str
) -> list[tuple[str, ...]] | None:
    """Undo `pairs` for `width` columns, distrusting the file; None if both are absent."""
    if texts is None and columns is None:
        return None
    if texts is None or columns is None or columns.shape != (len(texts),):
        raise ParseError(f"{key}_columns and {key}_values do not fit each other", path)
    if columns.dtype.kind not in "iu" or ((columns < 0) | (columns >= width)).any():
        raise ParseError(f"{key}_columns names a column that is not there", path)
    found: list[list[str]] = [[] for _ in range(width)]
    for column, text in zip(columns.tolist(), texts, strict=True):
        found[column].append(text)
    return [tuple(own) for own in found]


def from_parts(
    X: Any,
    Y: Any,
    request: Request,
    path: str,
    form: str,
    *,
    names: tuple[list[str] | None, list[str] | None],
    weights: Any,
    nominal: list[tuple[str, ...]] | None,
    values: list[tuple[str, ...]] | None,
) -> Dataset:
    """Make a data set of what an npz or MATLAB file stores.

    Parameters
    ----------
    X, Y : array or sparse matrix
        The features and the labels; Y may be None.
    form : str
        What an error calls the format.
    names : (list of str, list of str)
        The names of the features and of the labels; each may be None.
    weights : ndarray or None
        The weights of the rows.
    nominal, values : list of tuple of str, or None
        The values of the columns of X and of Y, where these hold positions in them.
    """
    as_given = Y is not None and values is None
    try:
        data = from_arrays(
            X,
            Y if as_given else None,
            feature_names=names[0],
            label_names=names[1] if as_given else None,
            sample_weight=weights,
            classes=request.classes,
        )
    except DataError as error:
        raise DataError(f"{printable(path, 400)}: {error}") from None
    if nominal is not None:
        data = _own_columns(data, nominal, path)
    if values is not None:
        label_names = names[1] or [f"y{j}" for j in range(len(values))]
        data = _own_labels(data, Y, label_names, values, path)
    refuse_other_labels(request, data.columns, data.labels, path, form)
    return data


def _own_columns(data: Dataset, nominal: Sequence[tuple[str, ...]], path: str) -> Dataset:
    """Make the columns that have values nominal, if X holds positions in them."""
    columns = tuple(
        Column(column.name, "nominal", own) if own else column
        for column, own in zip(data.columns, nominal, strict=True)
    )
    x = data.X.tocsc() if data.is_sparse else data.X
    for j, own in enumerate(nominal):
        cells = x.data[x.indptr[j] : x.indptr[j + 1]] if data.is_sparse else x[:, j]
        cells = cells[~np.isnan(cells)]
        bad = (cells != np.floor(cells)) | (cells < 0) | (cells >= len(own))
        if own and bad.any():
            raise ParseError(
                f"the nominal column {printable(columns[j].name)!r} has {len(own)} values and X "
                f"holds the position {cells[bad][0]}",
                path,
            )
    return replace(data, columns=columns)


def _own_labels(
    data: Dataset, Y: Any, names: Sequence[str], values: Sequence[tuple[str, ...]], path: str
) -> Dataset:
    """Take Y as positions in values (-1: missing), if that is what it holds."""
    double = twice(names)
    if double is not None:
        raise ParseError(f"two labels are named {printable(double)!r}; rename one", path)
    if Y.ndim != 2 or Y.dtype.kind not in "iuf" or Y.shape != (data.shape[0], len(names)):
        raise ParseError(
            f"Y has shape {Y.shape} and type {Y.dtype}; expected {data.shape[0]} rows of "
            f"{len(names)} positions in label_values",
            path,
        )
    sizes = np.array([len(own) for own in values], dtype=np.int64)
    if sp.issparse(Y):
        Y = sp.csr_array(Y)
        Y.sort_indices()
        held, top = Y.data, sizes[Y.indices]
    else:
        held, top = Y, sizes
    if not ((held >= -1) & (held < top) & (held == np.floor(held))).all():
        raise ParseError("Y holds a position that is not among the label_values", path)
    kind = np.int8 if sizes.max(initial=0) <= 127 else np.int32
    labels = tuple(Label(name, own) for name, own in zip(names, values, strict=True))
    notes = tuple(note for note in data.notes if " missing (NaN" not in note)
    missing = int(np.count_nonzero(held == -1))
    if missing:
        notes = (*notes, f"{missing} {'label is' if missing == 1 else 'labels are'} missing")
    return replace(data, Y=Y.astype(kind), labels=labels, notes=notes)
