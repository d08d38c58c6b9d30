"""Columns of any numbers, one after the other in one array: their values, codes and row lists.

Column j has the values ``values[bounds[j]:bounds[j + 1]]``, in the rows ``rows`` at the same
places. Without `rows` (an array of size 0) a column has one value for each row; otherwise the rows
that are not stored hold 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled, inner

ROWS = 32  # rows at a time that stay in a cache, each with at least one line of every column
WORD = 64
LINEAR = 8  # up to this many edges, comparing with each is faster than a binary search


@compiled
def transpose(table: Any, first: int, out: Any) -> None:
    """Copy columns of a table that is stored row by row: out[c] = column first + c."""
    for start in range(0, table.shape[0], ROWS):
        last = min(start + ROWS, table.shape[0])
        for c in range(out.shape[0]):
            for row in range(start, last):
                out[c, row] = table[row, first + c]


@inner
def _position(knots: Any, low: int, high: int, value: float) -> int:
    """The first place from low to high whose knot is not below the value."""
    while low < high:
        middle = (low + high) >> 1
        if knots[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def distinct_integers(
    values: Any, bounds: Any, n_rows: int, limits: Any, starts: Any, distinct: Any, sizes: Any
) -> None:
    """Collect the distinct values of each column that has at most limits[j], all integers.

    distinct[starts[j]:] receives them in rising order and sizes[j] their number, -1 if the column
    has more or others. NaN is ignored.
    """
    for j in range(sizes.size):
        start, size, seen = starts[j], 0, np.uint64(0)
        if bounds[j + 1] - bounds[j] < n_rows:  # the rows that are not stored hold 0
            size = 1 if limits[j] > 0 else -1
            if size > 0:
                distinct[start] = 0.0
        for i in range(bounds[j], bounds[j + 1]):
            value = values[i]
            if size < 0:
                break
            if value != value:  # NaN
                continue
            if 0 <= value < WORD:  # most integers are small: no search for those that were seen
                bit = np.uint64(1) << np.uint64(value)
                if seen & bit and value == np.uint64(value):
                    continue
                seen |= bit
            k = _position(distinct, start, start + size, value)
            if k < start + size and distinct[k] == value:
                continue
            if size == limits[j] or value != math.floor(value):
                size = -1
                break
            for other in range(start + size, k, -1):
                distinct[other] = distinct[other - 1]
            distinct[k] = value + 0.0  # -0.0 becomes 0.0
            size += 1
        sizes[j] = size


@compiled
def find_codes(
    values: Any, bounds: Any, knots: Any, starts: Any, nominal: Any, unknown: Any, codes: Any
) -> None:
    """Find the code of each value: its position among the knots of its column.

    The knots of a nominal column are its values, and other values get the code unknown[j]. Those
    of another column are edges, and only NaN gets it.
    """
    for j in range(starts.size - 1):
        first, last = starts[j], starts[j + 1]
        column, out = values[bounds[j] : bounds[j + 1]], codes[bounds[j] : bounds[j + 1]]
        if nominal[j] or last - first > LINEAR:
            for i in range(column.size):
                value = column[i]
                if nominal[j] and last > first:  # values in a row need no search
                    distance = value - knots[first]
                    if 0 <= distance < last - first:
                        k = first + np.int64(distance)
                        if knots[k] == value:
                            out[i] = k - first
                            continue
                k = _position(knots, first, last, value)
                is_known = value == value
                if nominal[j]:
                    is_known = k < last and knots[k] == value
                out[i] = k - first if is_known else unknown[j]
        else:  # loops that the compiler turns into vector instructions
            for i in range(column.size):
                out[i] = 0
            for k in range(first, last):
                edge = knots[k]
                for i in range(column.size):
                    out[i] += column[i] > edge
            for i in range(column.size):
                if column[i] != column[i]:
                    out[i] = unknown[j]


@compiled
def count_codes(
    codes: Any,
    bounds: Any,
    rows: Any,
    weights: Any,
    implicit: Any,
    zero: Any,
    offsets: Any,
    counts: Any,
    modes: Any,
) -> None:
    """Add the number (or weight) of the rows with each code, and find the mode of each column.

    The counts of column j begin at offsets[j]. implicit[j] is the number (or weight) of its rows
    that are not stored, which have the code zero[j].
    """
    for j in range(modes.size):
        start = offsets[j]
        for i in range(bounds[j], bounds[j + 1]):
            if weights.size:
                row = rows[i] if rows.size else i - bounds[j]
                counts[start + codes[i]] += weights[row]
            else:
                counts[start + codes[i]] += 1.0
        counts[start + zero[j]] += implicit[j]
        mode = start
        for cell in range(start + 1, offsets[j + 1]):
            if counts[cell] > counts[mode]:
                mode = cell
        modes[j] = mode - start


@compiled
def write_lists(
    codes: Any,
    bounds: Any,
    rows: Any,
    n_rows: int,
    zero: Any,
    modes: Any,
    starts: Any,
    rows_out: Any,
    codes_out: Any,
) -> None:
    """Write the rows in which each column has not its mode, rising, and its codes there."""
    for j in range(modes.size):
        to, at, last = starts[j], bounds[j], bounds[j + 1]
        if last - at < n_rows and zero[j] != modes[j]:  # the rows that are not stored count too
            for row in range(n_rows):
                code = zero[j]
                if at < last and rows[at] == row:
                    code = codes[at]
                    at += 1
                if code != modes[j]:
                    rows_out[to], codes_out[to] = row, code
                    to += 1
        else:
            for place in range(at, last):
                if codes[place] != modes[j]:
                    rows_out[to] = rows[place] if rows.size else place - at
                    codes_out[to] = codes[place]
                    to += 1


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
        stop, most, mode = starts[n], 0, 0
        for value in range(SMALL):
            if counts[j, value] or value < size:
                if counts[j, value] > most:
                    most, mode = counts[j, value], stop - starts[n]
                knots[stop] = value
                stop += 1
        columns[n], missing[n] = j, counts[j, SMALL] > 0
        fallback[n] = stop - starts[n] if counts[j, SMALL] > most else mode
        n += 1
        starts[n] = stop
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
        integer = np.int64(value)
        return integer if integer == value else ODD
    return ODD if value == value else SMALL  # only NaN is not equal to itself


@compiled
def count_stored(columns: Any, values: Any, counts: Any) -> None:
    """Count the stored values of a CSR table; the last two cells are missing and odd values."""
    for entry in range(columns.size):
        counts[np.uint64(columns[entry]), np.uint64(_class_of(values[entry]))] += 1


@compiled
def write_entries(
    indptr: Any,
    columns: Any,
    values: Any,
    codes: Any,
    modes: Any,
    places: Any,
    listed: Any,
    rows_out: Any,
    codes_out: Any,
) -> None:
    """Write the rows and codes of a CSR table that are not at the modes of their columns.

    Those of column j are written from places[j] on; it is passed over where that is negative.
    listed[j] is -1 if 0 is its mode, else 0: then rows without an entry are written as well, and
    listed[j] is the number of rows that have been looked at. `codes_out` may be of size 0: then
    only the rows are written.
    """
    n_rows = indptr.size - 1
    for row in range(n_rows):
        for entry in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
            column = np.uint64(columns[entry])  # unsigned, so that no index is checked for its sign
            if places[column] < 0:
                continue
            if listed[column] >= 0:
                _write_zeros(np.int64(column), row, codes, places, listed, rows_out, codes_out)
                listed[column] = row + 1
            code = codes[column, np.uint64(_class_of(values[entry]))]
            if code != modes[column]:
                place = np.uint64(places[column])
                rows_out[place] = row
                if codes_out.size > 0:
                    codes_out[place] = code
                places[column] += 1
    for j in range(listed.size):
        if listed[j] >= 0:
            _write_zeros(j, n_rows, codes, places, listed, rows_out, codes_out)


@inner
def _write_zeros(
    j: Any, end: int, codes: Any, places: Any, listed: Any, rows_out: Any, codes_out: Any
) -> None:
    """Write the rows of a column before `end` that have not been looked at."""
    for row in range(listed[j], end):
        rows_out[places[j]] = row
        if codes_out.size > 0:
            codes_out[places[j]] = codes[j, 0]
        places[j] += 1


LEAST = -1000  # the exponent of the finest grid whose scale is still a float
AT_ONCE = 4096  # values, so that they stay in the processor's cache


@compiled
def add_parts(
    values: Any, bounds: Any, center: Any, squared: bool, top: Any, bits: int, parts: Any, rest: Any
) -> bool:
    """Add up the (squared) deviations of the values of each column from its center.

    Each is cut into parts: parts[k, j] receives the multiples of 2**(top[j] - k * (bits + 1) -
    bits). As integers they can be added in any order, several at once. NaN counts as 0. What the
    last part leaves is in `rest`, and whether anything is left is returned.
    """
    is_left = False
    for j in range(center.size):
        middle = center[j]
        for start in range(bounds[j], bounds[j + 1], AT_ONCE):
            last = min(start + AT_ONCE, bounds[j + 1])
            part, remaining = values[start:last], rest[start:last]
            for i in range(remaining.size):
                deviation = part[i] - middle
                if squared:
                    deviation *= deviation
                remaining[i] = deviation if deviation == deviation else 0.0
            remains = np.uint8(1)
            for k in range(parts.shape[0]):
                grid = int(top[j]) - k * (bits + 1) - bits
                if grid < LEAST:
                    break
                magic, scale = math.ldexp(1.5, grid + 52), math.ldexp(1.0, -grid)
                total = np.int64(0)
                remains = np.uint8(0)
                for i in range(remaining.size):
                    high = (remaining[i] + magic) - magic
                    low = remaining[i] - high
                    remaining[i] = low
                    total += np.int64(high * scale)
                    remains |= np.uint8(low != 0.0)
                parts[k, j] += math.ldexp(float(total), grid)
                if not remains:
                    break
            if remains:
                is_left = True
    return is_left


@compiled
def is_beyond(values: Any, limit: Any) -> bool:
    """Whether a number is missing, infinite, or farther from 0 than a limit of the same type."""
    for start in range(0, values.size, AT_ONCE):
        part = values[start : min(start + AT_ONCE, values.size)]
        all_inside = True
        for i in range(part.size):  # so LLVM takes several numbers at once
            all_inside &= (part[i] >= -limit) & (part[i] <= limit)
        if not all_inside:
            return True
    return False
