"""The rows of an ARFF file: compiled for plain rows, row by row for the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from mlfs._kernels import tokens as kernel
from mlfs.data.arff_header import Attribute, Header, place
from mlfs.data.arff_rows import RowReader
from mlfs.data.arff_text import Misfit
from mlfs.data.limits import Limits, exceeded
from mlfs.errors import ParseError

__all__ = ["Body", "parse_body"]

HARD = 1 << 14
NEWLINE = 10
PROBES = 256


@dataclass
class Body:
    """The rows: `values` is (N, width) when dense; when sparse, with `columns` and `indptr`."""

    n_rows: int
    values: np.ndarray
    columns: np.ndarray | None = None
    indptr: np.ndarray | None = None
    weights: np.ndarray | None = None
    texts: dict[int, dict[int, str | None]] = field(default_factory=dict)

    def text_column(self, j: int) -> list[str | None]:
        """The texts of a wanted column; what a sparse row leaves out is empty."""
        column = self.texts[j]
        return [column.get(i, "") for i in range(self.n_rows)]


@dataclass
class _Buffers:
    """What the kernels fill; the sizes cost nothing until they are written."""

    values: np.ndarray
    columns: np.ndarray
    ends: np.ndarray
    hard: np.ndarray
    counts: np.ndarray


def _is_sparse(content: bytes, at: int) -> bool:
    while at < len(content):
        stop = content.find(b"\n", at)
        stop = len(content) if stop < 0 else stop
        line = content[at:stop].strip()
        if line and not line.startswith(b"%"):
            return line.startswith(b"{")
        at = stop + 1
    return False


def _specs(attributes: Sequence[Attribute]) -> tuple[np.ndarray, list[tuple[str, ...]]]:
    """For each column what the kernel takes it for, and the distinct value lists."""
    numbers: dict[int, int] = {}
    lists: list[tuple[str, ...]] = []
    kinds = {"numeric": kernel.NUMERIC, "string": kernel.SKIPPED, "date": kernel.DATE}
    specs = np.empty(len(attributes), dtype=np.int64)
    for j, attribute in enumerate(attributes):
        if attribute.type.kind == "nominal":
            key = id(attribute.type)
            if key not in numbers:
                numbers[key] = len(lists)
                lists.append(attribute.type.values)
            specs[j] = numbers[key]
        else:
            specs[j] = kinds[attribute.type.kind]
    return specs, lists


class _Crowded(Exception):
    """Values made to share a hash: not for the kernel, whose time would not be linear."""


def _fill(slots: np.ndarray, texts: list[bytes], first: int) -> None:
    """Put the numbers of the values, from `first`, into their slots."""
    mask = len(slots) - 1
    for k, text in enumerate(texts, first):
        code = 2166136261
        for byte in text:
            code = ((code ^ byte) * 16777619) & 0xFFFFFFFF
        slot = code & mask
        probes = 0
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
            probes += 1
            if probes > PROBES:
                raise _Crowded
        slots[slot] = k


def _tables(
    lists: list[tuple[str, ...]], specs: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Hash tables from the bytes of a value to its number, all in flat arrays."""
    texts = [value.encode("utf-8", "surrogatepass") for values in lists for value in values]
    bounds = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in texts], out=bounds[1:])
    letters = np.frombuffer(b"".join(texts) or b" ", dtype=np.uint8)
    sizes = [1 << (2 * len(values) + 1).bit_length() for values in lists]
    tables = np.zeros((len(lists), 3), dtype=np.int64)
    slots = np.full(sum(sizes) + 1, -1, dtype=np.int64)
    base = first = 0
    for t, (values, size) in enumerate(zip(lists, sizes, strict=True)):
        tables[t] = base, size - 1, first
        try:
            _fill(slots[base : base + size], texts[first : first + len(values)], first)
        except _Crowded:
            specs[specs == t] = kernel.DATE
        base, first = base + size, first + len(values)
    return tables, slots, bounds, letters


class _Parser:
    def __init__(
        self, content: bytes, header: Header, wanted: frozenset[int], path: str, limits: Limits
    ) -> None:
        self.content, self.path, self.limits = content, path, limits
        self.attributes = header.attributes
        self.width = len(header.attributes)
        self.at, self.line, self.counted = header.start, header.line + 1, header.start
        self.sparse = _is_sparse(content, self.at)
        self.reader = RowReader(header.attributes, wanted)
        self.texts: dict[int, dict[int, str | None]] = {j: {} for j in wanted}
        self.weights: dict[int, float] = {}
        self.zeros = False
        self.buffers = self._buffers()

    def _buffers(self) -> _Buffers:
        size = len(self.content) - self.at
        lines = min(self.content.count(b"\n", self.at) + 1, self.limits.max_rows)
        room = size // 4 + 2
        if not self.sparse:
            cells = min(size // 2 + 2 + self.width, lines * self.width)
            room = min(cells, self.limits.max_cells)
        columns = np.empty(room if self.sparse else 0, dtype=np.int32)
        ends = np.empty(lines if self.sparse else 0, dtype=np.int64)
        hard = np.empty((max(HARD, self.width), 3), dtype=np.int64)
        counts = np.zeros(3, dtype=np.int64)
        return _Buffers(np.empty(room), columns, ends, hard, counts)

    def compiled(self) -> None:
        """Let the kernel read what it can, and read the rows between with care."""
        buffers = self.buffers
        specs, lists = _specs(self.attributes)
        for j in self.texts:
            specs[j] = kernel.WANTED
        tables = _tables(lists, specs)
        text = np.frombuffer(self.content, dtype=np.uint8)
        fixed = (self.limits.max_line_bytes, specs, *tables, buffers.values, buffers.hard)
        while True:
            if self.sparse:
                status, self.at = kernel.sparse_rows(
                    text, self.at, *fixed, buffers.counts, buffers.columns, buffers.ends
                )
            else:
                status, self.at = kernel.dense_rows(text, self.at, *fixed, buffers.counts)
            self._settle()
            if status == kernel.DONE:
                return
            if status == kernel.FULL:
                self._too_many(self.at)
            if status == kernel.STOPPED:
                self._one_line()

    def interpreted(self) -> None:
        """Read every row with care: what the kernel does, without it."""
        while self.at < len(self.content):
            if self.content[self.at] == NEWLINE:
                self.at += 1
            else:
                self._one_line()

    def _settle(self) -> None:
        """Give the numbers that were not exact for the kernel to float()."""
        buffers = self.buffers
        for n, start, stop in buffers.hard[: buffers.counts[2]].tolist():
            value = float(self.content[start:stop])
            if value in (float("inf"), float("-inf")):
                self.at = self.content.rfind(b"\n", 0, start) + 1
                self._one_line()
            self.zeros |= value == 0.0
            buffers.values[n] = value
        buffers.counts[2] = 0

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
            row = self.reader.read(raw.decode("utf-8"), self.sparse)
        except Misfit as misfit:
            raise place(misfit, self.path, self.line) from None
        except UnicodeDecodeError as error:
            raise ParseError(
                f"byte 0x{raw[error.start]:02x} is not UTF-8 text; "
                "say the encoding with --encoding, for example --encoding latin-1",
                self.path,
                self.line,
                error.start + 1,
            ) from None
        if row is None:
            return
        buffers = self.buffers
        n, i = int(buffers.counts[0]), int(buffers.counts[1])
        size = len(row.values)
        if n + size > len(buffers.values) or i >= self.limits.max_rows:
            self._too_many(self.counted)
        buffers.values[n : n + size] = row.values
        if row.columns is not None:
            buffers.columns[n : n + size] = row.columns
            buffers.ends[i] = n + size
        for j, text in row.texts.items():
            self.texts[j][i] = text
        if row.weight is not None:
            self.weights[i] = row.weight
        buffers.counts[0], buffers.counts[1] = n + size, i + 1

    def _too_many(self, at: int) -> NoReturn:
        rows = int(self.buffers.counts[1]) + 1
        line = self.content.count(b"\n", 0, at) + 1
        if rows > self.limits.max_rows:
            raise exceeded(self.limits, "max_rows", rows, "rows", self.path, line)
        cells = rows * self.width
        raise exceeded(self.limits, "max_cells", cells, "cells", self.path, line)

    def body(self) -> Body:
        buffers = self.buffers
        n, n_rows = int(buffers.counts[0]), int(buffers.counts[1])
        weights = None
        if self.weights:
            weights = np.ones(n_rows)
            weights[list(self.weights)] = list(self.weights.values())
        values = buffers.values[:n]
        if not self.sparse:
            return Body(n_rows, values.reshape(n_rows, self.width), None, None, weights, self.texts)
        columns = buffers.columns[:n]
        indptr = np.zeros(n_rows + 1, dtype=np.int64)
        indptr[1:] = buffers.ends[:n_rows]
        if self.zeros:  # numbers too small for a double
            kept = values != 0.0
            indptr = np.concatenate([[0], np.cumsum(kept)])[indptr]
            values, columns = values[kept], columns[kept]
        return Body(n_rows, values, columns, indptr, weights, self.texts)


def parse_body(
    content: bytes, header: Header, wanted: frozenset[int], path: str, limits: Limits
) -> Body:
    """Read the rows behind the header.

    Parameters
    ----------
    content : bytes
        The file, UTF-8, with ``\\n`` alone between lines.
    header : Header
        What `read_header` found.
    wanted : frozenset of int
        The string columns whose texts are wanted.
    path, limits
        For messages.
    """
    parser = _Parser(content, header, wanted, path, limits)
    if kernel.is_compiled():
        parser.compiled()
    else:
        parser.interpreted()
    if parser.buffers.counts[1] == 0:
        raise ParseError("there is no row after @data", path, header.line)
    return parser.body()
