"""One column of values, of whatever type, becomes numbers and a `Column`.

The kinds of values and what they become:

========================================  =====================================================
integers, floats, nullable numbers        numeric; NaN, NA, None and null are missing
booleans                                  nominal with the values False, True
text, mixed objects that are all text     nominal, values sorted
a frame's categories (or polars Enum)     nominal, values in the order of the categories
dates, times, periods, durations, lists   left out of X, with a reason
complex numbers, infinities, other        refused
========================================  =====================================================
"""

from __future__ import annotations

import decimal
import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column
from mlfs.errors import Caution, DataError, printable

HUGE = 2.0**100
BITS = 52


BOOLEANS = ("False", "True")
EXACT = 1 << 53
WHOLE = "a whole number beyond 2**53 that a 64-bit float cannot hold"
ROUNDED = f"{WHOLE}; give it as text, or take it out of the data"
EIGHT = 8  # bytes of a whole number that may be beyond that


class NotAFeatureError(Exception):
    """A column that cannot be a feature, with the reason."""


class MergedNumbersError(DataError):
    """Whole numbers that floats would round to other ones."""


def library_of(x: object) -> str:
    """The library that a frame or series is of; an empty text for anything else."""
    library = type(x).__module__.split(".")[0]
    return library if library in ("pandas", "polars") else ""


def number_text(value: float) -> str:
    """Write a number as short as reads back equal.

    Examples
    --------
    >>> number_text(3.0), number_text(0.1), number_text(-0.0), number_text(1e300)
    ('3', '0.1', '0', '1e+300')
    """
    if math.isfinite(value) and value == int(value) and abs(value) < 1e16:
        return str(int(value))
    return repr(float(value))


def is_missing(value: object) -> bool:
    """Whether one object stands for a missing value: None, NaN, NaT, NA, masked."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, (str, bytes)):
        return False
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - only a NaN differs from itself
    except (TypeError, ValueError):
        return False
    except ArithmeticError:  # a signalling NaN of decimal
        return True


def nominal(
    name: str, cells: Sequence[str | None], values: Iterable[str] | None = None
) -> tuple[Column, np.ndarray]:
    """Code texts by their position among the values (sorted unless given); None is missing.

    Examples
    --------
    >>> nominal("colour", ["red", None, "blue"])
    (Column(name='colour', kind='nominal', values=('blue', 'red')), array([ 1., nan,  0.]))
    """
    distinct = sorted({c for c in cells if c is not None}) if values is None else list(values)
    position: dict[str | None, float] = {value: float(i) for i, value in enumerate(distinct)}
    position[None] = math.nan
    codes = np.fromiter(map(position.__getitem__, cells), dtype=np.float64, count=len(cells))
    return Column(name, "nominal", tuple(distinct)), codes


def refuse_masked(x: Any, name: str) -> None:
    """Refuse a masked array, whose mask numpy would drop."""
    if isinstance(x, np.ma.MaskedArray):
        raise DataError(f"{name} is a masked array: give {name}.astype(float).filled(numpy.nan)")


def refuse_infinite(
    x: np.ndarray, names: Sequence[str], rows_before: int = 0, noun: str = "column"
) -> None:
    """Raise if a float matrix, after `rows_before` other rows, holds an infinity."""
    bad = np.isinf(x)
    if not bad.any():
        return
    row, column = (int(i) for i in np.argwhere(bad.reshape(len(x), -1))[0])
    raise DataError(
        f"{noun} {printable(names[column])!r} holds {x.reshape(len(x), -1)[row, column]} in row "
        f"{rows_before + row + 1}: an infinite value cannot be used; replace it or make it NaN"
    )


def first_merged(x: np.ndarray) -> int | None:
    """Find the first whole number of 64 bits that a float does not hold, by its place in `x`.

    Examples
    --------
    >>> first_merged(np.array([2**53, 2**60, 2**53 + 1]))
    2
    """
    if x.dtype.kind not in "iu" or x.dtype.itemsize < EIGHT or not x.size:
        return None
    if max(int(x.max()), -int(x.min())) <= EXACT:
        return None
    as_float = x.astype(np.float64)
    beyond = as_float >= float(np.iinfo(x.dtype).max)  # what rounds to 2**63 is not of the type
    bad = beyond | (np.where(beyond, 0, as_float).astype(x.dtype) != x)
    return int(bad.argmax()) if bad.any() else None


def merged_error(name: str, value: Any, row: int, noun: str = "column") -> MergedNumbersError:
    """The error that a whole number would be rounded to another one."""
    return MergedNumbersError(
        f"{noun} {printable(name)!r} holds {printable(value)} in row {row + 1}: {ROUNDED}"
    )


def is_rounded(text: str, value: float) -> bool:
    """Whether a text is a whole number and a float holds another one, its `value`.

    Examples
    --------
    >>> is_rounded("9007199254740993", 9007199254740992.0), is_rounded("1e30", 1e30)
    (True, False)
    """
    if not EXACT <= abs(value) < math.inf:
        return False
    digits = text.strip().lstrip("+-").lstrip("0")
    return digits.isascii() and digits.isdigit() and int(digits) != int(abs(value))


def refuse_merged(x: np.ndarray, names: Sequence[str], rows_before: int = 0) -> None:
    """Raise if a matrix of whole numbers, after `rows_before` rows, holds one that no float is."""
    first = first_merged(x)
    if first is not None:
        row, column = divmod(first, x.size // len(x))
        raise merged_error(names[column], x.ravel()[first], rows_before + row)


def _from_categories(
    name: str, categories: Iterable[object], codes: np.ndarray
) -> tuple[Column, np.ndarray]:
    values = tuple(
        number_text(value) if isinstance(value, float) else str(value) for value in categories
    )
    if len(set(values)) < len(values):
        raise DataError(
            f"column {printable(name)!r}: two of its categories read the same as text; rename one"
        )
    positions = codes.astype(np.float64)
    positions[codes < 0] = np.nan
    return Column(name, "nominal", values), positions


def are_numbers(kinds: Iterable[type]) -> bool:
    """Whether objects of these types are numbers; decimals are, though `numbers` lacks them."""
    return all(issubclass(kind, (numbers.Real, decimal.Decimal, np.bool_)) for kind in kinds)


def floats_of(name: str, cells: Sequence[Any], noun: str = "column") -> np.ndarray:
    """The numbers of a column of objects; None is missing.

    Examples
    --------
    >>> floats_of("a", [decimal.Decimal("0.5"), None, 3]).tolist()
    [0.5, nan, 3.0]
    """
    try:
        x = np.array([math.nan if cell is None else float(cell) for cell in cells])
    except OverflowError:
        msg = f"{noun} {printable(name)!r} holds an integer too large for a float"
        raise DataError(msg) from None
    refuse_infinite(x, [name], noun=noun)
    for row, (cell, value) in enumerate(zip(cells, x.tolist(), strict=True)):
        if isinstance(cell, numbers.Integral) and int(cell) != value:
            raise merged_error(name, cell, row, noun)
    return x


def _from_objects(name: str, cells: list[Any]) -> tuple[Column, np.ndarray]:
    present = [None if is_missing(cell) else cell for cell in cells]
    kinds = {type(cell) for cell in present if cell is not None}
    if all(issubclass(kind, (bool, np.bool_)) for kind in kinds) and kinds:
        codes = [math.nan if cell is None else float(cell) for cell in present]
        return Column(name, "nominal", BOOLEANS), np.array(codes)
    if are_numbers(kinds):
        return Column(name), floats_of(name, present)
    if all(issubclass(kind, (str, bytes)) for kind in kinds):
        try:
            texts = [c.decode() if isinstance(c, bytes) else c and str(c) for c in present]
        except UnicodeDecodeError:
            raise DataError(f"column {printable(name)!r} holds bytes that are not UTF-8") from None
        return nominal(name, texts)
    if any(issubclass(kind, (complex, np.complexfloating)) for kind in kinds):
        raise _complex(name)
    if all(hasattr(kind, "isoformat") or hasattr(kind, "total_seconds") for kind in kinds) or any(
        kind.__name__ in ("Period", "Interval", "datetime64", "timedelta64") for kind in kinds
    ):
        raise NotAFeatureError(f"its values are of type {min(kind.__name__ for kind in kinds)}")
    shown = ", ".join(sorted(kind.__name__ for kind in kinds))
    if all(issubclass(kind, (numbers.Real, str)) for kind in kinds):
        raise DataError(
            f"column {printable(name)!r} mixes numbers and text ({shown}): make it all numbers, "
            "or all text with .astype(str)"
        )
    raise DataError(
        f"column {printable(name)!r} holds objects of type {shown}: every argument must be "
        "a string or a number, or missing; make columns of what it holds, or leave it out"
    )


def _complex(name: str) -> DataError:
    return DataError(
        f"column {printable(name)!r} is complex. Complex data not supported: "
        "give the real and imaginary parts as two columns"
    )


def _from_numpy(name: str, values: np.ndarray) -> tuple[Column, np.ndarray]:
    kind = values.dtype.kind
    if kind == "b":
        return Column(name, "nominal", BOOLEANS), values.astype(np.float64)
    if kind in "iuf":
        refuse_merged(values, [name])
        x = values.astype(np.float64)
        if kind == "f":
            refuse_infinite(x, [name])
        return Column(name), x
    if kind == "c":
        raise _complex(name)
    if kind in "mM":
        raise NotAFeatureError(f"its values are of type {values.dtype}")
    return _from_objects(name, values.tolist())


def _from_pandas(name: str, series: Any) -> tuple[Column, np.ndarray]:
    dtype = series.dtype
    if hasattr(dtype, "categories") and hasattr(dtype, "ordered"):
        return _from_categories(name, dtype.categories.tolist(), series.cat.codes.to_numpy())
    if hasattr(dtype, "unit") or hasattr(dtype, "tz") or dtype.kind in "mM":
        raise NotAFeatureError(f"its values are of type {dtype}")
    if dtype.kind in "iufb":
        kind = np.dtype(bool) if dtype.kind == "b" else np.dtype(np.float64)
        column, _ = _from_numpy(name, np.zeros(0, kind))
        if dtype.kind in "iu":
            refuse_merged(series.to_numpy(dtype=f"{dtype.kind}8", na_value=0), [name])
        x = series.to_numpy(dtype=np.float64, na_value=np.nan)
        refuse_infinite(x, [name])
        return column, x
    if dtype.kind == "c":
        raise _complex(name)
    return _from_objects(name, series.astype(object).tolist())


def _from_polars(name: str, series: Any) -> tuple[Column, np.ndarray]:
    dtype = series.dtype
    base = str(dtype).split("(")[0]
    if base == "Null":
        return Column(name), np.full(len(series), np.nan)
    if base == "Enum":
        return nominal(name, series.cast(str).to_list(), list(dtype.categories))
    if base in ("String", "Utf8", "Categorical"):
        return nominal(name, series.cast(str).to_list())
    if dtype.is_temporal() or dtype.is_nested():
        raise NotAFeatureError(f"its values are of type {base}")
    if base == "Boolean":
        return (
            _from_objects(name, series.to_list())
            if series.null_count()
            else _from_numpy(name, series.to_numpy())
        )
    if base in ("Int128", "UInt128"):  # which numpy lacks
        return _from_objects(name, series.to_list())
    if dtype.is_integer():
        refuse_merged(series.fill_null(0).to_numpy(), [name])
    if dtype.is_numeric():
        return _from_numpy(name, series.cast(float).to_numpy())
    return _from_objects(name, series.to_list())


def column_of(name: str, values: Any, force_nominal: bool = False) -> tuple[Column, np.ndarray]:
    """Turn one column (numpy, pandas or polars) into a `Column` and float64 numbers.

    Examples
    --------
    >>> column_of("size", np.array([2, 1, 2]), force_nominal=True)
    (Column(name='size', kind='nominal', values=('1', '2')), array([1., 0., 1.]))
    """
    convert = {"pandas": _from_pandas, "polars": _from_polars}.get(library_of(values), _from_numpy)
    column, x = convert(name, values)
    if force_nominal and column.kind == "numeric":
        return as_nominal(column, x)
    return column, x


def words_of(name: str, values: Any) -> tuple[Column, np.ndarray]:
    """Take the numbers of a column as words, such as keys beyond 2**53 that floats would merge.

    Examples
    --------
    >>> words_of("key", np.array([2**53 + 1, 2**53]))[0].values
    ('9007199254740992', '9007199254740993')
    """
    cells = values.tolist() if hasattr(values, "tolist") else values.to_list()
    return nominal(name, [None if is_missing(cell) else str(cell) for cell in cells])


def read_as_text(name: str) -> Caution:
    """The warning that a column of numbers is read as text."""
    return Caution(f"column {printable(name)!r} is read as text: it holds {WHOLE}")


def as_nominal(column: Column, x: np.ndarray) -> tuple[Column, np.ndarray]:
    """Take the distinct numbers of a numeric column as the values of a nominal one."""
    distinct, codes = np.unique(x, return_inverse=True)
    codes = codes.reshape(x.shape).astype(np.float64)
    codes[np.isnan(x)] = np.nan
    values = tuple(number_text(value) for value in distinct[~np.isnan(distinct)].tolist())
    return Column(column.name, "nominal", values), codes


def force_nominal(
    matrix: Any, columns: Sequence[Column], categorical: Iterable[str | int]
) -> tuple[Any, Sequence[Column]]:
    """Make the numeric columns named (or counted) nominal on the numbers they hold."""
    position = {column.name: j for j, column in enumerate(columns)}
    new_columns = list(columns)
    forced: set[int] = set()
    for key in [categorical] if isinstance(categorical, str) else categorical:
        j = position.get(key) if isinstance(key, str) else int(key)
        if j is None or not -len(columns) <= j < len(columns):
            raise DataError(
                f"categorical= names {printable(key)!r}, which is not among the {len(columns)} "
                "columns of X"
            )
        forced.add(j % len(columns))
    forced = {j for j in forced if columns[j].kind == "numeric"}
    if not forced:
        return matrix, columns
    matrix = matrix.astype(np.float64)
    if sp.issparse(matrix):
        _force_sparse(matrix, new_columns, forced)
        return matrix, tuple(new_columns)
    for j in sorted(forced):
        new_columns[j], matrix[:, j] = as_nominal(columns[j], matrix[:, j])
    return matrix, tuple(new_columns)


def _force_sparse(matrix: Any, columns: list[Column], forced: set[int]) -> None:
    """Cells that are not stored are the number 0, so 0 is the first value."""
    order = np.argsort(matrix.indices, kind="stable")
    starts = np.searchsorted(matrix.indices[order], np.arange(len(columns) + 1))
    for j in sorted(forced):
        entries = order[starts[j] : starts[j + 1]]
        x = matrix.data[entries]
        distinct = np.unique(x[~np.isnan(x)])
        codes = np.searchsorted(distinct, x) + 1.0
        matrix.data[entries] = np.where(np.isnan(x), np.nan, codes)
        values = ("0", *(number_text(value) for value in distinct.tolist()))
        columns[j] = Column(columns[j].name, "nominal", values)


def check_weights(weights: Any, n_rows: int) -> np.ndarray:
    """Check the weights of rows: one finite number, not negative, for each; not all zero.

    Examples
    --------
    >>> check_weights([1, 0, 2.5], 3).tolist()
    [1.0, 0.0, 2.5]
    """
    refuse_masked(weights, "sample_weight")
    try:
        array = np.asarray(weights)
        if array.dtype.kind not in "biufO":
            raise TypeError
        with np.errstate(over="ignore"):  # of more than 64 bits; infinity is refused below
            checked = array.astype(np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        msg = "the weights of rows must be numbers"
        raise DataError(msg) from error
    if checked.ndim == 0:
        checked = np.full(n_rows, float(checked))
    if checked.shape != (n_rows,):
        msg = f"the weights have shape {checked.shape}, but there are {n_rows} rows: give one each"
        raise DataError(msg)
    bad = np.flatnonzero(~np.isfinite(checked) | (checked < 0))
    if bad.size:
        msg = (
            f"row {bad[0] + 1} has the weight {checked[bad[0]]}: "
            "weights must be finite and not negative"
        )
        raise DataError(msg)
    largest = float(checked.max(initial=0.0))
    if largest > HUGE or 0 < largest < 1 / HUGE:
        # A power of two changes no ratio, keeps sums finite, and keeps tiny weights exact.
        checked = np.ldexp(checked, BITS - int(np.frexp(largest)[1]))
    if not checked.any():
        msg = "all weights are zero: at least one row must count"
        raise DataError(msg)
    return checked
