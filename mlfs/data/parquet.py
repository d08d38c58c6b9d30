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
from mlfs.data.columns import column_of, number_text, refuse_infinite, refuse_merged
from mlfs.data.dataset import Column, Dataset
from mlfs.data.labels.chosen import Chosen, resolve, twice
from mlfs.data.labels.label_sets import label_sets
from mlfs.data.metadata import dump, load
from mlfs.data.parquet_pages import checked
from mlfs.data.request import Limits, Request, exceeded
from mlfs.errors import DataError, MissingExtra, MlfsError, ParseError, plural, printable

__all__ = ["read", "write"]

NOTE = b"mlfs"
WIDE = 64  # bits of a whole number that a double may not hold
LISTS_FROM = 1 << 20  # bytes of label lists from which they are held to the ratio


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
    try:
        return _read(pa, content, path, request)
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        if isinstance(error, MlfsError):
            raise
        raise ParseError(
            f"this is not a Parquet file that can be read: {printable(error)}", path
        ) from None


def _read(pa: Any, content: bytes, path: str, request: Request) -> Dataset:
    file, ordered = _opened(pa, content, path, request.limits)
    names = [str(name) for name in file.schema_arrow.names]
    double = twice(names)
    if double is not None:
        raise ParseError(f"two columns are named {printable(double)!r}; rename one", path)
    note = (file.schema_arrow.metadata or {}).get(NOTE)
    values: dict[str, tuple[str, ...]] = {}
    labelled: set[str] = set()
    if note is not None:
        columns, labels = load(note.decode("utf-8"), path, request.limits)
        values = {column.name: column.values for column in columns if column.kind == "nominal"}
        values |= {label.name: label.values for label in labels if label.values != ("0", "1")}
        labelled = {label.name for label in labels}
    if request.labels is None and labelled:
        where = [j for j, name in enumerate(names) if name in labelled]
        classes = any(label.values != ("0", "1") for label in labels)
        request = replace(request, classes=request.classes or classes)
        chosen = Chosen(tuple(where), "the metadata of the file")
    else:
        chosen = resolve(names, request, path)
    table = _table(pa, file, chosen, path)
    lists = [j for j in chosen.columns if _is_list(pa, file.schema_arrow.field(j).type)]
    for j in chosen.columns if chosen.lists else ():
        _check_texts(pa, table[j], names[j], len(content), path, request.limits)
    if lists:
        return _with_lists(pa, table, names, chosen, lists, ordered, request, path)
    return assemble(
        _cells(pa, table, names, values, ordered, path),
        names,
        chosen,
        lambda j: _texts(table[j]),
        request,
        (path, "parquet"),
    )


def _opened(pa: Any, content: bytes, path: str, limits: Limits) -> tuple[Any, set[str]]:
    """Open a file whose sizes are within the limits; text is read as dictionaries.

    Also returns the names of the columns that were dictionaries when they were written.
    """
    content = checked(content, path, limits)
    options = {
        "thrift_string_size_limit": max(len(content), 1),
        "thrift_container_size_limit": max(len(content), 1),
    }
    file = pa.parquet.ParquetFile(io.BytesIO(content), **options)
    meta = file.metadata
    for name, size, what in (
        ("max_attributes", meta.num_columns, "columns"),
        ("max_rows", meta.num_rows, "rows"),
        ("max_cells", meta.num_rows * meta.num_columns, "cells"),
    ):
        if size > getattr(limits, name):
            raise exceeded(limits, name, size, what, path)
    if meta.num_rows <= 0:
        raise ParseError("the file holds no row", path)
    texts = [
        column.path
        for column in map(file.schema.column, range(meta.num_columns))
        if column.physical_type == "BYTE_ARRAY"
    ]
    ordered = {one.name for one in file.schema_arrow if pa.types.is_dictionary(one.type)}
    folded = pa.parquet.ParquetFile(io.BytesIO(content), read_dictionary=texts, **options)
    return folded, ordered


def _table(pa: Any, file: Any, chosen: Chosen, path: str) -> list[Any]:
    """The columns that can be used, each as it is in the file; of the others, their types."""
    schema = file.schema_arrow
    used = [
        j
        for j, field in enumerate(schema)
        if _is_flat(pa, field.type) or (j in chosen.columns and _is_list(pa, field.type))
    ]
    lists = [j for j in used if _is_list(pa, schema.field(j).type)]
    used = [j for j in used if j not in lists]
    read = file.read(columns=[schema.field(j).name for j in used], use_threads=False)
    columns: list[Any] = [field.type for field in schema]
    for j in used:
        columns[j] = _of_name(read, schema.field(j).name, path)
    for j in lists:
        columns[j] = _list_chunks(pa, file, schema.field(j), path)
    n = file.metadata.num_rows
    for j in used + lists:
        name = printable(schema.field(j).name)
        if len(columns[j]) != n:
            raise ParseError(
                f"the file declares {plural(n, 'row')} and column {name!r} has {len(columns[j])}",
                path,
            )
        try:
            columns[j].validate(full=True)
        except pa.ArrowException as error:
            why = str(error).rpartition("Invalid: ")[2]
            raise ParseError(f"column {name!r} is damaged: {printable(why)}", path) from None
    return columns


def _of_name(table: Any, name: str, path: str) -> Any:
    """A column of a table, which may hold more than was asked for: a name may be a path."""
    if table.column_names.count(name) != 1:
        raise ParseError("the columns of the file are not those of its schema", path)
    return table.column(name)


def _list_chunks(pa: Any, file: Any, field: Any, path: str) -> Any:
    """A column of lists: pyarrow joins no lists of dictionaries, so it is read by row groups."""
    chunks: list[Any] = []
    for i in range(file.num_row_groups):
        table = file.read_row_group(i, columns=[field.name], use_threads=False)
        chunks += _of_name(table, field.name, path).chunks
    return pa.chunked_array(chunks, type=field.type)


def _check_texts(pa: Any, column: Any, name: str, size: int, path: str, limits: Limits) -> None:
    """Refuse a column of label lists whose texts, written out, are too long for their file."""
    if not hasattr(column, "chunks") or not pa.types.is_dictionary(column.type):
        return
    total = 0
    for chunk in column.chunks:
        counts = np.bincount(chunk.indices.drop_null().to_numpy(), minlength=len(chunk.dictionary))
        lengths = [len(text or "") for text in chunk.dictionary.to_pylist()]
        total += int(counts @ np.array(lengths, dtype=np.int64)) if lengths else 0
    ratio = total // size
    if total > LISTS_FROM and ratio > limits.max_ratio:
        what = f"bytes of the column {printable(name)} for each byte of the file"
        raise exceeded(limits, "max_ratio", ratio, what, path)


def _is_flat(pa: Any, kind: Any) -> bool:
    """Whether a column holds numbers, booleans or texts."""
    types = pa.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        or types.is_boolean(kind) or types.is_null(kind) or types.is_string(kind)
        or types.is_large_string(kind) or types.is_string_view(kind)
    )  # fmt: skip


def _is_list(pa: Any, kind: Any) -> bool:
    types = pa.types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _cells(
    pa: Any,
    table: list[Any],
    names: list[str],
    values: dict[str, tuple[str, ...]],
    ordered: set[str],
    path: str,
) -> list[Cells]:
    cells: list[Cells] = []
    for j, name in enumerate(names):
        try:
            cells.append(_cell(pa, table[j], name, values.get(name), name in ordered))
        except DataError as error:
            raise DataError(f"{printable(path, 400)}: {error}") from None
        except UnicodeDecodeError:
            raise ParseError(
                f"column {printable(name)!r} holds text that is not UTF-8", path
            ) from None
    return cells


def _cell(
    pa: Any, array: Any, name: str, values: tuple[str, ...] | None, is_ordered: bool
) -> Cells:
    if name.startswith("__index_level_"):
        return "it is the index of a pandas frame"
    if not hasattr(array, "chunks"):
        return f"its values are of type {array}"
    kind, types = array.type, pa.types
    if types.is_dictionary(kind):
        return _from_dictionary(array, name, values, is_ordered)
    if types.is_boolean(kind):
        x = array.cast(pa.uint8()).to_numpy().astype(np.float64)
        return Column(name, "nominal", ("False", "True")), x
    if types.is_null(kind):
        return Column(name), np.full(len(array), np.nan)
    if types.is_integer(kind) and kind.bit_width == WIDE:
        refuse_merged(array.fill_null(0).to_numpy(), [name])
    x = array.cast(pa.float64(), safe=False).to_numpy().astype(np.float64)
    refuse_infinite(x, [name])
    return Column(name), x


def _from_dictionary(
    array: Any, name: str, values: tuple[str, ...] | None, is_ordered: bool
) -> Cells:
    """Code a column; its values are in the order of the file if that is one, else sorted."""
    whole = array.unify_dictionaries().combine_chunks()
    own = whole.dictionary.to_pylist()
    if not all(isinstance(value, str) for value in own) or len(set(own)) < len(own):
        plain = np.array(whole.to_pylist(), dtype=object)
        return column_of(name, plain, force_nominal=True)
    declared = list(values) if values is not None else own if is_ordered else _present(whole, own)
    position = {value: float(k) for k, value in enumerate(declared)}
    table = np.array([*(position.get(value, -1.0) for value in own), np.nan])
    codes = table[whole.indices.fill_null(len(own)).to_numpy(zero_copy_only=False).astype(np.int64)]
    if (codes < 0).any():
        raise _undeclared(name)
    return Column(name, "nominal", tuple(declared)), codes


def _present(array: Any, own: list[str]) -> list[str]:
    """The texts that a column holds, sorted."""
    return sorted(own[k] for k in array.indices.unique().to_pylist() if k is not None)


def _undeclared(name: str) -> DataError:
    return DataError(f"column {printable(name)!r} holds a value that its metadata do not declare")


def _texts(array: Any) -> list[str | None]:
    return [
        None if value is None else number_text(value) if isinstance(value, float) else str(value)
        for value in array.to_pylist()
    ]


def _with_lists(
    pa: Any,
    table: list[Any],
    names: list[str],
    chosen: Chosen,
    lists: list[int],
    ordered: set[str],
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
        Y, labels = label_sets(_lists(pa, table[j]))
    except UnicodeDecodeError:
        raise ParseError(
            f"column {printable(names[j])!r} holds text that is not UTF-8", path
        ) from None
    except DataError as error:
        raise DataError(f"{printable(path, 400)}: {error}") from None
    rest = [name for name in names if name != names[j]]
    columns = _cells(pa, table[:j] + table[j + 1 :], rest, {}, ordered, path)
    nobody = Chosen((), chosen.by, notes=chosen.notes)
    features = assemble(columns, rest, nobody, lambda _: [], request, (path, "parquet"))
    return features.with_changes(Y=Y, labels=labels)


def _lists(pa: Any, column: Any) -> list[Any]:
    """The lists of a column, with one object for all that are the same text."""
    if not pa.types.is_dictionary(column.type.value_type):
        return list(column.to_pylist())
    rows: list[Any] = []
    for chunk in column.chunks:
        words = chunk.values.dictionary.to_pylist()
        flat = [None if k is None else words[k] for k in chunk.values.indices.to_pylist()]
        ends, held = chunk.offsets.to_pylist(), chunk.is_valid().to_pylist()
        rows += [
            flat[start:end] if there else None
            for start, end, there in zip(ends, ends[1:], held, strict=False)
        ]
    return rows


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
