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

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs.data.assemble import assemble, refuse_collisions, row_block, texts_of, without_weights
from mlfs.data.columns import (
    EIGHT,
    column_of,
    first_merged,
    read_as_text,
    refuse_infinite,
    refuse_merged,
)
from mlfs.data.dataset import Column, Dataset
from mlfs.data.dates import WHY
from mlfs.data.files import InputFile
from mlfs.data.labels.finding import LabelPositions, first_duplicate, resolve
from mlfs.data.labels.label_values import label_sets
from mlfs.data.metadata import dump, load
from mlfs.data.request import UNNEEDED, Request, refuse_more, refuse_unpacked
from mlfs.data.row_stack import LabelledRows
from mlfs.errors import DataError, MissingExtra, MlfsError, ParseError, printable, setting

NOTE = b"mlfs"
NUMBERS, FLAGS, WORDS, LISTS, NOTHING = "numbers", "booleans", "text", "lists", "nothing"
AT_ONCE, LEAST = 1 << 22, 1 << 16  # cells
SHARE = 64  # of a limit of memory, that a batch may have in cells
BROKEN = (OSError, ValueError, KeyError, OverflowError)


def pyarrow_for(purpose: str) -> Any:
    """Import pyarrow, or say how to install it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(purpose, "pyarrow", "parquet") from None
    return pa


class _Schema(NamedTuple):
    """The columns of a file: what each holds, or why it is left out; and which are dictionaries."""

    names: list[str]
    contents: list[str]
    reasons: list[str]
    ordered: set[str]
    note: str | None
    n_rows: int


class _Merged(Exception):
    """Columns of whole numbers that floats would merge, and which are read as text instead."""

    def __init__(self, names: set[str]) -> None:
        self.names = names


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    """Read a Parquet file."""
    return read_files([InputFile.of(source, path, request)], path, request)


def read_files(files: Sequence[InputFile], path: str, request: Request) -> Dataset:
    """Read Parquet files as one table."""
    pa, keys = pyarrow_for("reading Parquet"), set[str]()
    schema = _schema_of(pa, files, path, request)
    while True:
        rows = _ParquetRows(pa, schema, path, request, keys)
        try:
            for file in files:
                with _opened(pa, file) as (_, folded):
                    rows.add(folded, file.path)
            data = rows.dataset()
        except _Merged as found:
            keys |= found.names
            continue
        notes = [read_as_text(name) for name in schema.names if name in keys]
        return data.with_changes(notes=(*data.notes, *notes))


@contextmanager
def _opened(pa: Any, file: InputFile) -> Iterator[tuple[Any, Any]]:
    """A file as it is, and with its texts as dictionaries."""
    try:
        with file.open() as stream:
            plain = pa.parquet.ParquetFile(stream)
            groups = map(plain.metadata.row_group, range(plain.metadata.num_row_groups))
            unpacked = sum(group.total_byte_size for group in groups)
            refuse_unpacked(file.limits, unpacked, file.size, file.path)
            columns = map(plain.schema.column, range(plain.metadata.num_columns))
            texts = [
                column.path
                for column in columns
                if column.physical_type == "BYTE_ARRAY" and not column.max_repetition_level
            ]
            yield (
                plain,
                pa.parquet.ParquetFile(
                    stream, read_dictionary=texts, metadata=plain.metadata, pre_buffer=False
                ),
            )
    except (pa.ArrowException, *BROKEN) as error:
        if isinstance(error, MlfsError):
            raise
        fault = f"this is not a Parquet file that can be read: {printable(error)}"
        raise ParseError(fault, file.path) from None


def _schema_of(pa: Any, files: Sequence[InputFile], path: str, request: Request) -> _Schema:
    """The columns of the files, which have to be the same in each."""
    schemas: list[_Schema] = []
    for file in files:
        with _opened(pa, file) as (plain, _):
            schemas.append(_schema(pa, plain, file.path, request))
    first = schemas[0]
    contents = list(first.contents)
    for file, other in zip(files[1:], schemas[1:], strict=True):
        _refuse_other(first, other, files[0].path, file.path)
        for j, (ours, theirs) in enumerate(zip(contents, other.contents, strict=True)):
            if NOTHING in (ours, theirs):
                contents[j] = theirs if ours == NOTHING else ours
            elif ours != theirs:
                raise DataError(
                    f"{printable(file.path, 400)}: the column {printable(first.names[j])!r} holds "
                    f"{theirs or 'what is left out'}, and {ours or 'what is left out'} in another "
                    "of the files: write it with one type"
                )
    n_rows = sum(schema.n_rows for schema in schemas)
    refuse_more(request.limits, "max_cells", n_rows * len(first.names), "cells", path)
    if not n_rows:
        raise ParseError("the file holds no row", path)
    ordered = set.intersection(*(schema.ordered for schema in schemas))
    return first._replace(contents=contents, ordered=ordered, n_rows=n_rows)


def _schema(pa: Any, file: Any, path: str, request: Request) -> _Schema:
    schema = file.schema_arrow
    names = [str(name) for name in schema.names]
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise ParseError(f"two columns are named {printable(duplicate)!r}; rename one", path)
    pairs = [_content(pa.types, field, request.dates) for field in schema]
    ordered = {field.name for field in schema if pa.types.is_dictionary(field.type)}
    note = (schema.metadata or {}).get(NOTE)
    return _Schema(
        names, [content for content, _ in pairs], [reason for _, reason in pairs], ordered,
        None if note is None else note.decode(), file.metadata.num_rows,
    )  # fmt: skip


def _content(types: Any, field: Any, dates: str) -> tuple[str, str]:
    """The content of a column, and why it is no feature, if it is none."""
    kind, reason = field.type, f"its values are of type {printable(field.type)}"
    if field.name.startswith("__index_level_"):
        return "", "it is the index of a pandas frame"
    if types.is_boolean(kind):
        return FLAGS, ""
    if types.is_null(kind):
        return NOTHING, ""
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return NUMBERS, ""
    if _is_text(types, kind) or (
        types.is_dictionary(kind) and not types.is_nested(kind.value_type)
    ):
        return WORDS, ""
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        inner = (
            kind.value_type.value_type if types.is_dictionary(kind.value_type) else kind.value_type
        )
        if types.is_integer(inner) or _is_text(types, inner) or types.is_null(inner):
            return LISTS, reason
    if types.is_timestamp(kind) or types.is_date(kind):
        return ("", f"{reason}; {WHY}") if dates == "skip" else (WORDS, "")
    return "", reason


def _is_text(types: Any, kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


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


class _ParquetRows:
    """The rows of the files, and what becomes of each column; `keys` are numbers read as text."""

    def __init__(
        self, pa: Any, schema: _Schema, path: str, request: Request, keys: set[str]
    ) -> None:
        self.pa, self.schema, self.path = pa, schema, path
        self._declare(request)
        self.contents, self.reasons = list(schema.contents), list(schema.reasons)
        names, is_label = schema.names, {*self.label_columns.columns}
        needed = {*names} & (self.request.needed or set()) or {*names}
        for j, name in enumerate(names):
            if j not in is_label and (self.contents[j] == LISTS or name not in needed):
                self.contents[j], self.reasons[j] = "", self.reasons[j] or UNNEEDED
            elif self.contents[j] == NUMBERS and name in keys:
                self.contents[j] = WORDS
        self.read_columns = [j for j, held in enumerate(self.contents) if held not in ("", LISTS)]
        self.list_column = self.contents.index(LISTS) if LISTS in self.contents else None
        labels = [k for k, j in enumerate(self.read_columns) if j in is_label]
        self.table = LabelledRows(len(self.read_columns), labels, request.max_memory)
        self.chunks: dict[int, list[Any]] = {
            j: [] for j in self.read_columns if self.contents[j] == WORDS
        }
        self.lists: list[Any] = []
        self.n_rows = 0

    def _declare(self, request: Request) -> None:
        """Find the labels, and the values that the metadata declare."""
        names, note = self.schema.names, self.schema.note
        columns, labels = ([], []) if note is None else load(note, self.path, can_be_empty=True)
        self.values = {column.name: column.values for column in columns if column.kind == "nominal"}
        classes = {label.name: label.values for label in labels if label.values != ("0", "1")}
        self.values |= classes
        named = {label.name for label in labels}
        self.request = request
        if note is None or request.labels is not None or (request.known is not None and not named):
            self.label_columns = resolve(names, request, self.path)
        else:
            positions = tuple(j for j, name in enumerate(names) if name in named)
            self.label_columns = LabelPositions(positions, "the metadata of the file")
            self.request = replace(request, classes=request.classes or bool(classes))

    def add(self, file: Any, path: str) -> None:
        """Read all rows of a file."""
        names = [self.schema.names[j] for j in self.read_columns]
        declared, start = file.metadata.num_rows, self.n_rows
        most = self.request.max_memory
        cells = AT_ONCE if most is None else min(AT_ONCE, max(LEAST, most // SHARE))
        step = max(64, cells // max(1, len(names)))
        for batch in file.iter_batches(step, columns=names, use_threads=False) if names else ():
            self._add_batch(batch, path)
        if not names:
            self.n_rows += declared
        if self.list_column is not None:
            name = self.schema.names[self.list_column]
            column = file.read([name], use_threads=False).column(0)
            self._validate(column, self.list_column, path)
            self.lists += column.to_pylist()
        if self.n_rows - start != declared or len(self.lists) not in (0, self.n_rows):
            raise ParseError(f"the file declares {declared} rows and its columns have others", path)

    def _add_batch(self, batch: Any, path: str) -> None:
        arrays, keys = [], set()
        for k, j in enumerate(self.read_columns):
            array, held = batch.column(k), self.contents[j]
            if held == WORDS:
                self._validate(array, j, path)
                self.chunks[j].append(self._words(array))
                arrays.append(np.zeros(len(array), np.uint8))
                continue
            cells = self._numbers(array)
            if (
                held == NUMBERS
                and self.pa.types.is_integer(array.type)
                and self._is_key(array, j, path)
            ):
                keys.add(self.schema.names[j])
            arrays.append(cells)
        if keys:
            raise _Merged(keys)
        rows = np.empty((len(arrays), batch.num_rows), np.result_type(*{a.dtype for a in arrays}))
        for k, array in enumerate(arrays):
            rows[k] = array
        if rows.dtype.kind == "f":
            try:
                refuse_infinite(
                    rows.T, [self.schema.names[j] for j in self.read_columns], self.n_rows
                )
            except DataError as error:
                raise error.in_file(path) from None
        self.table.add(rows.T)
        self.n_rows += batch.num_rows

    def _validate(self, array: Any, j: int, path: str) -> None:
        try:
            array.validate(full=True)
        except self.pa.ArrowException:
            name = printable(self.schema.names[j])
            fault = f"column {name!r} is damaged, or holds text that is not UTF-8"
            raise ParseError(fault, path) from None

    def _numbers(self, array: Any) -> np.ndarray:
        pa = self.pa
        if pa.types.is_boolean(array.type):
            array = array.cast(pa.uint8())
        elif pa.types.is_decimal(array.type) or pa.types.is_null(array.type):
            array = array.cast(pa.float64())
        cells: np.ndarray = array.to_numpy(zero_copy_only=False)
        return cells

    def _is_key(self, array: Any, j: int, path: str) -> bool:
        """Whether a column of features has whole numbers that floats would merge."""
        if not self.pa.types.is_integer(array.type) or array.type.bit_width < 8 * EIGHT:
            return False
        cells = array.fill_null(0).to_numpy(zero_copy_only=False)
        if j in self.label_columns.columns:
            try:
                refuse_merged(cells, [self.schema.names[j]], self.n_rows)
            except DataError as error:
                raise error.in_file(path) from None
        return first_merged(cells) is not None

    def _words(self, array: Any) -> Any:
        """The cells of a column of words as a dictionary."""
        types = self.pa.types
        if (
            types.is_temporal(array.type)
            or types.is_integer(array.type)
            or types.is_null(array.type)
        ):
            array = array.cast(self.pa.string())
        return array if types.is_dictionary(array.type) else array.dictionary_encode()

    def dataset(self) -> Dataset:
        """The rows as a data set."""
        columns: list[Any] = [*zip(self.schema.names, self.reasons, strict=True)]
        codes: dict[int, np.ndarray] = {}
        for k, j in enumerate(self.read_columns):
            name = self.schema.names[j]
            columns[j] = Column(name)
            if self.contents[j] == FLAGS:
                columns[j] = Column(name, "nominal", ("False", "True"))
            elif self.contents[j] == WORDS:
                try:
                    columns[j], codes[k] = self._coded(name, self.chunks.pop(j))
                except DataError as error:
                    raise error.in_file(self.path) from None
        empty = np.zeros((self.n_rows, 0))
        tables = self.table.finish(codes) if self.read_columns else (empty, empty)
        source = (self.path, "parquet")
        if self.list_column is not None:
            return self._with_lists(columns, tables)

        def texts() -> list[str | None]:
            return texts_of(columns[self.label_columns.columns[0]], tables[1][:, 0])

        return assemble(columns, tables, self.label_columns, texts, self.request, source)

    def _coded(self, name: str, chunks: list[Any]) -> tuple[Column, np.ndarray]:
        """A column of words, and the codes of its cells."""
        whole = self.pa.chunked_array(chunks).unify_dictionaries()
        words = whole.chunk(0).dictionary.to_pylist() if whole.num_chunks else []
        cells = [
            chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in whole.chunks
        ]
        numbers = np.concatenate(cells).astype(np.int64)
        seen = [k for k in np.unique(numbers).tolist() if k >= 0 and words[k] is not None]
        if not all(isinstance(words[k], str) for k in seen):
            plain = np.empty(len(seen), object)
            plain[:] = [words[k] for k in seen]
            column, places = column_of(name, plain, force_nominal=True)
        else:
            present = words if name in self.schema.ordered else sorted(words[k] for k in seen)
            column = Column(name, "nominal", tuple(self.values.get(name, present)))
            position = {value: float(k) for k, value in enumerate(column.values)}
            if any(words[k] not in position for k in seen):
                raise DataError(
                    f"column {printable(name)!r} holds a value that its metadata do not declare"
                )
            places = np.array([position[words[k]] for k in seen])
        codes = np.full(len(words) + 1, np.nan)  # the last is that of a missing one
        codes[seen] = places
        return column, codes[numbers]

    def _with_lists(self, columns: list[Any], tables: Any) -> Dataset:
        """The labels are the distinct texts of one column of lists."""
        chosen, j = self.label_columns, self.list_column
        assert j is not None
        if len(chosen.columns) > 1:
            raise DataError(
                f"{printable(self.path, 400)}: {printable(self.schema.names[j])!r} is a column of "
                f"label lists, which has to be named alone with {setting('labels')}"
            )
        features = assemble(
            columns[:j] + columns[j + 1 :], tables,
            LabelPositions((), chosen.by, notes=chosen.notes), list, self.request,
            (self.path, "parquet"),
        )  # fmt: skip
        try:
            Y, labels = label_sets(self.lists)
        except DataError as error:
            raise error.in_file(self.path) from None
        return features.with_changes(Y=Y, labels=labels)


WRITTEN_AT_ONCE = 1 << 24  # cells of a row group
LEAST_WRITTEN = 1 << 10  # rows
WIDEST = 200_000  # columns: each costs pyarrow about 5 kB and 45 microseconds


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a Parquet file: the features, then the labels."""
    pa = pyarrow_for("writing Parquet")
    without_weights(dataset, "a Parquet file")
    names = refuse_collisions(dataset, "a Parquet file")
    if len(names) > WIDEST:
        msg = f"a Parquet file of {len(names):,} columns takes gigabytes of memory to write, so at "
        raise DataError(f"{msg}most {WIDEST:,} are written: write .npz or .svm instead")
    X = dataset.table.tocsr() if dataset.is_sparse else dataset.table
    Y = dataset.Y.tocsr() if sp.issparse(dataset.Y) else dataset.Y
    step = max(LEAST_WRITTEN, WRITTEN_AT_ONCE // max(1, len(names)))
    writer, metadata = None, {NOTE: dump(dataset).encode()}
    for start in range(0, dataset.shape[0], step):
        rows = row_block(X, start, start + step), row_block(Y, start, start + step)
        table = pa.table(_columns(pa, dataset, *rows), names=names).replace_schema_metadata(
            metadata
        )
        if writer is None:
            writer = pa.parquet.ParquetWriter(stream, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _columns(pa: Any, dataset: Dataset, X: np.ndarray, Y: np.ndarray) -> list[Any]:
    """Some rows as columns."""
    arrays = []
    for x, column in zip(X.T.astype(np.float64), dataset.columns, strict=True):
        if column.kind == "nominal":
            arrays.append(_dictionary(pa, x, np.isnan(x), column.values))
        else:
            arrays.append(pa.array(x, mask=np.isnan(x)))
    for y, label in zip(Y.T, dataset.labels, strict=True):
        if label.values == ("0", "1"):
            arrays.append(pa.array(y.astype(np.int8), mask=y < 0))
        else:
            arrays.append(_dictionary(pa, y, y < 0, label.values))
    return arrays


def _dictionary(pa: Any, codes: np.ndarray, missing: np.ndarray, values: tuple[str, ...]) -> Any:
    positions = pa.array(np.where(missing, 0, codes).astype(np.int32), mask=missing)
    return pa.DictionaryArray.from_arrays(positions, pa.array(values, type=pa.string()))
