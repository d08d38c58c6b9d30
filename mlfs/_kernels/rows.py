"""Read the rows of an ARFF file, dense and sparse: plain numbers and nominal values.

A kernel reads whole rows from `pos` and stops before the first row that it cannot read; the caller
reads that row with care (or finds what is wrong with it) and calls the kernel again behind it.
The places of numbers that are left to `float` are noted in `hard`.

The text ends with a line end that `PADDING` bytes follow, so no loop looks for the end of the text.
The values of column j go to place `places[j]` of `values`, or, where that is negative, to place
``~places[j]`` of `others` (the labels).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from mlfs._kernels.jit import compiled, inner, specialized, spliced
from mlfs._kernels.tokens import (
    DONE,
    DOT,
    FULL,
    HARD,
    NUMERIC,
    STOPPED,
    UNSEEN,
    blank_end,
    byte,
    eight,
    leading,
    note,
    read_number,
    read_value,
    word,
)

TAB, NEWLINE, SPACE, COMMA, OPEN, CLOSE = 9, 10, 32, 44, 123, 125


class ColumnRoles(NamedTuple):
    """Each column's kind, the meaning of a value of one byte in it, and where its values go."""

    kinds: Any
    first_single: Any
    singles: Any
    places: Any


class Dense(NamedTuple):
    """The arrays for dense rows; `counts` holds the rows and the hard numbers so far."""

    values: Any
    others: Any
    hard: Any
    counts: Any


class Sparse(NamedTuple):
    """The arrays that sparse rows are read into; `ends` holds where the entries of each row end.

    `counts` holds the rows, the hard numbers, and the entries of X and of the others so far.
    """

    values: Any
    others: Any
    columns: Any
    other_columns: Any
    ends: Any
    hard: Any
    counts: Any


@compiled
def dense_rows(
    text: Any, pos: int, end: int, columns: Any, names: Any, out: Any
) -> tuple[int, int]:
    """Read dense rows: why it stopped, and where."""
    width = len(columns.kinds)
    counts = out.counts
    while pos < end:
        row = pos
        pos = blank_end(text, pos)
        if byte(text, pos) == NEWLINE:
            pos += 1
            continue
        if counts[0] == len(out.values):
            return FULL, row
        if counts[1] + width > len(out.hard):
            return HARD, row
        pos, n_hard = _dense_row(text, pos, columns, names, out)
        if pos < 0 or byte(text, pos) != NEWLINE:
            return STOPPED, row
        pos += 1
        counts[0], counts[1] = counts[0] + 1, n_hard
    return DONE, end


@inner
def _dense_row(text: Any, pos: int, columns: Any, names: Any, out: Any) -> tuple[int, int]:
    """Read one row: where it ends (-1 if it cannot be read here), and the hard numbers so far."""
    kinds, first_single, singles, places = columns
    values, others, hard, counts = out
    i, n_hard = counts[0], counts[1]
    width = len(kinds)
    commas = 0
    for j in range(width):
        after = byte(text, pos + 1)
        value = UNSEEN
        stop = pos + 1
        if after == COMMA or after == NEWLINE:
            value = singles[first_single[j] + byte(text, pos)]
        elif kinds[j] == NUMERIC:
            stop, value = read_number(text, pos)
            after = byte(text, stop) if stop > 0 else DOT
        if stop > 0 and value != UNSEEN and (after == COMMA or after == NEWLINE):
            pos = stop
        else:
            kind, value, start, stop, pos = read_value(text, pos, kinds[j], names)
            if kind == 2:
                return -1, n_hard
            if kind == 1:
                note(hard, n_hard, i, places[j], start, stop)
                n_hard += 1
            pos = blank_end(text, pos)
            after = byte(text, pos)
        place = places[j]
        if place >= 0:
            values[i, place] = value
        else:
            others[i, ~place] = value
        if after == COMMA:
            if commas < j:
                return -1, n_hard
            commas += 1
            pos = _past(text, pos)
        elif commas > 0 and j < width - 1:
            return -1, n_hard
    return pos, n_hard


@specialized
def sparse_rows(
    text: Any, pos: int, end: int, columns: Any, names: Any, out: Any
) -> tuple[int, int]:
    """Read sparse rows, without `names` those of one-byte values: why it stopped, and where."""
    kinds, first_single, singles, places = columns
    values, others, columns_read, other_columns, ends, hard, counts = out
    while pos < end:
        row = pos
        pos = blank_end(text, pos)
        if byte(text, pos) == NEWLINE:
            pos += 1
            continue
        i, n_hard, n, m = counts[0], counts[1], counts[2], counts[3]
        if byte(text, pos) != OPEN:
            return STOPPED, row
        if i == len(ends):
            return FULL, row
        last = -1
        pos = blank_end(text, pos + 1)
        while byte(text, pos) != CLOSE:
            last, pos = _index(text, pos, last, len(kinds))
            if last < 0:
                return STOPPED, row
            if n_hard == len(hard):
                return HARD, row
            if n == len(values) or m == len(others):
                return FULL, row
            kind, place = 0, places[last]
            after = byte(text, pos + 1)
            is_byte = after == COMMA or after == CLOSE
            value = singles[first_single[last] + byte(text, pos)] if is_byte else UNSEEN
            if names is None:
                if value == UNSEEN:
                    return STOPPED, row
                pos += 1
            else:
                kind, value, start, stop, pos = _value(text, pos, value, kinds[last], names)
                if kind == 2:
                    return STOPPED, row
                after = byte(text, pos)
                if kind == 1:
                    note(hard, n_hard, n if place >= 0 else m, place, start, stop)
                    n_hard += 1
            stored = value != 0.0 or kind == 1
            if place >= 0:
                columns_read[n], values[n] = place, value
                n += stored
            else:
                other_columns[m], others[m] = ~place, value
                m += stored
            if after == COMMA:
                pos = _past(text, pos)
            elif after != CLOSE:
                return STOPPED, row
        pos = blank_end(text, pos + 1)
        if byte(text, pos) != NEWLINE:
            return STOPPED, row
        pos += 1
        ends[i, 0], ends[i, 1] = n, m
        counts[0], counts[1], counts[2], counts[3] = i + 1, n_hard, n, m
    return DONE, end


@spliced
def _past(text: Any, pos: int) -> int:
    """Where the next thing starts, after a byte and the blanks that follow it."""
    return pos + 1 if byte(text, pos + 1) > SPACE else blank_end(text, pos + 1)


@spliced
def _index(text: Any, pos: int, last: int, width: int) -> tuple[int, int]:
    """The index of an entry, beyond that before it, and where its value starts; -1 if it is odd."""
    digits = word(text, pos)
    count = leading(digits)
    index = eight(digits, count)
    pos += count
    if count == 8 or count == 0 or index <= last or index >= width:
        return -1, pos
    if byte(text, pos) != SPACE and byte(text, pos) != TAB:
        return -1, pos
    return index, _past(text, pos)


@inner
def _value(
    text: Any, pos: int, single: float, spec: int, names: Any
) -> tuple[int, float, int, int, int]:
    """The value of an entry, as `read_value` tells it; `single` is what one byte means."""
    stop, value = pos + 1, single
    after = byte(text, stop)
    if value == UNSEEN and after != COMMA and after != CLOSE and spec == NUMERIC:
        stop, value = read_number(text, pos)
        after = byte(text, stop) if stop > 0 else DOT
    if stop > 0 and value != UNSEEN and (after == COMMA or after == CLOSE):
        return 0, value, pos, stop, stop
    kind, value, start, stop, pos = read_value(text, pos, spec, names)
    return kind, value, start, stop, blank_end(text, pos)
