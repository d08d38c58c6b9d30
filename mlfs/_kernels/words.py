"""Eight bytes of a text at once: loaded as a word, their digits counted and read.

The first byte is the lowest of the word, whatever the machine. Nothing here checks a bound: the
caller keeps `PADDING` bytes behind what is read. Without compilation there is no use for this.
"""

from __future__ import annotations

import sys
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

PADDING = 64
ZEROS = 0x3030303030303030
TOPS = 0x8080808080808080
CARRY = 0x7676767676767676
STEPS = (
    (0xFFFFFFFFFFFFFFFF, 2561, 8),
    (0x00FF00FF00FF00FF, 6553601, 16),
    (0x0000FFFF0000FFFF, 42949672960001, 32),
)
# numba's signature
# ruff: noqa: ARG001


def _constant(value: int) -> Any:
    return ir.Constant(ir.IntType(64), value)


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]], inbounds=True)


def _byte(context: Any, text: Any, pos: Any) -> Any:
    """The byte at `pos`, without the check for an index from the end."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, arguments))

    return types.uint8(text, types.int64), generate


byte: Any = intrinsic(_byte)


def _word(context: Any, text: Any, pos: Any) -> Any:
    """Eight bytes from `pos` on, aligned or not, the digits among them as 0 to 9."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = _pointer(context, builder, signature, arguments)
        start = builder.bitcast(start, ir.IntType(64).as_pointer())
        loaded = builder.load(start, align=1)
        loaded = loaded if sys.byteorder == "little" else builder.bswap(loaded)
        return builder.xor(loaded, _constant(ZEROS))

    return types.uint64(text, types.int64), generate


word: Any = intrinsic(_word)


def _leading(context: Any, digits: Any) -> Any:
    """How many of eight bytes are digits before the first that is none.

    A sum carries into the next byte only behind one that is no digit.
    """

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        summed = builder.add(arguments[0], _constant(CARRY))
        others = builder.and_(builder.or_(summed, arguments[0]), _constant(TOPS))
        below = builder.cttz(others, ir.Constant(ir.IntType(1), 0))
        return builder.lshr(below, _constant(3))

    return types.int64(types.uint64), generate


leading: Any = intrinsic(_leading)


def _eight(context: Any, digits: Any, count: Any) -> Any:
    """The number that the first `count` digits are, by three multiplications."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        digits, count = arguments
        empty = builder.icmp_unsigned("==", count, _constant(0))
        missing = builder.shl(builder.sub(_constant(8), count), _constant(3))
        number = builder.shl(digits, builder.select(empty, _constant(0), missing))
        for kept, factor, shift in STEPS:
            number = builder.mul(builder.and_(number, _constant(kept)), _constant(factor))
            number = builder.lshr(number, _constant(shift))
        return builder.select(empty, _constant(0), number)

    return types.int64(types.uint64, types.int64), generate


eight: Any = intrinsic(_eight)
