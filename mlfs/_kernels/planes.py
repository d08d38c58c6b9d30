"""Bit planes: one bit a row, 64 rows a word; AND and popcount count co-occurrences.

Bit slices of small integers have a word for each bit of the values; planes are ANDs of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic

from mlfs._kernels.jit import compiled, inner

ONE = np.uint64(1)
PLACE = np.uint64(63)

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
        for entry in range(indptr[f], indptr[f + 1]):
            code = codes[entry]
            plane = first_plane[f] + code
            if code > modes[f]:
                plane -= 1
            row = rows[entry]
            planes[plane, row >> 6] |= ONE << (np.uint64(row) & PLACE)


@compiled
def unpack(planes: Any, mode: int, full: Any) -> None:
    """Write the code of each row that is off the mode of a column with these planes."""
    for plane in range(planes.shape[0]):
        code = plane + 1 if plane >= mode else plane
        for row in range(full.size):
            if planes[plane, row >> 6] >> (np.uint64(row) & PLACE) & ONE:
                full[row] = code


@compiled
def keep_rows(planes: Any, kept: Any, out: Any, sizes: Any) -> None:
    """Close the gaps between the bits of the rows that a mask has; count those that are set.

    The bits of a word move together in six steps of 1 to 32 places (Warren, Hacker's Delight,
    7-4); `out` begins as 0, and sizes[p] becomes the number of ones of plane p.
    """
    words = kept.size
    moves = np.empty((6, words), np.uint64)
    places = np.zeros(words + 1, np.int64)
    for word in range(words):
        mask = kept[word]
        places[word + 1] = places[word] + np.int64(popcount(mask))
        gaps = ~mask << ONE
        for step in range(6):
            odd = gaps ^ (gaps << ONE)
            for places_on in (2, 4, 8, 16, 32):
                odd ^= odd << np.uint64(places_on)
            moved = odd & mask
            moves[step, word] = moved
            mask = (mask ^ moved) | (moved >> np.uint64(1 << step))
            gaps &= ~odd
    close = np.empty(words, np.uint64)
    for p in range(planes.shape[0]):
        for word in range(words):
            close[word] = planes[p, word] & kept[word]
        for step in range(6):
            shift = np.uint64(1 << step)
            for word in range(words):
                moved = close[word] & moves[step, word]
                close[word] = (close[word] ^ moved) | (moved >> shift)
        total = np.uint64(0)
        for word in range(words):
            bits = close[word]
            total += popcount(bits)
            to, offset = places[word] >> 6, np.uint64(places[word]) & PLACE
            if bits:
                out[p, to] |= bits << offset
                if offset and bits >> (np.uint64(64) - offset):
                    out[p, to + 1] |= bits >> (np.uint64(64) - offset)
        sizes[p] = total


@compiled
def sweep(planes: Any, masks: Any, out: Any) -> None:
    """out[i, p] += the number of rows that plane p and masks[i] have in common.

    Several masks are swept at a time, so that each plane is read once. Up to four sums are kept in
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
        if i + 2 <= n:
            one = masks[i]
            two = masks[i + 1]
            a = np.uint64(0)
            b = np.uint64(0)
            for word in range(words):
                bits = plane[word]
                a += popcount(bits & one[word])
                b += popcount(bits & two[word])
            out[i, p] += np.int64(a)
            out[i + 1, p] += np.int64(b)
            i += 2
        if i < n:
            one = masks[i]
            a = np.uint64(0)
            for word in range(words):
                a += popcount(plane[word] & one[word])
            out[i, p] += np.int64(a)


SMALL = 16  # values 0 to 15 in four slices
GONE = 4  # the slice, where there is one, of the rows in which a value is missing
ONES = np.uint64(0xFFFFFFFFFFFFFFFF)


@inner
def _width(top: int) -> int:
    """How many slices hold values up to `top`."""
    width = 0
    while top & (SMALL - 1) >> width << width:
        width += 1
    return width


@compiled
def count_values(slices: Any, top: Any, limit: int, n_rows: int, counts: Any) -> None:
    """counts[j, v] = rows of column j with the value v, the last of those that are missing.

    Columns whose `top` is not below `limit` hold other values too and are passed over.
    """
    words = slices.shape[2]
    common = np.empty((SMALL, words), np.uint64)
    for j in range(top.size):
        if top[j] >= limit:
            continue
        width = _width(top[j])
        # how often all bits of a mask are set together ...
        counts[j, 0] = n_rows
        for mask in range(1, 1 << width):
            bit = 0
            while not mask >> bit & 1:
                bit += 1
            rest = mask & (mask - 1)
            total = np.uint64(0)
            if rest:
                for word in range(words):
                    bits = common[rest, word] & slices[bit, j, word]
                    common[mask, word] = bits
                    total += popcount(bits)
            elif width == 1:
                for word in range(words):
                    total += popcount(slices[bit, j, word])
            else:
                for word in range(words):
                    one = slices[bit, j, word]
                    common[mask, word] = one
                    total += popcount(one)
            counts[j, mask] = total
        # ... without the rows in which others are set too
        for bit in range(width):
            for mask in range(1 << width):
                if not mask >> bit & 1:
                    counts[j, mask] -= counts[j, mask | 1 << bit]
        if top[j] & SMALL:
            missing = np.uint64(0)
            for word in range(words):
                missing += popcount(slices[GONE, j, word])
            counts[j, SMALL] = missing
            counts[j, 0] -= missing


@inner
def _flip(value: int, bit: int) -> Any:
    return np.uint64(0) if value >> bit & 1 else ONES


@inner
def _value_plane(
    slices: Any, j: int, value: int, width: int, last: Any, planes: Any, to: int
) -> None:
    """The rows in which column j has a value."""
    words = slices.shape[2]
    if value == SMALL:
        for word in range(words):
            planes[to, word] = slices[GONE, j, word]
        return
    first, second, third = _flip(value, 0), _flip(value, 1), _flip(value, 2)
    if width == 0:
        for word in range(words):
            planes[to, word] = ONES
    elif width == 1:
        for word in range(words):
            planes[to, word] = slices[0, j, word] ^ first
    else:
        for word in range(words):
            planes[to, word] = (slices[0, j, word] ^ first) & (slices[1, j, word] ^ second)
    if width > 2:  # the slices that are done
        for word in range(words):
            planes[to, word] &= slices[2, j, word] ^ third
    if width == GONE:
        for word in range(words):
            planes[to, word] &= slices[3, j, word] ^ _flip(value, 3)
    if value == 0:
        if slices.shape[0] > GONE:
            for word in range(words):
                planes[to, word] &= ~slices[GONE, j, word]
        planes[to, words - 1] &= last


@compiled
def flip(planes: Any, modes: Any, last: Any) -> None:
    """Make the planes of code 1 those of code 0, where 1 is the mode."""
    words = planes.shape[1]
    for j in range(planes.shape[0]):
        if modes[j]:
            for word in range(words):
                planes[j, word] = ~planes[j, word]
            planes[j, words - 1] &= last


@compiled
def write_planes(
    slices: Any,
    top: Any,
    counts: Any,
    last: Any,
    columns: Any,
    codes: Any,
    modes: Any,
    first_plane: Any,
    planes: Any,
) -> None:
    """Write a plane for each code but the mode of some columns; codes[i, v] is that of value v.

    `last` has ones where the last word has rows. The planes of columns[i] begin at first_plane[i].
    """
    words = slices.shape[2]
    spare = np.empty((1, words), np.uint64)
    begun = np.zeros(planes.shape[0], np.uint8)
    for i in range(columns.size):
        j = columns[i]
        width = _width(top[j])
        n_values = 1 << width
        for at in range(n_values + 1):
            value = at if at < n_values else SMALL
            code = np.int64(codes[i, value])
            if counts[j, value] == 0 or code == modes[i]:
                continue
            to = first_plane[i] + code - (1 if code > modes[i] else 0)
            if begun[to]:
                _value_plane(slices, j, value, width, last, spare, 0)
                for word in range(words):
                    planes[to, word] |= spare[0, word]
            else:
                _value_plane(slices, j, value, width, last, planes, to)
                begun[to] = 1
    for to in range(planes.shape[0]):
        if not begun[to]:
            for word in range(words):
                planes[to, word] = 0
