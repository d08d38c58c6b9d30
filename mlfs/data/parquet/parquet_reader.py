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

import re
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.assemble import assemble, refuse_collisions, row_block, texts_of, without_weights
from mlfs.data.columns import (
    column_of,
    is_missing,
    read_as_text,
    refuse_infinite,
    refuse_merged,
)
from mlfs.data.dataset import Column, Dataset
from mlfs.data.files import InputFile
from mlfs.data.labels.finding import LabelPositions
from mlfs.data.labels.label_values import label_sets
from mlfs.data.metadata import dump
from mlfs.data.parquet.parquet_schema import (
    BOOLEANS,
    NOTE,
    WORDS,
    ParquetPlan,
    open_parquet,
    plan_of,
    pyarrow_for,
    table_type,
)
from mlfs.data.request import Request, WordMemory, exceeded
from mlfs.data.row_stack import LabelledRows
from mlfs.errors import DataError, ParseError, plural, printable, setting

AT_ONCE = 1 << 22  # cells
LEAST = 1 << 16
SHARE = 64  # of a limit of memory, that a batch may have in cells
FLAGS = ("False", "True")
PLACE = re.compile(r" at (string )?(index|position|slot) -?\d+")
LISTS_FROM = 1 << 20  # bytes of label lists from which they are held to the ratio


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    """Read a Parquet file."""
    return read_files([InputFile.of(source, path, request)], path, request)


def read_files(files: Sequence[InputFile], path: str, request: Request) -> Dataset:
    """Read Parquet files as one table."""
    pa = pyarrow_for("reading Parquet")
    rows = RowGroups(pa, plan_of(pa, files, path, request))
    for file in files:
        with open_parquet(pa, file, request.limits) as (folded, _):
            for group in range(folded.metadata.num_row_groups):
                rows.add(folded, group, file.path)
                pa.default_memory_pool().release_unused()
    return rows.dataset(sum(file.size for file in files))


class RowGroups:
    """The rows of row groups; a few at a time are packed."""

    def __init__(self, pa: Any, plan: ParquetPlan) -> None:
        self.pa, self.plan = pa, plan
        self.n_rows = 0
        self._memory = WordMemory(plan.request.max_memory)
        self._memory.add(len(plan.names), sum(map(len, plan.names)))
        worded = [j for j in plan.packed_columns if plan.kinds[j].content == WORDS]
        self.words = {j: ColumnWords(self._memory) for j in worded}
        self._listed: set[str] = set()
        self.lists: list[Any] = []
        labels = [k for k, j in enumerate(plan.packed_columns) if j in plan.label_columns.columns]
        self._table = LabelledRows(len(plan.packed_columns), labels, plan.request.max_memory)
        kinds = [plan.kinds[j] for j in plan.packed_columns]
        self._dtype = table_type(kinds) if kinds else np.dtype(np.float64)

    def add(self, file: Any, group: int, path: str) -> None:
        """Read a row group: the first that is damaged is named."""
        try:
            self._add_group(file, group, path)
        except UnicodeDecodeError:
            raise ParseError("a column holds text that is not UTF-8", path) from None

    def _add_group(self, file: Any, group: int, path: str) -> None:
        plan = self.plan
        names = [plan.names[j] for j in plan.packed_columns]
        declared = file.metadata.row_group(group).num_rows
        start = self.n_rows
        says = f"row group {group + 1} of the file declares {plural(declared, 'row')} and"
        if names:
            max_memory = plan.request.max_memory
            cells = AT_ONCE if max_memory is None else min(AT_ONCE, max(LEAST, max_memory // SHARE))
            batch_rows = max(64, cells // len(names) // 64 * 64)
            for batch in file.iter_batches(batch_rows, [group], names, use_threads=False):
                self._add_batch(batch, path)
            if self.n_rows - start != declared:
                raise ParseError(f"{says} its columns have {self.n_rows - start}", path)
        else:
            self.n_rows += declared
        j = plan.list_column
        if j is not None:
            column = _list_column(self.pa, file, group, plan.names[j], path)
            if len(column) != declared:
                raise ParseError(
                    f"{says} column {printable(plan.names[j])!r} has {len(column)}", path
                )
            for chunk in column.chunks:
                new = {str(word) for word in chunk.values.unique().to_pylist()} - self._listed
                self._memory.add(len(new), sum(map(len, new)))
                self._listed |= new
            self.lists += _lists_of(self.pa, column)

    def _add_batch(self, batch: Any, path: str) -> None:
        plan = self.plan
        if batch.schema.names != [plan.names[j] for j in plan.packed_columns]:
            raise ParseError("the columns of the file are not those of its schema", path)
        n = batch.num_rows
        floats = np.float32 if self._dtype == np.float32 else np.float64
        arrays = [batch.column(k) for k in range(batch.num_columns)]
        has_gaps = any(
            array.null_count and plan.kinds[j].content != WORDS
            for j, array in zip(plan.packed_columns, arrays, strict=True)
        )
        table = np.empty((len(arrays), n), floats if has_gaps else self._dtype)
        for k, (j, array) in enumerate(zip(plan.packed_columns, arrays, strict=True)):
            try:
                array.validate(full=True)
            except self.pa.ArrowException as error:
                raise ParseError(_damage(plan.names[j], error), path) from None
            try:
                table[k] = self._cells(array, j)
            except DataError as error:
                raise error.in_file(path) from None
            except UnicodeDecodeError:
                raise ParseError(
                    f"column {printable(plan.names[j])!r} holds text that is not UTF-8", path
                ) from None
        self._table.add(table.T)
        self.n_rows += n

    def _cells(self, array: Any, j: int) -> np.ndarray:
        """The numbers of some rows of a column, or those of their words."""
        kind, name, pa, types = self.plan.kinds[j], self.plan.names[j], self.pa, self.pa.types
        if kind.content == WORDS:
            return self.words[j].number(pa, array, is_ordered=kind.is_ordered)
        if types.is_null(array.type):
            return np.full(len(array), np.nan)
        if kind.content == BOOLEANS:
            array = array.cast(pa.uint8())
        if types.is_integer(array.type):
            if array.type.bit_width == 64:
                refuse_merged(
                    array.fill_null(0).to_numpy(zero_copy_only=False), [name], self.n_rows
                )
            if not array.null_count:
                return array.to_numpy(zero_copy_only=False)
        x = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        refuse_infinite(x, [name], self.n_rows)
        return x

    def dataset(self, size: int) -> Dataset:
        """The rows as a data set; `size` is that of the files."""
        data = self._dataset(size)
        notes = map(read_as_text, self.plan.merged)
        return data.with_changes(notes=(*data.notes, *notes)) if self.plan.merged else data

    def _dataset(self, size: int) -> Dataset:
        plan = self.plan
        columns: list[Any] = [
            (name, kind.reason) for name, kind in zip(plan.names, plan.kinds, strict=True)
        ]
        codes: dict[int, np.ndarray] = {}
        for k, j in enumerate(plan.packed_columns):
            columns[j], codes_of_words = self._column(j)
            if codes_of_words is not None:
                codes[k] = codes_of_words
        tables: Any = (np.zeros((self.n_rows, 0)), np.zeros((self.n_rows, 0)))
        if plan.packed_columns:
            tables = self._table.finish()
            self._check_texts(tables[1], size)
            tables = self._table.recoded(tables, codes)
        source = (plan.path, "parquet")
        if plan.list_column is not None:
            return self._with_lists(columns, tables, plan.list_column)

        def texts() -> list[str | None]:
            return texts_of(columns[plan.label_columns.columns[0]], tables[1][:, 0])

        return assemble(columns, tables, plan.label_columns, texts, plan.request, source)

    def _column(self, j: int) -> tuple[Column, np.ndarray | None]:
        """The kind of a column, and the codes of its words."""
        plan = self.plan
        name, kind = plan.names[j], plan.kinds[j]
        if kind.content != WORDS:
            is_flag = kind.content == BOOLEANS
            return Column(name, "nominal", FLAGS) if is_flag else Column(name), None
        values = plan.values.get(name)
        try:
            return self.words[j].coded(name, values, is_ordered=kind.is_ordered)
        except DataError as error:
            raise error.in_file(plan.path) from None

    def _check_texts(self, labels: np.ndarray, size: int) -> None:
        """Refuse a column of label lists whose texts, written out, are too long for their file."""
        plan = self.plan
        j = plan.label_columns.columns[0] if plan.label_columns.lists else -1
        if j not in self.words:
            return
        words, limits = self.words[j].words, plan.request.limits
        counts = np.bincount(labels[:, 0].astype(np.int64), minlength=len(words) + 1)[1:]
        lengths = np.array([len(word) if isinstance(word, str) else 0 for word in words], np.int64)
        total = int(counts @ lengths)
        ratio = total // size
        if total > LISTS_FROM and ratio > limits.max_ratio:
            noun = f"bytes of the column {printable(plan.names[j])} for each byte of the file"
            raise exceeded(limits, "max_ratio", ratio, noun, plan.path)

    def _with_lists(self, columns: list[Any], tables: Any, j: int) -> Dataset:
        """The labels are the distinct texts of one column of lists."""
        plan, chosen = self.plan, self.plan.label_columns
        if len(chosen.columns) > 1:
            raise DataError(
                f"{printable(plan.path, 400)}: {printable(plan.names[j])!r} is a column of label "
                f"lists, which has to be named alone with {setting('labels')}"
            )
        others = [k for k in range(len(columns)) if k != j]
        features = assemble(
            [columns[k] for k in others], tables,
            LabelPositions((), chosen.by, notes=chosen.notes), list, plan.request,
            (plan.path, "parquet"),
        )  # fmt: skip
        try:
            Y, labels = label_sets(self.lists)
        except DataError as error:
            raise error.in_file(plan.path) from None
        return features.with_changes(Y=Y, labels=labels)


class ColumnWords:
    """The different values of a column, numbered from 1; 0 is a missing one."""

    def __init__(self, memory: WordMemory) -> None:
        self.memory = memory
        self.words: list[Any] = []
        self.is_seen: list[bool] = []  # in a row, and not only in a dictionary
        self._place: dict[Any, int] = {}
        self._last: Any = None  # the dictionary whose values were numbered last

    def _number(self, word: Any, *, is_seen: bool) -> int:
        if is_missing(word):
            return 0
        place = self._place.setdefault(word, len(self.words) + 1)
        if place > len(self.words):
            self.memory.add(1, len(word) if isinstance(word, (str, bytes)) else 0)
            self.words.append(word)
            self.is_seen.append(False)
        self.is_seen[place - 1] |= is_seen
        return place

    def number(self, pa: Any, array: Any, *, is_ordered: bool) -> np.ndarray:
        """The numbers of some cells; the order of a dictionary is kept if it means something."""
        if pa.types.is_null(array.type):
            return np.zeros(len(array), np.int32)
        if pa.types.is_temporal(array.type) or pa.types.is_integer(array.type):
            array = array.cast(pa.string())
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        dictionary = array.dictionary
        if is_ordered and not (self._last is not None and dictionary.equals(self._last)):
            for word in dictionary.to_pylist():
                self._number(word, is_seen=False)
            self._last = dictionary
        codes = (
            array.indices.fill_null(len(dictionary)).to_numpy(zero_copy_only=False).astype(np.int64)
        )
        present = np.flatnonzero(np.bincount(codes, minlength=len(dictionary))[: len(dictionary)])
        numbers = np.zeros(len(dictionary) + 1, np.int32)
        words = dictionary.take(pa.array(present)).to_pylist()
        numbers[present] = [self._number(word, is_seen=True) for word in words]
        return numbers[codes]

    def coded(
        self, name: str, values: Sequence[str] | None, *, is_ordered: bool
    ) -> tuple[Column, np.ndarray]:
        """The column, and the code for each number: as declared, in the order of the file if that
        is one, or sorted.

        `values` are those that the metadata of the file declare.
        """
        seen = [word for word, is_seen in zip(self.words, self.is_seen, strict=True) if is_seen]
        if not all(isinstance(word, str) for word in self.words):
            plain = np.empty(len(seen), object)
            plain[:] = seen
            column, codes = column_of(name, plain, force_nominal=True)
            place: dict[Any, float] = dict(zip(seen, codes.tolist(), strict=True))
        else:
            present = self.words if is_ordered else sorted(seen)
            column = Column(name, "nominal", tuple(present if values is None else values))
            place = {value: float(k) for k, value in enumerate(column.values)}
            if any(word not in place for word in seen):
                raise DataError(
                    f"column {printable(name)!r} holds a value that its metadata do not declare"
                )
        return column, np.array([np.nan, *(place.get(word, np.nan) for word in self.words)])


def _list_column(pa: Any, file: Any, group: int, name: str, path: str) -> Any:
    """A row group of a column of lists, checked."""
    table = file.read_row_group(group, columns=[name], use_threads=False)
    if table.column_names.count(name) != 1:  # a name may be a path
        raise ParseError("the columns of the file are not those of its schema", path)
    column = table.column(name)
    try:
        column.validate(full=True)
    except pa.ArrowException as error:
        raise ParseError(_damage(name, error), path) from None
    return column


def _damage(name: str, error: Exception) -> str:
    """The fault of a column, without the place: pyarrow counts from the start of a batch."""
    why = PLACE.sub("", str(error).rpartition("Invalid: ")[2])
    if "UTF8" in why:
        return f"column {printable(name)!r} holds text that is not UTF-8"
    return f"column {printable(name)!r} is damaged: {printable(why)}"


def _lists_of(pa: Any, column: Any) -> list[Any]:
    """The lists of a column, with one object for all that are the same text."""
    if not pa.types.is_dictionary(column.type.value_type):
        return list(column.to_pylist())
    rows: list[Any] = []
    for chunk in column.chunks:
        words = chunk.values.dictionary.to_pylist()
        flat = [None if k is None else words[k] for k in chunk.values.indices.to_pylist()]
        ends, is_valid = chunk.offsets.to_pylist(), chunk.is_valid().to_pylist()
        rows += [
            flat[start:end] if valid else None
            for start, end, valid in zip(ends, ends[1:], is_valid, strict=False)
        ]
    return rows


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
