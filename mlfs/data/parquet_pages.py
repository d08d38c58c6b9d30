"""What a Parquet file declares, checked before its columns are read.

In: a file. The schema and the head of each page are read here (they are thrift, in its compact
form), since run lengths, dictionaries and compression let a few bytes stand for gigabytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from mlfs.data.request import Limits, exceeded
from mlfs.data.unpacking import RATIO_FROM
from mlfs.errors import ParseError

__all__ = ["check_file", "stream_size"]

MAGIC = b"PAR1"
DEEPEST = 64
CELL = 8  # bytes of a value in memory
PREFIXES = 7  # an encoding by which each value may repeat a long part of the one before
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
SCHEMA, CHILDREN = 2, 5
PAGE_SIZE, PACKED_SIZE = 2, 3
DATA_PAGE, DATA_PAGE_2 = 5, 8
VALUES, PACKED_COLUMN, FIRST_PAGE, DICTIONARY = 5, 7, 9, 11
PATH = 3  # of a column: more than one name, if it is nested
HEAD = 1 << 12  # bytes in which the head of a page mostly is

# The fields that are kept of each structure; an empty one is kept whole.
Spec = dict[int, Any]
WHOLE: Spec = {}
COLUMN: Spec = dict.fromkeys((1, 2, 3, 4, VALUES, 6, PACKED_COLUMN, FIRST_PAGE, DICTIONARY), WHOLE)
GROUP: Spec = {1: {2: WHOLE, 3: COLUMN}, 2: WHOLE, 3: WHOLE}
FILE: Spec = {1: WHOLE, SCHEMA: WHOLE, 3: WHOLE, 4: GROUP, 5: WHOLE, 6: WHOLE}


class Damaged(Exception):
    """What is wrong with the thrift of a file."""


class _Thrift:
    """A cursor over thrift in its compact form."""

    def __init__(self, content: bytes, position: int, end: int) -> None:
        self.content, self.position, self.end = content, position, end

    def byte(self) -> int:
        if self.position >= self.end:
            raise Damaged("it ends in its metadata")
        self.position += 1
        return self.content[self.position - 1]

    def number(self) -> int:
        """An unsigned number of at most 64 bits."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise Damaged("a number in its metadata is too long")

    def signed(self) -> int:
        value = self.number()
        return (value >> 1) ^ -(value & 1)

    def fields(self) -> Iterator[tuple[int, int]]:
        """The number and type of each field of a struct; the caller reads or skips it."""
        number = 0
        while byte := self.byte():
            number = number + (byte >> 4) if byte >> 4 else self.signed()
            yield number, byte & 15

    def items(self) -> tuple[int, int]:
        """How many items a list has, and their type."""
        byte = self.byte()
        count = byte >> 4 if byte >> 4 < 15 else self.number()
        if count > self.end - self.position:
            raise Damaged("a list in its metadata is longer than the file")
        return count, byte & 15

    def skip(self, kind: int, depth: int = 0, *, item: bool = False) -> None:
        """Pass over a value; a boolean is in the type of its field, but a byte as an item."""
        if depth > DEEPEST:
            raise Damaged("its metadata are nested too deep")
        if kind in (TRUE, FALSE):
            self.position += item
        elif kind == BYTE:
            self.position += 1
        elif kind < DOUBLE:
            self.number()
        elif kind == DOUBLE:
            self.position += 8
        elif kind == BINARY:
            size = self.number()
            self.position += size
        elif kind in (LIST, SET):
            count, kind = self.items()
            for _ in range(count):
                self.skip(kind, depth + 1, item=True)
        elif kind == STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        else:
            raise Damaged(f"its metadata hold a value of type {kind}")
        if self.position > self.end:
            raise Damaged("it ends in its metadata")


def stream_size(file: BinaryIO) -> int:
    """The bytes of a file."""
    return file.seek(0, io.SEEK_END)


def check_file(file: BinaryIO, path: str, limits: Limits) -> BinaryIO:
    """Check what a file declares, and return it with no more metadata than are needed.

    What is left out are statistics, which pyarrow always reads: damaged ones end the process.
    A file that is encrypted or cut is returned as it is, and pyarrow refuses it.
    Of columns that are not nested a value takes no memory before it is read, some rows at a time.
    """
    size = stream_size(file)
    tail = _bytes(file, max(0, size - 8), size)
    meta_size = int.from_bytes(tail[:4], "little")
    if not tail.endswith(MAGIC) or size < 12 or meta_size > size - 8:
        file.seek(0)
        return file
    start = size - 8 - meta_size
    content = _bytes(file, start, size - 8)
    chunks: list[dict[int, int]] = []
    total = spread = 0
    try:
        meta = _copy_fields(_Thrift(content, 0, len(content)), FILE, chunks)
        for chunk in chunks:
            pages, values = _column_bytes(file, size, chunk)
            total += pages + (values if chunk.get(PATH, 1) > 1 else 0)
            spread += pages + values
            if total > limits.max_decompressed:
                raise exceeded(
                    limits, "max_decompressed", total, "unpacked bytes", path, enough=2 * total
                )
    except Damaged as error:
        raise ParseError(f"this is not a Parquet file that can be read: {error}", path) from None
    ratio = spread // size
    if spread > RATIO_FROM and ratio > limits.max_ratio:
        noun = "bytes for each compressed byte"
        raise exceeded(limits, "max_ratio", ratio, noun, path, enough=10 * ratio)
    return _ReplacedTail(file, start, meta + len(meta).to_bytes(4, "little") + MAGIC)


def _bytes(file: BinaryIO, start: int, stop: int) -> bytes:
    file.seek(start)
    return file.read(max(0, stop - start))


class _ReplacedTail(io.RawIOBase, BinaryIO):
    """A file up to some place, and other bytes after it."""

    def __init__(self, file: BinaryIO, start: int, tail: bytes) -> None:
        self.file, self.start, self.tail = file, start, tail
        self.position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        size = self.start + len(self.tail)
        self.position = (
            offset + {io.SEEK_SET: 0, io.SEEK_CUR: self.position, io.SEEK_END: size}[whence]
        )
        return self.position

    def read(self, size: int = -1) -> bytes:
        if size is None or size < 0:
            size = self.start + len(self.tail) - self.position
        stop = self.position + size
        content = (
            _bytes(self.file, self.position, min(stop, self.start))
            if self.position < self.start
            else b""
        )
        if stop > self.start and len(content) == max(0, self.start - self.position):
            content += self.tail[max(0, self.position - self.start) : stop - self.start]
        self.position += len(content)
        return content

    def close(self) -> None:
        self.file.close()
        super().close()


def _copy_fields(thrift: _Thrift, spec: Spec, chunks: list[dict[int, int]]) -> bytes:
    """Copy the fields of a struct that `spec` names; note those of a column in `chunks`."""
    out = bytearray()
    previous = 0
    column: dict[int, int] = {}
    for number, kind in thrift.fields():
        start = thrift.position
        if number not in spec:
            thrift.skip(kind)
            continue
        inner = spec[number]
        if not inner:
            if spec is FILE and number == SCHEMA and kind == LIST:
                _check_depth(thrift)
            else:
                thrift.skip(kind)
            body = thrift.content[start : thrift.position]
        elif kind == LIST:
            count, item = thrift.items()
            head = thrift.content[start : thrift.position]
            if item != STRUCT:
                raise Damaged("a list in its metadata is not one of structures")
            body = head + b"".join([_copy_fields(thrift, inner, chunks) for _ in range(count)])
        elif kind == STRUCT:
            body = _copy_fields(thrift, inner, chunks)
        else:
            raise Damaged("its metadata are not those of a Parquet file")
        if spec is COLUMN and BYTE < kind < DOUBLE:
            column[number] = _Thrift(thrift.content, start, thrift.end).signed()
        elif spec is COLUMN and number == PATH and kind == LIST:
            column[number] = _Thrift(thrift.content, start, thrift.end).items()[0]
        step = number - previous
        out += bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + _zigzag(number)
        out += body
        previous = number
    if spec is COLUMN:
        chunks.append(column)
    return bytes(out) + b"\0"


def _zigzag(number: int) -> bytes:
    value = number << 1 if number >= 0 else ~(number << 1)
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _check_depth(thrift: _Thrift) -> None:
    count, kind = thrift.items()
    if kind != STRUCT:
        raise Damaged("its schema is none")
    open_: list[int] = []  # how many children are still to come, at each level
    for _ in range(count):
        children = 0
        for number, inner in thrift.fields():
            if number == CHILDREN and BYTE < inner < DOUBLE:
                children = thrift.signed()
            else:
                thrift.skip(inner)
        while open_ and not open_[-1]:
            open_.pop()
        if open_:
            open_[-1] -= 1
        if not 0 <= children <= count:
            raise Damaged(f"its schema has {children} columns in one")
        open_.append(children)
        if len(open_) > DEEPEST:
            raise Damaged(f"its columns are nested deeper than {DEEPEST} levels")


def _column_bytes(file: BinaryIO, file_size: int, column: dict[int, int]) -> tuple[int, int]:
    """How many bytes the pages of a column take at most, unpacked, and how many its values."""
    position, dictionary = column.get(FIRST_PAGE, -1), column.get(DICTIONARY, 0)
    if 0 < dictionary < position:
        position = dictionary
    size = column.get(PACKED_COLUMN, -1)
    if not column.get(VALUES, -1):
        return 0, 0
    end = position + size
    if not 4 <= position <= end <= file_size:
        raise Damaged("a column is not within the file")
    pages = values = 0
    while position < end:
        head, head_end = _page_at(file, position, end)
        size, packed = head.get(PAGE_SIZE, -1), head.get(PACKED_SIZE, -1)
        if size < 0 or packed < 0:
            raise Damaged("a page has no size")
        pages += size
        for kind in (DATA_PAGE, DATA_PAGE_2):
            if kind in head:
                count, encoding = head[kind]
                if encoding == PREFIXES:
                    raise Damaged(
                        "a column is encoded as DELTA_BYTE_ARRAY; write it with another encoding"
                    )
                values += CELL * max(0, count)
        position = head_end + packed
    return pages, values


def _page_at(file: BinaryIO, start: int, end: int) -> tuple[dict[int, Any], int]:
    """The head of a page, and where it ends; more of the file is read if it is a long one."""
    size = HEAD
    while True:
        content = _bytes(file, start, min(start + size, end))
        thrift = _Thrift(content, 0, len(content))
        try:
            return _page(thrift), start + thrift.position
        except Damaged:
            if size >= end - start:
                raise
        size *= 16


def _page(thrift: _Thrift) -> dict[int, Any]:
    """The sizes of a page; for one of data the number of values, and their encoding."""
    sizes: dict[int, Any] = {}
    for number, kind in thrift.fields():
        if number in (PAGE_SIZE, PACKED_SIZE) and BYTE < kind < DOUBLE:
            sizes[number] = thrift.signed()
        elif number in (DATA_PAGE, DATA_PAGE_2) and kind == STRUCT:
            sizes[number] = _value_count(thrift, 2 if number == DATA_PAGE else 4)
        else:
            thrift.skip(kind)
    return sizes


def _value_count(thrift: _Thrift, encoding: int) -> tuple[int, int]:
    """The number of values of a page, and their encoding, which is in this field."""
    values = {1: 0, encoding: 0}
    for number, kind in thrift.fields():
        if number in values and BYTE < kind < DOUBLE:
            values[number] = thrift.signed()
        else:
            thrift.skip(kind)
    return values[1], values[encoding]
