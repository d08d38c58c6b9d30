"""The elements of a MATLAB file of version 5 to 7, read without trusting any of them.

In: the bytes of a file. Out: its variables, of which `numbers` reads a full or sparse matrix and
`texts` a cell array or a matrix of characters. Each tag and size is checked against the bytes that
are there before anything is made of it; a compressed variable is unpacked no further than it says
it is long. Structures, objects, functions and nested cells are passed over by their size.
(scipy's reader is not used: a damaged file can make it read beyond its memory.)
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs.data.request import Limits, exceeded
from mlfs.errors import ParseError, printable

HEADER = 128
HEAD = 1024  # bytes of a compressed variable in which its name must be
MATRIX, COMPRESSED = 14, 15
INT8, INT32, UINT32, UTF8 = 1, 5, 6, 16
CHAR, SPARSE, OPAQUE = 4, 5, 17
COMPLEX = 8
MOST_DIMENSIONS = 32
NUMBERS = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8",
}  # fmt: skip
WHOLE = {kind: code for kind, code in NUMBERS.items() if code[0] in "iu"}
ENCODINGS = {1: "utf-8", 2: "utf-8", 4: "utf-16", UTF8: "utf-8", 17: "utf-16", 18: "utf-32"}
UNITS = {4: 2, 17: 2, 18: 4}
CLASSES = {
    1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single",
    8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64",
    15: "uint64", 16: "function", 17: "opaque", 18: "object",
}  # fmt: skip
NUMERIC = range(6, 16)


class DamagedElement(Exception):
    """An element that is not what its tag or the format says, in words."""


class Unsuited(Exception):
    """A sound variable that is not what a data set is made of, in words."""


class Element(NamedTuple):
    """The type of an element, its bytes, and where the next one starts."""

    kind: int
    data: memoryview
    end: int


class Variable(NamedTuple):
    """The head of a variable, and what follows it.

    `packed` holds all bytes of a compressed variable, of which `body` is only a beginning.
    """

    name: str
    kind: int
    flags: int
    shape: tuple[int, ...]
    body: memoryview
    order: str
    packed: memoryview | None = None

    @property
    def cells(self) -> int:
        """How many cells the shape has."""
        return math.prod(self.shape)


def _element(view: memoryview, start: int, order: str) -> Element:
    """Read a tag, and take the bytes that belong to it."""
    if start + 8 > len(view):
        raise DamagedElement("it ends in the middle of an element")
    word, size = struct.unpack_from(order + "II", view, start)
    if word >> 16:  # a small element: both in one word, and the bytes in the next
        kind, size, data_start, end = word & 0xFFFF, word >> 16, start + 4, start + 8
    else:
        kind, data_start = word, start + 8
        end = data_start + size + (-size % 8 if kind != COMPRESSED else 0)
    if data_start + size > min(len(view), max(end, data_start + size)) or (
        end == start + 8 and size > 4
    ):
        raise DamagedElement(f"an element of {size} bytes is longer than what holds it")
    return Element(kind, view[data_start : data_start + size], min(end, len(view)))


def variables(content: bytes, path: str) -> Iterator[Variable]:
    """Walk through the variables of a file, each by its head alone."""
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128], "")
    if not order or struct.unpack_from(order + "H", content, 124)[0] >> 8 != 1:
        raise DamagedElement("it has no such header")
    view = memoryview(content)
    position = HEADER
    while position < len(content):
        element = _element(view, position, order)
        position = element.end
        if element.kind == COMPRESSED:
            head = _unpack(element.data, HEAD, path)
            if not head:
                continue
            if len(head) < 8 or struct.unpack_from(order + "I", head)[0] != MATRIX:
                raise DamagedElement("a compressed element holds no variable")
            yield _head(memoryview(head)[8:], order, element.data)
        elif element.kind != MATRIX:
            raise DamagedElement(
                f"an element of type {element.kind} stands where a variable is expected"
            )
        elif len(element.data):
            yield _head(element.data, order, None)


def _unpack(packed: memoryview, size: int, path: str) -> bytes:
    """Unpack the first `size` bytes."""
    try:
        return zlib.decompressobj().decompress(packed, size)
    except zlib.error as error:
        raise ParseError(f"a compressed variable is broken: {error}", path) from None


def unpack_variable(variable: Variable, room: int, path: str, limits: Limits) -> Variable:
    """Unpack a compressed variable, of at most `room` bytes; another is returned as it is."""
    if variable.packed is None:
        return variable
    tag = _unpack(variable.packed, 8, path)
    size = 8 + struct.unpack_from(variable.order + "I", tag, 4)[0]
    if size > room:
        unpacked_size = limits.unpacked(len(variable.packed)) - room + size
        noun = "unpacked bytes"
        raise exceeded(
            limits, "max_decompressed", unpacked_size, noun, path, enough=2 * unpacked_size
        )
    content = _unpack(variable.packed, size + 1, path)
    if len(content) != size:
        raise DamagedElement("a compressed variable is not as long as it says")
    return _head(memoryview(content)[8:], variable.order, None)


def _head(view: memoryview, order: str, packed: memoryview | None) -> Variable:
    """Read the flags, the dimensions and the name of a variable."""
    flags = _element(view, 0, order)
    if flags.kind != UINT32 or len(flags.data) != 8:
        raise DamagedElement("a variable does not start with its flags")
    word = struct.unpack_from(order + "I", flags.data)[0]
    kind, bits = word & 0xFF, word >> 8 & 0xFF
    if kind not in CLASSES:
        raise DamagedElement(f"a variable is of class {kind}, which does not exist")
    if kind == OPAQUE:  # it has no dimensions, and nothing that could be read
        return Variable("", kind, bits, (), view[:0], order, packed)
    dims = _element(view, flags.end, order)
    shape = _shape(dims, order)
    name = _element(view, dims.end, order)
    if name.kind not in (INT8, UTF8):
        raise DamagedElement("a variable has no name")
    text = bytes(name.data).decode("utf-8", "replace")
    return Variable(text, kind, bits, shape, view[name.end :], order, packed)


def _shape(dims: Element, order: str) -> tuple[int, ...]:
    count, remainder = divmod(len(dims.data), 4)
    if dims.kind not in (INT32, UINT32) or remainder or not 0 < count <= MOST_DIMENSIONS:
        raise DamagedElement("a variable has no dimensions")
    shape = struct.unpack(f"{order}{count}i", dims.data)
    if min(shape) < 0:
        raise DamagedElement(f"a variable has a side of length {min(shape)}")
    return shape


def _values(
    view: memoryview, start: int, order: str, kinds: dict[int, str]
) -> tuple[np.ndarray, int]:
    """Read an element of numbers; the end of the view stands for none."""
    if start >= len(view):
        return np.zeros(0), start
    element = _element(view, start, order)
    code = kinds.get(element.kind)
    if code is None:
        raise DamagedElement(f"an element of type {element.kind} stands where numbers are expected")
    dtype = np.dtype(order + code)
    if len(element.data) % dtype.itemsize:
        raise DamagedElement(f"{len(element.data)} bytes are no numbers of {dtype.itemsize} bytes")
    values = np.frombuffer(element.data, dtype)
    return values.astype(dtype.newbyteorder("="), copy=True), element.end


def numbers(variable: Variable) -> Any:
    """Read a matrix of numbers: an array in the order of the file, or a csc_array."""
    if variable.flags & COMPLEX:
        name = printable(variable.name)
        raise Unsuited(f"{name} is complex; give the real and imaginary parts as columns")
    if variable.kind == SPARSE:
        return _sparse(variable)
    values, _ = _values(variable.body, 0, variable.order, NUMBERS)
    _check_count(len(values), variable)
    return values.reshape(variable.shape, order="F")


def _check_count(count: int, variable: Variable) -> None:
    if count != variable.cells:
        size = " x ".join(map(str, variable.shape))
        raise DamagedElement(
            f"the variable {printable(variable.name)} is {size} and holds {count} values"
        )


def _sparse(variable: Variable) -> sp.csc_array:
    if len(variable.shape) != 2:
        raise DamagedElement("a sparse matrix has not two dimensions")
    view, order = variable.body, variable.order
    rows, position = _values(view, 0, order, WHOLE)
    ends, position = _values(view, position, order, WHOLE)
    data, _ = _values(view, position, order, NUMBERS)
    n, width = variable.shape
    count = int(ends[-1]) if len(ends) else -1
    rising = len(ends) == width + 1 and ends[0] == 0 and bool((ends[1:] >= ends[:-1]).all())
    if not rising or not 0 <= count <= min(len(rows), len(data)):
        raise DamagedElement("the columns of a sparse matrix do not end where its entries do")
    rows, data = rows[:count], data[:count]
    if count and (int(rows.min()) < 0 or int(rows.max()) >= n):
        raise DamagedElement(f"an entry of a sparse matrix stands beyond its {n} rows")
    kind = np.int32 if max(n, width, count) < 1 << 31 else np.int64
    entries = (data, rows.astype(kind), ends.astype(kind))
    return sp.csc_array(entries, shape=variable.shape)


def texts(variable: Variable) -> list[str]:
    """Read the texts of a cell array, or the rows of a matrix of characters."""
    if variable.kind == CHAR:
        return _rows(variable)
    result: list[str] = []
    position, view = 0, variable.body
    while position < len(view):
        element = _element(view, position, variable.order)
        position = element.end
        if element.kind != MATRIX or len(result) == variable.cells:
            raise DamagedElement(
                f"the cells of {printable(variable.name)} are not those it declares"
            )
        inner = _head(element.data, variable.order, None) if len(element.data) else None
        if inner is None or (inner.kind in NUMERIC and not inner.cells):
            result.append("")  # an empty matrix
        elif inner.kind == CHAR:
            rows = _rows(inner)
            if len(rows) > 1:
                raise Unsuited(f"a cell of {printable(variable.name)} holds several texts, not one")
            result.append("".join(rows))
        else:
            kind = CLASSES[inner.kind]
            raise Unsuited(f"a cell of {printable(variable.name)} is of class {kind}, not a text")
    _check_count(len(result), variable)
    return result


def _rows(variable: Variable) -> list[str]:
    """The rows of a matrix of characters, which is stored by columns."""
    if len(variable.shape) != 2:
        raise DamagedElement("a matrix of characters has not two dimensions")
    if not variable.cells:
        return []
    element = _element(variable.body, 0, variable.order)
    encoding = ENCODINGS.get(element.kind)
    if encoding is None:
        raise DamagedElement(f"an element of type {element.kind} stands where text is expected")
    suffix = ("-le" if variable.order == "<" else "-be") if element.kind in UNITS else ""
    try:
        text = bytes(element.data).decode(encoding + suffix)
    except UnicodeDecodeError:
        name = encoding.upper()
        raise DamagedElement(
            f"the text of {printable(variable.name) or 'a cell'} is no {name}"
        ) from None
    n, width = variable.shape
    if n == 1 and len(element.data) // UNITS.get(element.kind, 1) == width:
        return [text]
    _check_count(len(text), variable)
    return [text[i::n] for i in range(n)]
