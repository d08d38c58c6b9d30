"""Arrays, sparse matrices and frames in memory become a `Dataset`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import (
    EXACT,
    MergedNumbersError,
    NotAFeatureError,
    check_weights,
    column_of,
    first_merged,
    force_nominal,
    is_missing,
    library_of,
    read_as_text,
    refuse_infinite,
    refuse_masked,
    refuse_merged,
    words_of,
)
from mlfs.data.dataset import Column, Dataset, NumberedNames, Source, Uniform, names_of
from mlfs.data.dates import WHY, check_dates, seconds_of, with_dates
from mlfs.data.frames import as_frame, columns_of, family
from mlfs.data.labels.finding import LabelPositions, first_duplicate, resolve
from mlfs.data.labels.label_arrays import caution_about_signs, keep_numbers, targets
from mlfs.data.labels.label_values import is_binary
from mlfs.data.matrices import as_counted, from_sparse, needs_check
from mlfs.data.request import Request
from mlfs.data.written_numbers import check_numbers, with_written_numbers
from mlfs.errors import Caution, DataError, UsageError, printable

# cells, columns, the columns that are left out, those that are dates in seconds, and notes
_Table = tuple[Any, Sequence[Column], dict[int, tuple[str, str]], list[int], list[str]]


def from_arrays(
    X: Any,
    Y: Any = None,
    *,
    feature_names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    categorical: Iterable[str | int] | None = None,
    sample_weight: Any = None,
    classes: bool = False,
    labels: str | Sequence[str] | None = None,
    numeric_targets: bool = False,
    numbers: str = "read",
    dates: str = "skip",
) -> Dataset:
    """Make a data set of what is in memory; neither pandas nor polars is imported for it.

    Parameters
    ----------
    X : array, sparse matrix, pandas or polars frame, pyarrow table, or list of lists
        A sparse X stays sparse; a dense one of float64 is not copied. Booleans, text and
        categories become nominal columns, dates are left out with a reason, NaN, NA and None
        are missing values.
    Y : array, sparse matrix, frame, series, or list of label sets, optional
        See `mlfs.data.labels.label_arrays`; a sparse Y and label sets stay sparse.
    feature_names, label_names : sequence of str, optional
        Names where X or Y has none of its own (default ``x0, x1, ...`` and ``y0, y1, ...``).
    categorical : iterable of str or int, optional
        Columns of numbers, by name or position, to be taken as nominal.
    sample_weight : array of shape (N,), optional
        The weight of each row.
    classes : bool
        Take label columns with more than two values as classes instead of refusing them.
        (A 1-D Y may always hold classes.)
    labels : str or sequence of str, optional
        Which columns of the frame X are the labels, when Y is not given: names, or a text as
        ``--labels`` takes it (see `mlfs.data.labels.finding`).
    numeric_targets : bool
        Keep label columns of numbers as numbers, to be binned by `mlfs.data.bin_targets`.
    numbers : {"read", "plain"}
        Whether columns of words that are numbers written for people, such as ``5 %``, are numbers.
    dates : {"skip", "parts", "keep"}
        What becomes of dates: left out, counted by year, month, weekday and hour, or kept: words as
        words, and other dates as seconds since 1970.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> data = from_arrays([[0.5, 1], [2.5, 0]], [[0, 1], [1, 1]])
    >>> data.feature_names, data.label_names, data.shape
    (['x0', 'x1'], ['y0', 'y1'], (2, 2, 2))
    """
    X, Y = as_frame(X), as_frame(Y)
    if labels is not None:
        X, Y = _split(X, Y, labels)
    gone: dict[int, tuple[str, str]] = {}
    known: list[int] = []
    notes: list[str] = []
    check_dates(dates)
    check_numbers(numbers)
    columns: Sequence[Column]
    if sp.issparse(X):
        matrix, columns = from_sparse(X, _names(feature_names, X.shape[-1]))
    elif family(X, "X"):
        matrix, columns, gone, known, notes = _from_frame(X, feature_names, dates)
    else:
        matrix, columns, gone, known, notes = _from_dense(X, feature_names, dates)
    cells = matrix.data if sp.issparse(matrix) else matrix
    careful = needs_check(cells)
    if careful and matrix.dtype.kind == "f" and isinstance(matrix, np.ndarray):
        refuse_infinite(matrix, names_of(columns))
    if careful and matrix.dtype.kind == "i" and isinstance(matrix, np.ndarray):
        refuse_merged(matrix, names_of(columns))
    if categorical is not None:
        matrix, columns = force_nominal(matrix, columns, categorical)
    n_rows = int(matrix.shape[0])
    if n_rows == 0:
        raise DataError("X has no rows: 0 sample(s), while a minimum of 1 is required")
    if not columns:
        reasons = [
            f": {printable(name)!r} is left out, as {reason}" for name, reason in gone.values()
        ]
        raise DataError("X has no column that can be a feature" + "".join(reasons[:1]))
    n_given, left_out = len(columns) + len(gone), tuple(gone.values())
    _refuse_other_rows(X, Y)
    if numeric_targets:
        y, label_list = keep_numbers(Y, n_rows, label_names, classes)
    else:
        y, label_list = targets(Y, n_rows, label_names, classes)
        caution = caution_about_signs(Y, lambda j: label_list[j].name)
        notes += [caution] if caution else []
    dataset = Dataset(
        matrix,
        y,
        columns,
        label_list,
        weights=None if sample_weight is None else check_weights(sample_weight, n_rows),
        left_out=left_out,
        source=Source(),
        notes=(*notes, *_notes(cells if careful else None, y, left_out)),
        places=[j for j in range(n_given) if j not in gone] if gone else None,
    )
    return with_dates(with_written_numbers(dataset, numbers), dates, known)


def _refuse_other_rows(x: Any, y: Any) -> None:
    """Refuse two frames of pandas whose rows have different names."""
    if not (family(x) == "pandas" and library_of(y) == "pandas" and hasattr(y, "index")):
        return
    if len(x) != len(y) or x.index.equals(y.index):
        return
    pairs = enumerate(zip(x.index.tolist(), y.index.tolist(), strict=True), 1)
    row, (x_name, y_name) = next(
        ((i, pair) for i, pair in pairs if pair[0] != pair[1]), (0, ("", ""))
    )
    if row:
        raise DataError(
            f"the index of X differs from that of Y, first in row {row} "
            f"({printable(repr(x_name))} and {printable(repr(y_name))}): give Y.loc[X.index] if "
            "rows belong together by name, and Y.to_numpy() if by position"
        )


def _split(x: Any, y: Any, labels: str | Sequence[str]) -> tuple[Any, Any]:
    """Take the label columns out of a frame."""
    if y is not None:
        raise UsageError("labels= names columns of X, and Y is given as well: give one of the two")
    if not family(x, "X"):
        raise UsageError(f"labels= names columns of a frame, and X is a {type(x).__name__}: give Y")
    chosen, y = split_labels(x, Request(labels=labels), "X")
    others = [j for j in range(len(x.columns)) if j not in {*chosen.columns}]
    if not others:
        resolve(_names(x.columns, len(x.columns)), Request(labels=labels), "X")
    return columns_of(x, others), y


def split_labels(frame: Any, request: Request, path: str) -> tuple[LabelPositions, Any]:
    """Find the label columns of a frame, and take them out: the columns, or a list of sets."""
    names = _names(frame.columns, len(frame.columns))
    chosen = resolve(names, request, path, with_features=False)
    if not chosen.lists:
        return chosen, columns_of(frame, list(chosen.columns))
    name = list(frame.columns)[chosen.columns[0]]
    column = frame[name]
    values = column.to_list()
    if any(isinstance(value, (list, tuple, set, frozenset, np.ndarray)) for value in values):
        return chosen, column
    texts = [None if is_missing(value) else str(value) for value in values]
    is_decimal = any(isinstance(v, float) and v % 1 > 0 for v in values)
    if is_decimal or is_binary({text for text in texts if text is not None}):
        return chosen, columns_of(frame, list(chosen.columns))
    separator = request.separator
    return chosen, [
        None if text is None else [part.strip() for part in text.split(separator) if part.strip()]
        for text in texts
    ]


def _names(names: Iterable[Any] | None, d: int) -> Sequence[str]:
    if names is None:
        return NumberedNames("x", d)
    texts = [str(name) for name in names]
    if len(texts) != d:
        raise DataError(f"{len(texts)} feature names were given and X has {d} columns")
    duplicate = first_duplicate(texts)
    if duplicate is not None:
        raise DataError(f"X has two columns named {printable(duplicate)!r}: rename one")
    return texts


def _from_frame(frame: Any, names: Sequence[str] | None, dates: str) -> _Table:
    d = len(frame.columns)
    column_names = _names(frame.columns if names is None else names, d)
    if family(frame) == "polars":
        return _from_columns([frame[:, j] for j in range(d)], column_names, frame.height, dates)
    types = list(frame.dtypes)
    if d and all(type(t).__name__ == "SparseDtype" and t.fill_value == 0 for t in types):
        return *from_sparse(frame.sparse.to_coo(), column_names), {}, [], []
    if d and len(set(types)) == 1 and isinstance(types[0], np.dtype) and types[0].kind in "iufb":
        array = frame.to_numpy()
        if first_merged(array) is None:
            return _from_dense(array, column_names, dates)
    return _from_columns([frame.iloc[:, j] for j in range(d)], column_names, len(frame), dates)


def _from_columns(values: list[Any], names: Sequence[str], n_rows: int, dates: str) -> _Table:
    columns: list[Column] = []
    numbers: list[np.ndarray] = []
    gone: dict[int, tuple[str, str]] = {}
    known: list[int] = []
    notes: list[str] = []
    for j, (name, cells) in enumerate(zip(names, values, strict=True)):
        try:
            column, x = column_of(name, cells)
        except MergedNumbersError:
            if not library_of(cells):  # an array, whose columns are alike
                raise
            column, x = words_of(name, cells)
            columns.append(column)
            numbers.append(x)
            notes.append(read_as_text(name))
        except NotAFeatureError as why:
            seconds = seconds_of(cells)
            if seconds is None or dates == "skip":
                gone[j] = name, str(why) if seconds is None else f"{why}; {WHY}"
                continue
            known.append(len(columns))
            columns.append(Column(name))
            numbers.append(seconds)
        else:
            columns.append(column)
            numbers.append(x)
    matrix = np.empty((n_rows, len(columns)))
    for j, x in enumerate(numbers):
        matrix[:, j] = x
    return matrix, tuple(columns), gone, known, notes


def _from_dense(x: Any, names: Sequence[str] | None, dates: str) -> _Table:
    array = _as_array(x)
    if array.ndim != 2:
        hint = ". Reshape your data with X.reshape(-1, 1) if it is one column"
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead: X is a row a sample, "
            f"a column a feature{hint if array.ndim == 1 else ''}"
        )
    column_names = _names(names, array.shape[1])
    if array.dtype.kind == "u":
        refuse_merged(array, column_names)
    if array.dtype.kind not in "biuf":
        return _from_columns(
            [array[:, j] for j in range(array.shape[1])], column_names, len(array), dates
        )
    return (
        as_counted(array),
        Uniform(column_names, column_of("", np.zeros(0, array.dtype))[0]),
        {},
        [],
        [],
    )


def _as_array(x: Any) -> Any:
    refuse_masked(x, "X")
    if not isinstance(x, (list, tuple)):
        array = np.asarray(x)
        if array.dtype.names:
            raise DataError("X is a structured array: give a frame, or a plain 2-D array")
        return array
    try:
        array = np.asarray(x)
        if array.dtype.kind in "US":
            array = np.asarray(x, dtype=object)
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else 1 for row in x]
        odd = next((i for i, n in enumerate(lengths) if n != lengths[0]), 0)
        raise DataError(
            f"the rows of X differ in length: row {odd + 1} has {lengths[odd]} values, "
            f"row 1 has {lengths[0]}"
        ) from None
    return array


def _notes(
    numbers: np.ndarray | None, labels: Any, left_out: Iterable[tuple[str, str]]
) -> Iterable[str]:
    for name, why in left_out:
        yield Caution(f"column {printable(name)!r} is left out of X: {why}")
    y = labels.data if sp.issparse(labels) else labels
    missing = int(np.count_nonzero(y == -1)) if y.min(initial=0) < 0 else 0
    if missing:
        subject = "label is" if missing == 1 else "labels are"
        yield f"{missing} {subject} missing (NaN, None, or -1 beside 0 and 1)"
    if numbers is None or not numbers.size:
        return
    high = float(np.fmax.reduce(numbers, axis=None))
    if max(high, -float(np.fmin.reduce(numbers, axis=None))) > EXACT:
        yield "X holds numbers beyond 2**53, which a 64-bit float cannot tell apart by units"
