"""What a Parquet file declares, checked before its columns are read.

In: the bytes of a file. The schema and the head of each page are read here (they are thrift, in its
compact form), since run lengths, dictionaries and compression let a few bytes stand for gigabytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mlfs.data.request import Limits, exceeded
from mlfs.data.unpacking import RATIO_FROM
from mlfs.errors import ParseError

__all__ = ["check_pages", "check_schema"]

MAGIC = b"PAR1"
DEEPEST = 64
CELL = 8  # bytes of a value in memory
PREFIXES = 7  # an encoding by which each value may repeat a long part of the one before
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
SCHEMA, CHILDREN = 2, 5
PAGE_SIZE, PACKED_SIZE = 2, 3
DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_2 = 5, 7, 8


class Damaged(Exception):
    """What is wrong with the thrift of a file."""


class _Thrift:
    """A cursor over thrift in its compact form."""

    def __init__(self, content: bytes, at: int, end: int) -> None:
        self.content, self.at, self.end = content, at, end

    def byte(self) -> int:
        if self.at >= self.end:
            raise Damaged("it ends in its metadata")
        self.at += 1
        return self.content[self.at - 1]

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
        if count > self.end - self.at:
            raise Damaged("a list in its metadata is longer than the file")
        return count, byte & 15

    def skip(self, kind: int, depth: int = 0, *, item: bool = False) -> None:
        """Pass over a value; a boolean is in the type of its field, but a byte as an item."""
        if depth > DEEPEST:
            raise Damaged("its metadata are nested too deep")
        if kind in (TRUE, FALSE):
            self.at += item
        elif kind == BYTE:
            self.at += 1
        elif kind < DOUBLE:
            self.number()
        elif kind == DOUBLE:
            self.at += 8
        elif kind == BINARY:
            size = self.number()
            self.at += size
        elif kind in (LIST, SET):
            count, kind = self.items()
            for _ in range(count):
                self.skip(kind, depth + 1, item=True)
        elif kind == STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        else:
            raise Damaged(f"its metadata hold a value of type {kind}")
        if self.at > self.end:
            raise Damaged("it ends in its metadata")

    def chosen(self, wanted: dict[int, Callable[[], Any]]) -> dict[int, Any]:
        """Read some fields of a struct, each by its own function, and pass over the others."""
        found: dict[int, Any] = {}
        for number, kind in self.fields():
            if number in wanted and kind == (STRUCT if number >= DATA_PAGE else kind):
                found[number] = wanted[number]()
            else:
                self.skip(kind)
        return found


def check_schema(content: bytes, path: str) -> None:
    """Refuse a schema that is nested too deep for a reader that calls itself.

    A file that is not read at all, because it is encrypted or cut, is left to the reader.
    """
    size = int.from_bytes(content[-8:-4], "little")
    if not content.endswith(MAGIC) or len(content) < 12 or size > len(content) - 8:
        return
    thrift = _Thrift(content, len(content) - 8 - size, len(content) - 8)
    try:
        for number, kind in thrift.fields():
            if number != SCHEMA or kind != LIST:
                thrift.skip(kind)
                continue
            _check_depth(thrift)
    except Damaged as error:
        raise ParseError(f"this is not a Parquet file that can be read: {error}", path) from None


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


def check_pages(content: bytes, meta: Any, path: str, limits: Limits) -> None:
    """Refuse a file whose pages unfold beyond the limits, or by an encoding without a bound.

    Parameters
    ----------
    content : bytes
        The file.
    meta : pyarrow.parquet.FileMetaData
        Where its columns are.
    """
    total = 0
    try:
        for i in range(meta.num_row_groups):
            group = meta.row_group(i)
            for j in range(group.num_columns):
                total += _unfolded(content, group.column(j))
                if total > limits.max_decompressed:
                    raise exceeded(limits, "max_decompressed", total, "unpacked bytes", path)
    except Damaged as error:
        raise ParseError(f"this is not a Parquet file that can be read: {error}", path) from None
    ratio = total // max(1, len(content))
    if total > RATIO_FROM and ratio > limits.max_ratio:
        raise exceeded(limits, "max_ratio", ratio, "bytes for each compressed byte", path)


def _unfolded(content: bytes, chunk: Any) -> int:
    """How many bytes the pages of a column take at most, unpacked and as values."""
    at = chunk.data_page_offset
    first = chunk.dictionary_page_offset
    if first is not None and 0 < first < at:
        at = first
    end = at + chunk.total_compressed_size
    if not 4 <= at <= end <= len(content):
        raise Damaged(f"the column {chunk.path_in_schema} is not within the file")
    total = 0
    while at < end:
        thrift = _Thrift(content, at, end)
        head = _page(thrift)
        size, packed = head.get(PAGE_SIZE, -1), head.get(PACKED_SIZE, -1)
        if size < 0 or packed < 0:
            raise Damaged("a page has no size")
        total += size
        for kind in (DATA_PAGE, DATA_PAGE_2):
            if kind in head:
                count, encoding = head[kind]
                if encoding == PREFIXES:
                    raise Damaged(
                        "a column is encoded as DELTA_BYTE_ARRAY; write it with another encoding"
                    )
                total += CELL * max(0, count)
        at = thrift.at + packed
    return total


def _page(thrift: _Thrift) -> dict[int, Any]:
    def first() -> tuple[int, int]:
        return _counted(thrift, 2)

    def second() -> tuple[int, int]:
        return _counted(thrift, 4)

    number = thrift.signed
    return thrift.chosen({PAGE_SIZE: number, PACKED_SIZE: number, DATA_PAGE: first,
                          DATA_PAGE_2: second})  # fmt: skip


def _counted(thrift: _Thrift, encoding: int) -> tuple[int, int]:
    """The number of values of a page, and their encoding, which is in this field."""
    found = {1: 0, encoding: 0}
    for number, kind in thrift.fields():
        if number in found and BYTE < kind < DOUBLE:
            found[number] = thrift.signed()
        else:
            thrift.skip(kind)
    return found[1], found[encoding]
