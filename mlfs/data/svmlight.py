r"""svmlight with several labels a row: ``1,5,10 3:0.5 7:1 # comment``.

- The labels of the data set are the distinct ids that are there, in the order of their numbers. A
  row without labels starts with a blank; a line of blanks is a row without labels and features.
- Indices count from one, unless the index 0 is there: then from zero (a note says which).
- ``qid:`` is skipped, and a note says so. An index twice in a row, NaN and infinities are errors.
- A file whose rows all have the one id -1 or +1 holds one binary label.

The format itself has no names, no kinds, and no trace of a feature or label that occurs in no
row. So `write` starts with a comment ``# mlfs {...}`` (see `mlfs.data.metadata`) that other readers
skip and with which everything reads back equal. Missing values, missing labels, labels of several
classes and weights have no place in it and are refused. X and Y come back sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.files import UTF16, TextPieces, decode, is_plain, utf8_text
from mlfs.data.metadata import (
    default_columns,
    dump,
    load,
    refuse_other_labels,
    wrong_position,
)
from mlfs.data.request import Limits, Request, exceeded, refuse_empty
from mlfs.data.sparse_rows import DIGITS, SparseText, label_rows, write_table
from mlfs.data.text_ranges import Range, RangeContext, RangeRows, TextRanges, first_entry
from mlfs.errors import ParseError

__all__ = ["open_ranges", "read", "write"]

NOTE = b"# mlfs "
BINARY = ("0", "1")
Note = tuple[list[Column], list[Label]]


def read(content: bytes, path: str, request: Request) -> Dataset:
    r"""Read an svmlight file.

    Examples
    --------
    >>> data = read(b"1,5 1:0.5 3:2\n 2:1 # no label\n5\n", "t.svm", Request())
    >>> data.X.toarray().tolist(), data.label_names, data.Y.toarray().tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], ['1', '5'], [[1, 1], [0, 0], [0, 1]])
    """
    text = utf8_text(content, path, request.encoding)
    rows = Rows(path, request, _note(text, path, request.limits), RangeContext())
    rows.add(text, 0)
    file_range = Range(0, 1, rows.n_rows, rows.n_lines, has_error=False, summary=rows.finish())
    return rows.dataset(combine(path, request, rows.note, [file_range]))


def open_ranges(pieces: TextPieces, path: str, request: Request) -> SvmlightRanges | None:
    """Open a large svmlight file; None if it is one that has to be read whole."""
    start = pieces.start() if is_plain(request.encoding) else UTF16[0]
    if start.startswith(UTF16):
        return None
    return SvmlightRanges(pieces, path, request, _note(start, path, request.limits))


class SvmlightRanges(TextRanges):
    """The pieces of an svmlight file."""

    def __init__(self, pieces: TextPieces, path: str, request: Request, note: Note | None) -> None:
        super().__init__(pieces, path, request)
        self.note = note

    @cached_property
    def note(self) -> Note | None:
        """What the file says of its columns, which is read with any part of it."""
        return _note(self.pieces.start(), self.path, self.request.limits)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "note"}

    def rows(self, context: RangeContext) -> Rows:
        """A new collector of the rows of a range."""
        return Rows(self.path, self.request, self.note, context)

    def combine_ranges(self, ranges: Sequence[Range]) -> Common:
        """What the columns and labels of all ranges are."""
        return combine(self.path, self.request, self.note, ranges)


@dataclass(frozen=True)
class Summary:
    """What some rows hold.

    Parameters
    ----------
    size, top, lowest, queries
        See `SparseText`.
    is_small : bool
        Whether all values fit into a byte.
    ids : ndarray of int64
        The label ids, rising.
    is_single : bool
        Whether each row has exactly one.
    negative : (int, int), optional
        The least id of the first row that has a negative one, and its line, counted from the first
        of these rows.
    wrong : (str, int), optional
        What is wrong with the first row that does not fit the note, and its line.
    """

    size: int
    top: int
    lowest: int
    queries: bool
    is_small: bool
    ids: np.ndarray
    is_single: bool
    negative: tuple[int, int] | None
    wrong: tuple[str, int] | None


@dataclass(frozen=True)
class Common:
    """What is common to all rows.

    Parameters
    ----------
    first, d : int
        The index of the first column, and the number of columns.
    is_small : bool
        Whether all values fit into a byte.
    labels : tuple of Label
        The labels, or the one label whose values are ids.
    ids : ndarray of int64
        The id of each label, or of each value of the one label.
    is_single : bool
        Whether there is one label whose values are ids.
    queries : bool
        Whether a ``qid:`` was skipped.
    """

    first: int
    d: int
    is_small: bool
    labels: tuple[Label, ...]
    ids: np.ndarray
    is_single: bool
    queries: bool


class Rows(RangeRows):
    """The rows of some pieces."""

    def __init__(
        self, path: str, request: Request, note: Note | None, context: RangeContext
    ) -> None:
        super().__init__(context)
        self.path, self.note = path, note
        self._text = SparseText(
            path, request.limits, has_comments=True, max_memory=request.max_memory, context=context
        )
        self._X: Any = None

    def add(self, text: bytes, piece: int) -> None:  # noqa: ARG002  # any is like the others
        """Read the lines of a piece."""
        self._text.add(text)
        self.n_rows = self._text.n_rows - self.context.rows
        self.n_lines = self._text.n_lines - self.context.lines

    def finish(self) -> Summary:
        """What the rows hold."""
        text, negative, misfit = self._text, None, None
        flat, counts = text.ids()
        ids = np.unique(flat)
        is_small, is_single = text.is_small, bool((counts == 1).all())
        if ids.size and ids[0] < 0:
            ends = np.cumsum(counts)
            row = int(np.searchsorted(ends, np.flatnonzero(flat < 0)[0], side="right"))
            least = int(flat[ends[row] - counts[row] : ends[row]].min())
            negative = least, text.line(row) - self.context.lines
        if self.note and text.lowest > 0 and text.top <= len(self.note[0]):
            self._X = text.table(len(self.note[0]), 1)
            bad = wrong_position(self._X, self.note[0])
            if bad is not None:
                misfit = bad.text, text.line(bad.row) - self.context.lines
        return Summary(
            text.size,
            text.top,
            text.lowest,
            text.queries,
            is_small,
            ids,
            is_single,
            negative,
            misfit,
        )

    def dataset(self, common: Common) -> Dataset:
        """The rows, with the columns and labels of all."""
        X = self._text.table(common.d, common.first) if self._X is None else self._X
        self._X = None
        if not common.is_small:
            X = X.astype(np.float64, copy=False)
        columns = tuple(self.note[0]) if self.note else default_columns(common.d, common.first)
        start = "zero" if common.first == 0 else "one"
        notes = [] if self.note else [f"indices count from {start} in this file"]
        if common.queries:
            notes.append("qid: entries are skipped")
        source = Source(self.path, "svmlight", labels_by="the ids in the file")
        Y = self._Y(common)
        return Dataset(X, Y, columns, common.labels, source=source, notes=tuple(notes))

    def _Y(self, common: Common) -> Any:
        flat, counts = self._text.ids()
        if common.is_single and common.labels[0].values == BINARY:
            return sp.csr_array((flat == 1).astype(np.int8).reshape(-1, 1))
        if common.is_single:
            kind = np.int8 if len(common.ids) < 128 else np.int32
            return np.searchsorted(common.ids, flat).astype(kind).reshape(-1, 1)
        order = np.argsort(common.ids)
        places = order[np.searchsorted(common.ids, flat, sorter=order)] if flat.size else flat
        return label_rows(places, counts, len(common.labels))


def combine(path: str, request: Request, note: Note | None, ranges: Sequence[Range]) -> Common:
    """What the columns and labels of all rows are."""
    limits, summaries = request.limits, [part.summary for part in ranges]
    n_rows = sum(part.n_rows for part in ranges)
    top = max(summary.top for summary in summaries)
    if not n_rows:
        raise ParseError("the file holds no row; a row is written as 1,5,10 3:0.5 7:1", path)
    lowest = min(summary.lowest for summary in summaries)
    first = 0 if lowest == 0 and note is None else 1
    labels, ids, is_single = _labels(ranges, note[1] if note else None, path, request)
    d = len(note[0]) if note else max(0, top + 1 - first)
    if top + 1 - first > d or (note and lowest == 0):
        raise ParseError(f"a row holds an index that is not from 1 to {d}, as the note says", path)
    if d > limits.max_attributes:
        raise exceeded(limits, "max_attributes", d, "features (the largest index)", path)
    if not d:
        raise ParseError("no row holds a feature; a feature is written as index:value", path)
    size = sum(summary.size for summary in summaries)
    refuse_empty(limits, (n_rows, d, len(labels)), size, path)
    wrong = first_entry(ranges, "wrong")
    if wrong is not None:
        raise ParseError(wrong[0], path, wrong[1])
    columns = note[0] if note else default_columns(d, first)
    refuse_other_labels(request, columns, labels, path, "an svmlight file")
    is_small = all(summary.is_small for summary in summaries)
    queries = any(summary.queries for summary in summaries)
    return Common(first, d, is_small, labels, ids, is_single, queries)


def _note(text: bytes, path: str, limits: Limits) -> Note | None:
    """The note about the columns, if it is among the comments before the first row."""
    start = number = 0
    while start < len(text):
        stop = text.find(b"\n", start)
        stop = len(text) if stop < 0 else stop
        line, number = text[start:stop], number + 1
        if len(line) > limits.max_line_bytes:
            raise exceeded(limits, "max_line_bytes", len(line), "bytes in a line", path, number)
        if line.startswith(NOTE):
            return load(decode(line, path, "utf-8", number - 1)[len(NOTE) :], path, limits, number)
        if line.removesuffix(b"\r") and (b"#" not in line or line.partition(b"#")[0].strip()):
            return None
        start = stop + 1
    return None


def _labels(
    ranges: Sequence[Range], declared: list[Label] | None, path: str, request: Request
) -> tuple[tuple[Label, ...], np.ndarray, bool]:
    """The labels, their ids, and whether it is one label whose values are ids."""
    distinct = np.unique(np.concatenate([part.summary.ids for part in ranges]))
    is_single = declared is None and all(part.summary.is_single for part in ranges)
    if is_single and distinct[0] == -1 and set(distinct.tolist()) <= {-1, 1}:
        return (Label("y0"),), distinct, True
    if is_single and request.classes and len(distinct) > 2:
        return (Label("y0", tuple(map(str, distinct.tolist()))),), distinct, True
    negative = first_entry(ranges, "negative")
    if negative is not None:
        least, line = negative
        raise ParseError(f"{least} is not a label id, a whole number from 0", path, line)
    if declared is not None:
        labels, ids = tuple(declared), distinct
        distinct = np.array(label_ids([label.name for label in declared]), dtype=np.int64)
        if not np.isin(ids, distinct).all():
            raise ParseError("a row holds a label id that the note '# mlfs' does not name", path)
    else:
        labels = tuple(Label(str(i)) for i in distinct.tolist())
    if len(labels) > request.limits.max_labels:
        raise exceeded(request.limits, "max_labels", len(labels), "labels", path)
    return labels, distinct, False


def label_ids(names: list[str]) -> list[int]:
    """The ids under which labels are written: their names if these are ids, else 0, 1, ..."""
    if all(
        name.isascii() and name.isdigit() and len(name) <= DIGITS and str(int(name)) == name
        for name in names
    ):
        return [int(name) for name in names]
    return list(range(len(names)))


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write an svmlight file, indices from one, with a comment that holds the names.

    Examples
    --------
    >>> import io
    >>> from mlfs.data.arrays import from_arrays
    >>> out = io.BytesIO()
    >>> write(from_arrays([[0.5, 0], [0, 2]], [{"a"}, set()]), out)
    >>> print(out.getvalue().decode(), end="")
    # mlfs {"features": ["x0", "x1"], "nominal": {}, "labels": ["a"], "values": {}}
    0 1:0.5
     2:2
    """
    ids = [str(i) for i in label_ids(dataset.label_names)]
    write_table(dataset, stream, "an svmlight file", f"{NOTE.decode()}{dump(dataset)}", ids, 1)
