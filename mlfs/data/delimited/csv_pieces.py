"""Read a large CSV or TSV file in pieces: the same answer as `csv_reader`, in little memory.

A piece is read by the kernel of `fast_cells`, or with care if it has quotes or anything odd. The
cells of a column of words are numbered in the order in which they come, over all pieces, and get
their places among the sorted values of the whole file at the end. If a column turns out to hold
words after pieces in which it held numbers, the range of pieces is read once more.

A piece that ends inside of quotes is read together with the next one. Where that is so, only all
ranges together know: a range that began inside of quotes is read again.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from mlfs._kernels import tokens as kernel
from mlfs.data.delimited.csv_reader import Table
from mlfs.data.delimited.csv_rows import Common, Rows, Summary
from mlfs.data.delimited.numbered_words import WordSummary
from mlfs.data.delimited.records import Header, delimiter_of
from mlfs.data.files import BOM, UTF16, TextPieces, is_plain
from mlfs.data.labels.finding import resolve
from mlfs.data.piecewise import ReadRows
from mlfs.data.request import Request
from mlfs.data.text_ranges import Range, RangeContext, RangeRows, TextRanges
from mlfs.errors import ParseError

__all__ = ["open_ranges", "open_ranges_tsv"]


def open_ranges(pieces: TextPieces, path: str, request: Request) -> CsvRanges | None:
    """Open a CSV file; None if it is one that has to be read whole."""
    return _open(pieces, path, request, ",", "csv")


def open_ranges_tsv(pieces: TextPieces, path: str, request: Request) -> CsvRanges | None:
    """Open a TSV file; None if it is one that has to be read whole."""
    return _open(pieces, path, request, "\t", "tsv")


def _open(
    pieces: TextPieces, path: str, request: Request, usual: str, form: str
) -> CsvRanges | None:
    separator = delimiter_of(request.delimiter) or usual
    if request.decimal != ".":
        return None
    if not is_plain(request.encoding) or not kernel.is_compiled():
        return None
    text = pieces.start()
    if text.startswith((*UTF16, BOM)):
        return None
    line, end, _ = text.partition(b"\n")
    header = Header.of(line, path, request.limits, separator) if end else None
    if header is None:
        if line.strip() and b'"' not in line:  # else the header is, or goes on, further down
            Table(line + end, path, request, separator)  # says what is wrong with it
        return None
    return CsvRanges(pieces, path, request, separator, form, header)


class CsvRanges(TextRanges):
    """The pieces of a CSV or TSV file.

    Attributes
    ----------
    label_columns : LabelPositions
        Which columns are labels.
    wordy : ndarray of bool
        Which columns are known to hold words.
    quoted_pieces : frozenset of int, optional
        The pieces that begin inside of quotes, once that is known.
    """

    def __init__(
        self,
        pieces: TextPieces,
        path: str,
        request: Request,
        separator: str,
        form: str,
        header: Header,
    ) -> None:
        super().__init__(pieces, path, request)
        self.separator, self.form, self.header = separator, form, header
        self.label_columns = resolve(header.names, request, path)
        self.wordy = np.zeros(len(header.names), np.bool_)
        if self.label_columns.lists:
            self.wordy[self.label_columns.columns[0]] = True
        self.quoted_pieces: frozenset[int] | None = None

    @cached_property
    def header(self) -> Header:
        """The header, which is read with any part of the file."""
        line = self.pieces.start().partition(b"\n")[0]
        header = Header.of(line, self.path, self.request.limits, self.separator)
        assert header is not None
        return header

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "header"}

    def cut(self, piece: int) -> int:
        """The piece, or the last one before that does not begin inside of quotes."""
        while self.quoted_pieces and piece in self.quoted_pieces:
            piece -= 1
        return piece

    def rows(self, context: RangeContext) -> Rows:
        """A new collector of the rows of a range."""
        return Rows(self, context)

    def read(self, first: int, last: int) -> RangeRows:
        """Read some pieces; twice if columns turn out to hold words."""
        rows = super().read(first, last)
        assert isinstance(rows, Rows)
        return self._with_fields(wordy=rows.wordy).read(first, last) if rows.must_reread else rows

    def _with_fields(self, **fields: Any) -> CsvRanges:
        changed = copy.copy(self)
        vars(changed).update(fields)
        return changed

    def is_too_long(self, n_rows: int) -> bool:
        """Whether a table of so many rows passes a limit."""
        limits = self.request.limits
        return n_rows > min(limits.max_rows, limits.max_cells // len(self.header.names))

    def refine(self, ranges: Sequence[Range]) -> CsvRanges:
        """The pieces knowing which begin inside of quotes, and which columns hold words."""
        summaries: list[Summary] = [part.summary for part in ranges]
        if self.quoted_pieces is None:
            odd_pieces = {piece for summary in summaries for piece in summary.odd_pieces}
            flips = accumulate((k in odd_pieces for k in range(len(self))), lambda a, b: a != b)
            quoted_pieces = frozenset(
                k for k, is_open in enumerate(flips, 1) if is_open and k < len(self)
            )
            starts = {part.first for part in ranges}
            if quoted_pieces & starts or any(summary.gave_up for summary in summaries):
                return self._with_fields(quoted_pieces=quoted_pieces)
        if any(part.has_error for part in ranges):
            return self
        wordy = np.logical_or.reduce([summary.wordy for summary in summaries])
        if any((summary.wordy != wordy).any() for summary in summaries):
            return self._with_fields(wordy=wordy)
        return self

    def accepts(self, rows: ReadRows) -> bool:
        """Whether rows that were read before need not be read again."""
        assert isinstance(rows, Rows)
        part: Range = rows.summary
        is_here = (part.first, part.last) == (self.cut(part.first), self.cut(part.last))
        if part.summary.gave_up or not is_here:
            return False
        return part.has_error or not (self.wordy & ~rows.wordy).any()

    def combine_ranges(self, ranges: Sequence[Range]) -> Common:
        """What the columns and labels of all ranges are."""
        n_rows = sum(part.n_rows for part in ranges)
        if not n_rows:
            raise ParseError("there is a header and no row of data", self.path)
        summaries: list[Summary] = [part.summary for part in ranges]
        lines = list(accumulate((part.n_lines for part in ranges), initial=0))
        infinite = [(j, k) for k, summary in enumerate(summaries) for j in summary.infinite]
        if infinite:
            j, k = min(infinite)
            text, line, column = summaries[k].infinite[j]
            raise ParseError(text, self.path, line + lines[k], column)
        columns = {}
        for j in summaries[0].words:
            words = [summary.words[j] for summary in summaries]
            columns[j] = WordSummary.column(self.header.names[j], words)
            infinite_parts = [k for k, seen in enumerate(words) if seen.is_infinite]
            if infinite_parts and columns[j].kind == "numeric":
                k = infinite_parts[0]
                self._raise_infinite(j, RangeContext(ranges[k].first, 0, lines[k]), ranges[k].last)
        numbers = {}
        for j in self.label_columns.columns:
            label_numbers = [summary.numbers[j] for summary in summaries if j in summary.numbers]
            if label_numbers and (j not in columns or columns[j].kind == "numeric"):
                numbers[j] = np.unique(np.concatenate(label_numbers))
        items = sorted({item for summary in summaries for item in summary.items})
        return Common(n_rows, columns, numbers, items)

    def _raise_infinite(self, j: int, context: RangeContext, last: int) -> None:
        """Raise the error of a number in a column of lists, all of which are numbers."""
        plain = self._with_fields(wordy=self.wordy & (np.arange(self.wordy.size) != j))
        is_start = not context.lines
        rows = plain.rows(context._replace(is_start=is_start, is_all=False, is_repeat=True))
        self._read(rows, last)
        text, line, column = rows.infinite[j]
        raise ParseError(text, self.path, line, column)
