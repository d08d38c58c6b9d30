"""Row lists of coded columns: taken in another order, written from planes, transposed to rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled
from mlfs._kernels.planes import lowest

ONE, NONE = np.uint64(1), np.uint64(0)
WORD = 64


@compiled
def take(
    indptr: Any, rows: Any, codes: Any, columns: Any, out_indptr: Any, out_rows: Any, out_codes: Any
) -> None:
    """Copy the entries of columns[i] to out_indptr[i] and on; `out_codes` may be of size 0."""
    has_codes = out_codes.size > 0
    for i in range(columns.size):
        place = out_indptr[i]
        for entry in range(indptr[columns[i]], indptr[columns[i] + 1]):
            out_rows[place] = rows[entry]
            if has_codes:
                out_codes[place] = codes[entry]
            place += 1


@compiled
def keep_rows(
    indptr: Any, rows: Any, codes: Any, place: Any, out_indptr: Any, out_rows: Any, out_codes: Any
) -> int:
    """Keep the entries of the rows with a place, 0 or more, and give how many there are.

    `codes` and `out_codes` may be of size 0.
    """
    has_codes = codes.size > 0
    n = 0
    for column in range(indptr.size - 1):
        for entry in range(indptr[column], indptr[column + 1]):
            to = place[rows[entry]]
            out_rows[n] = to  # written over by the next if it has no place: a branch costs more
            if has_codes:
                out_codes[n] = codes[entry]
            n += to >= 0
        out_indptr[column + 1] = n
    return n


@compiled
def from_planes(
    planes: Any, first: Any, modes: Any, levels: Any, out_indptr: Any, rows: Any, codes: Any
) -> None:
    """Write the entries of the columns that have planes, rows rising, from out_indptr[f] on."""
    for f in range(first.size):
        if first[f] < 0:
            continue
        place = out_indptr[f]
        for word in range(planes.shape[1]):
            together = NONE
            for plane in range(first[f], first[f] + levels[f] - 1):
                together |= planes[plane, word]
            while together:
                bit = lowest(together)
                plane = 0
                while not planes[first[f] + plane, word] >> np.uint64(bit) & ONE:
                    plane += 1
                rows[place] = word * WORD + bit
                codes[place] = plane + 1 if plane >= modes[f] else plane
                place += 1
                together &= together - ONE


@compiled
def in_order(
    place: Any, indptr: Any, rows: Any, codes: Any, bits: Any, code_at: Any, to: Any, out: Any
) -> None:
    """The lists of columns whose row i becomes row place[i]: rows in `to`, codes in `out`.

    `bits`, one for each row, are 0 before and after; `code_at`, a number for each row, is memory.
    """
    for column in range(indptr.size - 1):
        for at in range(np.uint64(indptr[column]), np.uint64(indptr[column + 1])):
            row = np.uint64(place[np.uint64(rows[at])])
            bits[row // np.uint64(WORD)] |= ONE << row % np.uint64(WORD)
            code_at[row] = codes[at]
        end = np.uint64(indptr[column])
        for word in range(bits.size):
            left = bits[word]
            bits[word] = NONE
            while left:
                moved = np.uint64(word * WORD + lowest(left))
                to[end] = moved
                out[end] = code_at[moved]
                end += ONE
                left &= left - ONE


@compiled
def by_row(
    indptr: Any,
    rows: Any,
    codes: Any,
    first: int,
    last: int,
    ends: Any,
    places: Any,
    columns: Any,
    out: Any,
) -> None:
    """Turn the columns from first to last; ends[row + 1] begins as 0 and becomes that row's end.

    `places` is as long, and holds anything. `out` may be of size 0: then no codes are written.
    """
    has_codes = out.size > 0
    for at in range(np.uint64(indptr[first]), np.uint64(indptr[last])):
        ends[np.uint64(rows[at]) + ONE] += 1
    places[0] = ends[0]
    for end in range(1, ends.size):
        ends[end] += ends[end - 1]
        places[end] = ends[end]
    for column in range(first, last):
        for at in range(np.uint64(indptr[column]), np.uint64(indptr[column + 1])):
            row = np.uint64(rows[at])  # unsigned: no look whether it counts from the end
            place = np.uint64(places[row])
            columns[place] = column - first
            if has_codes:
                out[place] = codes[at]
            places[row] += 1
