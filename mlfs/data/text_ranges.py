"""Ranges of the bytes of a text file, which several processes can read separately.

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

__all__ = ["Range", "RangeContext", "RangeRows", "TextRanges", "first_entry"]


class RangeContext(NamedTuple):
    """What precedes a range of a file, and why it is read.

    Parameters
    ----------
    first : int
        The number of its first piece.
    rows, lines : int
        The rows and lines that precede it; 0 and 1 where they are not known.
    is_start : bool
        Whether no lines precede it.
    is_all : bool
        Whether the range is the whole file.
    is_end : bool
        Whether the file ends with the range.
    is_repeat : bool
        Whether the range is read again to raise its error: its rows need not be kept.
    """

    first: int = 0
    rows: int = 0
    lines: int = 0
    is_start: bool = True
    is_all: bool = True
    is_end: bool = True
    is_repeat: bool = False


@dataclass(frozen=True)
class Range:
    """Which pieces were read, and what is known of them.

    Parameters
    ----------
    first, last : int
        The first piece and the one after the last.
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
    context : RangeContext
        What precedes the range.

    Attributes
    ----------
    n_rows, n_lines : int
        How many were read.
    end : int, optional
        The piece after the last one that was read, if that is not the end of the range.
    """

    end: int | None = None

    def __init__(self, context: RangeContext) -> None:
        self.context = context
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
        The options of the reader.
    """

    def __init__(self, pieces: TextPieces, path: str, request: Request) -> None:
        self.pieces, self.path, self.request = pieces, path, request
        self.state = FileState.of(pieces.path)
        self.sizes = pieces.sizes

    @abstractmethod
    def rows(self, context: RangeContext) -> RangeRows:
        """A new collector of the rows of a range."""

    @abstractmethod
    def combine_ranges(self, ranges: Sequence[Range]) -> Any:
        """What the columns and labels of all ranges are."""

    def read(self, first: int, last: int) -> RangeRows:
        """Read some pieces."""
        self.state.check()
        n = len(self)
        is_all, is_end = (first, last) == (0, n), last == n
        first, last = self.cut(first), last if is_end else self.cut(last)
        is_start = first == 0 or self.pieces.begins_file(first)
        rows = self.rows(RangeContext(first, 0, 0 if is_start else 1, is_start, is_all, is_end))
        has_error, summary = self._read(rows, last)
        last = last if rows.end is None else rows.end
        rows.summary = Range(first, last, rows.n_rows, rows.n_lines, has_error, summary)
        return rows

    def cut(self, piece: int) -> int:
        """The piece, or the nearest one before it at which the file can be cut."""
        return piece

    def _read(self, rows: RangeRows, last: int) -> tuple[bool, Any]:
        """Read a range: whether it has an error at an unknown place, and its summary."""
        is_start, texts = rows.context.is_start, self.pieces.read_between(rows.context.first, last)
        is_first = is_start
        while True:
            k, text = next(texts, (last, None))  # what this raises is about the file itself
            try:
                if text is None:
                    return False, rows.finish()
                rows.add(text.removeprefix(BOM) if is_first else text, k)
            except DataError as error:
                if is_start or rows.context.is_repeat or error.option:
                    raise
                return True, rows.after_error(texts)
            is_first = False

    def combine(self, ranges: Sequence[Range]) -> Any:
        """What the columns and labels are; the first error of the file is raised."""
        rows = lines = 0
        for part in ranges:
            if part.has_error or (rows and self.is_too_long(rows + part.n_rows)):
                context = RangeContext(
                    part.first, rows, lines, is_start=False, is_all=False, is_repeat=True
                )
                self._raise_again(context)
            rows, lines = rows + part.n_rows, lines + part.n_lines
        return self.combine_ranges(ranges)

    def is_too_long(self, n_rows: int) -> bool:
        """Whether a table of so many rows passes a limit."""
        return n_rows > self.request.limits.max_rows

    def _raise_again(self, context: RangeContext) -> None:
        self._read(self.rows(context), len(self))
        raise DataError(f"{printable(self.path, 400)}: the file changed while it was read")


def first_entry(ranges: Sequence[Range], name: str) -> tuple[Any, int] | None:
    """The first entry of a field of the summaries, and its line in the file, if there is one.

    A range counts its own lines.
    """
    lines = 0
    for part in ranges:
        entry: tuple[Any, int] | None = getattr(part.summary, name)
        if entry is not None:
            return entry[0], lines + entry[1]
        lines += part.n_lines
    return None
