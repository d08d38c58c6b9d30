"""Parquet files before their rows are read: checked, opened, and what their columns are together.

Several files are one table, in the order in which they are given, if they have the same columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mlfs.data.columns import EXACT, first_merged
from mlfs.data.dates import WHY
from mlfs.data.files import InputFile
from mlfs.data.labels.finding import LabelPositions, first_duplicate, resolve
from mlfs.data.matrices import COUNTED_TYPES
from mlfs.data.metadata import load
from mlfs.data.request import RATIO_FROM, UNNEEDED, Limits, Request, exceeded, refuse_more
from mlfs.errors import DataError, MissingExtra, MlfsError, ParseError, printable

NOTE = b"mlfs"
NUMBERS, BOOLEANS, WORDS, LISTS, NOTHING = "numbers", "booleans", "text", "lists", "nothing"
CELL = 8  # bytes of a value in memory
BITS = 8 * CELL  # of whole numbers that may be beyond what floats hold
BUFFER = 1 << 12  # bytes that are read ahead of the schema
AHEAD = 1 << 16  # and of each column


def pyarrow_for(purpose: str) -> Any:
    """Import pyarrow, or say how to install it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(purpose, "pyarrow", "parquet") from None
    return pa


class ColumnKind(NamedTuple):
    """The kind of a column, or why it is left out; and the type of its numbers."""

    content: str
    dtype: np.dtype = np.dtype(np.int32)
    reason: str = ""
    is_ordered: bool = False


class ParquetPlan(NamedTuple):
    """The facts known before rows are read.

    Parameters
    ----------
    names : list of str
        The names of all columns.
    kinds : list of Kind
        What each column is.
    label_columns : LabelPositions
        Which are labels.
    merged : list of str
        The features of whole numbers that floats would merge: they are read as words.
    values : dict of str to tuple of str
        The values that the metadata of the file declare.
    request : Request
        The options of the reader.
    path : str
        The files as the user named them.
    """

    names: list[str]
    kinds: list[ColumnKind]
    label_columns: LabelPositions
    merged: list[str]
    values: dict[str, tuple[str, ...]]
    request: Request
    path: str

    @property
    def packed_columns(self) -> list[int]:
        """The columns that are packed."""
        return [j for j, kind in enumerate(self.kinds) if kind.content and kind.content != LISTS]

    @property
    def list_column(self) -> int | None:
        """The column of label lists."""
        return next((j for j, kind in enumerate(self.kinds) if kind.content == LISTS), None)


class _Schema(NamedTuple):
    """The description that a file has of itself."""

    names: list[str]
    kinds: list[ColumnKind]
    n_rows: int
    note: str | None
    merged: set[str]  # columns of whole numbers that floats would merge


@contextmanager
def open_parquet(pa: Any, file: InputFile, limits: Limits) -> Iterator[tuple[Any, set[str]]]:
    """Open a file whose sizes are within the limits; text is read as dictionaries.

    Also returns the names of the columns that were dictionaries when they were written.
    """
    try:
        with file.open() as stream:
            size = stream.seek(0, 2)
            options = {
                "thrift_string_size_limit": max(size, 1),
                "thrift_container_size_limit": max(size, 1),
            }
            plain = pa.parquet.ParquetFile(stream, buffer_size=BUFFER, **options)
            _check_sizes(plain, size, file.path, limits)
            columns = map(plain.schema.column, range(plain.metadata.num_columns))
            texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
            dictionaries = {
                field.name for field in plain.schema_arrow if pa.types.is_dictionary(field.type)
            }
            folded = pa.parquet.ParquetFile(
                stream,
                read_dictionary=texts,
                metadata=plain.metadata,
                buffer_size=AHEAD,
                pre_buffer=False,  # which would hold a whole row group as it is packed
                **options,
            )
            yield folded, dictionaries
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        if isinstance(error, MlfsError):
            raise
        raise ParseError(
            f"this is not a Parquet file that can be read: {printable(error)}", file.path
        ) from None


def _check_sizes(file: Any, size: int, path: str, limits: Limits) -> None:
    """Check what the metadata declare.

    Of columns that are not nested a value takes no memory before it is read, some rows at a time.
    """
    meta, columns = file.metadata, [*map(file.schema.column, range(file.metadata.num_columns))]
    for name, count, noun in (
        ("max_attributes", meta.num_columns, "columns"),
        ("max_rows", meta.num_rows, "rows"),
        ("max_cells", meta.num_rows * meta.num_columns, "cells"),
    ):
        refuse_more(limits, name, count, noun, path)
    groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
    n_rows = sum(group.num_rows for group in groups)
    if n_rows != meta.num_rows or any(group.num_rows < 0 for group in groups):
        raise ParseError(
            f"the file declares {meta.num_rows} rows, and its row groups {n_rows}", path
        )
    open_ended = [
        j
        for j, column in enumerate(columns)
        if column.max_repetition_level or column.physical_type == "BYTE_ARRAY"
    ]
    total, spread = 0, CELL * meta.num_rows * meta.num_columns
    for i, group in enumerate(groups):
        # Damaged metadata of a column end the process, unless a reader has refused them before.
        if open_ended:
            list(file.reader.iter_batches(0, row_groups=[i], column_indices=open_ended))
        pages = max(0, group.total_byte_size)
        spread += pages
        for j in open_ended:
            column = group.column(j)
            if "DELTA_BYTE_ARRAY" in column.encodings:
                raise ParseError(
                    "a column is encoded as DELTA_BYTE_ARRAY, by which a few bytes stand for many; "
                    "write it with another encoding",
                    path,
                )
            if columns[j].max_repetition_level:
                pages += CELL * max(0, column.num_values)
                spread += CELL * max(0, column.num_values)
        total += pages
        if total > limits.unpacked(size):
            noun = "unpacked bytes"
            raise exceeded(limits, "max_decompressed", total, noun, path, enough=2 * total)
    ratio = spread // size
    if spread > RATIO_FROM and ratio > limits.max_ratio:
        noun = "bytes for each compressed byte"
        raise exceeded(limits, "max_ratio", ratio, noun, path, enough=10 * ratio)


def plan_of(pa: Any, files: Sequence[InputFile], path: str, request: Request) -> ParquetPlan:
    """The kinds of the columns; no row is read."""
    limits = request.limits
    schemas = []
    for file in files:
        with open_parquet(pa, file, limits) as (folded, dictionaries):
            schemas.append(_schema(pa, folded, dictionaries, file.path, request.dates))
    first = schemas[0]
    for file, other in zip(files[1:], schemas[1:], strict=True):
        _refuse_other(first, other, files[0].path, file.path)
    n_rows = sum(schema.n_rows for schema in schemas)
    refuse_more(limits, "max_rows", n_rows, "rows", path)
    refuse_more(limits, "max_cells", n_rows * len(first.names), "cells", path)
    if not n_rows:
        raise ParseError("the file holds no row", path)
    label_columns, values, request = _labels(first, path, request)
    needed = {*first.names} & (request.needed or set()) or {*first.names}
    kinds, merged = [], []
    for j, name in enumerate(first.names):
        column_kinds = [schema.kinds[j] for schema in schemas]
        if j not in label_columns.columns and any(name in schema.merged for schema in schemas):
            merged.append(name)
            column_kinds = [ColumnKind(WORDS) for _ in schemas]
        if j not in label_columns.columns:
            if column_kinds[0].content == LISTS:
                column_kinds = [ColumnKind("", reason=kind.reason) for kind in column_kinds]
            elif name not in needed:
                column_kinds = [
                    ColumnKind("", reason=kind.reason or UNNEEDED) for kind in column_kinds
                ]
        kinds.append(_join_kinds(column_kinds, name, [file.path for file in files]))
    return ParquetPlan(first.names, kinds, label_columns, merged, values, request, path)


def _schema(pa: Any, folded: Any, dictionaries: set[str], path: str, dates: str) -> _Schema:
    schema = folded.schema_arrow
    names = [str(name) for name in schema.names]
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise ParseError(f"two columns are named {printable(duplicate)!r}; rename one", path)
    kinds = [_kind(pa, field, field.name in dictionaries, dates) for field in schema]
    note = (schema.metadata or {}).get(NOTE)
    note = None if note is None else note.decode("utf-8")
    return _Schema(names, kinds, folded.metadata.num_rows, note, _merged(pa, folded))


def _merged(pa: Any, file: Any) -> set[str]:
    """The columns of whole numbers that floats would merge, such as keys of 64 bits.

    Rows are read of those columns only whose statistics are not there or say that they may be.
    """
    schema, meta, out = file.schema_arrow, file.metadata, set()
    is_long = {
        field.name
        for field in schema
        if pa.types.is_integer(field.type) and field.type.bit_width == BITS
    }
    for i in range(meta.num_row_groups):
        group = meta.row_group(i)
        for j in range(group.num_columns):
            name = group.column(j).path_in_schema
            if name not in is_long or name in out:
                continue
            facts = group.column(j).statistics
            if facts is not None and facts.has_min_max and max(facts.max, -facts.min) <= EXACT:
                continue
            column = file.read_row_group(i, columns=[name], use_threads=False).column(0)
            if first_merged(column.fill_null(0).to_numpy()) is not None:
                out.add(name)
    return out


def _kind(pa: Any, field: Any, is_ordered: bool, dates: str) -> ColumnKind:
    kind, types = field.type, pa.types
    reason = f"its values are of type {printable(kind)}"
    if field.name.startswith("__index_level_"):
        return ColumnKind("", reason="it is the index of a pandas frame")
    if types.is_dictionary(kind):
        inner = kind.value_type
        if _is_flat(types, inner):
            return ColumnKind(WORDS, is_ordered=is_ordered)
    elif types.is_boolean(kind):
        return ColumnKind(BOOLEANS, np.dtype(np.uint8))
    elif types.is_null(kind):
        return ColumnKind(NOTHING, np.dtype(np.float64))
    elif types.is_integer(kind):
        return ColumnKind(NUMBERS, np.dtype(kind.to_pandas_dtype()))
    elif types.is_floating(kind) and kind.bit_width == 32:
        return ColumnKind(NUMBERS, np.dtype(np.float32))
    elif types.is_floating(kind) or types.is_decimal(kind):
        return ColumnKind(NUMBERS, np.dtype(np.float64))
    elif _is_flat(types, kind):
        return ColumnKind(WORDS)
    elif types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        inner = kind.value_type
        if _is_flat(types, inner.value_type if types.is_dictionary(inner) else inner):
            return ColumnKind(LISTS, reason=reason)
    if types.is_timestamp(kind) or types.is_date(kind):
        skipped = ColumnKind("", reason=f"{reason}; {WHY}")
        return skipped if dates == "skip" else ColumnKind(WORDS)
    return ColumnKind("", reason=reason)


def _is_flat(types: Any, kind: Any) -> bool:
    """Whether a column holds numbers, booleans or texts."""
    return bool(
        types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        or types.is_boolean(kind) or types.is_null(kind) or types.is_string(kind)
        or types.is_large_string(kind) or types.is_string_view(kind)
    )  # fmt: skip


def _refuse_other(first: _Schema, other: _Schema, path: str, other_path: str) -> None:
    """Refuse a file whose columns are not those of the first."""
    if other.names != first.names:
        pairs = zip([*first.names, None], [*other.names, None], strict=False)
        expected, actual = (
            "no more column" if name is None else f"the column {printable(name)!r}"
            for name in next(pair for pair in pairs if pair[0] != pair[1])
        )
        raise DataError(
            f"{printable(other_path, 400)} has {actual} where {printable(path, 400)} has "
            f"{expected}: several files are read as one table if their columns are the same, in "
            "the same order"
        )
    if other.note != first.note:
        raise DataError(
            f"{printable(other_path, 400)} declares other labels or values of columns than "
            f"{printable(path, 400)}: write both with the same columns, or read them one by one"
        )


def _join_kinds(kinds: Sequence[ColumnKind], name: str, paths: Sequence[str]) -> ColumnKind:
    """The kind of a column, of which each file says something."""
    nonempty = [kind for kind in kinds if kind.content != NOTHING] or list(kinds)
    content = nonempty[0].content
    for kind, path in zip(kinds, paths, strict=True):
        if kind.content not in (content, NOTHING):
            raise DataError(
                f"{printable(path, 400)}: the column {printable(name)!r} holds "
                f"{kind.content or 'what is left out'}, and {content or 'what is left out'} in "
                "another of the files: write it with one type"
            )
    dtype = np.result_type(*(kind.dtype for kind in kinds))
    is_ordered = all(kind.is_ordered for kind in nonempty)
    return nonempty[0]._replace(dtype=dtype, is_ordered=is_ordered)


def _labels(
    schema: _Schema, path: str, request: Request
) -> tuple[LabelPositions, dict[str, tuple[str, ...]], Request]:
    """Which columns are labels, and the values that the metadata declare."""
    if schema.note is None:
        return resolve(schema.names, request, path), {}, request
    columns, labels = load(schema.note, path, request.limits, can_be_empty=True)
    values = {column.name: column.values for column in columns if column.kind == "nominal"}
    values |= {label.name: label.values for label in labels if label.values != ("0", "1")}
    labelled = {label.name for label in labels}
    if request.labels is not None or (request.known is not None and not labelled):
        return resolve(schema.names, request, path), values, request
    positions = [j for j, name in enumerate(schema.names) if name in labelled]
    classes = any(label.values != ("0", "1") for label in labels)
    request = replace(request, classes=request.classes or classes)
    return LabelPositions(tuple(positions), "the metadata of the file"), values, request


def table_type(kinds: Sequence[ColumnKind]) -> np.dtype:
    """The type of a table of some columns."""
    kind = np.result_type(*(kind.dtype for kind in kinds))
    return kind if kind in COUNTED_TYPES else np.dtype(np.float64)
