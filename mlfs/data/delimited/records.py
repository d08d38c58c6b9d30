"""The lines of a CSV file cut into records, with quotes as in RFC 4180."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from mlfs.data.labels.finding import first_duplicate
from mlfs.data.request import Limits, exceeded
from mlfs.errors import ParseError, UsageError, printable, setting

__all__ = [
    "DELIMITERS",
    "MISSING",
    "Header",
    "Quoted",
    "Record",
    "cell_column",
    "delimiter_name",
    "delimiter_of",
    "header_names",
    "is_number",
    "number_in",
    "number_of",
    "records",
]

MISSING = frozenset({"", "?", "NA", "NaN", "nan"})
DELIMITERS = {"comma": ",", "tab": "\t", "semicolon": ";", "bar": "|", "space": " "}
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
    """What a delimiter is called."""
    names = {character: name for name, character in DELIMITERS.items()}
    return names.get(delimiter, repr(delimiter))


class Quoted(str):
    """A cell that stood in quotes."""

    __slots__ = ()


Record = str | list[str]


def records(
    lines: list[str], separator: str, path: str, lines_before: int = 0
) -> Iterator[tuple[int, Record]]:
    """Cut the lines into records: a line without quotes as it is, one with quotes into cells.

    `lines_before` is the number of lines of the file before these.
    """
    i = 0
    while i < len(lines):
        line, number = lines[i], i + 1 + lines_before
        i += 1
        if '"' not in line:
            line = line.removesuffix("\r")
            if (line and not line.isspace()) or separator in line:
                yield number, line
            continue
        cells: list[str] = []
        position = 0
        while True:
            cell, position, line, i = _cell(lines, line, position, i, separator, path, lines_before)
            cells.append(cell)
            if position > len(line):
                break
        yield number, cells


def _cell(
    lines: list[str], line: str, position: int, i: int, separator: str, path: str, lines_before: int
) -> tuple[str, int, str, int]:
    """Read one cell from `position`; the place after it is beyond the line for the last cell."""
    start = position
    while line.startswith(" ", start):
        start += 1
    if not line.startswith('"', start):
        end = line.find(separator, position)
        end = len(line) if end < 0 else end
        cell = line[position:end]
        if '"' in cell:
            raise ParseError(
                f"a quote in the middle of the cell {printable(cell)!r}: quote the whole cell and "
                'double the quotes inside it, as "a ""b"" c"',
                path, i + lines_before, line.index('"', position) + 1,
            )  # fmt: skip
        return cell.removesuffix("\r") if end == len(line) else cell, end + 1, line, i
    opening = (i + lines_before, start + 1)
    pieces: list[str] = []
    position = start + 1
    while True:
        end = line.find('"', position)
        if end < 0:
            pieces.append(line[position:] + "\n")
            if i == len(lines):
                raise ParseError("this quote is never closed", path, *opening)
            line, position = lines[i], 0
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
    if after < len(line) and line[after] != separator:
        raise ParseError(
            f"{printable(line[after : after + 20])!r} follows a closing quote, where a "
            f"{delimiter_name(separator)} or the end of the line is expected",
            path, i + lines_before, after + 1,
        )  # fmt: skip
    return Quoted("".join(pieces)), after + 1, line, i


def cell_column(record: Record, j: int, separator: str) -> int | None:
    """The column of the line where cell j starts, if no quote moved it."""
    if not isinstance(record, str):
        return None
    return 1 + sum(len(cell) + 1 for cell in record.split(separator)[:j])


def header_names(record: Record, line: int, separator: str, limits: Limits, path: str) -> list[str]:
    """The names of the columns, all different, or an error that says what is wrong with them."""
    cells = record.split(separator) if isinstance(record, str) else record
    if len(cells) > limits.max_attributes:
        raise exceeded(limits, "max_attributes", len(cells), "columns", path, line)
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


def number_in(cell: str) -> float | None:
    """The number that a cell holds, NaN for a missing one; None for a text."""
    try:
        return number_of(cell)
    except ValueError:
        pass
    return math.nan if cell.strip() in MISSING else None


class Header(NamedTuple):
    """The names of the columns, and whether all of them are in quotes."""

    names: list[str]
    quoted: bool

    @classmethod
    def of(cls, line: bytes, path: str, limits: Limits, separator: str) -> Header | None:
        """Read the header line; None if it is not an ordinary one."""
        if len(line) > limits.max_line_bytes:
            return None
        try:
            number, record = next(records([line.decode()], separator, path))
            names = header_names(record, number, separator, limits, path)
        except (ParseError, UnicodeDecodeError, StopIteration):
            return None
        quoted = not isinstance(record, str) and all(isinstance(cell, Quoted) for cell in record)
        return cls(names, quoted)
