"""Tokenizing the rows of a CSV file without quotes: numbers, missing values, and words.

As in `tokens`, the text ends with a line end that `PADDING` bytes follow, and a number that may
not be exact here is left to `float`: its place is noted in `hard`. What is neither a number nor
missing is noted there too, unless its column is known to be one of words: these are numbered in
the order in which they come.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled
from mlfs._kernels.tokens import DONE, FULL, HARD, OTHERS_FULL, STOPPED, UNSEEN, read_number
from mlfs._kernels.words import byte

__all__ = ["rows_of_cells"]

NEWLINE, SPACE, BIG_N, SMALL_N, BIG_A, SMALL_A = 10, 32, 78, 110, 65, 97
PROBES = 256


@compiled
def rows_of_cells(
    text: Any,
    at: int,
    end: int,
    longest: int,
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
    mask = len(slots) - 1
    while at < end:
        row = at
        if byte(text, at) == NEWLINE:
            at += 1
            continue
        i = counts[0]
        if i == len(values):
            return FULL, row
        if counts[1] + width > len(hard):
            return HARD, row
        if counts[2] + width > len(words):
            return OTHERS_FULL, row
        for j in range(width):
            want = NEWLINE if j == width - 1 else separator
            if wordy[j]:
                stop = at
                code: Any = 2166136261 + j
                while byte(text, stop) != separator and byte(text, stop) != NEWLINE:
                    code = ((code ^ np.int64(byte(text, stop))) * 16777619) & 0xFFFFFFFF
                    stop += 1
                slot = (code ^ (code >> 15)) & mask
                probes = 0
                while True:
                    word = slots[slot]
                    if word < 0:
                        word = counts[2]
                        words[word, 0], words[word, 1], words[word, 2] = j, at, stop
                        counts[2] += 1
                        slots[slot] = word
                        break
                    start = words[word, 1]
                    if words[word, 0] == j and words[word, 2] - start == stop - at:
                        k = 0
                        while k < stop - at and byte(text, start + k) == byte(text, at + k):
                            k += 1
                        if k == stop - at:
                            break
                    probes += 1
                    if probes > PROBES:
                        return STOPPED, row
                    slot = (slot + 1) & mask
                value = float(word)
            else:
                while byte(text, at) == SPACE:
                    at += 1
                value = UNSEEN
                stop = at + 1
                if byte(text, stop) == want:
                    value = singles[byte(text, at)]
                else:
                    stop, value = read_number(text, at)
                    if stop > 0:
                        while byte(text, stop) == SPACE:
                            stop += 1
                if stop < 0 or value == UNSEEN or byte(text, stop) != want:
                    stop = at
                    while byte(text, stop) != separator and byte(text, stop) != NEWLINE:
                        stop += 1
                    value = np.nan
                    first, second, third = byte(text, at), byte(text, at + 1), byte(text, at + 2)
                    is_na = stop - at == 2 and first == BIG_N and second == BIG_A
                    is_nan = (
                        stop - at == 3
                        and (first == BIG_N or first == SMALL_N)
                        and (second == BIG_A or second == SMALL_A)
                        and (third == BIG_N or third == SMALL_N)
                    )
                    if stop > at and not is_na and not is_nan:
                        k = counts[1]
                        hard[k, 0], hard[k, 1], hard[k, 2], hard[k, 3] = i, j, at, stop
                        counts[1] = k + 1
            if byte(text, stop) != want:
                return STOPPED, row
            values[i, j] = value
            at = stop + 1
        if at - row - 1 > longest:
            return STOPPED, row
        counts[0] = i + 1
    return DONE, end
