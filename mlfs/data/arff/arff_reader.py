"""ARFF files (Weka, Mulan, MEKA), dense and sparse, in linear time."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, NoReturn

import numpy as np

from mlfs._kernels import tokens as kernel
from mlfs.data.arff.arff_dataset import Body, Roles, dataset_of
from mlfs.data.arff.arff_writer import write
from mlfs.data.arff.careful_rows import RowReader
from mlfs.data.arff.fast_rows import DenseRows, Plan, SparseRows, make_plan
from mlfs.data.arff.header import Header, line_text, parse_error, read_header
from mlfs.data.arff.syntax import Misfit
from mlfs.data.dataset import Dataset
from mlfs.data.files import utf8
from mlfs.data.request import Limits, Request, exceeded
from mlfs.errors import ParseError

__all__ = ["Parser", "PieceContext", "first_mark", "parse_body", "read", "write"]

NEWLINE = 10
INK = re.compile(rb"\S")


def first_mark(content: bytes, position: int) -> bytes | None:
    """The first byte of a row, which is ``{`` if it is sparse; None if there is no row."""
    while (match := INK.search(content, position)) and match[0] == b"%":
        position = content.find(b"\n", match.start())
        if position < 0:
            return None
    return match[0] if match else None


def _float(text: bytes) -> float:
    """Convert the bytes of a word; NaN if they are not a number."""
    try:
        return math.nan if b"_" in text else float(text)
    except ValueError:
        return math.nan


class PieceContext(NamedTuple):
    """What precedes a piece of a file: its rows, whether these are sparse, and what follows.

    `reused` is what the piece before was read into, whose memory is used again.
    """

    rows: int = 0
    sparse: bool | None = None
    lines_after: Callable[[], int] = int
    reused: DenseRows | None = None


class Parser:
    """Reads the rows of a text.

    Parameters
    ----------
    content, header, path, limits
        See `parse_body`; in a later piece of a file the header has the place and line of its start.
    plan : Plan
        Where the values go.
    context : PieceContext
        The pieces before this one.
    """

    def __init__(
        self,
        content: bytes,
        header: Header,
        plan: Plan,
        path: str,
        limits: Limits,
        context: PieceContext = PieceContext(),  # noqa: B008  # a tuple
    ) -> None:
        self.context, self.start, self.first_line = context, header.start, header.line
        self.content, self.path, self.limits = content, path, limits
        self.attributes = header.attributes
        self.width = len(header.attributes)
        self.position, self.line, self.counted_to = header.start, header.line + 1, header.start
        mark = first_mark(content, self.position) if context.sparse is None else None
        self.sparse = context.sparse or mark == b"{"
        self.text_columns = plan.text_columns
        self.texts: dict[int, dict[int, str | None]] = {j: {} for j in plan.text_columns}
        self.weights: dict[int, float] = {}
        size = len(content) - self.position
        if self.sparse:
            max_rows = min(size // 2 + 1, limits.max_rows - context.rows)
            self.rows: DenseRows = SparseRows(
                plan, content, self.position, max_rows, context.reused
            )
        else:
            max_rows = min(
                size // (2 * self.width) + 1,
                limits.max_rows - context.rows,
                limits.max_cells // self.width - context.rows,
            )
            self.rows = DenseRows(plan, content, self.position, max_rows, context.reused)

    @cached_property
    def reader(self) -> RowReader:
        """Reads the rows that the kernel does not."""
        return RowReader(self.attributes, self.text_columns)

    def is_text(self) -> bool:
        """Whether the kernel may skip the strings, which it does not decode: they are UTF-8."""
        kinds = {attribute.type.kind for attribute in self.attributes}
        if "string" not in kinds or self.content.isascii():
            return True
        try:
            str(memoryview(self.content)[self.position :], "utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def read_compiled(self) -> None:
        """Let the kernel read the rows that it can, and read the others with care.

        The last line ends are read in a copy with padding after it.
        """
        content, start = self.content, self.position
        cut = max(start, content.rfind(b"\n", start, max(start, len(content) - kernel.PADDING)) + 1)
        tail = content[cut:] + b"\n" * (kernel.PADDING + 1)
        self._segment(content, 0, cut)
        self._segment(tail, cut, len(content) + 1)

    def _segment(self, piece: bytes, base: int, stop: int) -> None:
        text = np.frombuffer(piece, dtype=np.uint8)
        rows, longest = self.rows, self.limits.max_line_bytes
        while self.position < stop:
            status, position = rows.read(text, self.position - base, stop - base, longest)
            self.position = position + base
            self._convert_hard(base)
            if status == kernel.STOPPED or (status == kernel.FULL and not rows.grow()):
                self._read_line()

    def read_carefully(self) -> None:
        """Read every row with care, where the kernel cannot be used."""
        while self.position < len(self.content):
            if self.content[self.position] == NEWLINE:
                self.position += 1
            else:
                self._read_line()

    def _convert_hard(self, base: int) -> None:
        """Convert with float() the numbers that the kernel left; refuse a row with a wrong one."""
        rows, content = self.rows, self.content
        if not rows.counts[1]:
            return
        spans = (rows.hard[: rows.counts[1], 2:] + base).tolist()
        values = np.array([_float(content[start:stop]) for start, stop in spans])
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            self.position = content.rfind(b"\n", 0, spans[wrong[0]][0]) + 1
            self._read_line()
        rows.set_numbers(values)
        rows.counts[1] = 0

    def _read_line(self) -> None:
        stop = self.content.find(b"\n", self.position)
        stop = len(self.content) if stop < 0 else stop
        self.line += self.content.count(b"\n", self.counted_to, self.position)
        self.counted_to = self.position
        if stop - self.position > self.limits.max_line_bytes:
            size = stop - self.position
            raise exceeded(
                self.limits, "max_line_bytes", size, "bytes in a line", self.path, self.line
            )
        raw = self.content[self.position : stop]
        self.position = stop + 1
        try:
            row = self.reader.read(line_text(raw, self.path, self.line), self.sparse)
        except Misfit as misfit:
            raise parse_error(misfit, self.path, self.line) from None
        if row is None:
            return
        i = int(self.rows.counts[0])
        if not self.rows.add(row):
            self._refuse_row(self.counted_to)
        for j, text in row.texts.items():
            self.texts[j][i] = text
        if row.weight is not None:
            self.weights[i] = row.weight

    def _refuse_row(self, start: int) -> NoReturn:
        rows = self.context.rows + int(self.rows.counts[0]) + 1
        remaining = self.content.count(b"\n", start, len(self.content) - 1)
        later = self.context.lines_after()
        enough = rows + remaining + later  # what is left has no more rows than lines
        line = self.first_line + self.content.count(b"\n", self.start, start) + 1
        if rows > self.limits.max_rows:
            raise exceeded(self.limits, "max_rows", rows, "rows", self.path, line, enough=enough)
        cells, enough = rows * self.width, enough * self.width
        raise exceeded(self.limits, "max_cells", cells, "cells", self.path, line, enough=enough)

    def read(self) -> None:
        """Read all rows."""
        if kernel.is_compiled() and self.is_text():
            self.read_compiled()
        else:
            self.read_carefully()

    def body(self) -> Body:
        """What was read."""
        n_rows = int(self.rows.counts[0])
        weights = None
        if self.weights:
            weights = np.ones(n_rows)
            weights[list(self.weights)] = list(self.weights.values())
        return Body(n_rows, *self.rows.tables(), weights, self.texts)


def parse_body(
    content: bytes,
    header: Header,
    features: Sequence[int],
    others: Sequence[int],
    text_columns: frozenset[int],
    path: str,
    limits: Limits,
) -> Body:
    """Read the rows after the header.

    Parameters
    ----------
    content : bytes
        The file, UTF-8, with ``\\n`` alone between lines.
    header : Header
        What `read_header` found.
    features, others : sequence of int
        The columns that go to X, in rising order, and those of the other table, such as labels.
    text_columns : frozenset of int
        The string columns whose texts are wanted.
    path, limits
        For messages.
    """
    row_plan = make_plan(header.attributes, features, others, text_columns)
    parser = Parser(content, header, row_plan, path, limits)
    parser.read()
    if parser.rows.counts[0] == 0:
        raise ParseError("there is no row after @data", path, header.line)
    return parser.body()


def read(content: bytes, path: str, request: Request) -> Dataset:
    r"""Read an ARFF file.

    Numeric, integer and real attributes are numeric columns; so is a date, as seconds since
    1970 in UTC. A nominal attribute is a nominal column. A string attribute is left out of X.
    What a sparse row leaves out is the number 0, or the first value of a nominal attribute.

    Examples
    --------
    >>> text = b"@relation 't: -C 1'\n@attribute l {0,1}\n@attribute a real\n@data\n1,2.5\n"
    >>> data = read(text, "t.arff", Request())
    >>> data.X.tolist(), data.Y.tolist(), data.feature_names
    ([[2.5]], [[1]], ['a'])
    """
    content = utf8(content, path, request.encoding)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    header = read_header(content, path, request.limits)
    roles = Roles.of(header, request, path)
    body = parse_body(
        content, header, roles.features, roles.plain, roles.text_columns, path, request.limits
    )
    return dataset_of(body, header, roles, request, path)
