"""CSV and TSV written: see `mlfs.data.delimited.csv_reader` for what comes back."""

from __future__ import annotations

import math
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.assemble import refuse_collisions, row_block, without_weights
from mlfs.data.columns import number_text
from mlfs.data.dataset import Column, Dataset
from mlfs.data.delimited.records import is_number
from mlfs.data.labels.label_values import BINARY, is_binary
from mlfs.data.request import MISSING
from mlfs.errors import DataError, in_braces, printable

FORMULA = ("=", "+", "-", "@", "\t", "\r")
BYTE_ORDER_MARK = "\ufeff"


def write(dataset: Dataset, stream: BinaryIO, separator: str = ",") -> None:
    r"""Write a CSV file: the features, then the labels.

    Examples
    --------
    >>> import io
    >>> from mlfs.data.arrays import from_arrays
    >>> out = io.BytesIO()
    >>> write(from_arrays([[0.5], [2]], [[0, 1], [1, 0]]), out)
    >>> out.getvalue()
    b'x0,y0,y1\n0.5,0,1\n2,1,0\n'
    """
    form = "TSV" if separator == "\t" else "CSV"
    without_weights(dataset, form)
    names = refuse_collisions(dataset, form)
    if "" in names:
        msg = (
            f"column {names.index('') + 1} has no name, which a {form} file cannot hold: rename it"
        )
        raise DataError(msg)
    header = [_quote(name, separator, header=True) for name in names]
    tables = [_texts(column, separator) for column in (*dataset.columns, *dataset.labels)]
    empty = [name for table, name in zip(tables, header, strict=True) if table and '""' in table]
    if empty and all(name.startswith('"') for name in header):
        raise DataError(
            f"column {printable(empty[0])} has the empty text as a value, which this {form} file "
            "could not tell from a missing one: write .arff or .npz instead"
        )
    _refuse_infinite_words(dataset, form)
    _refuse_unclear_classes(dataset, form)
    blank = "NA" if len(names) == 1 else ""
    stream.write((separator.join(header) + "\n").encode())
    step = max(1, (1 << 20) // len(names))
    d = len(dataset.columns)
    for start in range(0, dataset.shape[0], step):
        X = row_block(dataset.table, start, start + step)
        Y = row_block(dataset.Y, start, start + step)
        cells = [_cells(X[:, j], tables[j], blank) for j in range(d)]
        cells += [_cells(Y[:, j], tables[d + j], blank) for j in range(Y.shape[1])]
        rows = map(separator.join, zip(*cells, strict=True))
        stream.write(("\n".join(rows) + "\n").encode())


def _refuse_infinite_words(dataset: Dataset, form: str) -> None:
    """Refuse a nominal column of nothing but numbers, one of which is infinite."""
    for column in dataset.columns:
        if column.kind == "nominal" and all(map(is_number, column.values)):
            for value in column.values:
                if value.strip() not in MISSING and not math.isfinite(float(value)):
                    raise DataError(
                        f"column {printable(column.name)} has the value {printable(value)!r}, "
                        f"which this {form} file could not tell from an infinite number: "
                        "write .arff or .npz instead"
                    )


def _refuse_unclear_classes(dataset: Dataset, form: str) -> None:
    """Refuse a label of classes whose cells read as one of 0 and 1, or of fewer classes."""
    for j, label in enumerate(dataset.labels):
        if label.values == BINARY or label.numbers:
            continue
        column = dataset.Y[:, [j]]
        codes = np.unique(column.toarray() if sp.issparse(column) else column)
        values = [label.values[code] for code in codes[codes >= 0].tolist()]
        numbers = [float(v) for v in values if is_number(v) and v.strip() not in MISSING]
        is_merged = len(numbers) == len(values) > len({*numbers})
        if is_binary(values) or is_merged:
            raise DataError(
                f"the label {printable(label.name)!r} has the classes {in_braces(values)} in its "
                f"rows, which this {form} file could not tell apart, or from 0 and 1: "
                "write .arff or .npz instead"
            )


def write_tsv(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a TSV file: as CSV, with a tab between the cells."""
    write(dataset, stream, "\t")


def _texts(column: Any, separator: str) -> list[str] | None:
    if isinstance(column, Column) and column.kind == "numeric":
        return None
    return [_quote(value, separator) for value in column.values]


def _cells(x: np.ndarray, values: list[str] | None, blank: str) -> list[str]:
    if values is None:
        return [blank if v != v else number_text(v) for v in x.tolist()]  # noqa: PLR0124
    if x.dtype.kind == "f":
        x = np.where(np.isnan(x), -1.0, x).astype(np.int64)
    table = [*values, blank]
    return [table[code] for code in x.tolist()]


def _quote(text: str, separator: str, *, header: bool = False) -> str:
    quote = (
        text in MISSING
        or text != text.strip()
        or text.startswith(FORMULA)
        or any(char in text for char in (separator, '"', "\n", "\r"))
        or (header and (is_number(text) or text.startswith(BYTE_ORDER_MARK)))
    )
    return '"' + text.replace('"', '""') + '"' if quote else text
