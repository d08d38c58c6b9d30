"""Ranges of the bytes of a text file: the pieces in which one process reads it, read apart.

The whole file is read as one range (`TextRanges.dataset`), so there is one way to read.
A range that does not begin the file knows neither its first line nor the rows before. If it meets
an error, or if all ranges together pass a limit, the range is read again with both known, so that
the error is that of the whole file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mlfs.data.files import BOM, TextPieces
from mlfs.data.piecewise import FilePieces, FileState, ReadRows
from mlfs.data.request import Request
from mlfs.errors import DataError, printable

__all__ = ["Before", "Range", "RangeRows", "TextRanges", "first_place"]


class Before(NamedTuple):
    """What precedes a range of a file.

    Parameters
    ----------
    first : int
        The number of its first piece.
    rows, lines : int
        The rows and lines of the file before; 0 and 1 where they are not known.
    is_start : bool
        Whether there are none.
    is_all : bool
        Whether the range is the whole file.
    is_end : bool
        Whether the file ends with the range.
    is_again : bool
        Whether the range is read for the sake of an error: its rows need not be kept.
    """

    first: int = 0
    rows: int = 0
    lines: int = 0
    is_start: bool = True
    is_all: bool = True
    is_end: bool = True
    is_again: bool = False


@dataclass(frozen=True)
class Range:
    """Which pieces were read, and what is known of them.

    Parameters
    ----------
    first, last : int
        The first piece and the one behind the last.
    n_rows, n_lines : int
        Their rows and lines, if they could be read.
    has_error : bool
        Whether they could not.
    summary : object
        What the format needs to know.
    """

    first: int
    last: int
    n_rows: int
    n_lines: int
    has_error: bool
    summary: Any


class RangeRows(ReadRows):
    """The rows of a range.

    Parameters
    ----------
    before : Before
        What precedes the range.

    Attributes
    ----------
    n_rows, n_lines : int
        How many were read.
    end : int, optional
        The piece behind the last one that was read, if that is not the end of the range.
    """

    end: int | None = None

    def __init__(self, before: Before) -> None:
        self.before = before
        self.n_rows = self.n_lines = 0

    @abstractmethod
    def add(self, text: bytes, piece: int) -> None:
        """Read the lines of a piece."""

    @abstractmethod
    def finish(self) -> Any:
        """Read what is left, and return what the format needs to know of the rows."""

    def after_error(self, texts: Iterator[tuple[int, bytes]]) -> Any:  # noqa: ARG002  # some need it
        """What the format needs to know of the rows if not all of them could be read."""
        return None


class TextRanges(FilePieces, ABC):
    """The pieces of a text file.

    Parameters
    ----------
    pieces : TextPieces
        The file.
    path : str
        What the user calls it.
    request : Request
        What was asked for.
    """

    def __init__(self, pieces: TextPieces, path: str, request: Request) -> None:
        self.pieces, self.path, self.request = pieces, path, request
        self.state = FileState.of(pieces.path)
        self.sizes = pieces.sizes

    @abstractmethod
    def rows(self, before: Before) -> RangeRows:
        """Where the rows of a range are collected."""

    @abstractmethod
    def agree(self, ranges: Sequence[Range]) -> Any:
        """What the columns and labels of all ranges are."""

    def read(self, first: int, last: int) -> RangeRows:
        """Read some pieces."""
        self.state.check()
        n = len(self)
        is_all, is_end = (first, last) == (0, n), last == n
        first, last = self.cut(first), last if is_end else self.cut(last)
        is_start = first == 0 or self.pieces.begins_file(first)
        rows = self.rows(Before(first, 0, 0 if is_start else 1, is_start, is_all, is_end))
        has_error, summary = self._read(rows, last)
        last = last if rows.end is None else rows.end
        rows.summary = Range(first, last, rows.n_rows, rows.n_lines, has_error, summary)
        return rows

    def cut(self, piece: int) -> int:
        """The piece, or the nearest one before it at which the file can be cut."""
        return piece

    def _read(self, rows: RangeRows, last: int) -> tuple[bool, Any]:
        """Read a range: whether it has an error at an unknown place, and its summary."""
        is_start, texts = rows.before.is_start, self.pieces.between(rows.before.first, last)
        is_first = is_start
        while True:
            k, text = next(texts, (last, None))  # what this raises is about the file itself
            try:
                if text is None:
                    return False, rows.finish()
                rows.add(text.removeprefix(BOM) if is_first else text, k)
            except DataError as error:
                if is_start or rows.before.is_again or error.option:
                    raise
                return True, rows.after_error(texts)
            is_first = False

    def agreed(self, ranges: Sequence[Range]) -> Any:
        """What the columns and labels are; the first error of the file is raised."""
        rows = lines = 0
        for part in ranges:
            if part.has_error or (rows and self.is_too_long(rows + part.n_rows)):
                before = Before(
                    part.first, rows, lines, is_start=False, is_all=False, is_again=True
                )
                self._raise_again(before)
            rows, lines = rows + part.n_rows, lines + part.n_lines
        return self.agree(ranges)

    def is_too_long(self, n_rows: int) -> bool:
        """Whether a table of so many rows passes a limit."""
        return n_rows > self.request.limits.max_rows

    def _raise_again(self, before: Before) -> None:
        self._read(self.rows(before), len(self))
        raise DataError(f"{printable(self.path, 400)}: the file changed while it was read")


def first_place(ranges: Sequence[Range], name: str) -> tuple[Any, int] | None:
    """The first entry of a field of the summaries, and its line in the file, if there is one.

    A range counts its own lines.
    """
    lines = 0
    for part in ranges:
        finding: tuple[Any, int] | None = getattr(part.summary, name)
        if finding is not None:
            return finding[0], lines + finding[1]
        lines += part.n_lines
    return None
