"""The rows of some pieces of a CSV file, and what their columns hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs._kernels import tokens as kernel
from mlfs.data.assemble import assemble
from mlfs.data.dataset import Column, Dataset
from mlfs.data.delimited.csv_reader import BLOCK, Table, as_numbers, check_size
from mlfs.data.delimited.fast_cells import Cells
from mlfs.data.delimited.numbered_words import Words, WordSummary
from mlfs.data.files import decode
from mlfs.data.labels.label_values import distinct_numbers
from mlfs.data.packed_table import PackedTable, Packer
from mlfs.data.text_ranges import RangeContext, RangeRows

if TYPE_CHECKING:
    from mlfs.data.delimited.csv_pieces import CsvRanges

__all__ = ["Common", "Rows", "Summary"]

MAX_PENDING = 4  # pieces that are joined where it is not known whether a quote is open


@dataclass(frozen=True)
class Summary:
    """What some rows hold.

    Parameters
    ----------
    odd_pieces : list of int
        The pieces with an odd number of quotes.
    gave_up : bool
        Whether too many pieces would have to be kept to find the end of a quote.
    wordy : ndarray of bool
        Which columns hold words.
    words : dict of int to WordSummary
        What these are.
    infinite : dict of int to (str, int, int)
        For columns of numbers: the message about the first that is infinite, its line, counted from
        the first of these rows, and its column.
    numbers : dict of int to ndarray
        The different numbers of each label column of numbers, if there are other rows.
    items : list of str
        The cells of a column of lists, if there are other rows.
    """

    odd_pieces: list[int]
    gave_up: bool
    wordy: np.ndarray
    words: dict[int, WordSummary]
    infinite: dict[int, tuple[str, int, int | None]]
    numbers: dict[int, np.ndarray]
    items: list[str]


@dataclass(frozen=True)
class Common:
    """What is common to all rows: their number, the columns of words, and see `Summary`."""

    n_rows: int
    columns: dict[int, Column]
    numbers: dict[int, np.ndarray]
    items: list[str]


class Rows(RangeRows):
    """The rows of some pieces.

    Attributes
    ----------
    must_reread : bool
        Whether rows were not kept because a column turned out to hold words after them.
    """

    def __init__(self, ranges: CsvRanges, context: RangeContext) -> None:
        super().__init__(context)
        self.ranges, self.path, self.request = ranges, ranges.path, ranges.request
        self.names, self.separator = ranges.header.names, ranges.separator
        self.wordy = ranges.wordy.copy()
        self.words = [Words(ranges.header.quoted) for _ in self.names]
        self.infinite: dict[int, tuple[str, int, int | None]] = {}
        self.must_reread = False
        self._packer = Packer(self.request.max_memory)
        self._table: PackedTable | None = None
        self._pending: list[bytes] = []
        self._odd_pieces: list[int] = []
        self._in_quotes = self._gave_up = False
        self._knows_quotes = (
            context.is_start or context.is_repeat or ranges.quoted_pieces is not None
        )

    def add(self, text: bytes, piece: int) -> None:
        """Read the lines of a piece, and of those before that end inside of quotes."""
        self._count(text, piece)
        if self._gave_up:
            return
        self._pending.append(text)
        if self._in_quotes:
            self._gave_up = len(self._pending) > MAX_PENDING and not self._knows_quotes
            if self._gave_up:
                self._pending = []
            return
        self.end = piece + 1
        self._read_pending(piece)

    def _count(self, text: bytes, piece: int) -> None:
        if text.count(b'"') % 2:
            self._odd_pieces.append(piece)
            self._in_quotes = not self._in_quotes

    def _read_pending(self, piece: int) -> None:
        """Read whole records."""
        text = b"".join(self._pending)
        self._pending = []
        lines_before, n_lines = self.context.lines + self.n_lines, text.count(b"\n")
        if not lines_before:  # the header
            text, lines_before = text.partition(b"\n")[2], 1
        wordy = self.wordy.copy()
        values = self._values(text, lines_before)
        while (wordy != self.wordy).any():
            self.must_reread |= self.n_rows > 0
            wordy = self.wordy.copy()
            values = self._values(text, lines_before)
        self.n_rows, self.n_lines = self.n_rows + len(values), self.n_lines + n_lines
        n_rows, limits = self.context.rows + self.n_rows, self.request.limits
        if self.ranges.is_too_long(n_rows):
            later_texts = self.ranges.pieces.read_after(piece)
            lines = (not line.isspace() for text in later_texts for line in text.splitlines(True))
            check_size(n_rows + sum(lines), len(self.names), limits, self.path)
        if self.must_reread:
            self._packer = Packer()
        elif not self.context.is_repeat:
            self._packer.add(values)

    def after_error(self, texts: Iterator[tuple[int, bytes]]) -> Summary:
        """Count the quotes of the remaining pieces, to know which begin inside of quotes."""
        for piece, text in texts:
            self._count(text, piece)
        return self._make_summary({}, {}, [])

    def _make_summary(self, words: Any, numbers: Any, items: list[str]) -> Summary:
        infinite = {j: error for j, error in self.infinite.items() if not self.wordy[j]}
        for j, (text, line, column) in infinite.items():
            infinite[j] = text, line - self.context.lines, column
        return Summary(self._odd_pieces, self._gave_up, self.wordy, words, infinite, numbers, items)

    def finish(self) -> Summary:
        """What the rows hold."""
        if self._pending and self.context.is_end and not self._gave_up:
            self._read_pending(len(self.ranges))
        if self.must_reread or self.context.is_repeat:
            return self._make_summary({}, {}, [])
        self._table = self._packer.finish() if self.n_rows else None
        words = {j: self.words[j].summarize() for j in np.flatnonzero(self.wordy).tolist()}
        numbers: dict[int, np.ndarray] = {}
        items: set[str] = set()
        if not self.context.is_all:
            for j in self.ranges.label_columns.columns:
                if not self.wordy[j] and self._table is not None:
                    numbers[j] = np.array(distinct_numbers(self._table.column(j))[0])
                elif self.wordy[j] and not words[j].is_text:
                    numbers[j] = np.array([word.number for word in self.words[j].words])
            if self.ranges.label_columns.lists:
                words_of_lists = self.words[self.ranges.label_columns.columns[0]].words
                items = {word.item for word in words_of_lists if word.item is not None}
        return self._make_summary(words, numbers, sorted(items))

    def dataset(self, common: Common) -> Dataset:
        """The rows, with the columns and labels of all."""
        ranges, table, columns = self.ranges, self._table, [Column(name) for name in self.names]
        meaning = {}
        for j, column in common.columns.items():
            columns[j], meaning[j] = column, self.words[j].codes(column)
        numbers = None if table is None else table.meaning(meaning)
        cells = [(column, np.zeros(0)) for column in columns]
        for j in ranges.label_columns.columns:
            values = np.zeros(0) if numbers is None else numbers.column(j)
            cells[j] = columns[j], np.concatenate([values, common.numbers.get(j, np.zeros(0))])

        def texts(j: int) -> list[str | None]:
            items = [word.item for word in self.words[j].words]
            places = [] if table is None else table.column(j).astype(np.int64).tolist()
            return [*(items[place] for place in places), *common.items]

        source = (self.path, ranges.form)
        return assemble(
            cells, self.names, ranges.label_columns, texts, self.request, source, table=numbers,
            n_rows=common.n_rows,
        )  # fmt: skip

    def _values(self, text: bytes, lines_before: int) -> np.ndarray:
        """The numbers of a piece, or those of its words; notes which columns hold words."""
        plain = text.replace(b"\r\n", b"\n") if b"\r" in text else text
        if b"\r" in plain:
            return self._read_carefully(text, lines_before)
        if not plain.isascii():
            decode(plain, self.path, "utf-8", lines_before)
        cells = Cells(plain, 0, self.names, self.request, self.separator)
        wordy, cells.wordy = self.wordy.copy(), self.wordy
        if cells.read(len(plain) + 1) != kernel.DONE:
            return self._read_carefully(text, lines_before)
        values = cells.values[: cells.counts[0]]
        if (wordy != self.wordy).any():
            return values  # some of its rows were read as numbers: it is read again
        word_codes = np.empty(int(cells.counts[2]), np.int64)
        for j in np.flatnonzero(self.wordy).tolist():
            positions, words = cells.words_of(j)
            if positions.size:
                word_codes[positions] = [self.words[j].number(word) for word in words]
                values[:, j] = word_codes[values[:, j].astype(np.int64)]
        return values

    def _read_carefully(self, text: bytes, lines_before: int) -> np.ndarray:
        table = Table(text, self.path, self.request, self.separator, self.names, lines_before)
        n = len(table.records)
        values = np.zeros((n, len(self.names)))
        for start in range(0, n, BLOCK):
            stop = min(n, start + BLOCK)
            for j, cells in enumerate(zip(*table.block(start, stop), strict=True)):
                x = None if self.wordy[j] else as_numbers(cells, table.plain)
                if x is None:
                    self.wordy[j] = True
                    x = [self.words[j].number(cell) for cell in cells]
                elif np.isinf(x).any() and j not in self.infinite:
                    i = start + int(np.flatnonzero(np.isinf(x))[0])
                    self.infinite[j] = table.infinite_cell(i, j)
                values[start:stop, j] = x
        return values
