"""Parquet, by the optional package pyarrow: ``pip install 'mlfs-toolkit[parquet]'``.

Label columns are named as for CSV (``--labels``); a column of lists of text is a column of label
lists and may be named alone. Numbers, nullable integers and decimals are numeric; text,
dictionaries and booleans are nominal (a dictionary keeps the order of its values); null is
missing; dates, times, nested columns and the index of a pandas frame are left out with a reason.

`write` stores numbers as doubles, nominal columns as dictionaries and binary labels as 0/1, and
the names, kinds and values in the metadata ``mlfs``, by which a file of ours needs no
``--labels`` and reads back equal. Only that X was sparse is not kept, and weights are refused.
"""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.assemble import Cells, assemble, refuse_collisions, without_weights
from mlfs.data.columns import column_of, nominal, number_text, refuse_infinite
from mlfs.data.dataset import Column, Dataset
from mlfs.data.labels.chosen import Chosen, resolve, twice
from mlfs.data.labels.label_sets import label_sets
from mlfs.data.metadata import dump, load
from mlfs.data.request import Request, exceeded
from mlfs.errors import DataError, MissingExtra, ParseError, printable

__all__ = ["read", "write"]

NOTE = b"mlfs"


def _pyarrow(purpose: str) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(purpose, "pyarrow", "parquet") from None
    return pa


def read(content: bytes, path: str, request: Request) -> Dataset:
    """Read a Parquet file."""
    pa = _pyarrow("reading Parquet")
    table = _table(pa, content, path, request)
    names = [str(name) for name in table.column_names]
    double = twice(names)
    if double is not None:
        raise ParseError(f"two columns are named {printable(double)!r}; rename one", path)
    note = (table.schema.metadata or {}).get(NOTE)
    values: dict[str, tuple[str, ...]] = {}
    labelled: set[str] = set()
    if note is not None:
        columns, labels = load(note.decode("utf-8", "replace"), path)
        values = {column.name: column.values for column in columns if column.kind == "nominal"}
        values |= {label.name: label.values for label in labels if label.values != ("0", "1")}
        labelled = {label.name for label in labels}
    if request.labels is None and labelled:
        where = [j for j, name in enumerate(names) if name in labelled]
        classes = any(label.values != ("0", "1") for label in labels)
        request = Request(**{**vars(request), "classes": request.classes or classes})
        chosen = Chosen(tuple(where), "the metadata of the file")
    else:
        chosen = resolve(names, request, path)
    if table.num_rows == 0:
        raise ParseError("the file holds no row", path)
    lists = [j for j in chosen.columns if _is_list(pa, table.schema.field(j).type)]
    if lists:
        return _with_lists(pa, table, names, chosen, lists, request, path)
    return assemble(
        _cells(pa, table, names, values, path),
        names,
        chosen,
        lambda j: _texts(table.column(j)),
        request,
        (path, "parquet"),
    )


def _table(pa: Any, content: bytes, path: str, request: Request) -> Any:
    limits = request.limits
    try:
        file = pa.parquet.ParquetFile(io.BytesIO(content))
        meta = file.metadata
        sizes = (meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
        for name, size, what in (
            ("max_attributes", meta.num_columns, "columns"),
            ("max_rows", meta.num_rows, "rows"),
            ("max_cells", meta.num_rows * meta.num_columns, "cells"),
            ("max_decompressed", sum(sizes), "unpacked bytes"),
        ):
            if size > getattr(limits, name):
                raise exceeded(limits, name, size, what, path)
        return file.read(use_threads=False)
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        if isinstance(error, DataError):
            raise
        raise ParseError(
            f"this is not a Parquet file that can be read: {printable(error)}", path
        ) from None


def _is_list(pa: Any, kind: Any) -> bool:
    types = pa.types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _cells(
    pa: Any, table: Any, names: list[str], values: dict[str, tuple[str, ...]], path: str
) -> list[Cells]:
    cells: list[Cells] = []
    for j, name in enumerate(names):
        try:
            cells.append(_cell(pa, table.column(j), name, values.get(name)))
        except DataError as error:
            raise DataError(f"{printable(path, 400)}: {error}") from None
    return cells


def _cell(pa: Any, array: Any, name: str, values: tuple[str, ...] | None) -> Cells:
    kind, types = array.type, pa.types
    if name.startswith("__index_level_"):
        return "it is the index of a pandas frame"
    if types.is_dictionary(kind):
        return _from_dictionary(array, name, values)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return _nominal(name, array.to_pylist(), values)
    if types.is_boolean(kind):
        x = array.cast(pa.uint8()).to_numpy().astype(np.float64)
        return Column(name, "nominal", ("False", "True")), x
    if types.is_null(kind):
        return Column(name), np.full(len(array), np.nan)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        x = array.cast(pa.float64(), safe=False).to_numpy().astype(np.float64)
        refuse_infinite(x, [name])
        return Column(name), x
    return f"its values are of type {kind}"


def _from_dictionary(array: Any, name: str, values: tuple[str, ...] | None) -> Cells:
    whole = array.unify_dictionaries().combine_chunks()
    own = whole.dictionary.to_pylist()
    if not all(isinstance(value, str) for value in own) or len(set(own)) < len(own):
        plain = np.array(whole.to_pylist(), dtype=object)
        return column_of(name, plain, force_nominal=True)
    declared = own if values is None else list(values)
    position = {value: float(k) for k, value in enumerate(declared)}
    table = np.array([*(position.get(value, -1.0) for value in own), np.nan])
    codes = table[whole.indices.fill_null(len(own)).to_numpy(zero_copy_only=False).astype(np.int64)]
    if (codes < 0).any():
        raise _undeclared(name)
    return Column(name, "nominal", tuple(declared)), codes


def _undeclared(name: str) -> DataError:
    return DataError(f"column {printable(name)!r} holds a value that its metadata do not declare")


def _nominal(name: str, texts: list[str | None], values: Any) -> Cells:
    if values is not None and not set(texts) <= {*values, None}:
        raise _undeclared(name)
    return nominal(name, texts, values)


def _texts(array: Any) -> list[str | None]:
    return [
        None if value is None else number_text(value) if isinstance(value, float) else str(value)
        for value in array.to_pylist()
    ]


def _with_lists(
    pa: Any,
    table: Any,
    names: list[str],
    chosen: Chosen,
    lists: list[int],
    request: Request,
    path: str,
) -> Dataset:
    """The labels are the distinct texts of one column of lists."""
    if len(chosen.columns) > 1:
        raise DataError(
            f"{printable(path, 400)}: {printable(names[lists[0]])!r} is a column of label lists, "
            "which has to be named alone with --labels"
        )
    j = lists[0]
    try:
        Y, labels = label_sets(table.column(j).to_pylist())
    except DataError as error:
        raise DataError(f"{printable(path, 400)}: {error}") from None
    rest = [name for name in names if name != names[j]]
    columns = _cells(pa, table.select(rest), rest, {}, path)
    nobody = Chosen((), chosen.by, notes=chosen.notes)
    features = assemble(columns, rest, nobody, lambda _: [], request, (path, "parquet"))
    return replace(features, Y=Y, labels=labels)


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a Parquet file: the features, then the labels."""
    pa = _pyarrow("writing Parquet")
    without_weights(dataset, "a Parquet file")
    names = refuse_collisions(dataset, "a Parquet file")
    X = sp.csc_array(dataset.X) if dataset.is_sparse else dataset.X
    Y = sp.csc_array(dataset.Y) if sp.issparse(dataset.Y) else dataset.Y
    arrays = []
    for j, column in enumerate(dataset.columns):
        x = _column(X, j)
        if column.kind == "nominal":
            arrays.append(_dictionary(pa, x, np.isnan(x), column.values))
        else:
            arrays.append(pa.array(x, mask=np.isnan(x)))
    for j, label in enumerate(dataset.labels):
        y = _column(Y, j)
        if label.values == ("0", "1"):
            arrays.append(pa.array(y.astype(np.int8), mask=y < 0))
        else:
            arrays.append(_dictionary(pa, y, y < 0, label.values))
    table = pa.table(arrays, names=names).replace_schema_metadata({NOTE: dump(dataset).encode()})
    buffer = io.BytesIO()
    pa.parquet.write_table(table, buffer)
    stream.write(buffer.getbuffer())


def _column(matrix: Any, j: int) -> np.ndarray:
    column = matrix[:, [j]]
    return np.asarray(column.toarray() if sp.issparse(column) else column).ravel()


def _dictionary(pa: Any, codes: np.ndarray, missing: np.ndarray, values: tuple[str, ...]) -> Any:
    positions = pa.array(np.where(missing, 0, codes).astype(np.int32), mask=missing)
    return pa.DictionaryArray.from_arrays(positions, pa.array(values, type=pa.string()))
