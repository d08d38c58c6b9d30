"""Bit planes: one bit a row, 64 rows a word; AND and popcount count co-occurrences."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic

from mlfs._kernels.jit import compiled

__all__ = ["lowest", "pack", "popcount", "sweep", "unpack"]

ONE = np.uint64(1)
LOW = np.uint64(63)

if config.DISABLE_JIT:  # type: ignore[attr-defined]  # numba sets its options at run time

    def popcount(word: Any) -> int:
        return int(word).bit_count()

    def lowest(word: Any) -> int:
        return (int(word) & -int(word)).bit_length() - 1

else:  # pragma: no cover  # runs compiled only: it tells LLVM what to make

    @intrinsic
    def popcount(context: Any, word: Any) -> Any:  # noqa: ARG001  # numba's signature
        """The number of ones in a word; LLVM turns a loop of these into vector instructions."""

        def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), generate

    @intrinsic
    def lowest(context: Any, word: Any) -> Any:  # noqa: ARG001  # numba's signature
        """The place of the lowest one in a word that has any."""

        def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), generate


@compiled
def pack(indptr: Any, rows: Any, codes: Any, modes: Any, first_plane: Any, planes: Any) -> None:
    """Set the bits of the rows in which a column is off its mode, one plane for each code."""
    for f in range(modes.size):
        for at in range(indptr[f], indptr[f + 1]):
            code = codes[at]
            plane = first_plane[f] + code
            if code > modes[f]:
                plane -= 1
            row = rows[at]
            planes[plane, row >> 6] |= ONE << (np.uint64(row) & LOW)


@compiled
def unpack(planes: Any, mode: int, full: Any) -> None:
    """Write the code of each row that is off the mode of a column with these planes."""
    for plane in range(planes.shape[0]):
        code = plane + 1 if plane >= mode else plane
        for row in range(full.size):
            if planes[plane, row >> 6] >> (np.uint64(row) & LOW) & ONE:
                full[row] = code


@compiled
def sweep(planes: Any, masks: Any, out: Any) -> None:
    """out[i, p] += the number of rows that plane p and masks[i] have in common.

    Several masks are swept at a time, so that each plane is read once. Four sums are kept in
    registers; LLVM turns the loop over words into vector popcounts.
    """
    words = planes.shape[1]
    n = masks.shape[0]
    for p in range(planes.shape[0]):
        plane = planes[p]
        i = 0
        while i + 4 <= n:
            one = masks[i]
            two = masks[i + 1]
            three = masks[i + 2]
            four = masks[i + 3]
            a = np.uint64(0)
            b = np.uint64(0)
            c = np.uint64(0)
            d = np.uint64(0)
            for word in range(words):
                bits = plane[word]
                a += popcount(bits & one[word])
                b += popcount(bits & two[word])
                c += popcount(bits & three[word])
                d += popcount(bits & four[word])
            out[i, p] += np.int64(a)
            out[i + 1, p] += np.int64(b)
            out[i + 2, p] += np.int64(c)
            out[i + 3, p] += np.int64(d)
            i += 4
        while i < n:
            one = masks[i]
            a = np.uint64(0)
            for word in range(words):
                a += popcount(plane[word] & one[word])
            out[i, p] += np.int64(a)
            i += 1
