"""CSV and TSV: one header line of names, then a row a line.

- The separator is a comma (`read`) or a tab (`read_tsv`), unless the user says another one; it is
  never guessed. With a decimal comma, 1,5 is a number and 1.5 a text.
- Quotes are those of RFC 4180: ``"a,b"``, ``"a ""b"" c"``, line ends inside quotes. LF, CRLF
  and CR end a line; a byte order mark is skipped; blank lines are skipped.
- ``?``, ``NA``, ``NaN``, ``nan`` and an empty cell are missing. In a column of text a quoted
  ``"NA"`` is that text, and so is ``""`` unless the file quotes its whole header.
- A column of numbers is numeric; any other is nominal, its values sorted.

What the format cannot carry, and so does not come back: the declared order of the values of a
nominal column and the values that no row has (they come back sorted, as present); that a column
whose values all look like numbers is nominal; whether X was sparse. Weights are refused. Which
columns are labels the format does not say either: they are written last, and `mlfs.data.write`
puts a Mulan ``.xml`` beside the file (else read it with ``--labels last:q``).

A text that starts with ``=``, ``+``, ``-`` or ``@``, which a spreadsheet takes for a formula, is
written in quotes and otherwise unchanged, for it has to read back equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlfs.data.assemble import assemble
from mlfs.data.columns import nominal
from mlfs.data.dataset import Column, Dataset
from mlfs.data.delimited.csv_writer import write, write_tsv
from mlfs.data.delimited.fast_cells import quick_table
from mlfs.data.delimited.records import (
    MISSING,
    Quoted,
    Record,
    cell_column,
    delimiter_name,
    delimiter_of,
    header_names,
    number_of,
    records,
)
from mlfs.data.files import decode
from mlfs.data.labels.finding import resolve
from mlfs.data.request import Limits, Request, exceeded
from mlfs.errors import ParseError, UsageError, plural, printable, setting

__all__ = [
    "BLOCK",
    "Table",
    "as_numbers",
    "check_size",
    "read",
    "read_tsv",
    "write",
    "write_tsv",
]

BLOCK = 4096
SWAP = {ord(","): ".", ord("."): ","}


def read(content: bytes, path: str, request: Request) -> Dataset:
    r"""Read a CSV file.

    Examples
    --------
    >>> data = read(b"size,colour,big\n1.5,red,0\n9,,1\n", "t.csv", Request(labels="big"))
    >>> data.X.tolist(), data.columns[1].values, data.Y.tolist()
    ([[1.5, 0.0], [9.0, nan]], ('red',), [[0], [1]])
    """
    return _read(content, path, request, ",", "csv")


def read_tsv(content: bytes, path: str, request: Request) -> Dataset:
    """Read a TSV file: as CSV, with a tab between the cells."""
    return _read(content, path, request, "\t", "tsv")


def _read(content: bytes, path: str, request: Request, usual: str, form: str) -> Dataset:
    separator = delimiter_of(request.delimiter) or usual
    if separator == request.decimal:
        msg = (
            "the comma is both between the cells and in the numbers: say "
            f"{setting('delimiter', 'semicolon')}, or whatever is between the cells"
        )
        raise UsageError(msg)
    table = quick_table(content, path, request, separator)
    if table is None:
        return Table(content, path, request, separator).dataset(form)
    names, label_columns, columns, texts = table
    return assemble(columns, names, label_columns, texts, request, (path, form))


class Table:
    """The text of a file cut into records, and its columns turned into numbers.

    Parameters
    ----------
    content, path, request
        As for `read`.
    separator : str
        What is between the cells.
    names : list of str, optional
        The columns, where the text is a later piece of a file and has no header.
    lines_before : int
        The lines of the file before this text.
    """

    def __init__(
        self,
        content: bytes,
        path: str,
        request: Request,
        separator: str,
        names: list[str] | None = None,
        lines_before: int = 0,
    ) -> None:
        self.path, self.request, self.separator = path, request, separator
        limits = request.limits
        text = decode(content, path, request.encoding, lines_before)
        if names is None:
            text = text.removeprefix("\ufeff")
            if "\n" not in text:  # else CR alone ends no line, in no piece either
                text = text.replace("\r", "\n")
        self.plain = "_" not in text and text.isascii()
        self.comma = request.decimal == ","
        lines = text.split("\n")
        if max(map(len, lines)) > limits.max_line_bytes:
            number = max(range(len(lines)), key=lambda i: len(lines[i]))
            raise exceeded(
                limits, "max_line_bytes", len(lines[number]), "bytes in a line", path,
                lines_before + number + 1,
            )  # fmt: skip
        self.records: list[Record] = []
        self.numbers: list[int] = []
        for number, record in records(lines, separator, path, lines_before):
            self.records.append(record)
            self.numbers.append(number)
            if names is None and len(self.records) == 1:  # before an odd row is complained of
                self.names = header_names(record, number, separator, limits, path)
        if names is not None:
            self.names = names
            return
        if not self.records:
            raise ParseError("the file is empty; a header line of column names is expected", path)
        header = self._cells(0)
        self.quoted_header = all(isinstance(cell, Quoted) for cell in header)
        del self.records[0], self.numbers[0]
        check_size(len(self.records), len(self.names), limits, path)

    def _cells(self, i: int) -> list[str]:
        record = self.records[i]
        return record.split(self.separator) if isinstance(record, str) else record

    def column_of_cell(self, i: int, j: int) -> int | None:
        """The column of the line where a cell starts, if it is known."""
        return cell_column(self.records[i], j, self.separator)

    def dataset(self, form: str) -> Dataset:
        """The data set of the whole text."""
        label_columns = resolve(self.names, self.request, self.path)
        if not self.records:
            raise ParseError("there is a header and no row of data", self.path)
        columns = self._columns()
        source = (self.path, form)
        return assemble(columns, self.names, label_columns, self._lists, self.request, source)

    def _lists(self, j: int) -> list[str | None]:
        """The cells of a column of lists, where an empty one means no label."""
        cells = (self._cells(i)[j].strip() for i in range(len(self.records)))
        return [None if cell and cell in MISSING else cell for cell in cells]

    def _columns(self) -> list[tuple[Column, np.ndarray]]:
        """Column by column in blocks of rows; a column that holds a text anywhere is nominal."""
        d, n = len(self.names), len(self.records)
        numbers: list[np.ndarray | None] = [np.empty(n) for _ in range(d)]
        for start in range(0, n, BLOCK):
            stop = min(n, start + BLOCK)
            for j, cells in enumerate(zip(*self.block(start, stop), strict=True)):
                x = numbers[j]
                if x is None:
                    continue
                values = as_numbers(
                    [*map(swap_decimal, cells)] if self.comma else cells, self.plain
                )
                if values is None:
                    numbers[j] = None
                else:
                    x[start:stop] = values
        columns = []
        words: dict[int, list[str | None]] = {j: [] for j, x in enumerate(numbers) if x is None}
        for start in range(0, n if words else 0, BLOCK):
            block = self.block(start, min(n, start + BLOCK))
            for j, column_words in words.items():
                column_words.extend(self._word(row[j]) for row in block)
        for j, (name, x) in enumerate(zip(self.names, numbers, strict=True)):
            if x is None:
                columns.append(nominal(name, words.pop(j)))
                continue
            bad = np.flatnonzero(np.isinf(x))
            if bad.size:
                raise self.infinite(int(bad[0]), j)
            columns.append((Column(name), x))
        return columns

    def infinite(self, i: int, j: int) -> ParseError:
        """The error for a number that is infinite."""
        text, line, column = self.infinite_cell(i, j)
        return ParseError(text, self.path, line, column)

    def infinite_cell(self, i: int, j: int) -> tuple[str, int, int | None]:
        """What is wrong with a number that is infinite, and its line and column."""
        text = (
            f"column {printable(self.names[j])!r} holds {printable(self._cells(i)[j])}, which is "
            "infinite or beyond a 64-bit float; leave the cell empty if it is missing"
        )
        return text, self.numbers[i], self.column_of_cell(i, j)

    def block(self, start: int, stop: int) -> list[list[str]]:
        """The cells of some records; every record has one for each column."""
        d = len(self.names)
        block = [self._cells(i) for i in range(start, stop)]
        for i, cells in enumerate(block, start):
            if len(cells) != d:
                raise ParseError(
                    f"this row has {plural(len(cells), 'cell')} and the header has {d}: give it "
                    f"{d}, or quote the cells that hold a {delimiter_name(self.separator)}",
                    self.path, self.numbers[i],
                    None if len(cells) < d else self.column_of_cell(i, d),
                )  # fmt: skip
        return block

    def _word(self, cell: str) -> str | None:
        if isinstance(cell, Quoted):
            return str(cell) if cell or not self.quoted_header else None
        cell = cell.strip()
        return None if cell in MISSING else cell


def check_size(n: int, d: int, limits: Limits, path: str) -> None:
    """Refuse a table with more rows or cells than the limits allow."""
    if n > limits.max_rows:
        raise exceeded(limits, "max_rows", n, "rows", path)
    if n * d > limits.max_cells:
        raise exceeded(limits, "max_cells", n * d, "cells", path)


def swap_decimal(cell: str) -> str:
    """A cell with points for commas and commas for points: a number with a decimal comma."""
    return cell.translate(SWAP)


def as_numbers(cells: Sequence[str], plain: bool) -> Any:
    """The cells as floats, missing ones as NaN; None if one is a text.

    `plain` says that no cell has what float() takes beyond ASCII digits.
    """
    if plain or not any("_" in cell or not cell.isascii() for cell in cells):
        try:
            return np.fromiter(map(float, cells), np.float64, count=len(cells))
        except ValueError:
            pass
    try:
        return [math.nan if cell.strip() in MISSING else number_of(cell) for cell in cells]
    except ValueError:
        return None
