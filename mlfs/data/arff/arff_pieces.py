"""Read a large ARFF file in pieces: the same answer as `arff_reader`, in little memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs.data.arff.arff_dataset import (
    Body,
    Roles,
    UndeclaredValues,
    dataset_of,
    feature_columns,
    find_valueless,
    refuse_valueless,
)
from mlfs.data.arff.arff_reader import Parser, PieceContext, first_mark
from mlfs.data.arff.fast_rows import DenseRows, Plan, make_plan
from mlfs.data.arff.header import Header, read_header
from mlfs.data.dataset import Dataset
from mlfs.data.files import BOM, UTF16, TextPieces, is_plain
from mlfs.data.labels.finding import LabelPositions
from mlfs.data.packed_table import Packer
from mlfs.data.request import Request
from mlfs.data.row_stack import RowStack
from mlfs.data.text_ranges import Range, RangeContext, RangeRows, TextRanges
from mlfs.errors import ParseError

__all__ = ["open_ranges"]

DATA = re.compile(rb"^[ \t]*@data(?![^\s%])", re.IGNORECASE | re.MULTILINE)


def open_ranges(pieces: TextPieces, path: str, request: Request) -> ArffRanges | None:
    """Open an ARFF file; None if it is one that has to be read whole."""
    if not is_plain(request.encoding):
        return None
    start = Start.of(pieces, path, request)
    return ArffRanges(pieces, path, request, start) if start and start.roles.features else None


def _from_header(pieces: TextPieces) -> Iterator[tuple[bytes, int]]:
    r"""The pieces with ``\n`` after each line and their numbers; the first has the header."""
    pending: list[bytes] = []
    is_first = in_header = True
    for k, piece in pieces.read_between(0, len(pieces.sizes)):
        pending.append(_with_line_feeds(piece.removeprefix(BOM) if is_first else piece))
        is_first = False
        if in_header and not DATA.search(pending[-1]):
            continue
        yield b"".join(pending), k
        pending, in_header = [], False
    if in_header:
        yield b"".join(pending), 0


def _with_line_feeds(text: bytes) -> bytes:
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text


class Start(NamedTuple):
    """The beginning of a file: the header, the piece in which it ends, and the kind of the rows.

    `is_sparse` is None if there is no row.
    """

    header: Header
    roles: Roles
    plan: Plan
    piece: int
    is_sparse: bool | None

    @classmethod
    def of(
        cls,
        pieces: TextPieces,
        path: str,
        request: Request,
        label_columns: LabelPositions | None = None,
    ) -> Start | None:
        """Read it; None if it is not an ordinary one. `label_columns` may be known already."""
        texts = _from_header(pieces)
        text, piece = next(texts)
        if text.startswith(UTF16) or not DATA.search(text):
            return None
        header = read_header(text, path, request.limits)
        roles = Roles.of(header, request, path, label_columns)
        mark = first_mark(text, header.start)
        while mark is None and (next_text := next(texts, None)) is not None:
            mark = first_mark(next_text[0], 0)
        row_plan = make_plan(header.attributes, roles.features, roles.plain, roles.text_columns)
        return cls(header, roles, row_plan, piece, None if mark is None else mark == b"{")


class ArffRanges(TextRanges):
    """The pieces of an ARFF file."""

    def __init__(self, pieces: TextPieces, path: str, request: Request, start: Start) -> None:
        super().__init__(pieces, path, request)
        self.label_columns = start.roles.label_columns
        self.start = start

    @cached_property
    def start(self) -> Start:
        """The beginning of the file, which is read with any part of it."""
        start = Start.of(self.pieces, self.path, self.request, self.label_columns)
        assert start is not None
        return start

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "start"}

    def cut(self, piece: int) -> int:
        """The piece, or the first one if the header is not at its end there."""
        return 0 if piece <= self.start.piece else piece

    def rows(self, context: RangeContext) -> Rows:
        """A new collector of the rows of a range."""
        return Rows(self.start, self.path, self.request, self.pieces, context)

    def is_too_long(self, n_rows: int) -> bool:
        """Whether a table of so many rows passes a limit."""
        limits, width = self.request.limits, len(self.start.header.attributes)
        dense = not self.start.is_sparse and n_rows > limits.max_cells // width
        return dense or n_rows > limits.max_rows

    def combine_ranges(self, ranges: Sequence[Range]) -> Common:
        """What is common to the rows of all ranges."""
        header, roles, *_ = self.start
        if not any(part.n_rows for part in ranges):
            raise ParseError("there is no row after @data", self.path, header.line)
        summaries: list[Summary] = [part.summary for part in ranges]
        valueless = [summary.valueless for summary in summaries if summary.valueless is not None]
        refuse_valueless(min(valueless, default=None), feature_columns(header, roles), self.path)
        undeclared = [summary.labels for summary in summaries if summary.labels is not None]
        return Common(
            all(summary.is_small for summary in summaries),
            any(summary.has_weights for summary in summaries),
            UndeclaredValues.union(undeclared) if undeclared else None,
        )


@dataclass(frozen=True)
class Summary:
    """What some rows hold.

    Parameters
    ----------
    is_small : bool
        Whether all values of a sparse X fit into a byte.
    has_weights : bool
        Whether a row has a weight.
    valueless : int, optional
        See `find_valueless`.
    labels : UndeclaredValues, optional
        The values of labels, if there are other rows.
    """

    is_small: bool
    has_weights: bool
    valueless: int | None
    labels: UndeclaredValues | None


@dataclass(frozen=True)
class Common:
    """What `Summary` has of all rows."""

    is_small: bool
    has_weights: bool
    labels: UndeclaredValues | None


class Rows(RangeRows):
    """The rows of some pieces."""

    def __init__(
        self, start: Start, path: str, request: Request, pieces: TextPieces, context: RangeContext
    ) -> None:
        super().__init__(context)
        self.start, self.path, self.request, self.pieces = start, path, request, pieces
        max_memory, plan = request.max_memory, start.plan
        self._last: DenseRows | None = None
        self._header: list[bytes] = []
        self._X: Any = RowStack(max_memory=max_memory) if start.is_sparse else Packer(max_memory)
        self._others: Any = RowStack(keep_small=False) if start.is_sparse else Packer()
        self._texts: dict[int, dict[int, str | None]] = {j: {} for j in plan.text_columns}
        self._weights: list[tuple[int, np.ndarray]] = []
        self._body: Body | None = None

    def add(self, text: bytes, piece: int) -> None:
        """Read the lines of a piece."""
        text = _with_line_feeds(text)
        header = self.start.header
        if not self.context.is_start or piece > self.start.piece:
            header = header._replace(start=0, line=self.context.lines + self.n_lines)
        elif piece < self.start.piece:
            self._header.append(text)
            return
        else:
            text = b"".join([*self._header, text])
        context = PieceContext(
            self.context.rows + self.n_rows,
            self.start.is_sparse,
            lambda: self._lines_after(piece),
            self._last,
        )
        limits = self.request.limits
        parser = Parser(text, header, self.start.plan, self.path, limits, context)
        parser.read()
        self._last = parser.rows
        self.n_lines += text.count(b"\n")
        if parser.rows.counts[0]:
            self._keep(parser.body())

    def _keep(self, body: Body) -> None:
        n_before, self.n_rows = self.n_rows, self.n_rows + body.n_rows
        if self.context.is_repeat:
            return
        self._X.add(body.X)
        n_plain = len(self.start.roles.plain)
        if n_plain:
            self._others.add(body.others if self.start.is_sparse else body.others[:, :n_plain])
        for j, column in body.texts.items():
            self._texts[j].update({i + n_before: cell for i, cell in column.items()})
        if body.weights is not None:
            self._weights.append((n_before, body.weights))

    def _lines_after(self, piece: int) -> int:
        """The lines of the pieces after one, without the last line end."""
        last, lines = b"\n", 0
        for text in self.pieces.read_after(piece):
            last = _with_line_feeds(text)
            lines += last.count(b"\n")
        return lines + (not last.endswith(b"\n"))

    def finish(self) -> Summary:
        """What the rows hold."""
        header, roles, *_, is_sparse = self.start
        is_small = not is_sparse or self._X.is_small
        self._body = body = self._join()
        labels = None if self.context.is_all else UndeclaredValues.of(body, header, roles)
        valueless = find_valueless(body.X, feature_columns(header, roles) if is_sparse else [])
        return Summary(is_small, body.weights is not None, valueless, labels)

    def _join(self) -> Body:
        weights, plan = None, self.start.plan
        if self._weights:
            weights = np.ones(self.n_rows)
            for first, part in self._weights:
                weights[first : first + part.size] = part
        if self.start.is_sparse:
            X = self._X.finish(plan.n_features)
            others: Any = sp.csr_array((self.n_rows, plan.n_others))
            if self.start.roles.plain:
                others = self._others.finish(plan.n_others)
        else:
            X = self._X.finish() if self.n_rows else np.empty((0, plan.n_features))
            others = np.empty((self.n_rows, len(self.start.roles.plain)))
            if others.size:
                others = self._others.finish()
        return Body(self.n_rows, X, others, weights, self._texts)

    def dataset(self, common: Common) -> Dataset:
        """The rows, with the columns and labels of all."""
        assert self._body is not None
        body, self._body = self._body, None
        if self.start.is_sparse and not common.is_small:
            body.X = body.X.astype(np.float64, copy=False)
        if common.has_weights and body.weights is None:
            body.weights = np.ones(body.n_rows)
        header, roles, *_ = self.start
        return dataset_of(body, header, roles, self.request, self.path, common.labels)
