"""Bit slices: small numbers of a dense table, bit by bit, 64 rows to the word.

Slice b of a column holds bit b of its values; whatever is asked about single values follows by a
few ANDs of slices (`mlfs._kernels.slices`), on an eighth of the data for each bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

from mlfs._kernels.jit import compiled, inner

__all__ = [
    "MISSING",
    "ODD",
    "STRIP",
    "as_bytes",
    "entries_of_labels",
    "slice_columns",
    "slice_rows",
]

STRIP = 64  # rows to the word, and columns at a time
ONE = np.uint64(1)
BLOCK = 8  # words at a time: what a cache line of a slice holds
MISSING, ODD = 16, 32  # bytes for what is missing, and for what is no small whole number

if config.DISABLE_JIT:  # type: ignore[attr-defined]  # numba sets its options at run time

    def _eight(table: Any, at: int, stride: int) -> np.ndarray:
        return np.stack([table[at + r * stride : at + r * stride + STRIP] for r in range(8)])

    def _eight_rows(table: Any, at: int, stride: int, bit: int, out: Any, to: int) -> None:
        bits = (_eight(table, at, stride) >> bit) & 1
        out[to : to + STRIP] = np.packbits(bits, axis=0, bitorder="little")[0]

    def _any_of(table: Any, at: int, stride: int, top: Any, to: int) -> int:
        found = np.bitwise_or.reduce(_eight(table, at, stride), axis=0)
        top[to : to + STRIP] |= found
        return int(np.bitwise_or.reduce(found))

    def _word(table: Any, at: int, asked: int) -> Any:
        bits = np.packbits((table[at : at + STRIP] & np.uint8(asked)) != 0, bitorder="little")
        return np.uint64(int.from_bytes(bits.tobytes(), "little"))

    def _lowest(word: Any) -> int:
        return (int(word) & -int(word)).bit_length() - 1

else:
    _BYTE, _INDEX = ir.IntType(8), ir.IntType(32)
    _BYTES = ir.VectorType(_BYTE, STRIP)
    _WHOLE = types.int64

    def _place(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
        data = context.make_array(kind)(context, builder, array).data
        return builder.bitcast(builder.gep(data, [at]), _BYTES.as_pointer())

    def _splat(value: int) -> Any:
        return ir.Constant(_BYTES, [value] * STRIP)

    def _spread(builder: Any, byte: Any) -> Any:
        nothing = ir.Constant(_BYTES, ir.Undefined)
        one = builder.insert_element(nothing, byte, ir.Constant(_INDEX, 0))
        zeros = ir.Constant(ir.VectorType(_INDEX, STRIP), [0] * STRIP)
        return builder.shuffle_vector(one, nothing, zeros)

    def _having(builder: Any, values: Any, asked: Any) -> Any:
        return builder.icmp_unsigned("!=", builder.and_(values, asked), _splat(0))

    @intrinsic
    def _eight_rows(
        typing: Any,  # noqa: ARG001  # numba's signature
        table: Any,
        at: Any,  # noqa: ARG001
        stride: Any,  # noqa: ARG001
        bit: Any,  # noqa: ARG001
        out: Any,
        to: Any,  # noqa: ARG001
    ) -> Any:
        """Bit `bit` of eight rows of 64 columns: a byte for each column, a bit for each row."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            table, at, stride, bit, out, to = arguments
            asked = builder.shl(ir.Constant(_BYTE, 1), builder.trunc(bit, _BYTE))
            asked, total = _spread(builder, asked), _splat(0)
            for row in range(8):
                place = _place(context, builder, signature.args[0], table, at)
                on = _having(builder, builder.load(place, align=1), asked)
                total = builder.or_(total, builder.select(on, _splat(1 << row), _splat(0)))
                at = builder.add(at, stride)
            place = _place(context, builder, signature.args[4], out, to)
            builder.store(total, place, align=1)
            return context.get_dummy_value()

        return types.none(table, _WHOLE, _WHOLE, _WHOLE, out, _WHOLE), generate

    @intrinsic
    def _any_of(
        typing: Any,  # noqa: ARG001  # numba's signature
        table: Any,
        at: Any,  # noqa: ARG001
        stride: Any,  # noqa: ARG001
        top: Any,
        to: Any,  # noqa: ARG001
    ) -> Any:
        """OR eight rows of 64 columns into `top`, and all of them into one number."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            table, at, stride, top, to = arguments
            found = _splat(0)
            for _ in range(8):
                place = _place(context, builder, signature.args[0], table, at)
                found = builder.or_(found, builder.load(place, align=1))
                at = builder.add(at, stride)
            place = _place(context, builder, signature.args[3], top, to)
            builder.store(builder.or_(builder.load(place, align=1), found), place, align=1)
            shape = ir.FunctionType(_BYTE, [_BYTES])
            name = f"llvm.vector.reduce.or.v{STRIP}i8"
            reduce: Any = cgutils
            reduce = reduce.get_or_insert_function(builder.module, shape, name)
            return builder.zext(builder.call(reduce, [found]), ir.IntType(64))

        return _WHOLE(table, _WHOLE, _WHOLE, top, _WHOLE), generate

    @intrinsic
    def _word(typing: Any, table: Any, at: Any, asked: Any) -> Any:  # noqa: ARG001
        """Which of 64 bytes in a row have any of the bits asked for."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            table, at, asked = arguments
            place = _place(context, builder, signature.args[0], table, at)
            asked = _spread(builder, builder.trunc(asked, _BYTE))
            on = _having(builder, builder.load(place, align=1), asked)
            return builder.bitcast(on, ir.IntType(64))

        return types.uint64(table, _WHOLE, _WHOLE), generate

    @intrinsic
    def _lowest(typing: Any, word: Any) -> Any:  # noqa: ARG001
        """The place of the lowest one in a word that has any."""

        def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return _WHOLE(types.uint64), generate


@inner
def _tile(
    flat: Any, at: int, stride: int, rows: Any, top: Any, slices: Any, column: int, word: int
) -> None:
    """64 rows of 64 columns, the first one at `at`."""
    found = 0
    for row in range(0, STRIP, 8):
        found |= _any_of(flat, at + row * stride, stride, top, column)
    for bit in range(slices.shape[0]):
        if found >> bit & 1:
            for group in range(8):
                _eight_rows(flat, at + 8 * group * stride, stride, bit, rows, group * STRIP)
            for c in range(STRIP):
                packed = np.uint64(0)
                for group in range(8):
                    packed |= np.uint64(rows[group * STRIP + c]) << np.uint64(8 * group)
                slices[bit, column + c, word] = packed


@compiled
def slice_rows(flat: Any, first: int, last: int, origin: int, top: Any, slices: Any) -> None:
    """Slice the words `first` to `last` of rows that lie one after the other.

    `slices` has the shape (bits, columns, words) and holds zeros; the first row of `flat` belongs
    to the word `origin`. `top` collects the OR of each column. There are 64 columns or more.
    """
    d = top.size
    rows = np.empty(BLOCK * STRIP, np.uint8)
    for block in range(first, last, BLOCK):
        for strip in range(0, d, STRIP):
            column = min(strip, d - STRIP)
            for word in range(block, min(block + BLOCK, last)):
                at = (word - origin) * STRIP * d + column
                _tile(flat, at, d, rows, top, slices, column, word)


@compiled
def slice_columns(turned: Any, first: int, top: Any, slices: Any) -> None:
    """Slice columns, each of which lies in one piece; the first one is the column `first`."""
    n_rows = turned.shape[1]
    flat = turned.ravel()
    for c in range(turned.shape[0]):
        found = np.uint8(0)
        for row in range(n_rows):
            found |= turned[c, row]
        top[first + c] |= found
        for bit in range(slices.shape[0]):
            if not found >> bit & 1:
                continue
            for word in range(n_rows // STRIP):
                slices[bit, first + c, word] = _word(flat, c * n_rows + word * STRIP, 1 << bit)
            packed = np.uint64(0)
            for row in range(n_rows // STRIP * STRIP, n_rows):
                packed |= np.uint64(turned[c, row] >> bit & 1) << np.uint64(row % STRIP)
            if n_rows % STRIP:
                slices[bit, first + c, n_rows // STRIP] = packed


@compiled
def as_bytes(values: Any, zero: Any, out: Any) -> None:
    """0 to 15 as they are, MISSING for NaN, ODD for everything else; `zero` is of their type."""
    for i in range(values.size):
        value = values[i]
        inside = (value >= 0) & (value < MISSING)
        kept = value if inside else zero
        whole = np.int32(kept)
        other = ODD if value == value else MISSING
        out[i] = np.uint8(whole if inside & (whole == kept) else other)


@compiled
def entries_of_labels(
    flat: Any, signed: Any, ends: Any, rows: Any, codes: Any, write: bool
) -> None:
    """Where a table of 64 bytes or more is not 0, column by column.

    First they are counted in `ends`, then written from where `ends` says on, which moves to the
    ends: two turns of one kernel are compiled in half the time of two kernels.
    """
    d = ends.size
    for first in range(0, flat.size, STRIP):
        late = first + STRIP - flat.size  # the last strip begins before its first new byte
        if late < 0:  # noqa: PLR1730  # max is slow to compile
            late = 0
        word = _word(flat, first - late, 255) >> np.uint64(late)
        while word:
            at = first + _lowest(word)
            word &= word - ONE
            row = at // d
            column = at - row * d
            place = ends[column]
            ends[column] = place + 1
            if write:
                rows[place] = row
                codes[place] = signed[at]
