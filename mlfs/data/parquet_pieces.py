"""Read Parquet files in pieces, which are row groups: a few rows at a time are packed.

The values of a column of text are numbered in the order in which they come, and get their places
among the values of all pieces at the end. (pyarrow joins no lists of dictionaries, so a column of
label lists is read by row groups.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.data.assemble import assemble
from mlfs.data.columns import refuse_infinite, refuse_merged
from mlfs.data.dataset import Column, Dataset
from mlfs.data.labels.finding import LabelPositions
from mlfs.data.labels.label_sets import label_sets
from mlfs.data.labels.label_values import distinct_numbers
from mlfs.data.packed_table import PackedTable, Packer
from mlfs.data.parquet_files import (
    BOOLEANS,
    NOTHING,
    NUMBERS,
    WORDS,
    Content,
    Plan,
    open_file,
    plan_of,
    pyarrow_for,
    table_type,
)
from mlfs.data.parquet_lists import check_texts, damage_message, list_chunk, lists_of
from mlfs.data.parquet_words import Coded, Words, code_words
from mlfs.data.piecewise import FilePieces, FileState, ReadRows
from mlfs.data.request import Request
from mlfs.errors import DataError, ParseError, plural, printable, setting

__all__ = ["ParquetPieces", "open_apart", "read_apart"]

AT_ONCE = 1 << 22  # cells
LEAST = 1 << 16
SHARE = 64  # of a limit of memory, that a piece may have in cells
FLAGS = ("False", "True")


def read_apart(files: Sequence[str], path: str, request: Request) -> Dataset:
    """Read Parquet files as one table."""
    return open_apart(files, path, request).dataset()


def open_apart(files: Sequence[str], path: str, request: Request) -> ParquetPieces:
    """Open Parquet files whose row groups are to be read."""
    return ParquetPieces([FileState.of(file) for file in files], path, request)


@dataclass(frozen=True)
class Summary:
    """What some rows hold.

    Parameters
    ----------
    words : dict of int to (list, list of bool)
        The values of each column of text in the order in which they were met, and whether a row
        has them.
    numbers : dict of int to ndarray
        The different numbers of each label column of numbers.
    lists : set of str, or None
        The names in a column of label lists.
    """

    words: dict[int, Words]
    numbers: dict[int, np.ndarray]
    lists: set[Any] | None


@dataclass(frozen=True)
class Common:
    """What is common to all rows: the coded columns of text, and what `Summary` has of all."""

    coded: dict[int, Coded]
    numbers: dict[int, np.ndarray]
    lists: set[Any] | None


class ParquetPieces(FilePieces):
    """The row groups of some files.

    Parameters
    ----------
    files : sequence of FileState or Content
        The files.
    path : str
        What the user calls them.
    request : Request
        The options of the reader.
    """

    def __init__(self, files: Sequence[FileState | Content], path: str, request: Request) -> None:
        self.files = list(files)
        self.plan, groups = plan_of(pyarrow_for("reading Parquet"), self.files, path, request)
        groups_with_rows = [
            (k, i, n) for k, sizes in enumerate(groups) for i, n in enumerate(sizes) if n
        ]
        self._places = [(k, i) for k, i, _ in groups_with_rows]  # a worker needs rows
        self.sizes = tuple(n for _, _, n in groups_with_rows)

    @classmethod
    def of_content(cls, content: bytes, path: str, request: Request) -> ParquetPieces:
        """The row groups of a file in memory."""
        return cls([Content(path, content)], path, request)

    def read(self, first: int, last: int) -> Rows:
        """Read some row groups."""
        rows = Rows(self.plan, sum(self.sizes[:first]))
        pa = pyarrow_for("reading Parquet")
        for k, file in enumerate(self.files):
            groups = [i for owner, i in self._places[first:last] if owner == k]
            if not groups:
                continue
            with open_file(pa, file, self.plan.request.limits) as (folded, _, size):
                try:
                    rows.add(pa, folded, groups, file.path, size)
                except UnicodeDecodeError:
                    raise ParseError("a column holds text that is not UTF-8", file.path) from None
        rows.finish()
        return rows

    def combine(self, summaries: Sequence[Summary]) -> Common:
        """What the values of all columns are."""
        plan = self.plan
        coded_words: dict[int, Coded] = {}
        for j in summaries[0].words:
            words = Words()
            for summary in summaries:
                words.join(summary.words[j])
            try:
                kind, name = plan.kinds[j], plan.names[j]
                coded_words[j] = code_words(
                    name, words, plan.values.get(name), is_ordered=kind.is_ordered
                )
            except DataError as error:
                raise error.in_file(plan.path) from None
        numbers = {
            j: np.unique(np.concatenate([summary.numbers[j] for summary in summaries]))
            for j in summaries[0].numbers
        }
        lists = [summary.lists for summary in summaries if summary.lists is not None]
        return Common(coded_words, numbers, set().union(*lists) if lists else None)


class Rows(ReadRows):
    """Rows that were read; `rows_before` other rows come before them."""

    def __init__(self, plan: Plan, rows_before: int) -> None:
        self.plan, self.rows_before = plan, rows_before
        self.n_rows = self.size = 0
        self.words = {j: Words() for j in plan.packed_columns if plan.kinds[j].content == WORDS}
        self.lists: list[Any] = []
        self._packer = Packer(plan.request.max_memory)
        self._table: PackedTable | None = None
        kinds = [plan.kinds[j] for j in plan.packed_columns]
        self._dtype = table_type(kinds) if kinds else np.dtype(np.float64)

    def add(self, pa: Any, file: Any, groups: list[int], path: str, size: int) -> None:
        """Read row groups of a file, one by one: the first that is damaged is named."""
        self.size += size
        for group in groups:
            self._add_group(pa, file, group, path)

    def _add_group(self, pa: Any, file: Any, group: int, path: str) -> None:
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
                self._add(pa, batch, path)
            if self.n_rows - start != declared:
                raise ParseError(f"{says} its columns have {self.n_rows - start}", path)
        else:
            self.n_rows += declared
        j = plan.list_column
        if j is not None:
            column = list_chunk(pa, file, group, plan.names[j], path)
            if len(column) != declared:
                raise ParseError(
                    f"{says} column {printable(plan.names[j])!r} has {len(column)}", path
                )
            self.lists += lists_of(pa, column)

    def finish(self) -> None:
        """Make the table and the summary."""
        self._table = self._packer.finish() if self._packer.n_rows else None
        plan, numbers = self.plan, {}
        list_label = plan.label_columns.columns[0] if plan.label_columns.lists else -1
        if list_label in self.words and self._table is not None:
            words = self.words[list_label].words
            positions = self._column(list_label).astype(np.int64)
            counts = np.bincount(positions, minlength=len(words) + 1)[1:]
            check_texts(
                words, counts, plan.names[list_label], self.size, plan.path, plan.request.limits
            )
        for j in self.plan.label_columns.columns:
            if self.plan.kinds[j].content in (NUMBERS, NOTHING):
                numbers[j] = np.array(distinct_numbers(self._column(j))[0])
        lists = None
        if self.plan.list_column is not None:
            lists = {name for row in self.lists for name in row or ()}
        self.summary = Summary(self.words, numbers, lists)

    def _add(self, pa: Any, batch: Any, path: str) -> None:
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
            except pa.ArrowException as error:
                raise ParseError(damage_message(plan.names[j], error), path) from None
            try:
                table[k] = self._cells(pa, array, j)
            except DataError as error:
                raise error.in_file(path) from None
            except UnicodeDecodeError:
                raise ParseError(
                    f"column {printable(plan.names[j])!r} holds text that is not UTF-8", path
                ) from None
        self._packer.add(table.T)
        self.n_rows += n

    def _cells(self, pa: Any, array: Any, j: int) -> np.ndarray:
        """The numbers of some rows of a column, or those of their words."""
        kind, name, rows_before = (
            self.plan.kinds[j],
            self.plan.names[j],
            self.rows_before + self.n_rows,
        )
        types = pa.types
        if kind.content == WORDS:
            return self.words[j].number(pa, array, is_ordered=kind.is_ordered)
        if types.is_null(array.type):
            return np.full(len(array), np.nan)
        if kind.content == BOOLEANS:
            array = array.cast(pa.uint8())
        if types.is_integer(array.type):
            if array.type.bit_width == 64:
                refuse_merged(
                    array.fill_null(0).to_numpy(zero_copy_only=False), [name], rows_before
                )
            if not array.null_count:
                return array.to_numpy(zero_copy_only=False)
        x = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        refuse_infinite(x, [name], rows_before)
        return x

    def _column(self, j: int) -> np.ndarray:
        """The numbers of a column."""
        assert self._table is not None
        return self._table.column(self.plan.packed_columns.index(j))

    def dataset(self, common: Common) -> Dataset:
        """The rows as a data set."""
        plan = self.plan
        cells: list[Any] = [kind.reason for kind in plan.kinds]
        meaning, positions = {}, np.zeros(len(plan.names), np.int64)
        for k, j in enumerate(plan.packed_columns):
            positions[j] = k
            cells[j] = self._kind(j, common), np.zeros(0)
            if j in common.coded:
                meaning[j] = common.coded[j].of(self.words[j])
        table = None if self._table is None else self._table[:, positions].meaning(meaning)
        for j in plan.label_columns.columns:
            if not isinstance(cells[j], str) and table is not None:
                x = table.column(j).astype(np.float64)
                cells[j] = cells[j][0], np.concatenate([x, common.numbers.get(j, np.zeros(0))])
        source, label_columns = (plan.path, "parquet"), plan.label_columns
        if plan.list_column is None:
            return assemble(
                cells, plan.names, label_columns, self._texts(table, common), plan.request, source,
                table=table, n_rows=plan.n_rows,
            )  # fmt: skip
        return self._with_lists(cells, table, common)

    def _kind(self, j: int, common: Common) -> Column:
        name = self.plan.names[j]
        if j in common.coded:
            return common.coded[j].column
        is_flag = self.plan.kinds[j].content == BOOLEANS
        return Column(name, "nominal", FLAGS) if is_flag else Column(name)

    def _texts(self, table: PackedTable | None, common: Common) -> Any:
        """The texts of a column: those of its rows, then all that it has in other pieces."""

        def texts(j: int) -> list[str | None]:
            assert table is not None
            x = np.concatenate([table.column(j), common.numbers.get(j, np.zeros(0))])
            kind = self._kind(j, common)
            if kind.kind == "numeric":
                return [None if np.isnan(v) else str(int(v)) for v in x.tolist()]
            values = [*kind.values, None]
            codes = np.where(np.isnan(x), len(values) - 1, x).astype(np.int64)
            return [values[code] for code in codes.tolist()] + list(kind.values)

        return texts

    def _with_lists(self, cells: list[Any], table: Any, common: Common) -> Dataset:
        """The labels are the distinct texts of one column of lists."""
        plan, j = self.plan, self.plan.list_column
        assert j is not None
        shown = printable(plan.path, 400)
        if len(plan.label_columns.columns) > 1:
            raise DataError(
                f"{shown}: {printable(plan.names[j])!r} is a column of label lists, "
                f"which has to be named alone with {setting('labels')}"
            )
        no_labels = LabelPositions((), plan.label_columns.by, notes=plan.label_columns.notes)
        columns = [k for k in range(len(plan.names)) if k != j]
        table = None if table is None else table[:, columns]
        features = assemble(
            [cells[k] for k in columns], [plan.names[k] for k in columns], no_labels, lambda _: [],
            plan.request, (plan.path, "parquet"), table=table, n_rows=plan.n_rows,
        )  # fmt: skip
        try:
            Y, labels = label_sets([*self.lists, list(common.lists or ())])
        except DataError as error:
            raise error.in_file(plan.path) from None
        return features.with_changes(Y=Y[: self.n_rows], labels=labels)
