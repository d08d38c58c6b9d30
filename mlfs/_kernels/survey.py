"""From how often small values occur to the shape of each column, its base and its counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled

__all__ = ["GONE", "OFTEN", "SMALL", "count_codes", "name_shapes"]

SMALL = 16  # values 0 to 15; then what is missing
GONE, OFTEN = 17, 18  # bits of a shape, behind those of its values and of a missing one


@compiled
def name_shapes(
    counts: Any,
    small: Any,
    declared: Any,
    limit: int,
    table: Any,
    columns: Any,
    places: Any,
    shapes: Any,
) -> tuple[int, int]:
    """Put what the binning of each column depends on into one number; these are told apart.

    A number has a bit for each value, one (SMALL) if values are missing, one (GONE) if that is
    what occurs most often, and the value that does (from OFTEN on). columns[i] are the columns
    that have one, which is shapes[places[i]]; the distinct ones stand as they are first met. How
    many there are of both is returned. `table` holds -1 and is a power of two long, with room for
    twice the columns.
    """
    named, found = 0, 0
    for j in range(small.size):
        seen, distinct, often = 0, 0, 0
        for value in range(SMALL):
            if counts[j, value]:
                seen |= 1 << value
                distinct += 1
                if counts[j, value] > counts[j, often]:
                    often = value
        size = declared[j]
        if not small[j] or distinct == 0 or (size < 0 and distinct > limit):
            continue
        if size > 0:
            if size > SMALL or seen >> size:
                continue
            seen = (1 << size) - 1
        missing = counts[j, SMALL]
        shape = seen | often << OFTEN
        if missing:
            shape |= 1 << SMALL
        if missing > counts[j, often]:
            shape |= 1 << GONE
        at = (shape * 40503) & (table.size - 1)
        while table[at] >= 0 and shapes[table[at]] != shape:
            at = (at + 1) & (table.size - 1)
        if table[at] < 0:
            table[at] = found
            shapes[found] = shape
            found += 1
        columns[named] = j
        places[named] = table[at]
        named += 1
    return named, found


@compiled
def count_codes(
    counts: Any, columns: Any, shapes: Any, codes: Any, levels: Any, out: Any, bases: Any
) -> None:
    """Count the codes of some columns, ragged, and find the one that occurs most often.

    codes[shapes[i], v] is the code of value v; `out` holds zeros.
    """
    start = 0
    for i in range(columns.size):
        for value in range(SMALL + 1):
            if counts[columns[i], value]:
                out[start + codes[shapes[i], value]] += counts[columns[i], value]
        base = 0
        for code in range(1, levels[i]):
            if out[start + code] > out[start + base]:
                base = code
        bases[i] = np.int32(base)
        start += levels[i]
