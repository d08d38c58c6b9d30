"""Read a large CSV or TSV file in pieces: the same answer as `csv_reader`, in little memory.

A piece is read by the kernel of `fast_cells`, or with care if it has quotes or anything odd. The
cells of a column of words are numbered in the order in which they come, over all pieces, and get
their places among the sorted values at the end. If a column turns out to hold words after pieces
in which it held numbers, the file is read once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mlfs._kernels import tokens as kernel
from mlfs.data.assemble import assemble
from mlfs.data.columns import nominal
from mlfs.data.dataset import Column, Dataset
from mlfs.data.delimited.csv_reader import BLOCK, Table, as_numbers, check_size
from mlfs.data.delimited.fast_cells import Cells, number_in
from mlfs.data.delimited.records import MISSING, Quoted, delimiter_of, header_names, records
from mlfs.data.files import UTF16, TextPieces, decoded, is_plain
from mlfs.data.labels.chosen import resolve
from mlfs.data.packed_table import PackedTable, Packer
from mlfs.data.request import Request
from mlfs.errors import ParseError

__all__ = ["read_pieces", "read_pieces_tsv"]

BOM = b"\xef\xbb\xbf"


def read_pieces(pieces: TextPieces, path: str, request: Request) -> Dataset | None:
    """Read a CSV file; None if it is one that has to be read whole."""
    return _read(pieces, path, request, ",", "csv")


def read_pieces_tsv(pieces: TextPieces, path: str, request: Request) -> Dataset | None:
    """Read a TSV file; None if it is one that has to be read whole."""
    return _read(pieces, path, request, "\t", "tsv")


class Header(NamedTuple):
    """The names of the columns, and whether all of them are in quotes."""

    names: list[str]
    quoted: bool

    @classmethod
    def of(cls, line: bytes, path: str, request: Request, separator: str) -> Header | None:
        """Read the header line; None if it is not an ordinary one."""
        if len(line) > request.limits.max_line_bytes:
            return None
        try:
            number, record = next(records([line.decode()], separator, path))
            names = header_names(record, number, separator, request.limits, path)
        except (ParseError, UnicodeDecodeError, StopIteration):
            return None
        quoted = not isinstance(record, str) and all(isinstance(cell, Quoted) for cell in record)
        return cls(names, quoted)


def _read(pieces: TextPieces, path: str, request: Request, usual: str, form: str) -> Dataset | None:
    separator = delimiter_of(request.delimiter) or usual
    if request.decimal != ".":
        return None
    if not is_plain(request.encoding) or not kernel.is_compiled():
        return None
    reader = _Reader.of(pieces, path, request, separator)
    if reader is None:
        return None
    chosen = resolve(reader.names, request, path)
    if chosen.lists:
        reader.wordy[chosen.columns[0]] = True
    table = reader.table()
    columns, meaning = reader.columns()
    if any(np.isinf(numbers).any() for numbers in meaning.values()):
        return None
    numbers = table.meaning(meaning)
    labels, none = set(chosen.columns), np.zeros(0)
    cells = [(kind, numbers.column(j) if j in labels else none) for j, kind in enumerate(columns)]

    def texts(j: int) -> list[str | None]:
        known = [word.item for word in reader.words[j].words]
        return [known[place] for place in table.column(j).astype(np.int64).tolist()]

    source = (path, form)
    return assemble(cells, reader.names, chosen, texts, request, source, table=numbers)


class Word(NamedTuple):
    """What a cell means: a value of a nominal column, a number (None: neither), a list."""

    value: str | None
    number: float | None
    item: str | None

    @classmethod
    def of(cls, cell: str, *, quoted_header: bool) -> Word:
        """What a cell of a column of words means."""
        text = cell.strip()
        if isinstance(cell, Quoted):
            value = str(cell) if cell or not quoted_header else None
        else:
            value = None if text in MISSING else text
        return cls(value, number_in(str(cell)), None if text and text in MISSING else text)


@dataclass
class Words:
    """The different cells of a column, numbered as they come."""

    quoted_header: bool
    place: dict[tuple[str, bool], int] = field(default_factory=dict)
    words: list[Word] = field(default_factory=list)

    def number(self, cell: str) -> int:
        """The number of a cell."""
        key = str(cell), isinstance(cell, Quoted)
        place = self.place.setdefault(key, len(self.words))
        if place == len(self.words):
            self.words.append(Word.of(cell, quoted_header=self.quoted_header))
        return place

    def column(self, name: str) -> tuple[Column, np.ndarray]:
        """The column, and the number in it for each word."""
        numbers = [word.number for word in self.words]
        if None in numbers:
            return nominal(name, [word.value for word in self.words])
        return Column(name), np.array(numbers, np.float64)


class _Reader:
    """Reads the pieces of a file, as often as it takes to know which columns hold words."""

    def __init__(
        self, pieces: TextPieces, path: str, request: Request, separator: str, header: Header
    ) -> None:
        self.pieces, self.path, self.request = pieces, path, request
        self.separator, self.names, self.quoted_header = separator, header.names, header.quoted
        self.wordy = np.zeros(len(self.names), np.bool_)
        self.words: list[Words] = []
        self.infinite: dict[int, ParseError] = {}

    @classmethod
    def of(cls, pieces: TextPieces, path: str, request: Request, separator: str) -> _Reader | None:
        """A reader of a file with an ordinary header, else None."""
        first = next(iter(pieces), b"")
        if first.startswith(UTF16) or first.removeprefix(BOM).startswith(BOM):
            return None
        line, end, _ = first.removeprefix(BOM).partition(b"\n")
        header = Header.of(line, path, request, separator) if end else None
        if header is None:
            if line.strip() and b'"' not in line:  # else the header is, or goes on, further down
                Table(line + end, path, request, separator)  # says what is wrong with it
            return None
        return cls(pieces, path, request, separator, header)

    def columns(self) -> tuple[list[Column], dict[int, np.ndarray]]:
        """The columns, and what the numbers of those of words mean."""
        columns, meaning = [Column(name) for name in self.names], {}
        for j in np.flatnonzero(self.wordy).tolist():
            columns[j], meaning[j] = self.words[j].column(self.names[j])
        return columns, meaning

    def table(self) -> PackedTable:
        """Read all rows."""
        packed = None
        while packed is None:
            packed = self._read()
        if self.infinite:
            raise self.infinite[min(self.infinite)]
        return packed

    def _read(self) -> PackedTable | None:
        """Read the file once; None if a column has words of which the first pieces are lost."""
        packer, n_rows, lost = Packer(self.request.max_memory), 0, False
        self.words = [Words(self.quoted_header) for _ in self.names]
        self.infinite.clear()
        limits, texts = self.request.limits, self._texts()
        for text, before in texts:
            known = self.wordy.copy()
            values = self._values(text, before)
            while (known != self.wordy).any():
                lost |= n_rows > 0
                known = self.wordy.copy()
                values = self._values(text, before)
            n_rows += len(values)
            if n_rows > min(limits.max_rows, limits.max_cells // len(self.names)):
                rest = sum(
                    not line.isspace() for text, _ in texts for line in text.splitlines(True)
                )
                check_size(n_rows + rest, len(self.names), limits, self.path)
            if not lost:
                packer.add(values)
        if not n_rows:
            raise ParseError("there is a header and no row of data", self.path)
        self.infinite = {j: error for j, error in self.infinite.items() if not self.wordy[j]}
        return None if lost else packer.finish()

    def _texts(self) -> Iterator[tuple[bytes, int]]:
        """The rows of each piece and the number of lines before; no quote is open at its end."""
        held: list[bytes] = []
        before, start, is_open = 0, True, False
        for piece in self.pieces:
            held.append(piece)
            is_open ^= bool(piece.count(b'"') % 2)
            if is_open:
                continue
            text = b"".join(held)
            held, lines = [], text.count(b"\n")
            if start:
                text = text.removeprefix(BOM).partition(b"\n")[2]
            yield text, before + start
            before, start = before + lines, False
        if held:
            text = b"".join(held)
            yield (text.removeprefix(BOM).partition(b"\n")[2] if start else text), before + start

    def _values(self, text: bytes, before: int) -> np.ndarray:
        """The numbers of a piece, or those of its words; notes which columns turn out wordy."""
        plain = text.replace(b"\r\n", b"\n") if b"\r" in text else text
        if b'"' in plain or b"\r" in plain:
            return self._with_care(text, before)
        if not plain.isascii():
            decoded(plain, self.path, "utf-8", before)
        cells = Cells(plain, 0, self.names, self.request, self.separator)
        cells.wordy = self.wordy
        if cells.read(len(plain) + 1) != kernel.DONE:
            return self._with_care(text, before)
        values = cells.values[: cells.counts[0]]
        place = np.empty(int(cells.counts[2]), np.int64)
        for j in np.flatnonzero(self.wordy).tolist():
            own, words = cells.words_of(j)
            if own.size:
                place[own] = [self.words[j].number(word) for word in words]
                values[:, j] = place[values[:, j].astype(np.int64)]
        return values

    def _with_care(self, text: bytes, before: int) -> np.ndarray:
        table = Table(text, self.path, self.request, self.separator, self.names, before)
        n = len(table.records)
        values = np.zeros((n, len(self.names)))
        for start in range(0, n, BLOCK):
            stop = min(n, start + BLOCK)
            for j, cells in enumerate(zip(*table.block(start, stop), strict=True)):
                found = None if self.wordy[j] else as_numbers(cells, table.plain)
                if found is None:
                    self.wordy[j] = True
                    found = [self.words[j].number(cell) for cell in cells]
                elif np.isinf(found).any() and j not in self.infinite:
                    i = start + int(np.flatnonzero(np.isinf(found))[0])
                    self.infinite[j] = table.infinite(i, j)
                values[start:stop, j] = found
        return values
