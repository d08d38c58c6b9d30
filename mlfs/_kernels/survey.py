"""From how often small values occur to the shape of each column, its base and its counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled

__all__ = ["GONE", "OFTEN", "SMALL", "count_codes", "name_shapes", "number"]

SMALL = 16  # values 0 to 15; then what is missing
GONE, OFTEN = 17, 18  # bits of a shape, behind those of its values and of a missing one


@compiled
def name_shapes(counts: Any, small: Any, declared: Any, limit: int, shapes: Any) -> None:
    """Put what the binning of each column depends on into one number, -1 if it is not small.

    A number has a bit for each value, one (SMALL) if values are missing, one (GONE) if that is
    what occurs most often, and the value that does (from OFTEN on).
    """
    for j in range(shapes.size):
        shapes[j] = -1
        if not small[j]:
            continue
        seen, distinct, often = 0, 0, 0
        for value in range(SMALL):
            if counts[j, value]:
                seen |= 1 << value
                distinct += 1
                if counts[j, value] > counts[j, often]:
                    often = value
        size = declared[j]
        if distinct == 0 or (size < 0 and distinct > limit):
            continue
        if size > 0:
            if size > SMALL or seen >> size:
                continue
            seen = (1 << size) - 1
        missing = counts[j, SMALL]
        shapes[j] = seen | often << OFTEN
        if missing:
            shapes[j] |= 1 << SMALL
        if missing > counts[j, often]:
            shapes[j] |= 1 << GONE


@compiled
def number(values: Any, table: Any, places: Any, firsts: Any) -> int:
    """Number the distinct values by their first place; how many there are.

    `table` holds -1 and is a power of two long, with room for twice the values. values[i] is the
    distinct value places[i], and firsts[k] the first place of the distinct value k.
    """
    found = 0
    for i in range(values.size):
        value = values[i]
        at = (value * 40503) & (table.size - 1)
        while table[at] >= 0 and values[firsts[table[at]]] != value:
            at = (at + 1) & (table.size - 1)
        if table[at] < 0:
            table[at] = found
            firsts[found] = i
            found += 1
        places[i] = table[at]
    return found


@compiled
def count_codes(
    counts: Any, columns: Any, shapes: Any, codes: Any, levels: Any, out: Any, bases: Any
) -> None:
    """Count the codes of some columns, ragged, and find the one that occurs most often.

    codes[shapes[i], v] is the code of value v.
    """
    start = 0
    for i in range(columns.size):
        for code in range(levels[i]):
            out[start + code] = 0
        for value in range(SMALL + 1):
            if counts[columns[i], value]:
                out[start + codes[shapes[i], value]] += counts[columns[i], value]
        base = 0
        for code in range(1, levels[i]):
            if out[start + code] > out[start + base]:
                base = code
        bases[i] = np.int32(base)
        start += levels[i]
