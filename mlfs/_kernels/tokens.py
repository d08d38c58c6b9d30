"""Tokens of text tables: numbers, and nominal values by the bytes of their names.

A number is computed here only where that is exact: 18 digits at most and a power of ten that a
double holds exactly, so that one correctly rounded operation (or two, with a bound on the error)
gives what `float` gives. The others are left to `float`.

Eight bytes of a text at once: loaded as a word, their digits counted and read.

The first byte is the lowest of the word, whatever the machine. Nothing here checks a bound: the
caller keeps `PADDING` bytes behind what is read. Without compilation there is no use for this.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic

from mlfs._kernels.jit import inner, spliced

PADDING = 64
ZEROS = 0x3030303030303030
TOPS = 0x8080808080808080
CARRY = 0x7676767676767676
STEPS = (
    (0xFFFFFFFFFFFFFFFF, 2561, 8),
    (0x00FF00FF00FF00FF, 6553601, 16),
    (0x0000FFFF0000FFFF, 42949672960001, 32),
)
# numba's signature
# ruff: noqa: ARG001


def _constant(value: int) -> Any:
    return ir.Constant(ir.IntType(64), value)


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]], inbounds=True)


def _byte(context: Any, text: Any, pos: Any) -> Any:
    """The byte at `pos`, without the check for an index from the end."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, arguments))

    return types.uint8(text, types.int64), generate


byte: Any = intrinsic(_byte)


def _word(context: Any, text: Any, pos: Any) -> Any:
    """Eight bytes from `pos` on, aligned or not, the digits among them as 0 to 9."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = _pointer(context, builder, signature, arguments)
        start = builder.bitcast(start, ir.IntType(64).as_pointer())
        loaded = builder.load(start, align=1)
        loaded = loaded if sys.byteorder == "little" else builder.bswap(loaded)
        return builder.xor(loaded, _constant(ZEROS))

    return types.uint64(text, types.int64), generate


word: Any = intrinsic(_word)


def _leading(context: Any, digits: Any) -> Any:
    """How many of eight bytes are digits before the first that is none.

    A sum carries into the next byte only behind one that is no digit.
    """

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        summed = builder.add(arguments[0], _constant(CARRY))
        others = builder.and_(builder.or_(summed, arguments[0]), _constant(TOPS))
        below = builder.cttz(others, ir.Constant(ir.IntType(1), 0))
        return builder.lshr(below, _constant(3))

    return types.int64(types.uint64), generate


leading: Any = intrinsic(_leading)


def _eight(context: Any, digits: Any, count: Any) -> Any:
    """The number that the first `count` digits are, by three multiplications."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        digits, count = arguments
        empty = builder.icmp_unsigned("==", count, _constant(0))
        missing = builder.shl(builder.sub(_constant(8), count), _constant(3))
        number = builder.shl(digits, builder.select(empty, _constant(0), missing))
        for kept, factor, shift in STEPS:
            number = builder.mul(builder.and_(number, _constant(kept)), _constant(factor))
            number = builder.lshr(number, _constant(shift))
        return builder.select(empty, _constant(0), number)

    return types.int64(types.uint64, types.int64), generate


eight: Any = intrinsic(_eight)


NUMERIC, SKIPPED, DATE, WANTED = -1, -2, -3, -4
DONE, STOPPED, FULL, HARD = 0, 1, 2, 3
UNSEEN = -np.inf
EXACT = 1 << 53
SPLIT = float((1 << 27) + 1)
POWERS = np.array([10.0**k for k in range(23)])
TENS = np.array([10**k for k in range(9)])
DIGITS = 18
ENDS = np.array([c <= 32 or chr(c) in ",%{}" for c in range(256)])

TAB, NEWLINE, SPACE, DOUBLE, SINGLE = 9, 10, 32, 34, 39
PLUS, MINUS, DOT, QUESTION = 43, 45, 46, 63
BIG_E, SMALL_E, BACKSLASH = 69, 101, 92


class Names(NamedTuple):
    """The values of nominal columns: hash tables from the bytes of a value to its position.

    Row t of `tables` holds where the slots of list t start, their mask, and its first value.
    """

    tables: Any
    slots: Any
    bounds: Any
    letters: Any


def is_compiled() -> bool:
    """Whether the kernels are worth calling: as plain Python they are slower than careful rows."""
    return not config.DISABLE_JIT  # type: ignore[attr-defined]  # set when numba is imported


@inner
def blank_end(text: Any, pos: int) -> int:
    while byte(text, pos) == SPACE or byte(text, pos) == TAB:
        pos += 1
    return pos


@inner
def _scaled(mantissa: Any, power: int) -> tuple[int, float]:
    """Whole * 10**power rounded once, for |power| <= 22: 0 and the value, or 1 if in doubt.

    In doubt is a result so close to the middle between two doubles that the error of the two
    pieces could decide; where both ends of the error round to the same double, that is it.
    """
    high = float(mantissa)
    scale = POWERS[power] if power >= 0 else POWERS[-power]
    if mantissa <= EXACT:
        return 0, (high * scale if power >= 0 else high / scale)
    low = float(mantissa - np.int64(high))
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
def read_number(text: Any, pos: Any) -> tuple[int, float]:
    """Read a number if that is exact: where it ends, or -1, and the value."""
    negative = byte(text, pos) == MINUS
    pos += negative
    digits = word(text, pos)
    count = leading(digits)
    if count == 8:
        return -1, 0.0
    mantissa = eight(digits, count)
    pos += count
    seen = count
    power = 0
    if byte(text, pos) == DOT:
        pos += 1
        n_digits = 8
        while n_digits == 8:
            digits = word(text, pos)
            n_digits = leading(digits)
            if mantissa == 0:
                count = 0
            count += n_digits
            if count > DIGITS:
                return -1, 0.0
            mantissa = mantissa * TENS[n_digits] + eight(digits, n_digits)
            power -= n_digits
            seen += n_digits
            pos += n_digits
    if seen == 0:
        return -1, 0.0
    if byte(text, pos) == SMALL_E or byte(text, pos) == BIG_E:
        pos += 1
        down = byte(text, pos) == MINUS
        if down or byte(text, pos) == PLUS:
            pos += 1
        digits = word(text, pos)
        n_digits = leading(digits)
        if n_digits == 0 or n_digits == 8:
            return -1, 0.0
        exponent = eight(digits, n_digits)
        power += -exponent if down else exponent
        pos += n_digits
    if -22 <= power <= 0 and mantissa <= EXACT:
        value = float(mantissa) / POWERS[-power]
    elif mantissa == 0:
        value = 0.0
    elif -22 <= power <= 22:
        kind, value = _scaled(mantissa, power)
        if kind != 0:
            return -1, 0.0
    else:
        return -1, 0.0
    return pos, -value if negative else value


@spliced
def note(hard: Any, k: int, row: int, place: int, start: int, stop: int) -> None:
    """Note a number that is left to `float`: its place in the table and in the text."""
    hard[k, 0], hard[k, 1], hard[k, 2], hard[k, 3] = row, place, start, stop


@inner
def _code(text: Any, start: int, stop: int, spec: int, names: Any) -> int:
    """The position of a value among those of a nominal column, -1 if it is none of them."""
    length = stop - start
    code: Any = 2166136261
    for pos in range(start, stop):
        code = ((code ^ np.int64(text[pos])) * 16777619) & 0xFFFFFFFF
    mask = names.tables[spec, 1]
    slot = code & mask
    while True:
        value = names.slots[names.tables[spec, 0] + slot]
        if value < 0:
            return -1
        first = names.bounds[value]
        if names.bounds[value + 1] - first == length:
            same = True
            for k in range(length):
                if names.letters[first + k] != text[start + k]:
                    same = False
                    break
            if same:
                return value - names.tables[spec, 2]
        slot = (slot + 1) & mask


@inner
def read_value(text: Any, pos: int, spec: int, names: Any) -> tuple[int, float, int, int, int]:
    """One value: 0 read, 1 for float(), 2 not readable here; the value; its text; what follows."""
    c = byte(text, pos)
    start = stop = pos
    if c == SINGLE or c == DOUBLE:
        start = stop = pos + 1
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
        code = _code(text, start, stop, spec, names)
        return (2 if code < 0 else 0), float(code), start, stop, after
    return (0 if spec == SKIPPED else 2), np.nan, start, stop, after
