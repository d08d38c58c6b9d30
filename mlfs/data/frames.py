"""Frames of pandas and polars, handled without importing either before it is used."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import is_missing, library_of
from mlfs.data.formats import refuse_half_pair
from mlfs.errors import DataError, UsageError, printable

INTEGERS = {f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)}
NULLABLE = {name.lower(): name for name in INTEGERS}  # of pandas, by what pyarrow calls them


def pandas() -> Any:
    """Import the package pandas, or say how to install it."""
    try:
        return importlib.import_module("pandas")
    except ModuleNotFoundError as error:
        msg = "a frame needs the package pandas, which is not installed: pip install pandas"
        raise UsageError(msg) from error


@contextmanager
def naming_half_pairs(texts: Iterable[object]) -> Iterator[None]:
    """Name the text that pandas cannot hold: those of its version 3 are UTF-8."""
    try:
        yield
    except UnicodeEncodeError:
        refuse_half_pair((text for text in texts if isinstance(text, str)), "the name", "rename it")
        raise


def as_frame(x: Any) -> Any:
    """A table or column of pyarrow as one of pandas or polars, a pair of them too; else `x` itself.

    pyarrow is not imported for it.

    Examples
    --------
    >>> as_frame([1])
    [1]
    """
    if isinstance(x, tuple) and len(x) == 2:
        return as_frame(x[0]), as_frame(x[1])
    if type(x).__module__.partition(".")[0] != "pyarrow" or not hasattr(x, "to_pandas"):
        return x
    try:
        dtype = pandas().api.types.pandas_dtype
    except UsageError:
        try:
            return importlib.import_module("polars").from_arrow(x)
        except ModuleNotFoundError:
            name = type(x).__name__
            msg = f"a {name} of pyarrow needs the package pandas or polars: pip install pandas"
            raise UsageError(msg) from None
    columns = x.columns if hasattr(x, "column_names") else [x]
    has_gaps = any(column.null_count and str(column.type) in NULLABLE for column in columns)
    # Integers with gaps are not rounded to floats.
    nullable = {name: dtype(pandas_name) for name, pandas_name in NULLABLE.items()}
    try:
        return x.to_pandas(types_mapper=lambda kind: nullable.get(str(kind)) if has_gaps else None)
    except ValueError as error:  # such as times of day in nanoseconds
        msg = f"a {type(x).__name__} of pyarrow cannot be made a frame of pandas"
        raise DataError(f"{msg}: {printable(error, 200)}") from None


def family(x: Any, name: str = "") -> str:
    """The library that a frame is of, or an empty text for what is not a frame.

    `name` is what an error calls it.

    Examples
    --------
    >>> import pandas as pd
    >>> family(pd.DataFrame({"a": [1]})), family([[1]])
    ('pandas', '')
    """
    library = library_of(x)
    if library == "polars" and type(x).__name__ == "LazyFrame":
        if name:
            raise DataError(
                f"{name} is a LazyFrame, which has no values yet: give {name}.collect()"
            )
        raise DataError("a LazyFrame has no values yet: give what its collect() gives")
    return library if hasattr(x, "columns") else ""


def columns_of(frame: Any, columns: list[int]) -> Any:
    """Some columns of a frame, by position, with the types that they have."""
    return frame.iloc[:, columns] if family(frame) == "pandas" else frame[:, columns]


def array_of(frame: Any) -> Any:
    """The values of a frame: numbers where all are numbers, else objects; what is missing is NaN.

    Examples
    --------
    >>> import pandas as pd
    >>> array_of(pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [0.5, 1.5]})).tolist()
    [[1.0, 0.5], [nan, 1.5]]
    >>> array_of(pd.DataFrame({"a": ["u", None], "b": [0.5, 1.5]})).tolist()
    [['u', 0.5], [nan, 1.5]]
    """
    if family(frame) == "polars":
        # The oldest polars cannot make an array of a frame without columns.
        return frame.to_numpy() if frame.width else np.empty(frame.shape)
    types = list(frame.dtypes)
    if types and all(type(dtype).__name__ == "SparseDtype" for dtype in types):
        return sp.csr_array(frame.sparse.to_coo())
    if not all(getattr(dtype, "kind", "O") in "iufb" for dtype in types):
        return frame.to_numpy(dtype=object, na_value=np.nan)
    values = frame.to_numpy()
    return frame.to_numpy(np.float64, na_value=np.nan) if values.dtype.kind == "O" else values


def frame_of(table: Any, names: list[str], library: str) -> Any:
    """A frame of a library made of an array or of the other library's frame.

    Column by column, so that each has a type of its own; what is missing becomes null, and
    categories stay categories.

    Examples
    --------
    >>> frame_of(np.array([["a", 1], [None, 2]], dtype=object), ["x", "y"], "polars").dtypes
    [String, Int64]
    """
    source = family(table)
    pick = table.iloc if source == "pandas" else table
    columns = [pick[:, j] for j in range(len(names))]
    values = {name: _cells(column) for name, column in zip(names, columns, strict=True)}
    module = importlib.import_module(library)
    if library == "polars":
        frame = module.DataFrame(values, strict=False)
        texts = [
            n for n, c in zip(names, columns, strict=True) if source and _has_text_categories(c)
        ]
        return frame.with_columns(module.col(texts).cast(module.Categorical)) if texts else frame
    frame = module.DataFrame(values)
    if not source:
        return frame
    nullable = {n: _nullable(c) for n, c in zip(names, columns, strict=True)}
    return frame.astype({name: kind for name, kind in nullable.items() if kind})


def _cells(column: Any) -> Any:
    """The values of a column: an array of numbers, or a list with None for what is missing."""
    kind = getattr(column.dtype, "kind", "O")
    if isinstance(column, np.ndarray) and kind != "O":
        return column
    if isinstance(column.dtype, np.dtype) and kind != "O":
        return column.to_numpy()
    cells = column.tolist() if hasattr(column, "tolist") else column.to_list()
    return [None if is_missing(cell) else cell for cell in cells]


def _has_text_categories(column: Any) -> bool:
    categories = getattr(column.dtype, "categories", None)
    return categories is not None and all(isinstance(value, str) for value in categories)


def _nullable(column: Any) -> str:
    """The type of pandas for a column of polars that numpy's types cannot hold; else empty."""
    kind = str(column.dtype)
    if kind.startswith(("Categorical", "Enum")):
        return "category"
    if not column.null_count():
        return ""
    return "boolean" if kind == "Boolean" else kind if kind in INTEGERS else ""
