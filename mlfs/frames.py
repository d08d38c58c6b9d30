"""Frames of pandas and polars, handled without importing either before it is used."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import is_missing

__all__ = ["array_of", "columns_of", "family", "frame_of"]


def family(x: Any) -> str:
    """Which library a frame is of; empty for what is no frame.

    Examples
    --------
    >>> import pandas as pd
    >>> family(pd.DataFrame({"a": [1]})), family([[1]])
    ('pandas', '')
    """
    library = type(x).__module__.split(".")[0]
    return library if library in ("pandas", "polars") and hasattr(x, "columns") else ""


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
        return frame.to_numpy()
    types = list(frame.dtypes)
    if types and all(type(dtype).__name__ == "SparseDtype" for dtype in types):
        return sp.csr_array(frame.sparse.to_coo())
    if not all(getattr(dtype, "kind", "O") in "iufb" for dtype in types):
        return frame.to_numpy(dtype=object, na_value=np.nan)
    values = frame.to_numpy()
    return frame.to_numpy(np.float64, na_value=np.nan) if values.dtype.kind == "O" else values


def frame_of(table: Any, names: list[str], library: str) -> Any:
    """A frame of a library made of an array or of the other library's frame.

    Column by column, so that each has a type of its own; what is missing becomes null.

    Examples
    --------
    >>> frame_of(np.array([["a", 1], [None, 2]], dtype=object), ["x", "y"], "polars").dtypes
    [String, Int64]
    """
    if family(table):
        columns = [columns_of(table, [j]).to_numpy().ravel() for j in range(len(names))]
    else:
        columns = [table[:, j] for j in range(len(names))]
    values = {
        name: [None if is_missing(cell) else cell for cell in column.tolist()]
        if column.dtype.kind == "O"
        else column
        for name, column in zip(names, columns, strict=True)
    }
    make = importlib.import_module(library).DataFrame
    return make(values, strict=False) if library == "polars" else make(values)
