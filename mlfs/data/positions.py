"""The values of nominal columns and labels as two flat lists: what npz and MATLAB files store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column, Dataset, Label
from mlfs.data.labels import twice
from mlfs.errors import ParseError, printable

__all__ = ["own_columns", "own_labels", "pairs", "values_of"]


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


def own_columns(data: Dataset, nominal: Sequence[tuple[str, ...]], path: str) -> Dataset:
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


def own_labels(
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
