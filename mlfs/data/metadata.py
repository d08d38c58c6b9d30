"""Names, kinds and values of the columns as JSON, for formats that have room for a note.

svmlight keeps it in a comment on the first line, Parquet in its metadata. What a file says is
checked as any other input: it is data, not an instruction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import (
    Column,
    Dataset,
    Label,
    NumberedNames,
    Uniform,
    declared_sizes,
    names_of,
)
from mlfs.data.labels.finding import first_duplicate, resolve
from mlfs.data.request import Request, refuse_more, refuse_sparse
from mlfs.errors import DataError, ParseError, UsageError, printable, setting


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


def load(
    text: str, path: str, line: int | None = None, *, can_be_empty: bool = False
) -> tuple[list[Column], list[Label]]:
    """Read what `dump` wrote; a nominal column may have no value if `can_be_empty`.

    Examples
    --------
    >>> text = '{"features": ["a"], "nominal": {"0": ["u"]}, "labels": ["l"], "values": {}}'
    >>> columns, labels = load(text, "t.svm")
    >>> columns, labels[0].values
    ([Column(name='a', kind='nominal', values=('u',))], ('0', '1'))
    """
    try:
        record = json.loads(text, object_pairs_hook=_unique_keys)
        columns = [Column(name) for name in _texts(record["features"])]
        for j, values in record["nominal"].items():
            k = _position(j)
            texts = () if can_be_empty and values == [] else _distinct(values)
            columns[k] = Column(columns[k].name, "nominal", texts)
        labels = [Label(name) for name in _texts(record["labels"])]
        for j, values in record["values"].items():
            k = _position(j)
            labels[k] = Label(labels[k].name, _distinct(values))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise ParseError(
            "the note '# mlfs' about the columns is not what mlfs writes; delete it", path, line
        ) from None
    for names in ([c.name for c in columns], [lab.name for lab in labels]):
        duplicate = first_duplicate(names)
        if duplicate is not None:
            raise ParseError(
                f"two columns are named {printable(duplicate)!r}; rename one", path, line
            )
    return columns, labels


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError
    if not "".join(values).isascii():
        "".join(values).encode()  # half a surrogate pair is no character
    return tuple(values)


def _distinct(values: Any) -> tuple[str, ...]:
    """The values of a column or label: at least one, all different."""
    texts = _texts(values)
    if not texts or len(set(texts)) < len(texts):
        raise ValueError
    return texts


def _position(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError
    return int(text)


def _unique_keys(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose keys are all different."""
    result = dict(items)
    if len(result) < len(items):
        raise ValueError
    return result


def default_columns(d: int, first: int = 0) -> Sequence[Column]:
    """Name columns that have no name of their own by their index in the file."""
    return Uniform(NumberedNames("x", d, first), Column(""))


def refuse_other_labels(
    request: Request, columns: Sequence[Column], labels: Sequence[Label], path: str, form: str
) -> None:
    """Refuse ``--labels`` for a format with labels of its own, unless it says the same."""
    if request.labels is None:
        return
    names = [*(column.name for column in columns), *(label.name for label in labels)]
    columns_named: tuple[int, ...] = ()
    if first_duplicate(names) is None:
        try:
            columns_named = resolve(names, request, path).columns
        except (DataError, UsageError, LookupError):
            columns_named = ()
    if columns_named != tuple(range(len(columns), len(names))):
        raise UsageError(
            f"{printable(path, 400)}: {form} holds its labels itself; leave {setting('labels')} out"
        )


def pairs(columns: Sequence[Sequence[str]]) -> tuple[np.ndarray, list[str]]:
    """Flatten the values of columns: the column of each value, and the value.

    Examples
    --------
    >>> pairs([(), ("u", "v")])
    (array([1, 1], dtype=int32), ['u', 'v'])
    """
    entries = [(j, value) for j, values in enumerate(columns) for value in values]
    return np.array([j for j, _ in entries], dtype=np.int32), [value for _, value in entries]


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
    values: list[list[str]] = [[] for _ in range(width)]
    for column, text in zip(columns.tolist(), texts, strict=True):
        values[column].append(text)
    return [tuple(column_values) for column_values in values]


def from_parts(
    X: Any,
    Y: Any,
    request: Request,
    path: str,
    form: str,
    *,
    names: tuple[list[str] | None, list[str] | None] = (None, None),
    weights: Any = None,
    nominal: list[tuple[str, ...]] | None = None,
    values: list[tuple[str, ...]] | None = None,
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
    for table in (X, Y):
        if sp.issparse(table):
            refuse_sparse(request.limits, table.shape[1:], path)
        elif table is not None:
            refuse_more(request.limits, "max_cells", table.size, "cells", path)
    as_given = Y is not None and values is None
    try:
        data = from_arrays(
            X,
            Y if as_given else None,
            feature_names=names[0],
            label_names=names[1] if as_given else None,
            sample_weight=weights,
            classes=request.classes,
            numeric_targets=request.numeric_targets,
        )
    except DataError as error:
        raise error.in_file(path) from None
    if nominal is not None:
        data = _set_nominal(data, nominal, path)
    if values is not None:
        label_names = names[1] or [f"y{j}" for j in range(len(values))]
        data = _set_labels(data, Y, label_names, values, path)
    refuse_other_labels(request, data.columns, data.labels, path, form)
    return data


def _set_nominal(data: Dataset, nominal: Sequence[tuple[str, ...]], path: str) -> Dataset:
    """Make the columns that have values nominal, if X holds positions in them."""
    columns = tuple(
        Column(column.name, "nominal", declared_values) if declared_values else column
        for column, declared_values in zip(data.columns, nominal, strict=True)
    )
    for name, declared_values in zip(names_of(columns), nominal, strict=True):
        if len(set(declared_values)) < len(declared_values):
            raise ParseError(f"two values of the column {printable(name)!r} are the same", path)
    wrong = wrong_position(data.table, columns)
    if wrong is not None:
        raise ParseError(wrong.text, path)
    return data.with_changes(columns=columns)


class WrongCell(NamedTuple):
    """A cell of a nominal column that holds no position of a value: its row, and the fault."""

    row: int
    text: str


def wrong_position(X: Any, columns: Sequence[Column]) -> WrongCell | None:
    """Find the first cell of a nominal column that is not the position of one of its values.

    Examples
    --------
    >>> wrong_position(np.array([[0.0], [3.0]]), [Column("a", "nominal", ("u", "v"))])
    WrongCell(row=1, text="the nominal column 'a' has 2 values and X holds the position 3.0")
    """
    sizes = declared_sizes(columns)
    nominal = np.flatnonzero(sizes >= 0)
    if not nominal.size:
        return None
    if sp.issparse(X):
        cells, top = X.data, sizes[X.indices]
    else:
        cells, top = X[:, nominal], sizes[nominal]
    bad = (top >= 0) & ((cells < 0) | (cells >= top) | (cells != np.floor(cells)))
    bad &= ~np.isnan(cells)
    if not bad.any():
        return None
    if sp.issparse(X):
        entry = int(np.flatnonzero(bad)[0])
        row, j, value = (
            int(np.searchsorted(X.indptr, entry, side="right")) - 1,
            X.indices[entry],
            cells[entry],
        )
    else:
        row, k = (int(i) for i in np.argwhere(bad)[0])
        j, value = nominal[k], cells[row, k]
    return WrongCell(
        row,
        f"the nominal column {printable(columns[j].name)!r} has {sizes[j]} values and X holds the "
        f"position {float(value)}",
    )


def _set_labels(
    data: Dataset, Y: Any, names: Sequence[str], values: Sequence[tuple[str, ...]], path: str
) -> Dataset:
    """Take Y as positions in values (-1: missing), if that is what it holds."""
    if any(len(set(label_values)) < len(label_values) for label_values in values):
        raise ParseError("two of the label_values of a label are the same", path)
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise ParseError(f"two labels are named {printable(duplicate)!r}; rename one", path)
    if Y.ndim != 2 or Y.dtype.kind not in "iuf" or Y.shape != (data.shape[0], len(names)):
        raise ParseError(
            f"Y has shape {Y.shape} and type {Y.dtype}; expected {data.shape[0]} rows of "
            f"{len(names)} positions in label_values",
            path,
        )
    sizes = np.array([len(label_values) for label_values in values], dtype=np.int64)
    if sp.issparse(Y):
        Y = sp.csr_array(Y)
        Y.sort_indices()
        codes, top = Y.data, sizes[Y.indices]
    else:
        codes, top = Y, sizes
    if not ((codes >= -1) & (codes < top) & (codes == np.floor(codes))).all():
        raise ParseError("Y holds a position that is not among the label_values", path)
    kind = np.int8 if sizes.max(initial=0) <= 127 else np.int32
    labels = tuple(
        Label(name, label_values) for name, label_values in zip(names, values, strict=True)
    )
    notes = tuple(note for note in data.notes if " missing (NaN" not in note)
    missing = int(np.count_nonzero(codes == -1))
    if missing:
        notes = (*notes, f"{missing} {'label is' if missing == 1 else 'labels are'} missing")
    return data.with_changes(Y=Y.astype(kind), labels=labels, notes=notes)
