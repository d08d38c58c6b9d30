"""CSV and TSV: one header line of names, then a row a line.

- The separator is a comma (`read`) or a tab (`read_tsv`), unless the user says another one; it is
  never guessed. With a decimal comma, 1,5 is a number and 1.5 a text.
- Quotes are those of RFC 4180: ``"a,b"``, ``"a ""b"" c"``, line ends inside quotes. LF, CRLF
  and CR end a line; a byte order mark is skipped; blank lines are skipped.
- ``?``, an empty cell, and the words that pandas takes (``NA``, ``NULL``, ``None``, ...) are
  missing, and those of ``missing_values``. In a column of text a quoted ``"NA"`` is that text, and
  so is ``""`` unless the file quotes its whole header.
- A column of numbers is numeric; any other is nominal, its values sorted.

What the format cannot carry, and so does not come back: the declared order of the values of a
nominal column and the values that no row has (they come back sorted, as present); that a column
whose values all look like numbers is nominal; whether X was sparse. Weights are refused. Which
columns are labels the format does not say either: they are written last, and `mlfs.data.write`
puts a Mulan ``.xml`` beside the file (else read it with ``--labels last:q``).

A kernel reads the rows; what it saves: 60 MB of numbers (40,000 rows, 206 columns) are read in
0.2 s with it and in 1.9 s with care; 42 MB of which half are words in 0.2 and 3.9 s. A row that
is odd in any way, such as one with a cell of several lines, is read with care. The cells of a
column of words are numbered in the order in which they come, and get their places among the sorted
values of the whole file at the end.

A text that starts with ``=``, ``+``, ``-`` or ``@``, which a spreadsheet takes for a formula, is
written in quotes and otherwise unchanged, for it has to read back equal.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from mlfs._kernels import tokens as kernel
from mlfs._kernels.cells import WORDS_FULL, rows_of_cells
from mlfs._kernels.tokens import PADDING
from mlfs.data.assemble import assemble
from mlfs.data.columns import ROUNDED, read_as_text
from mlfs.data.dataset import Column, Dataset
from mlfs.data.delimited.csv_writer import write, write_tsv
from mlfs.data.delimited.records import (
    Lines,
    Quoted,
    Record,
    Words,
    cell_column,
    delimiter_name,
    delimiter_of,
    fault_of,
    header_names,
    number_in,
)
from mlfs.data.files import BOM, InputFile, valid_lines
from mlfs.data.labels.finding import resolve
from mlfs.data.request import MISSING, Request, exceeded
from mlfs.data.row_stack import LabelledRows
from mlfs.errors import ParseError, UsageError, plural, printable, setting

__all__ = ["read", "read_tsv", "write", "write_tsv"]

HARD = 1 << 12
PROBE = 1 << 16
SMALL = 1 << 12  # bytes; below, the kernel is not worth loading
SLOTS, MOST_SLOTS = 1 << 14, 1 << 23
SWAP = bytes.maketrans(b",.", b".,")


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    r"""Read a CSV file.

    Examples
    --------
    >>> data = read(b"size,colour,big\n1.5,red,0\n9,,1\n", "t.csv", Request(labels="big"))
    >>> data.X.tolist(), data.columns[1].values, data.Y.tolist()
    ([[1.5, 0.0], [9.0, nan]], ('red',), [[0], [1]])
    """
    return _read(source, path, request, ",", "csv")


def read_tsv(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    """Read a TSV file: as CSV, with a tab between the cells."""
    return _read(source, path, request, "\t", "tsv")


def _read(source: bytes | InputFile, path: str, request: Request, usual: str, form: str) -> Dataset:
    separator = delimiter_of(request.delimiter) or usual
    if separator == request.decimal:
        msg = (
            "the comma is both between the cells and in the numbers: say "
            f"{setting('delimiter', 'semicolon')}, or whatever is between the cells"
        )
        raise UsageError(f"{printable(path, 400)}: {msg}")
    file = InputFile.of(source, path, request)
    rows = Rows(file, path, request, separator)
    while not rows.read():  # a column turned out to hold words after rows were read
        rows = Rows(file, path, request, separator, rows.wordy)
    return rows.dataset(form)


class Rows:
    """The rows of a file, which are read in pieces.

    A piece that ends inside of quotes is read together with the next one.

    Parameters
    ----------
    file : InputFile
        What is read.
    path, request
        As for `read`.
    separator : str
        What is between the cells.
    wordy : ndarray of bool, optional
        Which columns are known to hold words.

    Attributes
    ----------
    names : list of str
        The columns, once the header was read.
    words : list of Words
        The cells of each column of words.
    faults : dict of int to (int, int or None, str)
        Where a column has its first number that no float is, and what is wrong if it is numeric.
    n_rows, n_lines : int
        How many were read.
    """

    def __init__(
        self,
        file: InputFile,
        path: str,
        request: Request,
        separator: str,
        wordy: np.ndarray | None = None,
    ) -> None:
        self.file, self.path, self.request, self.separator = file, path, request, separator
        self.comma = request.decimal == ","
        self.missing = MISSING | request.missing_values
        numbers = [number_in(word, missing=frozenset()) for word in request.missing_values]
        self._codes = [number for number in numbers if number is not None]
        self.names: list[str] = []
        self.words: list[Words] = []
        self.faults: dict[int, tuple[int, int | None, str]] = {}
        self.n_rows = self.n_lines = 0
        self._known = wordy
        self._must_reread = False

    def read(self) -> bool:
        """Read all rows; False if they have to be read again, now that more columns are `wordy`."""
        pending: list[bytes] = []
        in_quotes = False
        for text in self.file.text(self.request.encoding):
            pending.append(text)
            in_quotes ^= bool(text.count(b'"') % 2)
            if not in_quotes:
                self._add(b"".join(pending))
                pending = []
        if pending:
            self._add(b"".join(pending))
        if not self.names:
            msg = "the file is empty; a header line of column names is expected"
            raise ParseError(msg, self.path)
        if not self.n_rows:
            raise ParseError("there is a header and no row of data", self.path)
        rounded = self._rounded()
        self.wordy[rounded] = True
        return not (self._must_reread or rounded)

    def _rounded(self) -> list[int]:
        """Columns of whole numbers that no float holds, such as keys: they are read as words."""
        labels = set(self.label_columns.columns)
        return [
            j
            for j, (_, _, text) in self.faults.items()
            if text.endswith(ROUNDED) and not self.wordy[j] and j not in labels
        ]

    def set_header(self, names: list[str], *, is_quoted: bool) -> None:
        """Find the labels among the names of the columns."""
        self.names = names
        self.label_columns = resolve(names, self.request, self.path)
        self.words = [Words(is_quoted, self.comma, self.missing) for _ in names]
        self.wordy = np.zeros(len(names), np.bool_) if self._known is None else self._known
        if self.label_columns.lists:
            self.wordy[self.label_columns.columns[0]] = True
        self._table = LabelledRows(len(names), self.label_columns.columns, self.request.max_memory)

    @property
    def room(self) -> int:
        """How many rows more there may be."""
        return self.request.limits.max_cells // len(self.names) - self.n_rows

    def refuse_rows(self, n_rows: int) -> None:
        """Say that there are more than so many rows beside those of earlier pieces."""
        cells = (self.n_rows + n_rows + 1) * len(self.names)
        limits = self.request.limits
        enough = max(2 * cells, self.file.size // 2 + len(self.names))  # a cell takes two bytes
        raise exceeded(limits, "max_cells", cells, "cells", self.path, enough=enough)

    def _add(self, text: bytes) -> None:
        """Read whole records."""
        if not self.n_lines:
            text = text.removeprefix(BOM)
            if b"\n" not in text:  # else CR alone ends no line, in no piece either
                text = text.replace(b"\r", b"\n")
        valid, fault = valid_lines(text, self.path, self.n_lines)
        piece = Piece(self, valid, fault)
        if self.names or piece.read_header():
            values = piece.values()
            self._must_reread |= piece.found_words and self.n_rows > 0
            if not self._must_reread:
                self._keep(values)
            self.n_rows += len(values)
        if fault is not None:
            raise fault
        self.n_lines += text.count(b"\n")

    def _keep(self, values: np.ndarray) -> None:
        if self._codes:  # numbers that stand for a missing value
            numbers = np.flatnonzero(~self.wordy)
            cells = values[:, numbers]
            values[:, numbers] = np.where(np.isin(cells, self._codes), np.nan, cells)
        self._table.add(values)

    def dataset(self, form: str) -> Dataset:
        """The data set of all rows."""
        columns = [Column(name) for name in self.names]
        codes = {}
        labels = set(self.label_columns.columns)
        for j in np.flatnonzero(self.wordy).tolist():
            columns[j] = self.words[j].column(self.names[j], of_labels=j in labels)
            codes[j] = self.words[j].codes(columns[j])
        faults = [(at[0], j) for j, at in self.faults.items() if columns[j].kind == "numeric"]
        if faults:
            line, column, text = self.faults[min(faults)[1]]
            raise ParseError(text, self.path, line, column)
        tables = self._table.finish()
        items: list[str | None] = []
        if self.label_columns.lists:
            j = self.label_columns.columns[0]
            all_items = [word.item for word in self.words[j].words]
            items = [all_items[place] for place in tables[1][:, 0].astype(np.int64).tolist()]
        dataset = assemble(
            columns, self._table.recoded(tables, codes), self.label_columns, lambda: items,
            self.request, (self.path, form),
        )  # fmt: skip
        beyond = [
            read_as_text(self.names[j])
            for j, (_, _, text) in sorted(self.faults.items())
            if text.endswith(ROUNDED) and columns[j].kind == "nominal" and j not in labels
        ]
        return dataset.with_changes(notes=(*dataset.notes, *beyond)) if beyond else dataset


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
    """

    def __init__(self, rows: Rows, text: bytes, fault: ParseError | None) -> None:
        self.rows, self.text, self.fault = rows, text, fault
        self.plain = text.replace(b"\r\n", b"\n") if b"\r" in text else text
        self.start = self._line = self._counted_to = 0
        self.found_words = False

    @cached_property
    def lines(self) -> Lines:
        """Its lines, to be read with care."""
        rows = self.rows
        return Lines(
            self.text.decode().split("\n"), rows.separator, rows.path, rows.n_lines,
            self.fault,
        )  # fmt: skip

    def read_header(self) -> bool:
        """Read the first record; False if there is none."""
        position, rows = 0, self.rows
        while position < len(self.plain):
            number, record, position = self._record(position)
            if record is not None:
                names = header_names(record, number, rows.separator, rows.path)
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
            self._bytes = np.frombuffer(text + b"\n" * (PADDING + 1), np.uint8)
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
                self._bytes, position, end,
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
            value = number_in(cell, comma=self.rows.comma, missing=self.rows.missing)
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
            rows.refuse_rows(i)
        cells, d = self._cells(record), len(rows.names)
        if len(cells) != d:
            raise ParseError(
                f"this row has {plural(len(cells), 'cell')} and the header has {d}: give it "
                f"{d}, or quote the cells that hold a {delimiter_name(rows.separator)}",
                rows.path, number,
                None if len(cells) < d else cell_column(record, d, rows.separator),
            )  # fmt: skip
        for j, cell in enumerate(cells):
            value = None
            if not rows.wordy[j]:
                value = number_in(cell, comma=rows.comma, missing=rows.missing)
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
