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
    "delimiter_of",
    "header_names",
    "is_number",
    "named",
    "number_in",
    "number_of",
    "place",
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
    found = "\t" if text == "\\t" else DELIMITERS.get(text.lower(), text)
    if len(found) > 1 or not found.isascii() or found.isalnum() or found in INSIDE:
        known = ", ".join(DELIMITERS)
        msg = (
            f"is one character that no number is written with, or {known}; not {printable(text)!r}"
        )
        raise UsageError(msg, option="delimiter")
    return found


def named(delimiter: str) -> str:
    """What a delimiter is called."""
    return next((name for name, one in DELIMITERS.items() if one == delimiter), repr(delimiter))


class Quoted(str):
    """A cell that stood in quotes."""

    __slots__ = ()


Record = str | list[str]


def records(
    lines: list[str], separator: str, path: str, before: int = 0
) -> Iterator[tuple[int, Record]]:
    """Cut the lines into records: a line without quotes as it is, one with quotes into cells.

    `before` is the number of lines of the file before these.
    """
    i = 0
    while i < len(lines):
        line, first = lines[i], i + 1 + before
        i += 1
        if '"' not in line:
            line = line.removesuffix("\r")
            if (line and not line.isspace()) or separator in line:
                yield first, line
            continue
        cells: list[str] = []
        at = 0
        while True:
            cell, at, line, i = _cell(lines, line, at, i, separator, path, before)
            cells.append(cell)
            if at > len(line):
                break
        yield first, cells


def _cell(
    lines: list[str], line: str, at: int, i: int, separator: str, path: str, before: int
) -> tuple[str, int, str, int]:
    """One cell that starts at `at`, and the place after it: beyond the line if it is the last."""
    start = at
    while line.startswith(" ", start):
        start += 1
    if not line.startswith('"', start):
        end = line.find(separator, at)
        end = len(line) if end < 0 else end
        cell = line[at:end]
        if '"' in cell:
            raise ParseError(
                f"a quote in the middle of the cell {printable(cell)!r}: quote the whole cell and "
                'double the quotes inside it, as "a ""b"" c"',
                path, i + before, line.index('"', at) + 1,
            )  # fmt: skip
        return cell.removesuffix("\r") if end == len(line) else cell, end + 1, line, i
    opened = (i + before, start + 1)
    parts: list[str] = []
    at = start + 1
    while True:
        end = line.find('"', at)
        if end < 0:
            parts.append(line[at:] + "\n")
            if i == len(lines):
                raise ParseError("this quote is never closed", path, *opened)
            line, at = lines[i], 0
            i += 1
        elif line.startswith('"', end + 1):
            parts.append(line[at : end + 1])
            at = end + 2
        else:
            parts.append(line[at:end])
            break
    rest = end + 1
    while line.startswith((" ", "\r"), rest):
        rest += 1
    if rest < len(line) and line[rest] != separator:
        raise ParseError(
            f"{printable(line[rest : rest + 20])!r} follows a closing quote, where a "
            f"{named(separator)} or the end of the line is expected", path, i + before, rest + 1,
        )  # fmt: skip
    return Quoted("".join(parts)), rest + 1, line, i


def place(record: Record, j: int, separator: str) -> int | None:
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
                "index=False there)", path, line, place(record, j, separator),
            )  # fmt: skip
    duplicate = first_duplicate(names)
    if duplicate is not None:
        at = [j for j, name in enumerate(names) if name == duplicate][1]
        raise ParseError(
            f"two columns are named {printable(duplicate)!r}; rename one",
            path, line, place(record, at, separator),
        )  # fmt: skip
    return [str(name) for name in names]


def _refuse_separator(header: str, line: int, separator: str, path: str) -> None:
    for other in (",", "\t", ";", "|"):
        if other in header and other != separator:
            remedy = f"say {setting('delimiter', named(other))}"
            raise ParseError(
                f"the header holds no {named(separator)} and {header.count(other)} times "
                f"{other!r}, so the cells seem to be separated by a {named(other)}; {remedy}",
                path, line, header.index(other) + 1,
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
