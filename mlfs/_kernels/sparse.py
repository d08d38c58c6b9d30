"""Sparse tables of small whole numbers, kept row by row: counted and coded without a turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled, inner

__all__ = ["count_values", "write_entries"]

SMALL = 16  # values 0 to 15; then what is missing
ODD = 17
ONE = np.uint64(1)


@inner
def _class_of(value: Any) -> Any:
    """The value if it is small, else whether it is missing or odd."""
    if 0 <= value < SMALL:
        whole = np.int64(value)
        return whole if whole == value else ODD
    return ODD if value == value else SMALL  # only a NaN is not itself


@compiled
def count_values(columns: Any, values: Any, counts: Any) -> None:
    """Count the values of each column; the last cells are those of missing and of odd values."""
    for at in range(columns.size):
        counts[np.uint64(columns[at]), np.uint64(_class_of(values[at]))] += 1


@compiled
def write_entries(
    indptr: Any,
    columns: Any,
    values: Any,
    codes: Any,
    shapes: Any,
    bases: Any,
    places: Any,
    rows_out: Any,
    codes_out: Any,
    first_plane: Any,
    implicit: Any,
    planes: Any,
) -> None:
    """Write rows and codes of what is off its base; codes[shapes[j], v] is that of value v.

    Column j is passed over where places[j] is negative, written to planes where first_plane[j]
    is not (the plane implicit[j] says that nothing is stored), and else from places[j] on.
    """
    for row in range(indptr.size - 1):
        for at in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
            column = np.uint64(columns[at])  # unsigned: no look whether it counts from the end
            place = places[column]
            if place < 0:
                continue
            code = codes[np.uint64(shapes[column]), np.uint64(_class_of(values[at]))]
            base, first = bases[column], first_plane[column]
            if first >= 0:
                bit = ONE << np.uint64(row & 63)
                planes[implicit[column], row >> 6] &= ~bit
                if code != base:
                    planes[first + code - (1 if code > base else 0), row >> 6] |= bit
            elif code != base:
                rows_out[np.uint64(place)] = row
                codes_out[np.uint64(place)] = code
                places[column] = place + 1
