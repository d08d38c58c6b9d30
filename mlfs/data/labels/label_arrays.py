"""Labels in any shape that Python users have become the Y of a `Dataset`.

==========================================  ==================================================
2-D numbers, booleans or sparse, 0/1        one binary label a column; NaN is a missing label
2-D numbers, -1/+1 (no 0 anywhere)          the same, -1 meaning 0
2-D numbers, -1/0/+1                        the same, -1 meaning a missing label
1-D of two values that mean no and yes      one binary label
1-D of other values, or ``classes=True``    one label of classes, the values sorted
a list (Series) of sets, or lists of names  one binary label for each distinct name, sorted
a frame                                     as its columns; their names are the label names
==========================================  ==================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import (
    are_numbers,
    floats_of,
    is_missing,
    library_of,
    number_text,
    refuse_infinite,
    refuse_masked,
    refuse_merged,
)
from mlfs.data.dataset import Label, Uniform
from mlfs.data.frames import family
from mlfs.data.labels.finding import first_duplicate
from mlfs.data.labels.label_values import ASK_OF_ARRAYS as ASK
from mlfs.data.labels.label_values import (
    BIN_OF_ARRAYS,
    is_binary,
    is_missing_row,
    is_sets,
    label_names,
    label_sets,
    map_texts,
    stack_labels,
)
from mlfs.data.matrices import check_places
from mlfs.data.request import Request
from mlfs.errors import Caution, DataError, plural, printable

BLOCK = 1 << 18
AS_SETS = "for label sets write each row as a set, such as {3, 7}"


def targets(
    y: Any, n_rows: int, names: Sequence[str] | None = None, classes: bool = False
) -> tuple[Any, Sequence[Label]]:
    """Turn Y of any shape into int8 positions and the labels they belong to.

    Examples
    --------
    >>> Y, labels = targets([{"sad"}, {"calm", "sad"}, set()], n_rows=3)
    >>> [label.name for label in labels], Y.toarray().tolist()
    (['calm', 'sad'], [[0, 1], [1, 1], [0, 0]])
    """
    if y is None:
        return np.zeros((n_rows, 0), np.int8), ()
    y, names = unwrap(y, names)
    if sp.issparse(y):
        if y.ndim != 2:
            raise DataError(f"Y is sparse with {y.ndim} dimension; expected one row a sample")
        check_rows(y.shape[0], n_rows)
        check_places(y, "Y")
        return _from_sparse(sp.csr_array(y), names, classes)
    if isinstance(y, ClassColumns):
        check_rows(y.n_rows, n_rows)
        named = list(y.renamed(names))
        columns = [_column(name, values, classes or len(named) == 1) for name, values in named]
        stacked = stack_labels([codes for _, codes in columns], n_rows)
        return stacked, tuple(label for label, _ in columns)
    if is_sets(y):
        check_rows(len(y), n_rows)
        return label_sets(list(y), names)
    array = as_label_array(y)
    matrix = as_columns(array, n_rows)
    if array.dtype.kind not in "biufOUS":
        raise DataError(f"Y is of type {array.dtype}; labels are numbers (0/1), booleans or text")
    is_single = array.ndim == 1
    names = label_names(names, matrix.shape[1])
    if matrix.dtype.kind in "OUS":
        columns = [
            _column(name, matrix[:, j], classes or is_single) for j, name in enumerate(names)
        ]
        stacked = stack_labels([codes for _, codes in columns], n_rows)
        return stacked, tuple(label for label, _ in columns)
    try:
        return _from_numbers(matrix, names, classes or is_single)
    except DataError as error:
        if error.remedy and isinstance(y, (list, tuple)) and not is_single:
            error.advising(f"{ASK}, {AS_SETS}")
        raise


class ClassColumns(NamedTuple):
    """The label columns of a frame."""

    names: list[str]
    cells: list[Any]
    n_rows: int

    def renamed(self, names: Sequence[str] | None) -> Iterator[tuple[str, Any]]:
        """Each column with its name, or its new one."""
        names = self.names if names is None else label_names(names, len(self.names))
        return zip(names, self.cells, strict=True)


def unwrap(y: Any, names: Sequence[str] | None) -> tuple[Any, Sequence[str] | None]:
    """Frames and series become columns, arrays or lists; their names are kept."""
    if not library_of(y):
        return y, names
    if family(y, "Y"):
        column_names = [str(name) for name in y.columns]
        duplicate = first_duplicate(column_names)
        if duplicate is not None:
            raise DataError(f"Y has two columns named {printable(duplicate)!r}: rename one")
        pick = y.iloc if library_of(y) == "pandas" else y
        cells = [_series_values(pick[:, j]) for j in range(len(column_names))]
        return ClassColumns(column_names, cells, len(y)), names
    series_name = getattr(y, "name", None)  # an extension array of pandas has none
    if names is None and series_name not in (None, ""):
        names = [str(series_name)]
    values = _series_values(y)
    return values, None if is_sets(values) and names == [str(series_name)] else names


def _series_values(series: Any) -> Any:
    """The values of a series as a numpy array of numbers, or a list of objects."""
    if library_of(series) == "pandas":
        kind = getattr(series.dtype, "kind", "O")
        if kind in "iufb" and not hasattr(series.dtype, "categories"):
            if kind in "iu":
                name = str(getattr(series, "name", "y"))  # an extension array has none
                refuse_merged(series.to_numpy(dtype=f"{kind}8", na_value=0), [name])
            return series.to_numpy(dtype=np.float64, na_value=np.nan)
        return series.astype(object).tolist()
    if series.dtype.is_integer():
        refuse_merged(series.fill_null(0).to_numpy(), [series.name])
    if series.dtype.is_numeric() or str(series.dtype) == "Boolean":
        return series.cast(float).to_numpy()
    return series.to_list()


def as_label_array(y: Any) -> np.ndarray:
    """Y as an array; of objects where it holds text, booleans or missing rows."""
    refuse_masked(y, "Y")
    if isinstance(y, (list, tuple)) and any(
        isinstance(value, (str, bool, np.bool_)) or is_missing_row(value) for value in y
    ):
        array = np.empty(len(y), dtype=object)
        array[:] = y
        return array
    try:
        return np.asarray(y)
    except ValueError:
        msg = "Y is neither an array nor a list of label sets: its rows differ in length"
        raise DataError(f"{msg}; {AS_SETS}") from None


def as_columns(array: np.ndarray, n_rows: int) -> np.ndarray:
    """Labels in an array, one in each column; other shapes are refused."""
    if array.ndim not in (1, 2):
        raise DataError(
            f"Y has {array.ndim} dimensions; expected 1 (one label) or 2 (a column a label), or a "
            "frame, or a list of label sets"
        )
    check_rows(len(array), n_rows)
    if array.dtype.kind == "c":
        raise DataError("Y is complex. Complex data not supported: labels are 0/1, text or classes")
    return array[:, None] if array.ndim == 1 else array


def check_rows(n: int, expected: int, subject: str = "Y") -> None:
    """Refuse labels for another number of rows than X has."""
    if n != expected:
        raise DataError(
            f"X has {plural(expected, 'row')} and {subject} has {n}: they must have the same number"
        )


def _from_numbers(
    matrix: np.ndarray, names: list[str], classes: bool
) -> tuple[np.ndarray, Sequence[Label]]:
    binary = indicator(matrix)
    if binary is not None:
        return binary, Uniform(names, Label(""))
    unknown = np.isnan(matrix) if matrix.dtype.kind == "f" else np.zeros(matrix.shape, bool)
    present = matrix[~unknown]
    if np.isin(present, (-1, 0, 1)).all():
        if (present == 0).any():
            unknown |= matrix == -1
        out = np.where(matrix == 1, 1, 0).astype(np.int8)
        out[unknown] = -1
        return out, Uniform(names, Label(""))
    if not classes:
        _refuse_values(matrix, unknown, names)
    columns = [_numeric_classes(name, matrix[:, j]) for j, name in enumerate(names)]
    return stack_labels([codes for _, codes in columns], len(matrix)), tuple(c[0] for c in columns)


def caution_about_signs(matrix: Any, name_of: Callable[[int], str]) -> str:
    """A warning of a column of -1 and 1 in an array with 0 elsewhere, whose -1 is missing."""
    is_array = isinstance(matrix, np.ndarray) and matrix.ndim == 2 and matrix.dtype.kind in "if"
    if not is_array or not matrix.size or not np.fmin.reduce(matrix, axis=None) < 0:
        return ""  # after one look at a large table
    if not (matrix == 0).any():
        return ""
    signs = (matrix == -1).any(axis=0) & (matrix == 1).any(axis=0) & ~(matrix == 0).any(axis=0)
    if not signs.any():
        return ""
    name = printable(name_of(int(signs.argmax())))
    text = f"label {name!r} holds -1 and 1 and no 0, and its -1 is taken as missing, as other "
    return Caution(f"{text}columns hold 0: write 0 where the label is absent")


def indicator(matrix: np.ndarray) -> np.ndarray | None:
    """The matrix as int8 if it holds nothing but 0 and 1; read once, in blocks that fit a cache."""
    if matrix.dtype == bool:
        return matrix.astype(np.int8, order="C")
    if matrix.dtype in (np.uint8, np.int8):
        small = matrix.astype(np.int8, order="C")
        return None if small.view(np.uint8).max(initial=0) > 1 else small
    out = np.empty(matrix.shape, np.int8)
    step = max(1, BLOCK // max(1, matrix.shape[1]))
    with np.errstate(invalid="ignore"):
        for start in range(0, len(matrix), step):
            block, small = matrix[start : start + step], out[start : start + step]
            small[...] = block.astype(np.int8)
            if (small.view(np.uint8) > 1).any() or (small != block).any():
                return None
    return out


def _refuse_values(matrix: np.ndarray, unknown: np.ndarray, names: list[str]) -> None:
    bad = ~(np.isin(matrix, (-1, 0, 1)) | unknown)
    row, column = (int(i) for i in np.argwhere(bad)[0])
    value = number_text(float(matrix[row, column]))
    raise DataError(
        f"label {printable(names[column])!r} holds {value} in row {row + 1}: "
        "a label is 0 or 1 (or -1/+1)",
        remedy=ASK,
    )


def _numeric_classes(name: str, values: np.ndarray) -> tuple[Label, np.ndarray]:
    refuse_merged(values, [name])
    x = values.astype(np.float64)
    present = x[~np.isnan(x)]
    refuse_infinite(x, [name], noun="label")
    distinct = np.unique(present)
    if np.isin(distinct, (-1, 0, 1)).all():
        codes, labels = _from_numbers(x.reshape(-1, 1), [name], False)
        return labels[0], codes[:, 0]
    odd = distinct[distinct != np.floor(distinct)]
    if odd.size:
        shown = number_text(float(odd[0]))
        raise DataError(
            f"Unknown label type: label {printable(name)!r} holds {shown}, which is continuous, "
            "and labels are classes",
            remedy=BIN_OF_ARRAYS,
        )
    codes = np.searchsorted(distinct, np.where(np.isnan(x), distinct[0], x))
    codes = codes.astype(np.int8 if distinct.size <= 128 else np.int32)
    codes[np.isnan(x)] = -1
    return Label(name, tuple(number_text(value) for value in distinct.tolist())), codes


def _column(name: str, values: Any, classes: bool) -> tuple[Label, np.ndarray]:
    """One label column of numbers, booleans or text."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        binary, labels = _from_numbers(values.reshape(-1, 1), [name], classes)
        return labels[0], binary[:, 0]
    cells = [None if is_missing(cell) else cell for cell in list(values)]
    types = {type(cell) for cell in cells if cell is not None}
    if are_numbers(types):
        x = floats_of(name, cells, "label").reshape(-1, 1)
        binary, labels = _from_numbers(x, [name], classes)
        return labels[0], binary[:, 0]
    if not all(issubclass(kind, str) for kind in types):
        shown = ", ".join(sorted(kind.__name__ for kind in types))
        raise DataError(
            f"Unknown label type: label {printable(name)!r} holds values of type {shown}; "
            "labels are all numbers, all booleans or all text"
        )
    return _text_label(name, [None if cell is None else str(cell) for cell in cells], classes)


def _text_label(name: str, cells: list[str | None], classes: bool) -> tuple[Label, np.ndarray]:
    """One label column of text: two values that mean no and yes, or classes."""
    distinct = sorted({cell for cell in cells if cell is not None})
    if not classes and not is_binary(distinct):
        odd = next((cell for cell in distinct if not is_binary([cell])), distinct[0])
        raise DataError(
            f"label {printable(name)!r} holds {printable(odd)!r}: a label is 0/1, -1/1, yes/no or "
            f"true/false; {ASK}"
        )
    codes, label = map_texts(name, cells, Request(classes=classes), "Y")
    return label, codes


def _from_sparse(
    y: sp.csr_array, names: Sequence[str] | None, classes: bool
) -> tuple[sp.csr_array, Sequence[Label]]:
    names = label_names(names, y.shape[1])
    if y.dtype.kind not in "biuf":
        raise DataError(f"Y is sparse of type {y.dtype}; labels are numbers (0/1) or booleans")
    if not y.has_canonical_format:
        y = y.copy()
        y.sum_duplicates()
    data = np.where(np.isnan(y.data), -1, y.data) if y.dtype.kind == "f" else y.data
    odd = np.flatnonzero(~np.isin(data, (-1, 0, 1)))
    refused = odd[np.isinf(data[odd])] if classes else odd
    if refused.size:
        entry = int(refused[0])
        row = int(np.searchsorted(y.indptr, entry, side="right"))
        why = "an infinite value cannot be used" if classes else f"a label is 0 or 1; {ASK}"
        shown = printable(names[y.indices[entry]])
        raise DataError(f"label {shown!r} holds {y.data[entry]} in row {row}: {why}")
    with np.errstate(invalid="ignore"):  # great values are those of classes, which get codes below
        codes = data.astype(np.int32)
    labels: Any = [Label(name) for name in names] if odd.size else Uniform(names, Label(""))
    for j in np.unique(y.indices[odd]).tolist():
        in_column = y.indices == j
        values = np.where(data[in_column] < 0, np.nan, data[in_column])
        labels[j], class_codes = _numeric_classes(names[j], np.append(values, 0))
        codes[in_column] = class_codes[:-1]
    small = codes.max(initial=0) <= 127
    out = sp.csr_array(
        (codes.astype(np.int8 if small else np.int32), y.indices, y.indptr), shape=y.shape
    )
    out.eliminate_zeros()
    out.sort_indices()
    return out, labels


def keep_numbers(
    y: Any, n_rows: int, names: Sequence[str] | None = None, classes: bool = False
) -> tuple[Any, Sequence[Label]]:
    """Turn Y into positions like `targets`, but keep columns of numbers as numbers.

    Examples
    --------
    >>> Y, labels = keep_numbers([2.5, 0.5, 2.5], 3)
    >>> Y.ravel().tolist(), labels[0].values, labels[0].numbers
    ([1, 0, 1], ('0.5', '2.5'), True)
    """
    if y is None or is_sets(y):
        return targets(y, n_rows, names, classes)
    plain, series_names = unwrap(y, names)
    if isinstance(plain, ClassColumns):
        columns, is_single = list(plain.renamed(names)), False
    else:
        array = plain.toarray() if sp.issparse(plain) else as_label_array(plain)
        if array.ndim not in (1, 2) or len(array) != n_rows or array.dtype.kind not in "biufO":
            return targets(y, n_rows, names, classes)
        is_single = array.ndim == 1
        matrix = array.reshape(len(array), -1)
        columns = list(zip(label_names(series_names, matrix.shape[1]), matrix.T, strict=True))
    codes: list[np.ndarray] = []
    labels: list[Label] = []
    for name, cells in columns:
        numbers = _numbers(name, cells)
        if numbers is None or len(numbers) != n_rows or np.isin(numbers, (-1, 0, 1)).all():
            label_codes, (label,) = targets(
                ClassColumns([name], [cells], len(cells)), n_rows, None, classes or is_single
            )
        else:
            label_codes, label = coded_numbers(name, numbers)
        codes.append(label_codes.reshape(-1))
        labels.append(label)
    return stack_labels(codes, n_rows), tuple(labels)


def _numbers(name: str, cells: Any) -> np.ndarray | None:
    """The values of a column as floats; None if it holds anything but numbers."""
    array = np.asarray(cells)
    if array.dtype.kind in "iuf":
        return array.astype(np.float64)
    if array.dtype.kind != "O":
        return None
    values = [None if is_missing(cell) else cell for cell in array.tolist()]
    kinds = {type(cell) for cell in values if cell is not None}
    if not are_numbers(kinds) or kinds & {bool, np.bool_}:
        return None
    return floats_of(name, values, "label")


def coded_numbers(name: str, x: np.ndarray) -> tuple[np.ndarray, Label]:
    """Code a numeric target by the places of its values among those that occur, rising."""
    refuse_infinite(x, [name], noun="label")
    missing = np.isnan(x)
    distinct, codes = np.unique(np.where(missing, 0.0, x), return_inverse=True)
    codes = np.where(missing, -1, codes.reshape(-1)).astype(np.int32)
    return codes, Label(name, tuple(map(number_text, distinct.tolist())), numbers=True)
