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
from mlfs.data.arff.fast_rows import DenseRows, Plan, SparseRows, plan
from mlfs.data.arff.header import Header, line_text, place, read_header
from mlfs.data.arff.syntax import Misfit
from mlfs.data.dataset import Dataset
from mlfs.data.files import utf8
from mlfs.data.request import Limits, Request, exceeded
from mlfs.errors import ParseError

__all__ = ["Earlier", "Parser", "first_mark", "parse_body", "read", "write"]

NEWLINE = 10
INK = re.compile(rb"\S")


def first_mark(content: bytes, at: int) -> bytes | None:
    """The first byte of a row, which is ``{`` if it is sparse; None if there is no row."""
    while (found := INK.search(content, at)) and found[0] == b"%":
        at = content.find(b"\n", found.start())
        if at < 0:
            return None
    return found[0] if found else None


def _float(text: bytes) -> float:
    """Convert the bytes of a word; not finite if they are no number."""
    try:
        return math.nan if b"_" in text else float(text)
    except ValueError:
        return math.nan


class Earlier(NamedTuple):
    """What precedes a piece of a file: its rows, whether these are sparse, and what follows.

    `held` is what the piece before was read into, whose memory is used again.
    """

    rows: int = 0
    sparse: bool | None = None
    lines_after: Callable[[], int] = int
    held: DenseRows | None = None


class Parser:
    """Reads the rows of a text.

    Parameters
    ----------
    content, header, path, limits
        See `parse_body`; in a later piece of a file the header has the place and line of its start.
    plan : Plan
        Where the values go.
    earlier : Earlier
        The pieces before this one.
    """

    def __init__(
        self,
        content: bytes,
        header: Header,
        plan: Plan,
        path: str,
        limits: Limits,
        earlier: Earlier = Earlier(),  # noqa: B008  # a tuple
    ) -> None:
        self.earlier, self.start, self.first_line = earlier, header.start, header.line
        self.content, self.path, self.limits = content, path, limits
        self.attributes = header.attributes
        self.width = len(header.attributes)
        self.at, self.line, self.counted = header.start, header.line + 1, header.start
        known = earlier.sparse
        self.sparse = first_mark(content, self.at) == b"{" if known is None else known
        self.wanted = plan.wanted
        self.texts: dict[int, dict[int, str | None]] = {j: {} for j in plan.wanted}
        self.weights: dict[int, float] = {}
        size = len(content) - self.at
        if self.sparse:
            most = min(size // 2 + 1, limits.max_rows - earlier.rows)
            self.rows: DenseRows = SparseRows(plan, content, self.at, most, earlier.held)
        else:
            most = min(
                size // (2 * self.width) + 1,
                limits.max_rows - earlier.rows,
                limits.max_cells // self.width - earlier.rows,
            )
            self.rows = DenseRows(plan, content, self.at, most, earlier.held)

    @cached_property
    def reader(self) -> RowReader:
        """Reads the rows that the kernel does not."""
        return RowReader(self.attributes, self.wanted)

    def is_text(self) -> bool:
        """Whether the kernel may skip the strings, which it does not decode: they are UTF-8."""
        kinds = {attribute.type.kind for attribute in self.attributes}
        if "string" not in kinds or self.content.isascii():
            return True
        try:
            str(memoryview(self.content)[self.at :], "utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def compiled(self) -> None:
        """Let the kernel read the rows that it can, and read the others with care.

        The last line ends are read in a copy with padding behind it.
        """
        content, start = self.content, self.at
        cut = max(start, content.rfind(b"\n", start, max(start, len(content) - kernel.PADDING)) + 1)
        tail = content[cut:] + b"\n" * (kernel.PADDING + 1)
        self._segment(content, 0, cut)
        self._segment(tail, cut, len(content) + 1)

    def _segment(self, piece: bytes, base: int, stop: int) -> None:
        text = np.frombuffer(piece, dtype=np.uint8)
        rows, longest = self.rows, self.limits.max_line_bytes
        while self.at < stop:
            status, at = rows.read(text, self.at - base, stop - base, longest)
            self.at = at + base
            self._settle(base)
            if status == kernel.STOPPED or (status == kernel.FULL and not rows.grow()):
                self._one_line()

    def interpreted(self) -> None:
        """Read every row with care, where the kernel cannot be used."""
        while self.at < len(self.content):
            if self.content[self.at] == NEWLINE:
                self.at += 1
            else:
                self._one_line()

    def _settle(self, base: int) -> None:
        """Convert with float() the numbers that the kernel left; refuse a row with a wrong one."""
        rows, content = self.rows, self.content
        if not rows.counts[1]:
            return
        spans = (rows.hard[: rows.counts[1], 2:] + base).tolist()
        values = np.array([_float(content[start:stop]) for start, stop in spans])
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            self.at = content.rfind(b"\n", 0, spans[wrong[0]][0]) + 1
            self._one_line()
        rows.settle(values)
        rows.counts[1] = 0

    def _one_line(self) -> None:
        stop = self.content.find(b"\n", self.at)
        stop = len(self.content) if stop < 0 else stop
        self.line += self.content.count(b"\n", self.counted, self.at)
        self.counted = self.at
        if stop - self.at > self.limits.max_line_bytes:
            found = stop - self.at
            raise exceeded(
                self.limits, "max_line_bytes", found, "bytes in a line", self.path, self.line
            )
        raw = self.content[self.at : stop]
        self.at = stop + 1
        try:
            row = self.reader.read(line_text(raw, self.path, self.line), self.sparse)
        except Misfit as misfit:
            raise place(misfit, self.path, self.line) from None
        if row is None:
            return
        i = int(self.rows.counts[0])
        if not self.rows.add(row):
            self._too_many(self.counted)
        for j, text in row.texts.items():
            self.texts[j][i] = text
        if row.weight is not None:
            self.weights[i] = row.weight

    def _too_many(self, at: int) -> NoReturn:
        rows = self.earlier.rows + int(self.rows.counts[0]) + 1
        rest = self.content.count(b"\n", at, len(self.content) - 1)
        after = self.earlier.lines_after()
        enough = rows + rest + after  # what is left has no more rows than lines
        line = self.first_line + self.content.count(b"\n", self.start, at) + 1
        if rows > self.limits.max_rows:
            raise exceeded(self.limits, "max_rows", rows, "rows", self.path, line, enough=enough)
        cells, enough = rows * self.width, enough * self.width
        raise exceeded(self.limits, "max_cells", cells, "cells", self.path, line, enough=enough)

    def read(self) -> None:
        """Read all rows."""
        if kernel.is_compiled() and self.is_text():
            self.compiled()
        else:
            self.interpreted()

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
    wanted: frozenset[int],
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
        The columns that go to X, in rising order, and those that are kept apart, such as labels.
    wanted : frozenset of int
        The string columns whose texts are wanted.
    path, limits
        For messages.
    """
    places = plan(header.attributes, features, others, wanted)
    parser = Parser(content, header, places, path, limits)
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
        content, header, roles.features, roles.plain, roles.wanted, path, request.limits
    )
    return dataset_of(body, header, roles, request, path)
