"""The rows of an ARFF file, dense and sparse: plain numbers and nominal values.

A kernel reads whole rows from `at` on and stops before the first row that it cannot read;
the caller reads that row with care (or finds what is wrong with it) and calls again behind it.
The places of numbers that are left to `float` are noted in `hard`.

The text ends with a line end, and `PADDING` bytes follow it: so nothing looks for the end.
The values of column j go to place `places[j]` of `values`, or, where that is negative, to place
``~places[j]`` of `others` (the labels).
"""

from __future__ import annotations

from typing import Any

from mlfs._kernels.jit import compiled, specialized
from mlfs._kernels.tokens import (
    CLOSE,
    COMMA,
    DONE,
    DOT,
    FULL,
    HARD,
    NEWLINE,
    NUMERIC,
    OPEN,
    OTHERS_FULL,
    SPACE,
    STOPPED,
    TAB,
    UNSEEN,
    blank_end,
    call_number,
    read_number,
    read_value,
)
from mlfs._kernels.words import byte, eight, leading, word

__all__ = ["dense_rows", "sparse_rows"]


@compiled
def dense_rows(
    text: Any,
    at: int,
    end: int,
    longest: int,
    specs: Any,
    ones: Any,
    singles: Any,
    places: Any,
    tables: Any,
    slots: Any,
    bounds: Any,
    letters: Any,
    values: Any,
    others: Any,
    hard: Any,
    counts: Any,
) -> tuple[int, int]:
    """Read dense rows into `values` and `others`; `counts` holds rows and hard numbers so far."""
    width = len(specs)
    while at < end:
        row = at
        at = blank_end(text, at)
        c = byte(text, at)
        if c == NEWLINE:
            at += 1
            continue
        i = counts[0]
        n_hard = counts[1]
        if i == len(values):
            return FULL, row
        if n_hard + width > len(hard):
            return HARD, row
        commas = 0
        for j in range(width):
            after = byte(text, at + 1)
            value = UNSEEN
            stop = at + 1
            if after == COMMA or after == NEWLINE:
                value = singles[ones[j] + byte(text, at)]
            elif specs[j] == NUMERIC:
                stop, value = read_number(text, at)
                after = byte(text, stop) if stop > 0 else DOT
            if stop > 0 and value != UNSEEN and (after == COMMA or after == NEWLINE):
                at = stop
            else:
                kind, value, start, stop, at = read_value(
                    text, at, specs[j], tables, slots, bounds, letters
                )
                if kind == 2:
                    return STOPPED, row
                if kind == 1:
                    hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = i, places[j], start
                    hard[n_hard, 3] = stop
                    n_hard += 1
                at = blank_end(text, at)
                after = byte(text, at)
            place = places[j]
            if place >= 0:
                values[i, place] = value
            else:
                others[i, ~place] = value
            if after == COMMA:
                if commas < j:
                    return STOPPED, row
                commas += 1
                at += 1
                if byte(text, at) <= SPACE:
                    at = blank_end(text, at)
            elif commas > 0 and j < width - 1:
                return STOPPED, row
        if byte(text, at) != NEWLINE or at - row > longest:
            return STOPPED, row
        at += 1
        counts[0], counts[1] = i + 1, n_hard
    return DONE, end


@specialized
def sparse_rows(
    text: Any,
    at: int,
    end: int,
    longest: int,
    specs: Any,
    ones: Any,
    singles: Any,
    places: Any,
    tables: Any,
    slots: Any,
    bounds: Any,
    letters: Any,
    values: Any,
    others: Any,
    hard: Any,
    counts: Any,
    columns: Any,
    other_columns: Any,
    ends: Any,
) -> tuple[int, int]:
    """Read sparse rows: the entries that are not 0; `ends` holds where those of a row end.

    Without `tables`, rows of values of one byte are read: this is compiled in half the time.
    """
    width = len(specs)
    while at < end:
        row = at
        at = blank_end(text, at)
        c = byte(text, at)
        if c == NEWLINE:
            at += 1
            continue
        if c != OPEN:
            return STOPPED, row
        i = counts[0]
        if i == len(ends):
            return FULL, row
        n_hard = counts[1]
        n, m = counts[2], counts[3]
        last = -1
        at = blank_end(text, at + 1)
        while byte(text, at) != CLOSE:
            digits = word(text, at)
            count = leading(digits)
            index = eight(digits, count)
            at += count
            if count == 8 or count == 0 or index <= last or index >= width:
                return STOPPED, row
            if byte(text, at) != SPACE and byte(text, at) != TAB:
                return STOPPED, row
            at += 1
            if byte(text, at) <= SPACE:
                at = blank_end(text, at)
            last = index
            if n_hard == len(hard):
                return HARD, row
            if n == len(values):
                return FULL, row
            if m == len(others):
                return OTHERS_FULL, row
            kind = 0
            place = places[index]
            after = byte(text, at + 1)
            value = UNSEEN
            stop = at + 1
            if after == COMMA or after == CLOSE:
                value = singles[ones[index] + byte(text, at)]
            if tables is None:
                if value == UNSEEN:
                    return STOPPED, row
                at = stop
            else:
                if after != COMMA and after != CLOSE and specs[index] == NUMERIC:
                    stop, value = call_number(text, at)
                    after = byte(text, stop) if stop > 0 else DOT
                if stop > 0 and value != UNSEEN and (after == COMMA or after == CLOSE):
                    at = stop
                else:
                    kind, value, start, stop, at = read_value(
                        text, at, specs[index], tables, slots, bounds, letters
                    )
                    if kind == 2:
                        return STOPPED, row
                    at = blank_end(text, at)
                    after = byte(text, at)
                    if kind == 1:
                        hard[n_hard, 0] = n if place >= 0 else m
                        hard[n_hard, 1], hard[n_hard, 2], hard[n_hard, 3] = place, start, stop
                        n_hard += 1
            kept = value != 0.0 or kind == 1
            if place >= 0:
                columns[n] = place
                values[n] = value
                n += kept
            else:
                other_columns[m] = ~place
                others[m] = value
                m += kept
            if after == COMMA:
                at += 1
                if byte(text, at) <= SPACE:
                    at = blank_end(text, at)
            elif after != CLOSE:
                return STOPPED, row
        at = blank_end(text, at + 1)
        if byte(text, at) != NEWLINE or at - row > longest:
            return STOPPED, row
        at += 1
        ends[i, 0], ends[i, 1] = n, m
        counts[0], counts[1], counts[2], counts[3] = i + 1, n_hard, n, m
    return DONE, end
