r"""The text format of the extreme classification repository (XMC).

The first line is ``N D L``: the numbers of rows, features and labels. Then one row a line, as in
svmlight, features and labels counted from zero: ``1,5,10 0:0.5 7:1``. What the first line says is
checked against what is there.

The format carries neither names (features come back as ``x0``, ``x1``, ..., labels as ``y0``,
``y1``, ...) nor kinds: a nominal column is written as the positions of its values. Missing values,
missing labels, labels of several classes and weights are refused. X and Y come back sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from mlfs.data.assemble import csr_rows
from mlfs.data.dataset import Dataset, Label, Source
from mlfs.data.files import UTF16, TextPieces, decode, is_plain, utf8_text
from mlfs.data.metadata import default_columns, refuse_other_labels
from mlfs.data.request import Request, exceeded, refuse_empty
from mlfs.data.sparse_rows import SparseText, label_rows, write_table
from mlfs.data.text_ranges import Range, RangeContext, RangeRows, TextRanges
from mlfs.data.uniform import NumberedNames, UniformLabels
from mlfs.errors import ParseError, plural, printable

__all__ = ["open_ranges", "read", "write"]


def read(content: bytes, path: str, request: Request) -> Dataset:
    r"""Read a file of the XMC repository.

    Examples
    --------
    >>> data = read(b"2 3 4\n0,3 0:0.5 2:1\n 1:1\n", "t.txt", Request())
    >>> data.shape, data.Y.toarray().tolist()
    ((2, 3, 4), [[1, 0, 0, 1], [0, 0, 0, 0]])
    """
    text = utf8_text(content, path, request.encoding)
    rows = Rows(path, request, _Head.of(text, len(content), path, request), RangeContext())
    rows.add(text, 0)
    file_range = Range(0, 1, rows.n_rows, rows.n_lines, has_error=False, summary=rows.finish())
    return rows.dataset(combine(path, request, rows.head, [file_range]))


def open_ranges(pieces: TextPieces, path: str, request: Request) -> XmcRanges | None:
    """Open a large XMC file; None if it is one that has to be read whole."""
    if not is_plain(request.encoding) or pieces.compression:
        return None
    start = pieces.start()
    if start.startswith(UTF16):
        return None
    return XmcRanges(pieces, path, request, _Head.of(start, pieces.size, path, request))


class XmcRanges(TextRanges):
    """The pieces of an XMC file; `head` is its first line."""

    def __init__(self, pieces: TextPieces, path: str, request: Request, head: _Head) -> None:
        super().__init__(pieces, path, request)
        self.head = head

    def rows(self, context: RangeContext) -> Rows:
        """A new collector of the rows of a range."""
        return Rows(self.path, self.request, self.head, context)

    def combine_ranges(self, ranges: Sequence[Range]) -> Common:
        """What is common to the rows of all ranges."""
        return combine(self.path, self.request, self.head, ranges)


class _Head(NamedTuple):
    """The first line: the numbers of rows, features and labels, and whether it has an end."""

    n: int
    d: int
    q: int
    ends: bool

    @classmethod
    def of(cls, text: bytes, size: int, path: str, request: Request) -> _Head:
        """Read the first line of a text; `size` is that of the file."""
        line, end, _ = text.partition(b"\n")
        if len(line) > request.limits.max_line_bytes:
            raise exceeded(request.limits, "max_line_bytes", len(line), "bytes in a line", path)
        plain = decode(line, path).removesuffix("\r")
        return cls(*_header(plain, size, path, request), ends=bool(end))


@dataclass(frozen=True)
class Summary:
    """What some rows hold; rows and lines are counted from the first of them.

    Parameters
    ----------
    top, top_row, queries
        See `SparseText`.
    is_small : bool
        Whether all values fit into a byte.
    filled : int
        The row after the last one that holds anything.
    foreign : (int, int), optional
        The first label id that the first line does not know, and its row.
    ends : bool, optional
        Whether the last line has an end; None if there is no line.
    """

    top: int
    top_row: int
    queries: bool
    is_small: bool
    filled: int
    foreign: tuple[int, int] | None
    ends: bool | None


@dataclass(frozen=True)
class Common:
    """What is common to all rows; `rows` are those before the piece of each number."""

    is_small: bool
    queries: bool
    rows: dict[int, int]


class Rows(RangeRows):
    """The rows of some pieces."""

    def __init__(self, path: str, request: Request, head: _Head, context: RangeContext) -> None:
        super().__init__(context)
        self.path, self.request, self.head = path, request, head
        self._text = SparseText(
            path, request.limits, has_comments=False, max_memory=request.max_memory, context=context
        )
        self._ends: bool | None = None
        self._X: Any = None

    def add(self, text: bytes, piece: int) -> None:  # noqa: ARG002  # any is like the others
        """Read the lines of a piece."""
        sparse_text = self._text
        if self.context.is_start and not sparse_text.n_lines:  # the first line
            text = text.partition(b"\n")[2]
            sparse_text.n_lines = 1
        sparse_text.add(text)
        self._ends = text.endswith(b"\n") if text else self._ends
        self.n_rows = sparse_text.n_rows - self.context.rows
        self.n_lines = sparse_text.n_lines - self.context.lines

    def finish(self) -> Summary:
        """What the rows hold."""
        text, q, foreign = self._text, self.head.q, None
        is_small = text.is_small
        self._X = X = text.table(max(self.head.d, text.top + 1))
        flat, counts = text.ids()
        filled = np.flatnonzero((np.diff(X.indptr) > 0) | (counts > 0))
        bad = np.flatnonzero((flat < 0) | (flat >= q))
        if bad.size:
            row = int(np.searchsorted(np.cumsum(counts), bad[0], side="right"))
            foreign = int(flat[bad[0]]), row
        return Summary(
            text.top, text.top_row, text.queries, is_small,
            int(filled[-1]) + 1 if filled.size else 0, foreign, self._ends,
        )  # fmt: skip

    def dataset(self, common: Common) -> Dataset:
        """The rows, with the columns and labels of all."""
        n, d, q, _ = self.head
        n = max(0, min(self.n_rows, n - common.rows[self.context.first]))  # others are blank lines
        X = csr_rows(self._X.data, self._X.indices, self._X.indptr[: n + 1], d)
        self._X = None
        if not common.is_small:
            X = X.astype(np.float64, copy=False)
        flat, counts = self._text.ids()
        Y = label_rows(flat, counts[:n], q)
        columns, labels = default_columns(d), UniformLabels(NumberedNames("y", q), Label(""))
        notes = ("qid: entries are skipped",) if common.queries else ()
        source = Source(self.path, "xmc", labels_by="the ids in the file")
        return Dataset(X, Y, columns, labels, source=source, notes=notes)


def combine(path: str, request: Request, head: _Head, ranges: Sequence[Range]) -> Common:
    """What is common to all rows, which have to be what the first line says."""
    summaries = [part.summary for part in ranges]
    *starts, n_rows = accumulate([part.n_rows for part in ranges], initial=0)
    pairs = list(zip(starts, summaries, strict=True))
    filled = max((start + summary.filled for start, summary in pairs if summary.filled), default=0)
    _check_rows(head, n_rows, filled, path, summaries)
    start, widest = max(pairs, key=lambda pair: pair[1].top)
    if widest.top >= head.d:
        raise ParseError(
            f"the first line says {head.d} features, counted from 0, and this row has the index "
            f"{widest.top}", path, start + widest.top_row + 2,
        )  # fmt: skip
    foreign = [(*summary.foreign, start) for start, summary in pairs if summary.foreign]
    if foreign:
        label, row, start = foreign[0]
        raise ParseError(
            f"the first line says {head.q} labels, counted from 0, and this row has the label "
            f"{label}", path, start + row + 2, 1,
        )  # fmt: skip
    columns = default_columns(head.d)
    labels = UniformLabels(NumberedNames("y", head.q), Label(""))
    refuse_other_labels(request, columns, labels, path, "an XMC file")
    return Common(
        all(summary.is_small for summary in summaries),
        any(summary.queries for summary in summaries),
        dict(zip([part.first for part in ranges], starts, strict=True)),
    )


def _check_rows(
    head: _Head, n_rows: int, filled: int, path: str, summaries: Sequence[Summary]
) -> None:
    """Check that as many rows follow as the first line says, and only blank lines after them."""
    shown = n_rows if n_rows <= head.n else max(head.n, filled)
    if shown != head.n:
        known_ends = [summary.ends for summary in summaries if summary.ends is not None]
        ends = known_ends[-1] if known_ends else head.ends
        raise ParseError(
            f"the first line says {plural(head.n, 'row')} and {shown} follow",
            path,
            min(1 + n_rows + ends, head.n + 2),
        )


def _header(line: str, size: int, path: str, request: Request) -> tuple[int, int, int]:
    words = line.split()
    if len(words) != 3 or not all(p.isascii() and p.isdigit() and len(p) < 19 for p in words):
        raise ParseError(
            f"the first line is {printable(line)!r}; expected N D L: the numbers of rows, features "
            "and labels", path, 1, 1,
        )  # fmt: skip
    n, d, q = map(int, words)
    limits = request.limits
    for name, count, noun in (
        ("max_rows", n, "rows"), ("max_features", d, "features"),
        ("max_attributes", d, "features"), ("max_labels", q, "labels"),
    ):  # fmt: skip
        if count > getattr(limits, name):
            raise exceeded(limits, name, count, noun, path, 1)
    refuse_empty(limits, (n, d, q), size, path)
    if not (n and d):
        raise ParseError(
            f"the first line says {n} rows and {d} features; there is nothing", path, 1
        )
    return n, d, q


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a file of the XMC repository.

    Examples
    --------
    >>> import io
    >>> from mlfs.data.arrays import from_arrays
    >>> out = io.BytesIO()
    >>> write(from_arrays([[0.5, 0], [0, 2]], [{"a"}, set()]), out)
    >>> print(out.getvalue().decode(), end="")
    2 2 1
    0 0:0.5
     1:2
    """
    n, d, q = dataset.shape
    ids = [str(j) for j in range(q)]
    write_table(dataset, stream, "an XMC file", f"{n} {d} {q}", ids, 0)
