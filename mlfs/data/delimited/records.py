"""The lines of a CSV file cut into records, with quotes as in RFC 4180."""

from __future__ import annotations

from collections.abc import Iterator

from mlfs.errors import ParseError, printable

__all__ = ["MISSING", "NAMES", "Quoted", "Record", "is_number", "records"]

MISSING = frozenset({"", "?", "NA", "NaN", "nan"})
NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}


class Quoted(str):
    """A cell that stood in quotes."""

    __slots__ = ()


Record = str | list[str]


def records(lines: list[str], separator: str, path: str) -> Iterator[tuple[int, Record]]:
    """Cut the lines into records: a line without quotes as it is, one with quotes into cells."""
    i = 0
    while i < len(lines):
        line, first = lines[i], i + 1
        i += 1
        if '"' not in line:
            line = line.removesuffix("\r")
            if (line and not line.isspace()) or separator in line:
                yield first, line
            continue
        cells: list[str] = []
        at = 0
        while True:
            cell, at, line, i = _cell(lines, line, at, i, separator, path)
            cells.append(cell)
            if at > len(line):
                break
        yield first, cells


def _cell(
    lines: list[str], line: str, at: int, i: int, separator: str, path: str
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
                'double the quotes inside it, as "a ""b"" c"', path, i, line.index('"', at) + 1,
            )  # fmt: skip
        return cell.removesuffix("\r") if end == len(line) else cell, end + 1, line, i
    opened = (i, start + 1)
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
            f"{NAMES[separator]} or the end of the line is expected", path, i, rest + 1,
        )  # fmt: skip
    return Quoted("".join(parts)), rest + 1, line, i


def is_number(cell: str) -> bool:
    """Whether a cell is a number or missing."""
    try:
        float(cell)
    except ValueError:
        return cell.strip() in MISSING
    return True
