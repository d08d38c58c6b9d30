"""Read the rows of a CSV file: numbers, missing values, and words, in quotes or not.

As in `tokens`, the text ends with a line end that `PADDING` bytes follow, and a number that may
not be exact here is left to `float`: its place is noted in `hard`. What is neither a number nor
missing is noted there too, unless its column is known to be one of words: these are numbered in
the order in which they come, and quotes are a part of a word.

What is odd stops the kernel, and the text is read with care: a cell of several lines, a quote
inside of a cell without quotes, anything between a closing quote and the end of the cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled, inner, spliced
from mlfs._kernels.tokens import DONE, FULL, HARD, STOPPED, UNSEEN, byte, note, read_number

NEWLINE, SPACE, QUOTE = 10, 32, 34
BIG_N, SMALL_N, BIG_A, SMALL_A = 78, 110, 65, 97
PROBES = 256
WORDS_FULL = 4


@compiled
def rows_of_cells(
    text: Any,
    pos: int,
    end: int,
    separator: int,
    wordy: Any,
    singles: Any,
    values: Any,
    hard: Any,
    counts: Any,
    slots: Any,
    words: Any,
) -> tuple[int, int]:
    """Read rows into `values`; `counts` holds rows, hard cells and words so far.

    A word is known by its column and its bytes: `words` holds column, start and end of each.
    """
    width = len(wordy)
    while pos < end:
        row = pos
        if byte(text, pos) == NEWLINE:
            pos += 1
            continue
        i = counts[0]
        if i == len(values):
            return FULL, row
        if counts[1] + width > len(hard):
            return HARD, row
        if counts[2] + width > len(words):
            return WORDS_FULL, row
        for j in range(width):
            want = NEWLINE if j == width - 1 else separator
            if wordy[j]:
                stop = _cell_end(text, pos, separator)
                number = _word(text, pos, stop, j, counts, slots, words)
                if number < 0:
                    return STOPPED, row
                value = float(number)
            else:
                while byte(text, pos) == SPACE:
                    pos += 1
                is_quoted = byte(text, pos) == QUOTE
                if is_quoted:
                    pos += 1
                    stop, value = _quoted_number(text, pos, singles)
                else:
                    stop, value = _plain_number(text, pos, want, singles)
                if stop < 0:
                    stop = _cell_end(text, pos - is_quoted, separator) - is_quoted
                    value = np.nan
                    if not _is_missing(text, pos, stop):
                        note(hard, counts[1], i, j, pos, stop)
                        counts[1] += 1
                stop += is_quoted
            if byte(text, stop) != want:
                return STOPPED, row
            values[i, j] = value
            pos = stop + 1
        counts[0] = i + 1
    return DONE, end


@spliced
def _plain_number(text: Any, pos: int, closing: int, singles: Any) -> tuple[int, float]:
    """Read a number that `closing` follows: where it ends, or -1, and the value."""
    if byte(text, pos + 1) == closing:
        value = singles[byte(text, pos)]
        return (pos + 1 if value != UNSEEN else -1), value
    stop, value = read_number(text, pos)
    if stop > 0:
        while byte(text, stop) == SPACE:
            stop += 1
        if byte(text, stop) != closing:
            stop = -1
    return stop, value


@inner
def _quoted_number(text: Any, pos: int, singles: Any) -> tuple[int, float]:
    """Read a number in quotes; apart, because numbers without quotes are then read faster."""
    return _plain_number(text, pos, QUOTE, singles)


@inner
def _cell_end(text: Any, pos: int, separator: int) -> int:
    """Where a cell ends: behind its closing quote; at a quote if it is odd."""
    start = pos
    if byte(text, pos) != QUOTE:
        c = byte(text, pos)
        while c != separator and c != NEWLINE and c != QUOTE:
            pos += 1
            c = byte(text, pos)
        return pos
    pos += 1
    while byte(text, pos) != NEWLINE:
        if byte(text, pos) == QUOTE:
            pos += 1
            if byte(text, pos) != QUOTE:  # two stand for one
                return pos
        pos += 1
    return start


@inner
def _word(text: Any, pos: int, stop: int, j: int, counts: Any, slots: Any, words: Any) -> int:
    """The number of a word of column j, perhaps a new one; -1 if too many share a hash."""
    mask = len(slots) - 1
    code: Any = 2166136261 + j
    for k in range(pos, stop):
        code = ((code ^ np.int64(byte(text, k))) * 16777619) & 0xFFFFFFFF
    slot = (code ^ (code >> 15)) & mask
    for _ in range(PROBES + 1):
        word = slots[slot]
        if word < 0:
            word = counts[2]
            words[word, 0], words[word, 1], words[word, 2] = j, pos, stop
            counts[2] += 1
            slots[slot] = word
            return word
        start = words[word, 1]
        if words[word, 0] == j and words[word, 2] - start == stop - pos:
            k = 0
            while k < stop - pos and byte(text, start + k) == byte(text, pos + k):
                k += 1
            if k == stop - pos:
                return word
        slot = (slot + 1) & mask
    return -1


@inner
def _is_missing(text: Any, pos: int, stop: int) -> bool:
    """Whether a cell is empty, NA or NaN."""
    first, second, third = byte(text, pos), byte(text, pos + 1), byte(text, pos + 2)
    return (
        stop == pos
        or (stop - pos == 2 and first == BIG_N and second == BIG_A)
        or (
            stop - pos == 3
            and (first == BIG_N or first == SMALL_N)
            and (second == BIG_A or second == SMALL_A)
            and (third == BIG_N or third == SMALL_N)
        )
    )
