"""Bit planes: one bit a row, 64 rows a word; AND and popcount count co-occurrences."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic

from mlfs._kernels.jit import compiled

__all__ = [
    "lowest",
    "pack",
    "popcount",
    "unpack",
]

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
