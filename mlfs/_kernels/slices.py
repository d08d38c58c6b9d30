"""From bit slices to what is counted: how often each value occurs, and a plane for each code."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled, inner
from mlfs._kernels.planes import popcount

__all__ = ["count_values", "write_planes"]

SMALL = 16  # values 0 to 15; slice 4, where there is one, marks the missing ones
LOW = 4
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
                    both = common[rest, word] & slices[bit, j, word]
                    common[mask, word] = both
                    total += popcount(both)
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
                missing += popcount(slices[LOW, j, word])
            counts[j, SMALL] = missing
            counts[j, 0] -= missing


@inner
def _value_plane(slices: Any, j: int, value: int, width: int, last: Any, out: Any) -> None:
    """The rows in which column j has a value."""
    words = slices.shape[2]
    if value == SMALL:
        out[:] = slices[LOW, j]
        return
    flip = np.uint64(0) if value & 1 else ONES
    if width:
        for word in range(words):
            out[word] = slices[0, j, word] ^ flip
    else:
        out[:] = ONES
    for bit in range(1, width):
        flip = np.uint64(0) if value >> bit & 1 else ONES
        for word in range(words):
            out[word] &= slices[bit, j, word] ^ flip
    if value == 0:
        if slices.shape[0] > LOW:
            for word in range(words):
                out[word] &= ~slices[LOW, j, word]
        out[words - 1] &= last


@compiled
def write_planes(
    slices: Any,
    top: Any,
    counts: Any,
    last: Any,
    columns: Any,
    shapes: Any,
    codes: Any,
    bases: Any,
    first_plane: Any,
    planes: Any,
) -> None:
    """A plane for each code but the base of some columns; codes[shapes[i], v] is that of value v.

    `last` has ones where the last word has rows. The planes of columns[i] begin at first_plane[i].
    """
    words = slices.shape[2]
    plane = np.empty(words, np.uint64)
    begun = np.zeros(planes.shape[0], np.uint8)
    for i in range(columns.size):
        j = columns[i]
        width = _width(top[j])
        for value in range(SMALL + 1):
            code = codes[shapes[i], value]
            if counts[j, value] == 0 or code == bases[i]:
                continue
            to = first_plane[i] + code - (1 if code > bases[i] else 0)
            if begun[to]:
                _value_plane(slices, j, value, width, last, plane)
                for word in range(words):
                    planes[to, word] |= plane[word]
            else:
                _value_plane(slices, j, value, width, last, planes[to])
                begun[to] = 1
    for to in range(planes.shape[0]):
        if not begun[to]:
            planes[to, :] = np.uint64(0)
