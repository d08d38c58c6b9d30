"""Columns that hold only the integers 0 to 15 and missing values: learned and coded by counts.

`counts[j, v]` is the number of rows in which column j has the value v, `counts[j, 16]` that of its
missing values. `codes[i, v]` is the code of the value v in the i-th column that is coded here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled, inner

__all__ = ["SMALL", "code_values", "count_stored", "learn_values", "sum_counts", "write_entries"]

SMALL = 16  # values 0 to 15; then what is missing
ODD = 17


@compiled
def learn_values(
    counts: Any,
    is_small: Any,
    declared: Any,
    limit: int,
    columns: Any,
    knots: Any,
    starts: Any,
    missing: Any,
    fallback: Any,
) -> int:
    """Learn the binnings of the columns that are taken as they are, and return their number.

    The i-th is the column columns[i] with the values knots[starts[i]:starts[i + 1]]. `declared` is
    the number of values that a column declares, -1 if it is numeric: then it may have `limit`.
    """
    n = 0
    for j in range(is_small.size):
        if not is_small[j]:
            continue
        distinct, end, size = 0, 0, declared[j]
        for value in range(SMALL):
            if counts[j, value]:
                distinct, end = distinct + 1, value + 1
        if (size < 0 and distinct > limit) or size > SMALL or (size > 0 and end > size):
            continue
        at, most, mode = starts[n], 0, 0
        for value in range(SMALL):
            if counts[j, value] or value < size:
                if counts[j, value] > most:
                    most, mode = counts[j, value], at - starts[n]
                knots[at] = value
                at += 1
        columns[n], missing[n] = j, counts[j, SMALL] > 0
        fallback[n] = at - starts[n] if counts[j, SMALL] > most else mode
        n += 1
        starts[n] = at
    return n


@compiled
def code_values(knots: Any, starts: Any, unknown: Any, codes: Any) -> None:
    """Tabulate the code of each value; unknown[i] where it is not among the knots."""
    for i in range(unknown.size):
        for value in range(SMALL + 1):
            codes[i, value] = unknown[i]
        for k in range(starts[i], starts[i + 1]):
            if 0 <= knots[k] < SMALL and knots[k] == np.int64(knots[k]):
                codes[i, np.int64(knots[k])] = k - starts[i]


@compiled
def sum_counts(counts: Any, columns: Any, codes: Any, offsets: Any, out: Any, modes: Any) -> None:
    """Add the counts of the values to those of their codes, and find the mode of each column."""
    for i in range(columns.size):
        start = offsets[i]
        for value in range(SMALL + 1):
            if counts[columns[i], value]:
                out[start + codes[i, value]] += counts[columns[i], value]
        mode = start
        for cell in range(start + 1, offsets[i + 1]):
            if out[cell] > out[mode]:
                mode = cell
        modes[i] = mode - start


@inner
def _class_of(value: Any) -> Any:
    """The value if it is small, else whether it is missing or odd."""
    if 0 <= value < SMALL:
        whole = np.int64(value)
        return whole if whole == value else ODD
    return ODD if value == value else SMALL  # only NaN is not equal to itself


@compiled
def count_stored(columns: Any, values: Any, counts: Any) -> None:
    """Count the stored values of a CSR table; the last two cells are missing and odd values."""
    for at in range(columns.size):
        counts[np.uint64(columns[at]), np.uint64(_class_of(values[at]))] += 1


@compiled
def write_entries(
    indptr: Any, columns: Any, values: Any, codes: Any, places: Any, rows_out: Any, codes_out: Any
) -> None:
    """Write the rows and codes of the entries of a CSR table that have not the code of 0.

    Those of column j are written from places[j] on; it is passed over where that is negative.
    """
    for row in range(indptr.size - 1):
        for at in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
            column = np.uint64(columns[at])  # unsigned, so that no index is checked for its sign
            place = places[column]
            if place < 0:
                continue
            code = codes[column, np.uint64(_class_of(values[at]))]
            if code != codes[column, 0]:
                rows_out[np.uint64(place)] = row
                codes_out[np.uint64(place)] = code
                places[column] = place + 1
