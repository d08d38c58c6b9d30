"""Tokenizing the rows of a text table: plain numbers and nominal values, dense and sparse.

A kernel reads whole rows from `at` on and stops before the first row that it cannot read;
the caller reads that row with care (or finds what is wrong with it) and calls again behind it.
A number is computed here only where that is exact: 18 digits at most and a power of ten that a
double holds exactly, so that one correctly rounded operation (or two, with a bound on the error)
gives what `float` gives. The others are left to `float`: their places are noted in `hard`.

The text ends with a line end, and `PADDING` bytes follow it: so nothing looks for the end.
The values of column j go to place `places[j]` of `values`, or, where that is negative, to place
``~places[j]`` of `others` (the labels).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import config

from mlfs._kernels.jit import compiled, inner, spliced
from mlfs._kernels.words import PADDING, byte, eight, leading, word

__all__ = [
    "DATE",
    "DONE",
    "FULL",
    "HARD",
    "NUMERIC",
    "OTHERS_FULL",
    "PADDING",
    "SKIPPED",
    "STOPPED",
    "UNSEEN",
    "WANTED",
    "dense_rows",
    "is_compiled",
    "read_number",
    "sparse_rows",
]

NUMERIC, SKIPPED, DATE, WANTED = -1, -2, -3, -4
DONE, STOPPED, FULL, HARD, OTHERS_FULL = 0, 1, 2, 3, 4
UNSEEN = -np.inf
EXACT = 1 << 53
SPLIT = float((1 << 27) + 1)
POWERS = np.array([10.0**k for k in range(23)])
TENS = np.array([10**k for k in range(9)])
DIGITS = 18
ENDS = np.array([c <= 32 or chr(c) in ",%{}" for c in range(256)])

TAB, NEWLINE, SPACE, DOUBLE, SINGLE, COMMA = 9, 10, 32, 34, 39, 44
PLUS, MINUS, DOT, QUESTION = 43, 45, 46, 63
BIG_E, SMALL_E, BACKSLASH, OPEN, CLOSE = 69, 101, 92, 123, 125


def is_compiled() -> bool:
    """Whether the kernels are worth calling: as plain Python they are slower than careful rows."""
    return not config.DISABLE_JIT  # type: ignore[attr-defined]  # set when numba is imported


@inner
def _blank_end(text: Any, at: int) -> int:
    while byte(text, at) == SPACE or byte(text, at) == TAB:
        at += 1
    return at


@inner
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


@spliced
def read_number(text: Any, at: Any) -> tuple[int, float]:
    """Read a number if that is exact: where it ends, or -1, and the value."""
    negative = byte(text, at) == MINUS
    at += negative
    digits = word(text, at)
    count = leading(digits)
    if count == 8:
        return -1, 0.0
    whole = eight(digits, count)
    at += count
    seen = count
    power = 0
    if byte(text, at) == DOT:
        at += 1
        some = 8
        while some == 8:
            digits = word(text, at)
            some = leading(digits)
            if whole == 0:
                count = 0
            count += some
            if count > DIGITS:
                return -1, 0.0
            whole = whole * TENS[some] + eight(digits, some)
            power -= some
            seen += some
            at += some
    if seen == 0:
        return -1, 0.0
    if byte(text, at) == SMALL_E or byte(text, at) == BIG_E:
        at += 1
        down = byte(text, at) == MINUS
        if down or byte(text, at) == PLUS:
            at += 1
        digits = word(text, at)
        some = leading(digits)
        if some == 0 or some == 8:
            return -1, 0.0
        exponent = eight(digits, some)
        power += -exponent if down else exponent
        at += some
    if -22 <= power <= 0 and whole <= EXACT:
        value = float(whole) / POWERS[-power]
    elif whole == 0:
        value = 0.0
    elif -22 <= power <= 22:
        kind, value = _scaled(whole, power)
        if kind != 0:
            return -1, 0.0
    else:
        return -1, 0.0
    return at, -value if negative else value


@inner
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


@inner
def _value(
    text: Any, at: int, spec: int, tables: Any, slots: Any, bounds: Any, letters: Any
) -> tuple[int, float, int, int, int]:
    """One value: 0 read, 1 for float(), 2 not readable here; the value; its text; what follows."""
    c = byte(text, at)
    start = at
    stop = at
    if c == SINGLE or c == DOUBLE:
        start = at + 1
        stop = start
        while byte(text, stop) != c:
            if byte(text, stop) == BACKSLASH or byte(text, stop) == NEWLINE:
                return 2, 0.0, start, stop, stop
            stop += 1
        after = stop + 1
    else:
        while not ENDS[byte(text, stop)]:
            stop += 1
        after = stop
        if stop == start:
            return 2, 0.0, start, stop, after
        if stop == start + 1 and c == QUESTION:
            return (2 if spec == WANTED else 0), np.nan, start, stop, after
        if spec == NUMERIC:
            return 1, 0.0, start, stop, after
    if spec >= 0:
        code = _code(text, start, stop, spec, tables, slots, bounds, letters)
        return (2 if code < 0 else 0), float(code), start, stop, after
    return (0 if spec == SKIPPED else 2), np.nan, start, stop, after


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
        at = _blank_end(text, at)
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
                kind, value, start, stop, at = _value(
                    text, at, specs[j], tables, slots, bounds, letters
                )
                if kind == 2:
                    return STOPPED, row
                if kind == 1:
                    hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = i, places[j], start
                    hard[n_hard, 3] = stop
                    n_hard += 1
                at = _blank_end(text, at)
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
                    at = _blank_end(text, at)
            elif commas > 0 and j < width - 1:
                return STOPPED, row
        if byte(text, at) != NEWLINE or at - row > longest:
            return STOPPED, row
        at += 1
        counts[0], counts[1] = i + 1, n_hard
    return DONE, end


@compiled
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
    """Read sparse rows: the entries that are not 0; `ends` holds where those of a row end."""
    width = len(specs)
    while at < end:
        row = at
        at = _blank_end(text, at)
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
        at = _blank_end(text, at + 1)
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
                at = _blank_end(text, at)
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
            elif specs[index] == NUMERIC:
                stop, value = read_number(text, at)
                after = byte(text, stop) if stop > 0 else DOT
            if stop > 0 and value != UNSEEN and (after == COMMA or after == CLOSE):
                at = stop
            else:
                kind, value, start, stop, at = _value(
                    text, at, specs[index], tables, slots, bounds, letters
                )
                if kind == 2:
                    return STOPPED, row
                at = _blank_end(text, at)
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
                    at = _blank_end(text, at)
            elif after != CLOSE:
                return STOPPED, row
        at = _blank_end(text, at + 1)
        if byte(text, at) != NEWLINE or at - row > longest:
            return STOPPED, row
        at += 1
        ends[i, 0], ends[i, 1] = n, m
        counts[0], counts[1], counts[2], counts[3] = i + 1, n_hard, n, m
    return DONE, end
