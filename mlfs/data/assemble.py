"""Make a `Dataset`, or its X and Y, of a table with label columns: what the readers share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import number_text
from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.dates import WHY
from mlfs.data.labels.finding import LabelPositions, first_duplicate
from mlfs.data.labels.label_values import (
    distinct_numbers,
    is_binary,
    label_matrix,
    map_column,
    map_label,
    map_numbers,
    split_lists,
    stack_labels,
)
from mlfs.data.request import Request
from mlfs.errors import Caution, DataError, printable

AT_ONCE = 1 << 20  # cells
FEW = 10
IDENTIFIER = "it looks like an identifier (--exclude leaves it out)"


def dense_labels(
    values: np.ndarray,
    label_columns: Sequence[int],
    columns: Sequence[Column],
    request: Request,
    path: str,
) -> tuple[np.ndarray, list[Label]]:
    """Map label columns of a dense table.

    Parameters
    ----------
    values : ndarray of float64, shape (N, D)
        All columns; a nominal one holds positions, NaN is missing.
    label_columns : sequence of int
        Which of them are labels.
    columns : sequence of Column
        What each of the D columns is.
    """
    mapped = [map_column(columns[j], values[:, j], request, path) for j in label_columns]
    return stack_labels([y for y, _ in mapped], len(values)), [label for _, label in mapped]


def sparse_labels(
    table: Any, label_columns: Sequence[int], columns: Sequence[Column], request: Request, path: str
) -> tuple[Any, list[Label]]:
    """Map label columns of a sparse table (csr_array with the columns of `columns`).

    What is not stored is the first value of a nominal column, or the number 0.
    """
    n_rows = table.shape[0]
    position = np.full(table.shape[1], -1, dtype=np.int64)
    position[list(label_columns)] = np.arange(len(label_columns))
    entries = position[table.indices]
    is_label = np.flatnonzero(entries >= 0)
    rows = np.repeat(np.arange(n_rows), np.diff(table.indptr))[is_label]
    cols = entries[is_label]
    values = table.data[is_label]
    order = np.argsort(cols, kind="stable")
    rows, cols, values = rows[order], cols[order], values[order]
    starts = np.searchsorted(cols, np.arange(len(label_columns) + 1))
    codes = np.empty(len(values), dtype=np.int64)
    defaults = np.zeros(len(label_columns), dtype=np.int64)
    labels: list[Label] = []
    mapped: dict[tuple[str, ...], tuple[np.ndarray, tuple[str, ...]]] = {}
    for k, j in enumerate(label_columns):
        part = slice(starts[k], starts[k + 1])
        column = columns[j]
        if column.kind == "nominal":
            if column.values not in mapped:
                all_codes = np.array([*range(len(column.values)), -1])
                y, label = map_label(column.name, column.values, all_codes, request, path)
                mapped[column.values] = y, label.values
            y, value_names = mapped[column.values]
            labels.append(Label(column.name, value_names))
            cells = values[part]
            codes[part] = y[np.where(np.isnan(cells), len(y) - 1.0, cells).astype(np.int64)]
            defaults[k] = y[0]
        else:
            implicit = part.stop - part.start < n_rows
            cells = np.append(values[part], 0.0) if implicit else values[part]
            y, label = map_numbers(column.name, cells, request, path)
            labels.append(label)
            codes[part] = y[: part.stop - part.start]
            defaults[k] = y[-1] if implicit else 0
    if defaults.any():
        rows, cols, codes = _fill(rows, cols, codes, defaults, n_rows)
    kind = np.int8 if not len(codes) or codes.max() <= 127 else np.int32
    kind = np.int32 if any(len(label.values) > 127 for label in labels) else kind
    return label_matrix(rows, cols, codes.astype(kind), (n_rows, len(label_columns))), labels


def _fill(
    rows: np.ndarray, cols: np.ndarray, codes: np.ndarray, defaults: np.ndarray, n_rows: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Store what a sparse row leaves out where that does not mean 0."""
    entries = [(rows, cols, codes)]
    for k in np.flatnonzero(defaults):
        absent = np.ones(n_rows, dtype=bool)
        absent[rows[cols == k]] = False
        empty = np.flatnonzero(absent)
        entries.append((empty, np.full(len(empty), k), np.full(len(empty), defaults[k])))
    all_rows, all_cols, all_codes = zip(*entries, strict=True)
    return np.concatenate(all_rows), np.concatenate(all_cols), np.concatenate(all_codes)


def csr_rows(values: np.ndarray, columns: np.ndarray, ends: np.ndarray, width: int) -> Any:
    """A csr_array of rows whose columns rise; `ends` starts with 0.

    Examples
    --------
    >>> import numpy as np
    >>> csr_rows(np.ones(2), np.array([2, 0]), np.array([0, 1, 2]), 3).toarray().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    kind = np.int32 if max(len(values), width) < 2**31 else np.int64
    indices, indptr = columns.astype(kind, copy=False), ends.astype(kind)
    X = sp.csr_array((values, indices, indptr), shape=(len(ends) - 1, width))
    X.has_sorted_indices = True
    return X


def assemble(
    columns: Sequence[Any],
    tables: tuple[Any, Any],
    label_columns: LabelPositions,
    texts: Callable[[], list[str | None]],
    request: Request,
    source: tuple[str, str],
) -> Dataset:
    """Make a data set of a table of named columns: take the labels out and map their values.

    Parameters
    ----------
    columns : sequence of Column or (str, str)
        What every column of the table is; one that cannot be a feature is its name and the reason.
    tables : (ndarray, ndarray)
        The coded cells of the columns that can be features, and of those that are labels.
    label_columns : LabelPositions
        Which are labels (see `mlfs.data.labels.finding.resolve`).
    texts : callable
        Gives the texts of a column of lists, None where missing.
    source : (path, format)
        Where the table came from.
    """
    path, form = source
    labels: list[Label] = []
    label_codes: list[Any] = []
    X, cells = tables
    for k, j in enumerate(label_columns.columns):
        column = columns[j]
        if not isinstance(column, Column):
            name, reason = column
            raise DataError(
                f"{printable(path, 400)}: the column {printable(name)!r} cannot be a label: "
                f"{reason}"
            )
        codes, new_labels = labels_of(
            column, cells[:, k], texts, label_columns.lists, request, path
        )
        label_codes.append(codes)
        labels.extend(new_labels)
    label_set = set(label_columns.columns)
    others = [j for j in range(len(columns)) if j not in label_set]
    left_out = tuple(columns[j] for j in others if not isinstance(columns[j], Column))
    positions = [j for j in others if isinstance(columns[j], Column)]
    if not positions:
        raise DataError(f"{printable(path, 400)}: no column is left that can be a feature")
    kinds = tuple(columns[j] for j in positions)
    all_notes = [*label_columns.notes, *_notes(kinds, len(X), left_out)]
    are_numbers = all(re.fullmatch(r"\d+(\.0+)?", label.name) for label in labels)
    if label_columns.lists and len(labels) > FEW and are_numbers:
        name = printable(columns[label_columns.columns[0]].name)
        all_notes.append(
            f"the {len(labels)} different numbers of the column {name!r} are taken as names of "
            "labels; mlfs select bins a numeric target with --target-bins, and takes classes with "
            "--classes"
        )
    places = [place for place, j in enumerate(others) if isinstance(columns[j], Column)]
    is_sparse = bool(label_codes) and sp.issparse(label_codes[0])
    return Dataset(
        X,
        label_codes[0] if is_sparse else stack_labels(label_codes, len(X)),
        kinds,
        tuple(labels),
        left_out=left_out,
        source=Source(path, form, labels_by=label_columns.by),
        notes=tuple(all_notes),
        places=places if left_out else None,
    )


def labels_of(
    column: Column,
    x: np.ndarray,
    texts: Callable[[], list[str | None]],
    lists: bool,
    request: Request,
    path: str,
) -> tuple[Any, tuple[Label, ...]]:
    """The labels that one column of a table is, or lists if it may."""
    if lists and column.kind == "numeric":
        distinct = distinct_numbers(x)[0]
        lists = not is_binary(map(number_text, distinct)) and all(map(float.is_integer, distinct))
    elif lists:
        lists = not is_binary(column.values)
    if lists:
        present = texts()
        if not is_binary({text for text in present if text}):
            return split_lists(column.name, present, request, path)
    codes, label = map_column(column, x, request, path)
    return codes.reshape(-1, 1), (label,)


def texts_of(column: Column, x: np.ndarray) -> list[str | None]:
    """The texts of a column, None where missing."""
    if column.kind == "numeric":
        return [None if np.isnan(v) else str(int(v)) for v in x.tolist()]
    return [None if np.isnan(v) else column.values[int(v)] for v in x.tolist()]


def _notes(
    features: Sequence[Column], n_rows: int, left_out: Sequence[tuple[str, str]]
) -> list[str]:
    notes = []
    for name, why in left_out:
        text = f"column {printable(name)!r} is left out of X: {why}"
        notes.append(Caution(text) if why.endswith(WHY) else text)  # a date, as in a frame
    notes.extend(
        f"column {printable(column.name)!r} has a different text in every row: {IDENTIFIER}"
        for column in features
        if column.kind == "nominal" and len(column.values) == n_rows > FEW
    )
    return notes


def without_weights(dataset: Dataset, form: str) -> None:
    """Refuse to write weights into a format that has no place for them."""
    if dataset.weights is not None:
        raise DataError(
            f"the rows have weights, which {form} cannot hold: write .arff or .npz instead"
        )


def refuse_collisions(dataset: Dataset, form: str) -> list[str]:
    """Give the names of all columns, features first; a name used twice is refused."""
    names = [*dataset.feature_names, *dataset.label_names]
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise DataError(
            f"two columns are named {printable(duplicate)!r}, which {form} cannot hold: rename one"
        )
    return names


def row_block(matrix: Any, start: int, stop: int) -> np.ndarray:
    """Some rows as a dense array, of floats if they are no whole numbers of labels."""
    block = matrix[start:stop]
    block = block.toarray() if sp.issparse(block) else np.asarray(block)
    return block.astype(np.float64) if block.dtype.kind in "bu" else block


def row_blocks(matrix: Any) -> Iterator[np.ndarray]:
    """All rows of a dense table, some at a time."""
    step = max(1, AT_ONCE // max(1, matrix.shape[1]))
    for start in range(0, matrix.shape[0], step):
        yield row_block(matrix, start, start + step)
