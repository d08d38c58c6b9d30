"""The rows of a piece of a CSV file.

A kernel reads them; what it saves: 60 MB of numbers (40,000 rows, 206 columns) are read in 0.2 s
with it and in 1.9 s with care; 42 MB of which half are words in 0.2 and 3.9 s. A row that is odd in
any way, such as one with a cell of several lines or of a wrong number of cells, is read with care.

The cells of a column of words are numbered in the order in which they come, and get their places
among the sorted values of the whole file at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mlfs._kernels import tokens as kernel
from mlfs._kernels.cells import WORDS_FULL, rows_of_cells
from mlfs.data.delimited.records import (
    Lines,
    Quoted,
    Record,
    cell_column,
    delimiter_name,
    fault_of,
    header_names,
    number_in,
)
from mlfs.errors import ParseError, plural, printable

if TYPE_CHECKING:
    from mlfs.data.delimited.csv_reader import Rows

HARD = 1 << 12
PROBE = 1 << 16
SMALL = 1 << 12  # bytes; below, the kernel is not worth loading
SLOTS, MOST_SLOTS = 1 << 14, 1 << 23
SWAP = bytes.maketrans(b",.", b".,")


class Piece:
    """A piece of text, which ends with a record.

    Parameters
    ----------
    rows : Rows
        What is known of the file and was read of it so far.
    text : bytes
        Lines of UTF-8.
    fault : ParseError, optional
        What is wrong with the line after these.
    later : iterator of bytes
        The pieces after this one.
    """

    def __init__(
        self, rows: Rows, text: bytes, fault: ParseError | None, later: Iterator[bytes]
    ) -> None:
        self.rows, self.text, self.fault, self.later = rows, text, fault, later
        self.plain = text.replace(b"\r\n", b"\n") if b"\r" in text else text
        self.start = self._line = self._counted_to = 0
        self.found_words = False

    @cached_property
    def lines(self) -> Lines:
        """Its lines, to be read with care."""
        rows = self.rows
        return Lines(
            self.text.decode().split("\n"), rows.separator, rows.path, rows.request.limits,
            rows.n_lines, self.fault,
        )  # fmt: skip

    def read_header(self) -> bool:
        """Read the first record; False if there is none."""
        position, rows = 0, self.rows
        while position < len(self.plain):
            number, record, position = self._record(position)
            if record is not None:
                limits = rows.request.limits
                names = header_names(record, number, rows.separator, limits, rows.path)
                cells = self._cells(record)
                rows.set_header(names, is_quoted=all(isinstance(cell, Quoted) for cell in cells))
                self.start = position
                return True
        return False

    def values(self) -> np.ndarray:
        """The numbers of all rows, or those of their words.

        Rows before the first word of a column were read as numbers, so they are read again.
        """
        plain, rows, width = self.plain, self.rows, len(self.rows.names)
        size = len(plain) - self.start
        n = min(plain.count(b"\n", self.start) + 1, size // width + 1, max(0, rows.room))
        self._values = np.empty((n, width))
        self._is_quick = kernel.is_compiled() and size >= SMALL and b"\r" not in plain
        if self._is_quick:
            text = plain.translate(SWAP) if rows.comma else plain  # the kernel knows the point
            self._bytes = np.frombuffer(text + b"\n" * (kernel.PADDING + 1), np.uint8)
            self._hard = np.empty((max(HARD, width), 4), np.int64)
            self._singles = np.full(256, kernel.UNSEEN)
            self._singles[ord("0") : ord("9") + 1] = np.arange(10)
            self._singles[ord("?")] = np.nan
            probe = plain.rfind(b"\n", self.start, self.start + PROBE) + 1
            if not rows.n_rows and probe > self.start:
                self._read(probe)
        while self._read(len(plain) + 1):
            self.found_words = True
        return self._values[: self._counts[0]]

    def _read(self, end: int) -> bool:
        """Read the rows up to a place: whether further columns turned out to hold words."""
        self._wordy = self.rows.wordy.copy()  # as it was at the start
        self._counts = np.zeros(3, np.int64)
        self._line, self._counted_to = self.plain.count(b"\n", 0, self.start), self.start
        self._odd: list[tuple[int, int, int]] = []
        self._slots = SLOTS
        self._make_room()
        position, rows = self.start, self.rows
        while position < min(end, len(self.plain)):
            if not self._is_quick:
                position = self._read_carefully(position)
                continue
            status, position = rows_of_cells(
                self._bytes, position, end, rows.request.limits.max_line_bytes,
                ord(rows.separator), rows.wordy, self._singles, self._values, self._hard,
                self._counts, self._places, self._words,
            )  # fmt: skip
            self._convert_hard()
            if status == WORDS_FULL:
                self._number_words()
            elif status not in (kernel.DONE, kernel.HARD):
                position = self._read_carefully(position)
        self._number_words()
        for i, j, number in self._odd:
            self._values[i, j] = number
        return bool((self._wordy != rows.wordy).any())

    # ---- words ----------------------------------------------------------------------------------

    def _make_room(self) -> None:
        """Make room for words, which the kernel numbers from 0 on."""
        self._counts[2], self._first = 0, int(self._counts[0])
        self._places = np.full(self._slots, -1, np.int64)
        self._words = np.empty((self._slots // 2 + len(self.rows.names), 3), np.int64)
        self._slots = min(8 * self._slots, MOST_SLOTS)

    def _number_words(self) -> None:
        """Give the words of the rows since the last time the numbers that they have in the file."""
        words = self._words[: self._counts[2]]
        numbers = np.empty(len(words), np.int64)
        cells = self._values[self._first : self._counts[0]]
        for j in np.flatnonzero(self._wordy).tolist() if len(words) else ():
            places = np.flatnonzero(words[:, 0] == j)
            known = self.rows.words[j]
            bounds = words[places, 1:].tolist()
            numbers[places] = [
                known.number(_cell(self.plain[start:stop].decode())) for start, stop in bounds
            ]
            if known.has_fault and j not in self.rows.faults:
                faulty = (k for k, n in enumerate(numbers[places].tolist()) if known.words[n].fault)
                self._note_in(j, bounds[next(faulty)][0])
            cells[:, j] = numbers[cells[:, j].astype(np.int64)]
        self._make_room()

    # ---- odd cells and rows ---------------------------------------------------------------------

    def _convert_hard(self) -> None:
        """Give the cells that are no plain numbers to float()."""
        for i, j, start, stop in self._hard[: self._counts[1]].tolist():
            if self.rows.wordy[j]:
                continue
            cell = self.plain[start:stop].decode()
            value = number_in(cell, comma=self.rows.comma)
            if value is None:
                self.rows.wordy[j] = True
                continue
            self._values[i, j] = value
            if j not in self.rows.faults and fault_of(cell, value):
                self._note_in(j, start)
        self._counts[1] = 0

    def _note_in(self, j: int, position: int) -> None:
        """Note that column j has a number that no float is, in a row that the kernel read."""
        line = self.plain.count(b"\n", 0, position)
        record = self.lines.record(line)[0]
        assert record is not None
        self._note(j, record, self.rows.n_lines + line + 1)

    def _note(self, j: int, record: Record, line: int) -> None:
        rows = self.rows
        cell = self._cells(record)[j]
        fault = fault_of(cell, number_in(cell, comma=rows.comma))
        text = f"column {printable(rows.names[j])!r} holds {printable(cell)}, {fault}"
        if j not in rows.faults or line < rows.faults[j][0]:
            rows.faults[j] = line, cell_column(record, j, rows.separator), text

    def _cells(self, record: Record) -> list[str]:
        return record.split(self.rows.separator) if isinstance(record, str) else record

    def _record(self, position: int) -> tuple[int, Record | None, int]:
        """The number of the line at a place, the record there, and the place after it."""
        first = self._line + self.plain.count(b"\n", self._counted_to, position)
        record, self._line = self.lines.record(first)
        for _ in range(self._line - first):
            position = self.plain.find(b"\n", position) + 1 or len(self.plain) + 1
        self._counted_to = position
        return self.rows.n_lines + first + 1, record, position

    def _read_carefully(self, start: int) -> int:
        """Read one record: where the next one starts."""
        rows, i = self.rows, int(self._counts[0])
        number, record, position = self._record(start)
        if record is None:
            return position
        if i == len(self._values):
            rows.refuse_rows(i, self.plain[start:], self.later)
        cells, d = self._cells(record), len(rows.names)
        if len(cells) != d:
            raise ParseError(
                f"this row has {plural(len(cells), 'cell')} and the header has {d}: give it "
                f"{d}, or quote the cells that hold a {delimiter_name(rows.separator)}",
                rows.path, number,
                None if len(cells) < d else cell_column(record, d, rows.separator),
            )  # fmt: skip
        for j, cell in enumerate(cells):
            value = None if rows.wordy[j] else number_in(cell, comma=rows.comma)
            if value is None:
                rows.wordy[j], value = True, 0.0
                place = rows.words[j].number(cell)
                self._odd.append((i, j, place))
                fault = rows.words[j].words[place].fault
            else:
                fault = fault_of(cell, value)
            if fault:
                self._note(j, record, number)
            self._values[i, j] = value
        self._counts[0] = i + 1
        return position


def _cell(text: str) -> str:
    """The cell that a text stands for, quotes undone."""
    return Quoted(text[1:-1].replace('""', '"')) if text.startswith('"') else text
