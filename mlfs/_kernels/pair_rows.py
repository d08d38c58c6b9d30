"""Read rows of svmlight and XMC: ``1,5,10 3:0.5 7:1``.

A kernel reads whole lines from `pos` and stops before the first that it cannot read, as in `rows`.
The text ends with a line end that `PADDING` bytes follow.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels.jit import compiled, inner
from mlfs._kernels.tokens import (
    DONE,
    HARD,
    STOPPED,
    blank_end,
    byte,
    eight,
    leading,
    read_number,
    word,
)

ROWS, ENTRIES, IDS, LINES, HARDS, UNSORTED, ODD = 0, 1, 2, 3, 4, 5, 6  # places in `counts`
LARGEST = (1 << 31) - 2  # the largest index
TAB, NEWLINE, SPACE, HASH, COMMA, COLON, PLUS, MINUS = 9, 10, 32, 35, 44, 58, 43, 45
DIGITS = 18


class PairRows(NamedTuple):
    """The arrays that rows are read into; there is room for all of a text.

    Parameters
    ----------
    values, columns : ndarray
        The entries, by the index in the file.
    ids : ndarray
        The label ids.
    ends : ndarray, shape (rows, 2)
        Where the entries and the ids of each row end.
    lines : ndarray
        How many lines come before each row.
    hard : ndarray, shape (k, 3)
        Numbers that are left to `float`: their entry, and their place in the text.
    counts : ndarray
        The rows, entries, ids, lines and hard numbers so far, whether indices do not rise, and
        whether a value is no whole number from 1 to 255.
    """

    values: Any
    columns: Any
    ids: Any
    ends: Any
    lines: Any
    hard: Any
    counts: Any


@compiled
def pair_rows(text: Any, pos: int, end: int, has_comments: bool, out: Any) -> tuple[int, int]:
    """Read rows: why it stopped, and where.

    With comments, as svmlight has them, an empty line is no row.
    """
    counts = out.counts
    while pos < end:
        row = pos
        if has_comments and byte(text, pos) == NEWLINE:
            pos += 1
            counts[LINES] += 1
            continue
        i = counts[ROWS]
        pos, m = _ids(text, pos, has_comments, out)
        if pos < 0:
            return STOPPED, row
        pos, n, hards = _pairs(text, pos, has_comments, out)
        if pos == -2:
            return HARD, row
        if pos < 0:
            return STOPPED, row
        is_row = True
        if byte(text, pos) == HASH:
            is_row = m > counts[IDS] or n > counts[ENTRIES]
            while byte(text, pos) != NEWLINE:
                pos += 1
        pos += 1
        if is_row:
            out.ends[i, 0], out.ends[i, 1] = n, m
            out.lines[i] = counts[LINES]
            counts[ROWS], counts[ENTRIES], counts[IDS], counts[HARDS] = i + 1, n, m, hards
        counts[LINES] += 1
    return DONE, end


@inner
def _ids(text: Any, pos: int, has_comments: bool, out: Any) -> tuple[int, int]:
    """The label ids at the start of a line: where they end, or -1, and how many there are now."""
    m = out.counts[IDS]
    start, first = pos, m
    c = byte(text, pos)
    if c == SPACE or c == TAB or c == NEWLINE or (has_comments and c == HASH):
        return pos, m
    while True:
        negative = byte(text, pos) == MINUS
        if negative or byte(text, pos) == PLUS:
            pos += 1
        value = 0
        digits = 0
        while 48 <= byte(text, pos) <= 57:
            value = value * 10 + (byte(text, pos) - 48)
            pos += 1
            digits += 1
            if digits > DIGITS:
                return -1, m
        if digits == 0:
            return -1, m
        c = byte(text, pos)
        if c == COLON:  # the row has no labels
            return (start if m == first else -1), m
        out.ids[m] = -value if negative else value
        m += 1
        if c == SPACE or c == TAB or c == NEWLINE or (has_comments and c == HASH):
            return pos, m
        if c != COMMA:
            return -1, m
        pos += 1


@inner
def _pairs(text: Any, pos: int, has_comments: bool, out: Any) -> tuple[int, int, int]:
    """The entries of a line: where they end, -1, or -2 without room; entries, hard numbers."""
    n, hards = out.counts[ENTRIES], out.counts[HARDS]
    last = -1
    while True:
        pos = blank_end(text, pos)
        c = byte(text, pos)
        if c == NEWLINE or (has_comments and c == HASH):
            return pos, n, hards
        digits = word(text, pos)
        count = leading(digits)
        if count == 0:
            return -1, n, hards
        if count < 8:
            column = eight(digits, count)
            pos += count
        else:
            column = 0
            start = pos
            while 48 <= byte(text, pos) <= 57:
                if pos - start == DIGITS:
                    return -1, n, hards
                column = column * 10 + (byte(text, pos) - 48)
                pos += 1
        if byte(text, pos) != COLON or column > LARGEST:
            return -1, n, hards
        pos += 1
        c, after = byte(text, pos), byte(text, pos + 1)
        if 48 < c <= 57 and (after == SPACE or after == NEWLINE):
            value = float(c - 48)
            pos += 1
        else:
            stop, value = read_number(text, pos)
            after = byte(text, stop) if stop > 0 else COLON
            ends = after == SPACE or after == NEWLINE or after == TAB
            if ends or (has_comments and after == HASH):
                pos = stop
            else:
                if hards == len(out.hard):
                    return -2, n, hards
                start, value = pos, 0.0
                while byte(text, pos) > SPACE and not (has_comments and byte(text, pos) == HASH):
                    pos += 1
                out.hard[hards, 0], out.hard[hards, 1], out.hard[hards, 2] = n, start, pos
                hards += 1
            if not (1.0 <= value <= 255.0 and value == np.floor(value)):
                out.counts[ODD] = 1
        if column <= last:
            out.counts[UNSORTED] = 1
        last = column
        out.columns[n], out.values[n] = column, value
        n += 1
