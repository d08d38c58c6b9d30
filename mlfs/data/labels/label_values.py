"""Values of labels: {0,1}, {YES,NO}, {TRUE,FALSE}, {-1,1} by their meaning, or classes."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import is_missing
from mlfs.data.dataset import Column, Label
from mlfs.data.labels.finding import first_duplicate
from mlfs.data.request import Request
from mlfs.errors import DataError, in_braces, plural, printable, setting

CONTAINERS = (list, tuple, set, frozenset, np.ndarray)


BINARY = ("0", "1")
MEANING = {"0": 0, "1": 1, "no": 0, "yes": 1, "false": 0, "true": 1, "-1": -1}
PAIRS = ({"0", "1"}, {"no", "yes"}, {"false", "true"}, {"-1", "1"}, {"-1", "0", "1"})
DENSE_CELLS = 1 << 26
MAX_CLASSES = 1 << 16
FEW = 64  # numbers that are counted without being sorted
_CLASSES = f"take its values as classes with {setting('classes', True)}"
_OTHERS = f"choose other columns with {setting('labels')}"
_BINS = "mlfs.data.bin_targets, target_bins of a FeatureSelector, or --target-bins frequency"
ASK_BINS = f"bin it with {_BINS}, or {_OTHERS}"
ASK_EITHER = f"{_CLASSES}, {ASK_BINS}"
ASK_CLASSES = f"{_CLASSES}, or {_OTHERS}"
_ARRAYS = f"for labels of several classes ask for classes ({setting('classes', True)})"
BIN_OF_ARRAYS = f"bin it with {_BINS}"
ASK_OF_ARRAYS = f"{_ARRAYS}, bin numbers with {_BINS}"
ONLY_CLASSES = {ASK_EITHER: ASK_CLASSES, ASK_OF_ARRAYS: _ARRAYS}  # where nothing is binned
# of labels of more than two values
REMEDIES = (ASK_BINS, BIN_OF_ARRAYS, *ONLY_CLASSES, *ONLY_CLASSES.values())


def _word(value: str) -> str:
    """A value in the one spelling that `MEANING` knows: `1.0`, `+1` and `01` are `1`."""
    word = value.strip().lower()
    if word in MEANING or not word or word[-1] not in "01.e" or "_" in word or not word.isascii():
        return word
    try:
        number = float(word)
    except ValueError:
        return word
    return str(int(number)) if number in (-1.0, 0.0, 1.0) else word


def _meanings(values: Iterable[str]) -> list[int] | None:
    values = list(values)
    words = [_word(value) for value in values]
    present = set(words)
    spelled = {value.strip().lower() for value in values}
    if len(spelled) != len(present) or not any(present <= pair for pair in PAIRS):
        return None
    if "-1" in present and "0" not in present:
        return [1 if word == "1" else 0 for word in words]
    return [MEANING[word] for word in words]


def is_binary(values: Iterable[str]) -> bool:
    """Whether these distinct values are those of one binary label.

    Any part of {0,1}, {yes,no}, {true,false}, {-1,1}, in any case, does.

    Examples
    --------
    >>> is_binary(["YES", "NO"]), is_binary(["1"]), is_binary(["1", "yes"]), is_binary(["a|b"])
    (True, True, False, False)
    """
    return _meanings(values) is not None


def map_label(
    name: str, values: Sequence[str], codes: np.ndarray, request: Request, path: str
) -> tuple[np.ndarray, Label]:
    """Map a label column that is coded already.

    Binary values are mapped by value, not by position, to 0 and 1. Where 0 and -1 are both
    among the values, -1 is a missing label; where only -1 and 1 are, -1 means 0. Other values
    are refused unless ``request.classes``: then Y holds positions in `values` as they are.

    Parameters
    ----------
    name : str
        The name of the label.
    values : sequence of str
        Its distinct values (declared, or those present).
    codes : ndarray of int
        For each row (or each stored entry) the position in `values`, -1 where missing.

    Returns
    -------
    codes : ndarray of int8, or int32 for many classes
        Positions in ``label.values``, -1 where missing.
    label : Label

    Examples
    --------
    >>> import numpy as np
    >>> map_label("l", ["YES", "NO"], np.array([0, 1, -1]), Request(), "a.arff")[0].tolist()
    [1, 0, -1]
    """
    meanings = _meanings(values)
    if meanings is not None:
        table = np.array([*meanings, -1], dtype=np.int8)
        return table[codes], Label(name, BINARY)
    if not request.classes:
        raise DataError(
            f"{printable(path, 400)}: the label {printable(name)!r} has the values "
            f"{in_braces(values)}, which are not two of 0/1, yes/no, true/false, -1/1",
            remedy=ASK_CLASSES,
        )
    if len(values) > MAX_CLASSES:
        raise DataError(
            f"{printable(path, 400)}: the label {printable(name)!r} has {len(values)} values, too "
            f"many for classes (at most {MAX_CLASSES}); {_OTHERS}"
        )
    kind = np.int8 if len(values) <= 127 else np.int32
    return np.asarray(codes, dtype=kind), Label(name, tuple(values))


def distinct_numbers(column: np.ndarray) -> tuple[list[float], np.ndarray]:
    """The different numbers of a column, rising, and the place of each cell among them.

    The place of a missing value is -1.

    Examples
    --------
    >>> import numpy as np
    >>> numbers, places = distinct_numbers(np.array([3.0, np.nan, 0.5]))
    >>> numbers, places.tolist()
    ([0.5, 3.0], [1, -1, 0])
    """
    positions = np.full(FEW, -1, np.int8)
    with np.errstate(invalid="ignore"):
        small = np.clip(column, -1, FEW - 2).astype(np.int8)
    is_missing = np.isnan(column)
    small[is_missing] = FEW - 1
    if ((small == column) & (small >= 0) | is_missing).all():
        present = np.flatnonzero(np.bincount(small, minlength=FEW)[: FEW - 1])
        positions[present] = np.arange(present.size)
        return present.astype(float).tolist(), positions[small].astype(np.int64)
    numbers, codes = np.unique(column, return_inverse=True)
    distinct = [float(number) for number in numbers if not math.isnan(number)]
    return distinct, np.where(is_missing, -1, codes.reshape(-1))


def map_numbers(
    name: str, column: np.ndarray, request: Request, path: str
) -> tuple[np.ndarray, Label]:
    """Map a label column of numbers, NaN where missing; classes are sorted by number.

    Examples
    --------
    >>> import numpy as np
    >>> map_numbers("l", np.array([-1.0, 1.0, np.nan]), Request(), "a.csv")[0].tolist()
    [0, 1, -1]
    """
    distinct, positions = distinct_numbers(column)
    texts = [str(int(x)) if x.is_integer() and abs(x) < 1e15 else repr(x) for x in distinct]
    if not is_binary(texts):
        if request.numeric_targets and all(map(math.isfinite, distinct)):
            return positions.astype(np.int32), Label(name, tuple(texts), numbers=True)
        if not request.classes and not all(x.is_integer() for x in distinct):
            raise DataError(
                f"{printable(path, 400)}: the label {printable(name)!r} is continuous, and labels "
                "are classes",
                remedy=ASK_BINS,
            )
    try:
        return map_label(name, texts, positions, request, path)
    except DataError as error:
        raise (error.advising(ASK_EITHER) if error.remedy else error) from None


def map_column(
    column: Column, x: np.ndarray, request: Request, path: str
) -> tuple[np.ndarray, Label]:
    """Map a label column of numbers, or of positions in the values of a nominal column."""
    if column.kind == "numeric":
        return map_numbers(column.name, x, request, path)
    codes = np.where(np.isnan(x), -1.0, x).astype(np.int64)
    return map_label(column.name, column.values, codes, request, path)


def stack_labels(columns: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Put label columns side by side: int8, or int32 where a column is."""
    if not columns:
        return np.zeros((n_rows, 0), np.int8)
    kind = np.int32 if any(column.dtype == np.int32 for column in columns) else np.int8
    return np.column_stack(columns).astype(kind, copy=False)


def map_texts(
    name: str, cells: Sequence[str | None], request: Request, path: str
) -> tuple[np.ndarray, Label]:
    """Map a label column of texts, None where missing; classes are sorted by text.

    Examples
    --------
    >>> map_texts("l", ["no", "yes", None], Request(), "a.csv")[0].tolist()
    [0, 1, -1]
    """
    values = sorted({cell for cell in cells if cell is not None})
    positions: dict[str | None, int] = {value: k for k, value in enumerate(values)}
    positions[None] = -1
    codes = np.fromiter((positions[cell] for cell in cells), dtype=np.int64, count=len(cells))
    return map_label(name, values, codes, request, path)


def split_lists(
    name: str, cells: Sequence[str | None], request: Request, path: str
) -> tuple[Any, tuple[Label, ...]]:
    """Split a column of lists (``u|v``) into one binary label for each name in it.

    An empty cell has no labels; in a row whose cell is None every label is missing. Blanks
    around a name do not count. The labels are sorted: by number if all are whole numbers, else
    by text.

    Returns
    -------
    Y : ndarray or csr_array of int8
        See `label_matrix`.
    labels : tuple of Label

    Examples
    --------
    >>> Y, labels = split_lists("tags", ["u|v", "", "v"], Request(), "a.csv")
    >>> Y.tolist(), [label.name for label in labels]
    ([[1, 1], [0, 0], [0, 1]], ['u', 'v'])
    """
    separator = request.separator
    distinct: dict[str, str] = {}
    lists = []
    for cell in cells:
        items = [] if cell is None else cell.split(separator)
        parts = [part for item in items if (part := item.strip())]
        lists.append([distinct.setdefault(part, part) for part in parts])  # one object for each
    if not distinct:
        raise DataError(
            f"{printable(path, 400)}: the column {printable(name)!r} names no label in any row"
        )
    are_integers = all(item.isascii() and item.isdigit() and len(item) < 19 for item in distinct)
    names = (
        sorted(distinct, key=lambda item: (int(item), item)) if are_integers else sorted(distinct)
    )
    positions = {item: j for j, item in enumerate(names)}
    rows: list[int] = []
    columns: list[int] = []
    codes: list[int] = []
    for i, (cell, items) in enumerate(zip(cells, lists, strict=True)):
        columns_of_row = range(len(names)) if cell is None else {positions[item] for item in items}
        rows.extend([i] * len(columns_of_row))
        columns.extend(columns_of_row)
        codes.extend([-1 if cell is None else 1] * len(columns_of_row))
    shape = (len(cells), len(names))
    Y = label_matrix(np.array(rows), np.array(columns), np.array(codes, dtype=np.int8), shape)
    return Y, tuple(Label(item) for item in names)


def label_matrix(
    rows: np.ndarray, columns: np.ndarray, codes: np.ndarray, shape: tuple[int, int]
) -> Any:
    """Build Y from its entries: an array, or a csr_array beyond 64 million cells.

    Examples
    --------
    >>> import numpy as np
    >>> label_matrix(np.array([1]), np.array([0]), np.array([1], dtype=np.int8), (2, 1)).tolist()
    [[0], [1]]
    """
    if shape[0] * shape[1] <= DENSE_CELLS:
        Y = np.zeros(shape, dtype=codes.dtype)
        Y[rows.astype(np.int64), columns.astype(np.int64)] = codes
        return Y
    matrix = sp.csr_array((codes, (rows.astype(np.int64), columns.astype(np.int64))), shape=shape)
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def label_sets(
    rows: Sequence[Any], names: Sequence[str] | None = None
) -> tuple[sp.csr_array, tuple[Label, ...]]:
    """One binary label for each distinct name in a list of sets; in a row of None all are missing.

    `names`, when given, are all the labels there can be, in their order.
    """
    unknown = [i for i, row in enumerate(rows) if is_missing_row(row)]
    skip = set(unknown)
    distinct: set[Any] = set()
    for i, row in enumerate(rows):
        if i in skip:
            continue
        if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
            raise DataError(
                f"row {i + 1} of Y is {printable(row)!r}, the others are sets of labels: "
                "give each row a list, tuple or set of names"
            )
        distinct.update(row)
    for name in distinct:
        is_name = isinstance(name, (str, numbers.Integral)) and not isinstance(name, bool)
        if is_missing(name) or not is_name:
            raise DataError(
                f"a label set in Y holds {printable(name)!r}: label names are text or integers"
            )
    if all(isinstance(name, numbers.Integral) for name in distinct):
        ordered = [str(int(name)) for name in sorted(distinct)]
    else:
        ordered = sorted(str(name) for name in distinct)
        if len(set(ordered)) < len(ordered):
            raise DataError("Y mixes numbers and text that read the same: name labels by text")
    if names is not None:
        strange = sorted(set(ordered) - set(names))
        if strange:
            raise DataError(
                f"Y holds the label {printable(strange[0])!r}, which is not among the label names"
            )
        ordered = label_names(names, len(names))
    position = {name: j for j, name in enumerate(ordered)}
    indptr: list[int] = [0]
    indices: list[int] = []
    data: list[int] = []
    for i, row in enumerate(rows):
        columns = (
            range(len(ordered)) if i in skip else sorted({position[str(name)] for name in row})
        )
        indices.extend(columns)
        data.extend([-1 if i in skip else 1] * len(columns))
        indptr.append(len(indices))
    matrix = sp.csr_array(
        (np.array(data, np.int8), np.array(indices, np.int32), np.array(indptr, np.int64)),
        shape=(len(rows), len(ordered)),
    )
    return matrix, tuple(Label(name) for name in ordered)


def is_missing_row(row: object) -> bool:
    """Whether a row of label sets says that nothing is known of it."""
    return not isinstance(row, CONTAINERS) and is_missing(row)


def is_sets(y: Any) -> bool:
    """Whether Y is a list of label sets, that is of sets, or of lists with names.

    Examples
    --------
    >>> is_sets([{1, 2}, {5}]), is_sets([["a"], ["b", "c"]]), is_sets([[0, 1], [1, 0]])
    (True, True, False)
    """
    if isinstance(y, np.ndarray):
        if y.dtype != object or y.ndim != 1:
            return False
        y = y.tolist()
    if not isinstance(y, (list, tuple)):
        return False
    rows = [row for row in y if isinstance(row, CONTAINERS)]
    if any(isinstance(row, (set, frozenset)) for row in rows):
        return True
    return any(isinstance(name, str) for row in rows for name in row)


def label_names(names: Sequence[str] | None, q: int) -> list[str]:
    """Names for q labels: those given, checked, or y0, y1, ..."""
    if names is None:
        return [f"y{j}" for j in range(q)]
    names = [str(name) for name in names]
    if len(names) != q:
        raise DataError(f"{len(names)} label names were given and Y has {plural(q, 'label')}")
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise DataError(f"the label name {printable(duplicate)!r} is given twice")
    return names
