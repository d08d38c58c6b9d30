"""Lines of a CSV file cut into records, with quotes as in RFC 4180, and what cells mean."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mlfs.data.columns import EXACT, ROUNDED, is_rounded
from mlfs.data.dataset import Column
from mlfs.data.labels.finding import first_duplicate
from mlfs.data.request import MISSING
from mlfs.errors import ParseError, UsageError, printable, setting

DELIMITERS = {"comma": ",", "tab": "\t", "semicolon": ";", "bar": "|", "space": " "}
SWAP = {ord(","): ".", ord("."): ","}
INSIDE = frozenset("\"'\r\n.+-_?")  # what a number, a quote or a missing value is written with


def delimiter_of(text: str) -> str:
    r"""The character between cells that a user means by its name or by itself; empty stays so.

    Examples
    --------
    >>> delimiter_of("semicolon"), delimiter_of("\\t"), delimiter_of(";")
    (';', '\t', ';')
    """
    delimiter = "\t" if text == "\\t" else DELIMITERS.get(text.lower(), text)
    if len(delimiter) > 1 or not delimiter.isascii() or delimiter.isalnum() or delimiter in INSIDE:
        names = ", ".join(DELIMITERS)
        msg = (
            f"is one character that no number is written with, or {names}; not {printable(text)!r}"
        )
        raise UsageError(msg, option="delimiter")
    return delimiter


def delimiter_name(delimiter: str) -> str:
    """The name of a delimiter."""
    names = {character: name for name, character in DELIMITERS.items()}
    return names.get(delimiter, repr(delimiter))


class Quoted(str):
    """A cell that stood in quotes."""

    __slots__ = ()


Record = str | list[str]


class Lines(NamedTuple):
    """The lines of a piece of text, which are cut into records.

    `before` counts the lines of the file before these, and `fault` is what is wrong with the one
    after them, if anything is.
    """

    lines: list[str]
    separator: str
    path: str
    before: int
    fault: ParseError | None

    def record(self, i: int) -> tuple[Record | None, int]:
        """Read the record that starts in line i, and find the line after it.

        A line without quotes is left as it is, one with quotes is cut into cells; a blank line is
        no record.
        """
        line = self.lines[i]
        i += 1
        record: Record | None
        if '"' not in line:
            record = line.removesuffix("\r")
            if not record.strip() and self.separator not in record:
                record = None
        else:
            record, position = [], 0
            while position <= len(line):
                cell, position, line, i = self._cell(line, position, i)
                record.append(cell)
        return record, i

    def _cell(self, line: str, position: int, i: int) -> tuple[str, int, str, int]:
        """Read one cell from `position`; the place after the last one is beyond the line."""
        start = position
        while line.startswith(" ", start):
            start += 1
        if not line.startswith('"', start):
            end = line.find(self.separator, position)
            end = len(line) if end < 0 else end
            cell = line[position:end]
            if '"' in cell:
                raise ParseError(
                    f"a quote in the middle of the cell {printable(cell)!r}: quote the whole cell "
                    'and double the quotes inside it, as "a ""b"" c"',
                    self.path, i + self.before, line.index('"', position) + 1,
                )  # fmt: skip
            return cell.removesuffix("\r") if end == len(line) else cell, end + 1, line, i
        opening = (i + self.before, start + 1)
        pieces: list[str] = []
        position = start + 1
        while True:
            end = line.find('"', position)
            if end < 0:
                pieces.append(line[position:] + "\n")
                if i == len(self.lines):
                    raise self.fault or ParseError(
                        "this quote is never closed", self.path, *opening
                    )
                line, position = self.lines[i], 0
                i += 1
            elif line.startswith('"', end + 1):
                pieces.append(line[position : end + 1])
                position = end + 2
            else:
                pieces.append(line[position:end])
                break
        after = end + 1
        while line.startswith((" ", "\r"), after):
            after += 1
        if after < len(line) and line[after] != self.separator:
            raise ParseError(
                f"{printable(line[after : after + 20])!r} follows a closing quote, where a "
                f"{delimiter_name(self.separator)} or the end of the line is expected",
                self.path, i + self.before, after + 1,
            )  # fmt: skip
        return Quoted("".join(pieces)), after + 1, line, i


def cell_column(record: Record, j: int, separator: str) -> int | None:
    """The column of the line where cell j starts, if no quote moved it."""
    if not isinstance(record, str):
        return None
    return 1 + sum(len(cell) + 1 for cell in record.split(separator)[:j])


def header_names(record: Record, line: int, separator: str, path: str) -> list[str]:
    """The names of the columns, all different, or an error that says what is wrong with them."""
    cells = record.split(separator) if isinstance(record, str) else record
    if all(not isinstance(cell, Quoted) and is_number(cell) for cell in cells):
        raise ParseError(
            "the first line holds only numbers, and a header line of column names is expected; "
            "put one before it, for example x1,x2,...,y1",
            path, line, 1,
        )  # fmt: skip
    if len(cells) == 1 and not isinstance(cells[0], Quoted):
        _refuse_separator(cells[0], line, separator, path)
    names = [cell if isinstance(cell, Quoted) else cell.strip() for cell in cells]
    for j, name in enumerate(names):
        if not name:
            raise ParseError(
                f"column {j + 1} has no name in the header (an index that pandas wrote? say "
                "index=False there)", path, line, cell_column(record, j, separator),
            )  # fmt: skip
    duplicate = first_duplicate(names)
    if duplicate is not None:
        repeated = [j for j, name in enumerate(names) if name == duplicate][1]
        raise ParseError(
            f"two columns are named {printable(duplicate)!r}; rename one",
            path, line, cell_column(record, repeated, separator),
        )  # fmt: skip
    return [str(name) for name in names]


def _refuse_separator(header: str, line: int, separator: str, path: str) -> None:
    for mark in (",", "\t", ";", "|"):
        if mark in header and mark != separator:
            remedy = f"say {setting('delimiter', delimiter_name(mark))}"
            raise ParseError(
                f"the header holds no {delimiter_name(separator)} and {header.count(mark)} times "
                f"{mark!r}, so the cells seem to be separated by a {delimiter_name(mark)}; "
                f"{remedy}",
                path, line, header.index(mark) + 1,
            )  # fmt: skip


def is_number(cell: str) -> bool:
    """Whether a cell is a number or missing."""
    try:
        number_of(cell)
    except ValueError:
        return cell.strip() in MISSING
    return True


def number_of(cell: str) -> float:
    """Read a number in ASCII digits; float() takes those of every script, and underscores.

    Examples
    --------
    >>> number_of(" 1e3")
    1000.0
    """
    if "_" in cell or not cell.strip().isascii():
        raise ValueError
    return float(cell)


def number_in(cell: str, *, comma: bool = False, missing: frozenset[str] = MISSING) -> float | None:
    """The number that a cell holds, NaN for a missing one; None for a text.

    Examples
    --------
    >>> number_in("1,5", comma=True), number_in("1.5", comma=True), number_in("?")
    (1.5, None, nan)
    """
    if cell.strip() in missing:
        return math.nan
    try:
        return number_of(cell.translate(SWAP) if comma else cell)
    except ValueError:
        return None


def fault_of(cell: str, number: float | None) -> str:
    """The fault of a number that a float does not hold; empty if nothing is."""
    if number is None or abs(number) < EXACT or math.isnan(number):
        return ""
    if math.isinf(number):
        return "which is infinite or beyond a 64-bit float; leave the cell empty if it is missing"
    return ROUNDED if is_rounded(cell, number) else ""


class Word(NamedTuple):
    """The meaning of a cell: a value of a nominal column, a number (None: neither), a list.

    `fault` is what is wrong with the number.
    """

    value: str | None
    number: float | None
    item: str | None
    fault: str


@dataclass
class Words:
    """The different cells of a column, numbered as they come and coded at the end.

    Parameters
    ----------
    quoted_header : bool
        Whether the file quotes its header, so that an empty cell in quotes is missing.
    comma : bool
        Whether numbers have a decimal comma.
    missing : frozenset of str
        The words that stand for a missing value.
    """

    quoted_header: bool
    comma: bool
    missing: frozenset[str] = MISSING
    words: list[Word] = field(default_factory=list)
    has_fault: bool = False
    _places: dict[tuple[str, bool], int] = field(default_factory=dict)

    def number(self, cell: str) -> int:
        """The number of a cell."""
        place = self._places.setdefault((str(cell), isinstance(cell, Quoted)), len(self.words))
        if place == len(self.words):
            word = self._word(cell)
            self.words.append(word)
            self.has_fault |= bool(word.fault)
        return place

    def _word(self, cell: str) -> Word:
        text = cell.strip()
        if isinstance(cell, Quoted):
            value = str(cell) if cell or not self.quoted_header else None
        else:
            value = None if text in self.missing else text
        item = None if text and text in self.missing else text
        number = number_in(str(cell), comma=self.comma, missing=self.missing)
        return Word(value, number, item, fault_of(cell, number))

    def column(self, name: str, *, of_labels: bool = False) -> Column:
        """The column that holds these words; keys that no float holds are text, but for labels."""
        is_rounded = not of_labels and any(word.fault == ROUNDED for word in self.words)
        if not is_rounded and all(word.number is not None for word in self.words):
            return Column(name)
        values = sorted({word.value for word in self.words if word.value is not None})
        return Column(name, "nominal", tuple(values))

    def codes(self, column: Column) -> np.ndarray:
        """The meaning of each word in the column."""
        if column.kind == "numeric":
            return np.array([word.number for word in self.words], np.float64)
        place: dict[str | None, float] = {value: float(k) for k, value in enumerate(column.values)}
        place[None] = math.nan
        return np.array([place[word.value] for word in self.words])
