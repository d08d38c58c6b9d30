"""Tokenizing the rows of a text table: plain numbers and nominal values, dense and sparse.

A kernel reads whole rows from `position` on and stops before the first row that it cannot read;
the caller reads that row with care (or finds what is wrong with it) and calls again behind it.
A number is computed here only where that is exact: 18 digits at most and a power of ten that a
double holds exactly, so that one correctly rounded operation (or two, with a bound on the error)
gives what `float` gives. The others are left to `float`: their places are noted in `hard`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import config

from mlfs._kernels.jit import compiled

__all__ = [
    "DATE",
    "DONE",
    "FULL",
    "HARD",
    "NUMERIC",
    "SKIPPED",
    "STOPPED",
    "WANTED",
    "dense_rows",
    "is_compiled",
    "sparse_rows",
]

NUMERIC, SKIPPED, DATE, WANTED = -1, -2, -3, -4
DONE, STOPPED, FULL, HARD = 0, 1, 2, 3
EXACT = 1 << 53
SPLIT = float((1 << 27) + 1)
POWERS = np.array([10.0**k for k in range(23)])

TAB, NEWLINE, SPACE, DOUBLE, PERCENT, SINGLE, COMMA = 9, 10, 32, 34, 37, 39, 44
PLUS, MINUS, DOT, ZERO, NINE, QUESTION = 43, 45, 46, 48, 57, 63
BIG_E, SMALL_E, BACKSLASH, OPEN, CLOSE = 69, 101, 92, 123, 125


def is_compiled() -> bool:
    """Whether the kernels are worth calling: as plain Python they are slower than careful rows."""
    return not config.DISABLE_JIT  # type: ignore[attr-defined]  # set when numba is imported


@compiled
def _blank_end(text: Any, at: int, end: int) -> int:
    while at < end and (text[at] == SPACE or text[at] == TAB):
        at += 1
    return at


@compiled
def _line_end(text: Any, at: int, end: int) -> int:
    while at < end and text[at] != NEWLINE:
        at += 1
    return at


@compiled
def _is_end(text: Any, at: int, end: int) -> bool:
    """Whether a bare word ends here."""
    if at >= end:
        return True
    c = text[at]
    return c <= SPACE or c == COMMA or c == PERCENT or c == OPEN or c == CLOSE


@compiled
def _scaled(whole: Any, power: int) -> tuple[int, float]:
    """Whole * 10**power rounded once, for |power| <= 22: 0 and the value, or 1 if in doubt.

    In doubt is a result so close to the middle between two doubles that the error of the two
    pieces could decide; where both ends of the error round to the same double, that is it.
    """
    high = float(whole)
    scale = POWERS[power] if power >= 0 else POWERS[-power]
    if whole <= EXACT:
        return 0, (high * scale if power >= 0 else high / scale)
    low = float(whole - np.int64(high))
    first = high * scale if power >= 0 else high / scale
    factor = high if power >= 0 else first
    cut = factor * SPLIT
    factor_high = cut - (cut - factor)
    factor_low = factor - factor_high
    cut = scale * SPLIT
    scale_high = cut - (cut - scale)
    scale_low = scale - scale_high
    product = factor * scale
    rest = factor_low * scale_low - (
        ((product - factor_high * scale_high) - factor_low * scale_high) - factor_high * scale_low
    )
    second = rest + low * scale if power >= 0 else ((high - product) - rest + low) / scale
    doubt = abs(first) * 1e-30 + abs(second) * 1e-13
    value = first + (second + doubt)
    return (0 if value == first + (second - doubt) else 1), value


@compiled
def _number(text: Any, at: Any, end: int) -> tuple[int, float, int]:
    """0 and the value; 1 for a number that float() has to read; 2 for no number; where it ends."""
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    whole = 0
    digits = 0
    power = 0
    start = at
    while at < end and ZERO <= text[at] <= NINE:
        if digits < 18:
            whole = whole * 10 + (text[at] - ZERO)
        digits += whole > 0
        at += 1
    seen = at - start
    if at < end and text[at] == DOT:
        at += 1
        start = at
        while at < end and ZERO <= text[at] <= NINE:
            if digits < 18:
                whole = whole * 10 + (text[at] - ZERO)
                power -= 1
            digits += whole > 0
            at += 1
        seen += at - start
    if seen == 0:
        return 2, 0.0, at
    if at < end and (text[at] == SMALL_E or text[at] == BIG_E):
        at += 1
        down = at < end and text[at] == MINUS
        if at < end and (text[at] == MINUS or text[at] == PLUS):
            at += 1
        start = at
        exponent = 0
        while at < end and ZERO <= text[at] <= NINE:
            if exponent < 100000:
                exponent = exponent * 10 + (text[at] - ZERO)
            at += 1
        if at == start:
            return 2, 0.0, at
        power += -exponent if down else exponent
    if whole == 0:
        return 0, -0.0 if negative else 0.0, at
    if digits > 18 or power > 22 or power < -22:
        return 1, 0.0, at
    kind, value = _scaled(whole, power)
    return kind, -value if negative else value, at


@compiled
def _code(
    text: Any, start: int, stop: int, spec: int, tables: Any, slots: Any, bounds: Any, letters: Any
) -> int:
    """The position of a value among those of a nominal column, -1 if it is none of them."""
    length = stop - start
    code: Any = 2166136261
    for at in range(start, stop):
        code = ((code ^ np.int64(text[at])) * 16777619) & 0xFFFFFFFF
    mask = tables[spec, 1]
    slot = code & mask
    while True:
        value = slots[tables[spec, 0] + slot]
        if value < 0:
            return -1
        first = bounds[value]
        if bounds[value + 1] - first == length:
            same = True
            for k in range(length):
                if letters[first + k] != text[start + k]:
                    same = False
                    break
            if same:
                return value - tables[spec, 2]
        slot = (slot + 1) & mask


@compiled
def _value(
    text: Any, at: int, end: int, spec: int, tables: Any, slots: Any, bounds: Any, letters: Any
) -> tuple[int, float, int, int, int]:
    """One value: 0 read, 1 for float(), 2 not readable here; the value; its text; what follows."""
    c = text[at]
    if spec == NUMERIC and c != QUESTION and c != SINGLE and c != DOUBLE:
        kind, value, stop = _number(text, at, end)
        return (kind if _is_end(text, stop, end) else 2), value, at, stop, stop
    if c == SINGLE or c == DOUBLE:
        start = at + 1
        stop = start
        while stop < end and text[stop] != c and text[stop] != NEWLINE:
            if text[stop] == BACKSLASH:
                return 2, 0.0, start, stop, stop
            stop += 1
        if stop == end or text[stop] == NEWLINE:
            return 2, 0.0, start, stop, stop
        after = stop + 1
    else:
        start = at
        stop = at
        while not _is_end(text, stop, end):
            stop += 1
        after = stop
        if stop == start + 1 and c == QUESTION:
            return (2 if spec == WANTED else 0), np.nan, start, stop, after
    if spec >= 0:
        code = _code(text, start, stop, spec, tables, slots, bounds, letters)
        return (2 if code < 0 else 0), float(code), start, stop, after
    if spec == SKIPPED:
        return (2 if after == at else 0), np.nan, start, stop, after
    return 2, 0.0, start, stop, after


@compiled
def dense_rows(
    text: Any,
    at: int,
    longest: int,
    specs: Any,
    tables: Any,
    slots: Any,
    bounds: Any,
    letters: Any,
    values: Any,
    hard: Any,
    counts: Any,
) -> tuple[int, int]:
    """Read dense rows into `values`; `counts` holds values, rows and hard numbers so far."""
    end = len(text)
    width = len(specs)
    while at < end:
        row = at
        at = _blank_end(text, at, end)
        if at == end or text[at] == NEWLINE:
            at += 1
            continue
        if text[at] == PERCENT:
            at = _line_end(text, at, end) + 1
            continue
        n = counts[0]
        n_hard = counts[2]
        if n + width > len(values):
            return FULL, row
        if n_hard + width > len(hard):
            return HARD, row
        commas = 0
        for j in range(width):
            if at == end:
                return STOPPED, row
            kind, value, start, stop, at = _value(
                text, at, end, specs[j], tables, slots, bounds, letters
            )
            if kind == 2:
                return STOPPED, row
            if kind == 1:
                hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = n, start, stop
                n_hard += 1
            values[n] = value
            n += 1
            at = _blank_end(text, at, end)
            if at < end and text[at] == COMMA:
                if commas < j:
                    return STOPPED, row
                commas += 1
                at = _blank_end(text, at + 1, end)
            elif commas > 0 and j < width - 1:
                return STOPPED, row
        if at < end and text[at] == PERCENT:
            at = _line_end(text, at, end)
        if (at < end and text[at] != NEWLINE) or at - row > longest:
            return STOPPED, row
        at += 1
        counts[0], counts[2] = n, n_hard
        counts[1] += 1
    return DONE, end


@compiled
def sparse_rows(
    text: Any,
    at: int,
    longest: int,
    specs: Any,
    tables: Any,
    slots: Any,
    bounds: Any,
    letters: Any,
    values: Any,
    hard: Any,
    counts: Any,
    columns: Any,
    ends: Any,
) -> tuple[int, int]:
    """Read sparse rows: the entries that are not 0 into `columns` and `values`."""
    end = len(text)
    width = len(specs)
    while at < end:
        row = at
        at = _blank_end(text, at, end)
        if at == end or text[at] == NEWLINE:
            at += 1
            continue
        if text[at] == PERCENT:
            at = _line_end(text, at, end) + 1
            continue
        if text[at] != OPEN:
            return STOPPED, row
        if counts[1] == len(ends):
            return FULL, row
        n = counts[0]
        n_hard = counts[2]
        last = -1
        at = _blank_end(text, at + 1, end)
        while at < end and text[at] != CLOSE:
            first = at
            index = 0
            while at < end and ZERO <= text[at] <= NINE and index < width:
                index = index * 10 + (text[at] - ZERO)
                at += 1
            if at == first or index <= last or index >= width or at == end:
                return STOPPED, row
            if text[at] != SPACE and text[at] != TAB:
                return STOPPED, row
            at = _blank_end(text, at, end)
            if at == end:
                return STOPPED, row
            last = index
            if n_hard == len(hard):
                return HARD, row
            if n == len(values):
                return FULL, row
            kind, value, start, stop, at = _value(
                text, at, end, specs[index], tables, slots, bounds, letters
            )
            if kind == 2:
                return STOPPED, row
            if kind == 1:
                hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = n, start, stop
                n_hard += 1
            if value != 0.0 or kind == 1:
                columns[n] = index
                values[n] = value
                n += 1
            at = _blank_end(text, at, end)
            if at < end and text[at] == COMMA:
                at = _blank_end(text, at + 1, end)
            elif at < end and text[at] != CLOSE:
                return STOPPED, row
        if at == end:
            return STOPPED, row
        at = _blank_end(text, at + 1, end)
        if at < end and text[at] == PERCENT:
            at = _line_end(text, at, end)
        if (at < end and text[at] != NEWLINE) or at - row > longest:
            return STOPPED, row
        at += 1
        ends[counts[1]] = n
        counts[0], counts[2] = n, n_hard
        counts[1] += 1
    return DONE, end
