"""Parquet files before their rows are read: checked, opened, and what their columns are together.

Several files are one table, in the order in which they are given, if they have the same columns.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from mlfs.data.labels.finding import LabelPositions, first_duplicate, resolve
from mlfs.data.matrices import COUNTED_TYPES
from mlfs.data.metadata import load
from mlfs.data.parquet_pages import check_file, stream_size
from mlfs.data.piecewise import FileState
from mlfs.data.request import UNNEEDED, Limits, Request, exceeded
from mlfs.errors import DataError, MissingExtra, MlfsError, ParseError, printable

__all__ = ["NOTE", "Content", "Kind", "Plan", "is_list", "open_file", "plan_of", "pyarrow_for"]

NOTE = b"mlfs"
NUMBERS, BOOLEANS, WORDS, LISTS, NOTHING = "numbers", "booleans", "text", "lists", "nothing"


def pyarrow_for(purpose: str) -> Any:
    """Import pyarrow, or say how to install it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(purpose, "pyarrow", "parquet") from None
    return pa


@dataclass(frozen=True)
class Content:
    """A file in memory."""

    path: str
    content: bytes

    def open(self) -> BinaryIO:
        """Open it."""
        return io.BytesIO(self.content)


class Kind(NamedTuple):
    """What a column holds, or why it is left out; and the type of its numbers."""

    content: str
    dtype: np.dtype = np.dtype(np.int32)
    reason: str = ""
    is_ordered: bool = False


class Plan(NamedTuple):
    """What is known before rows are read.

    Parameters
    ----------
    names : list of str
        The names of all columns.
    kinds : list of Kind
        What each column is.
    label_columns : LabelPositions
        Which are labels.
    values : dict of str to tuple of str
        The values that the metadata of the file declare.
    request : Request
        The options of the reader.
    path : str
        The files as the user named them.
    n_rows : int
        The rows of all files.
    """

    names: list[str]
    kinds: list[Kind]
    label_columns: LabelPositions
    values: dict[str, tuple[str, ...]]
    request: Request
    path: str
    n_rows: int

    @property
    def packed_columns(self) -> list[int]:
        """The columns that are packed."""
        return [j for j, kind in enumerate(self.kinds) if kind.content and kind.content != LISTS]

    @property
    def list_column(self) -> int | None:
        """The column of label lists."""
        return next((j for j, kind in enumerate(self.kinds) if kind.content == LISTS), None)


class _Schema(NamedTuple):
    """What a file says of itself."""

    names: list[str]
    kinds: list[Kind]
    groups: list[int]
    note: str | None


@contextmanager
def open_file(
    pa: Any, file: FileState | Content, limits: Limits
) -> Iterator[tuple[Any, set[str], int]]:
    """Open a file whose sizes are within the limits; text is read as dictionaries.

    Also returns the names of the columns that were dictionaries when they were written, and the
    bytes of the file.
    """
    try:
        with file.open() as raw:
            size = stream_size(raw)
            stream = check_file(raw, file.path, limits)
            options = {
                "thrift_string_size_limit": max(size, 1),
                "thrift_container_size_limit": max(size, 1),
            }
            plain_file = pa.parquet.ParquetFile(stream, **options)
            columns = map(plain_file.schema.column, range(plain_file.metadata.num_columns))
            texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
            ordered = {
                field.name
                for field in plain_file.schema_arrow
                if pa.types.is_dictionary(field.type)
            }
            stream.seek(0)
            folded = pa.parquet.ParquetFile(stream, read_dictionary=texts, **options)
            yield folded, ordered, size
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        if isinstance(error, MlfsError):
            raise
        raise ParseError(
            f"this is not a Parquet file that can be read: {printable(error)}", file.path
        ) from None


def plan_of(
    pa: Any, files: Sequence[FileState | Content], path: str, request: Request
) -> tuple[Plan, list[list[int]]]:
    """What the columns are, and the rows of each row group of each file; no row is read."""
    limits = request.limits
    schemas = []
    for file in files:
        with open_file(pa, file, limits) as (folded, ordered, _):
            schemas.append(_schema(pa, folded, ordered, file.path, limits))
    first = schemas[0]
    for file, other in zip(files[1:], schemas[1:], strict=True):
        _refuse_other(first, other, files[0].path, file.path)
    n_rows = sum(sum(schema.groups) for schema in schemas)
    for name, size, noun in (
        ("max_rows", n_rows, "rows"),
        ("max_cells", n_rows * len(first.names), "cells"),
    ):
        if size > getattr(limits, name):
            raise exceeded(limits, name, size, noun, path)
    if not n_rows:
        raise ParseError("the file holds no row", path)
    label_columns, values, request = _labels(first, path, request)
    needed = {*first.names} & (request.needed or set()) or {*first.names}
    kinds = []
    for j, name in enumerate(first.names):
        column_kinds = [schema.kinds[j] for schema in schemas]
        if j not in label_columns.columns:
            if column_kinds[0].content == LISTS:
                column_kinds = [Kind("", reason=kind.reason) for kind in column_kinds]
            elif name not in needed:
                column_kinds = [Kind("", reason=kind.reason or UNNEEDED) for kind in column_kinds]
        kinds.append(_join_kinds(column_kinds, name, [file.path for file in files]))
    plan = Plan(first.names, kinds, label_columns, values, request, path, n_rows)
    return plan, [schema.groups for schema in schemas]


def _schema(pa: Any, folded: Any, ordered: set[str], path: str, limits: Limits) -> _Schema:
    meta, schema = folded.metadata, folded.schema_arrow
    for name, size, noun in (
        ("max_attributes", meta.num_columns, "columns"),
        ("max_rows", meta.num_rows, "rows"),
        ("max_cells", meta.num_rows * meta.num_columns, "cells"),
    ):
        if size > getattr(limits, name):
            raise exceeded(limits, name, size, noun, path)
    groups = [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
    if min(groups, default=0) < 0 or sum(groups) != meta.num_rows:
        raise ParseError(
            f"the file declares {meta.num_rows} rows, and its row groups {sum(groups)}", path
        )
    names = [str(name) for name in schema.names]
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise ParseError(f"two columns are named {printable(duplicate)!r}; rename one", path)
    kinds = [_kind(pa, field, field.name in ordered) for field in schema]
    note = (schema.metadata or {}).get(NOTE)
    return _Schema(names, kinds, groups, None if note is None else note.decode("utf-8"))


def _kind(pa: Any, field: Any, is_ordered: bool) -> Kind:
    kind, types = field.type, pa.types
    if field.name.startswith("__index_level_"):
        return Kind("", reason="it is the index of a pandas frame")
    if types.is_dictionary(kind):
        inner = kind.value_type
        if _is_flat(types, inner):
            return Kind(WORDS, is_ordered=is_ordered)
    elif types.is_boolean(kind):
        return Kind(BOOLEANS, np.dtype(np.uint8))
    elif types.is_null(kind):
        return Kind(NOTHING, np.dtype(np.float64))
    elif types.is_integer(kind):
        return Kind(NUMBERS, np.dtype(kind.to_pandas_dtype()))
    elif types.is_floating(kind) and kind.bit_width == 32:
        return Kind(NUMBERS, np.dtype(np.float32))
    elif types.is_floating(kind) or types.is_decimal(kind):
        return Kind(NUMBERS, np.dtype(np.float64))
    elif _is_flat(types, kind):
        return Kind(WORDS)
    elif is_list(types, kind) and _is_flat(types, _value_type(types, kind.value_type)):
        return Kind(LISTS, reason=f"its values are of type {kind}")
    return Kind("", reason=f"its values are of type {kind}")


def _value_type(types: Any, kind: Any) -> Any:
    """The type of the values, also of those in a dictionary."""
    return kind.value_type if types.is_dictionary(kind) else kind


def _is_flat(types: Any, kind: Any) -> bool:
    """Whether a column holds numbers, booleans or texts."""
    return bool(
        types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        or types.is_boolean(kind) or types.is_null(kind) or types.is_string(kind)
        or types.is_large_string(kind) or types.is_string_view(kind)
    )  # fmt: skip


def is_list(types: Any, kind: Any) -> bool:
    """Whether a column holds lists."""
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


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


def _join_kinds(kinds: Sequence[Kind], name: str, paths: Sequence[str]) -> Kind:
    """What a column is, of which each file says something."""
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
    columns, labels = load(schema.note, path, request.limits)
    values = {column.name: column.values for column in columns if column.kind == "nominal"}
    values |= {label.name: label.values for label in labels if label.values != ("0", "1")}
    labelled = {label.name for label in labels}
    if request.labels is not None or not labelled:
        return resolve(schema.names, request, path), values, request
    positions = [j for j, name in enumerate(schema.names) if name in labelled]
    classes = any(label.values != ("0", "1") for label in labels)
    request = replace(request, classes=request.classes or classes)
    return LabelPositions(tuple(positions), "the metadata of the file"), values, request


def table_type(kinds: Sequence[Kind]) -> np.dtype:
    """The type of a table of some columns."""
    kind = np.result_type(*(kind.dtype for kind in kinds))
    return kind if kind in COUNTED_TYPES else np.dtype(np.float64)
