"""Eight bytes of a text at once: loaded as a word, their digits counted and read.

The first byte is the lowest of the word, whatever the machine. Nothing here checks a bound: the
caller keeps `PADDING` bytes behind what is read. Without compilation there is no use for this.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from mlfs._kernels.jit import inner

__all__ = ["PADDING", "byte", "eight", "leading", "word"]

PADDING = 64
ZEROS = np.uint64(0x3030303030303030)
TOPS = np.uint64(0x8080808080808080)
CARRY = np.uint64(0x7676767676767676)
PAIRS, FOURS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
TENS, HUNDREDS, MYRIADS = np.uint64(2561), np.uint64(6553601), np.uint64(42949672960001)
THREE, EIGHT, SIXTEEN, THIRTY_TWO = np.uint64(3), np.uint64(8), np.uint64(16), np.uint64(32)


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return cgutils.gep_inbounds(builder, array.data, arguments[1])


@intrinsic
def byte(context: Any, text: Any, at: Any) -> Any:  # noqa: ARG001  # numba's signature
    """The byte at `at`, without the check for an index from the end."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, arguments))

    return types.uint8(text, types.int64), generate


@intrinsic
def _load(context: Any, text: Any, at: Any) -> Any:  # noqa: ARG001  # numba's signature
    """Eight bytes from `at` on, aligned or not."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = _pointer(context, builder, signature, arguments)
        start = builder.bitcast(start, ir.IntType(64).as_pointer())
        loaded = builder.load(start, align=1)
        return loaded if sys.byteorder == "little" else builder.bswap(loaded)

    return types.uint64(text, types.int64), generate


@intrinsic
def _zeros_below(context: Any, bits: Any) -> Any:  # noqa: ARG001  # numba's signature
    """How many bits stand below the lowest one; 64 if there is none."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@inner
def word(text: Any, at: int) -> Any:
    """Eight bytes from `at` on, the digits among them as 0 to 9."""
    return _load(text, at) ^ ZEROS


@inner
def leading(digits: Any) -> int:
    """How many of eight bytes are digits before the first that is none.

    A sum carries into the next byte only behind one that is no digit.
    """
    return np.int64(_zeros_below(((digits + CARRY) | digits) & TOPS) >> THREE)  # type: ignore[return-value]


@inner
def eight(digits: Any, count: int) -> int:
    """The number that the first `count` digits are, by three multiplications."""
    if count == 0:
        return 0
    found = digits << np.uint64(64 - 8 * count)
    found = (found * TENS) >> EIGHT
    found = ((found & PAIRS) * HUNDREDS) >> SIXTEEN
    return np.int64(((found & FOURS) * MYRIADS) >> THIRTY_TWO)  # type: ignore[return-value]
