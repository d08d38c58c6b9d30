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

from collections.abc import Iterator
from typing import Any

import numpy as np

from mlfs.data.assemble import assemble
from mlfs.data.dataset import Column, Dataset
from mlfs.data.delimited.csv_rows import Piece
from mlfs.data.delimited.csv_writer import write, write_tsv
from mlfs.data.delimited.records import Words, delimiter_of
from mlfs.data.files import BOM, InputFile, valid_lines
from mlfs.data.labels.finding import resolve
from mlfs.data.packed_table import Packer, recoded
from mlfs.data.request import Request, exceeded
from mlfs.errors import ParseError, UsageError, printable, setting

__all__ = ["read", "read_tsv", "write", "write_tsv"]


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
        self.names: list[str] = []
        self.words: list[Words] = []
        self.faults: dict[int, tuple[int, int | None, str]] = {}
        self.n_rows = self.n_lines = 0
        self._known = wordy
        self._must_reread = False
        self._packer = Packer(request.max_memory)
        self._table: Any = None

    def read(self) -> bool:
        """Read all rows; False if they have to be read again, now that more columns are `wordy`."""
        texts = self.file.text(self.request.encoding)
        pending: list[bytes] = []
        in_quotes = False
        for text in texts:
            pending.append(text)
            in_quotes ^= bool(text.count(b'"') % 2)
            if not in_quotes:
                self._add(b"".join(pending), texts)
                pending = []
        if pending:
            self._add(b"".join(pending), texts)
        if not self.names:
            msg = "the file is empty; a header line of column names is expected"
            raise ParseError(msg, self.path)
        if not self.n_rows:
            raise ParseError("there is a header and no row of data", self.path)
        return not self._must_reread

    def set_header(self, names: list[str], *, is_quoted: bool) -> None:
        """Find the labels among the names of the columns."""
        self.names = names
        self.label_columns = resolve(names, self.request, self.path)
        self.words = [Words(is_quoted, self.comma) for _ in names]
        self.wordy = np.zeros(len(names), np.bool_) if self._known is None else self._known
        if self.label_columns.lists:
            self.wordy[self.label_columns.columns[0]] = True

    @property
    def room(self) -> int:
        """How many rows more there may be."""
        limits = self.request.limits
        return min(limits.max_rows, limits.max_cells // len(self.names)) - self.n_rows

    def refuse_rows(self, n_rows: int, text: bytes, later: Iterator[bytes]) -> None:
        """Say that there are too many rows: those so far, and the lines of what follows."""
        n = self.n_rows + n_rows
        for part in (text, *later):
            n += sum(not line.isspace() for line in part.splitlines(keepends=True))
        limits, cells = self.request.limits, n * len(self.names)
        if n > limits.max_rows:
            raise exceeded(limits, "max_rows", n, "rows", self.path)
        raise exceeded(limits, "max_cells", cells, "cells", self.path)

    def _add(self, text: bytes, later: Iterator[bytes]) -> None:
        """Read whole records."""
        if not self.n_lines:
            text = text.removeprefix(BOM)
            if b"\n" not in text:  # else CR alone ends no line, in no piece either
                text = text.replace(b"\r", b"\n")
        valid, fault = valid_lines(text, self.path, self.n_lines)
        piece = Piece(self, valid, fault, later)
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
        if self.file.is_at_end and not self.n_rows:
            self._table = values
        else:
            self._packer.add(values)

    def dataset(self, form: str) -> Dataset:
        """The data set of all rows."""
        table = self._packer.finish() if self._table is None else self._table
        columns = [Column(name) for name in self.names]
        meaning = {}
        for j in np.flatnonzero(self.wordy).tolist():
            columns[j] = self.words[j].column(self.names[j])
            meaning[j] = self.words[j].codes(columns[j])
        faults = [(at[0], j) for j, at in self.faults.items() if columns[j].kind == "numeric"]
        if faults:
            line, column, text = self.faults[min(faults)[1]]
            raise ParseError(text, self.path, line, column)
        items: list[str | None] = []
        if self.label_columns.lists:
            j = self.label_columns.columns[0]
            all_items = [word.item for word in self.words[j].words]
            items = [all_items[place] for place in table[:, j].astype(np.int64).tolist()]
        return assemble(
            columns, recoded(table, meaning), self.label_columns, lambda: items, self.request,
            (self.path, form),
        )  # fmt: skip
