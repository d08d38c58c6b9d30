"""Bit slices of a dense table of any type and memory layout.

Blocks of rows (or of columns, if these are contiguous) are sliced by one thread each.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from mlfs._kernels import packing
from mlfs._kernels.packing import STRIP
from mlfs._kernels.planes import SMALL, count_values

CHUNK = 1 << 18  # cells that are converted to bytes at a time
BYTES = 1 << 22  # cells that are bytes
THREADED_FROM = 1 << 25  # cells; below, threads cost more than they save
MISSING_BIT = 4


@dataclass(frozen=True)
class Slices:
    """The bits of small integers, and how often each occurs.

    Parameters
    ----------
    planes : ndarray of uint64, shape (bits, d, words)
        Bit b of each value of each column; bit 4, where it is there, marks missing values.
    top : ndarray of uint8, shape (d,)
        The OR of the values of each column.
    counts : ndarray of int32, shape (d, 17)
        How often each column has the values 0 to 15, and how often it is missing.
    small : ndarray of bool, shape (d,)
        Whether that is all that the column holds.
    last : uint64
        Ones where the last word has rows.
    """

    planes: np.ndarray
    top: np.ndarray
    counts: np.ndarray
    small: np.ndarray
    last: np.uint64


def slice_table(table: np.ndarray, n_jobs: int = 1) -> Slices:
    """Slice a table of numbers or booleans, of one row and column or more, and count its values."""
    n_rows, d = table.shape
    n_words = -(-n_rows // STRIP)
    chunk = BYTES if table.dtype.itemsize == 1 else CHUNK
    bits = MISSING_BIT + (table.dtype.kind == "f")
    by_column = table.flags.f_contiguous and not table.flags.c_contiguous
    wide = d if by_column else max(d, STRIP)
    planes = np.zeros((bits, wide, n_words), np.uint64)
    if by_column:
        jobs = list(_cuts(d, max(1, chunk // n_rows)))

        def work(job: tuple[int, int]) -> np.ndarray:
            top = np.zeros(d, np.uint8)
            packing.slice_columns(_bytes(table.T[job[0] : job[1]]), job[0], top, planes)
            return top

    else:
        step = max(1, chunk // wide // (8 * STRIP)) * 8
        jobs = list(_cuts(n_words, step))

        def work(job: tuple[int, int]) -> np.ndarray:
            top = np.zeros(wide, np.uint8)
            _slice_rows(table[job[0] * STRIP : job[1] * STRIP], job[0], top, planes)
            return top

    if n_jobs > 1 and table.size >= THREADED_FROM:
        with ThreadPoolExecutor(n_jobs) as pool:
            tops = list(pool.map(work, jobs))
    else:
        tops = [work(job) for job in jobs]
    top = np.bitwise_or.reduce(np.stack(tops), axis=0)[:d]
    return count_slices(planes[:, :d], top, n_rows)


def count_slices(planes: np.ndarray, top: np.ndarray, n_rows: int) -> Slices:
    """Count the values of bit slices, whose OR is `top`."""
    limit = 1 << planes.shape[0]
    counts = np.zeros((top.size, SMALL + 1), np.int32)
    count_values(planes, top, limit, n_rows, counts)
    last = np.uint64((1 << ((n_rows - 1) % STRIP + 1)) - 1)
    return Slices(planes, top, counts, top < limit, last)


def _cuts(total: int, step: int) -> Iterator[tuple[int, int]]:
    for first in range(0, total, step):
        yield first, min(first + step, total)


def _slice_rows(rows: np.ndarray, first: int, top: np.ndarray, planes: np.ndarray) -> None:
    """Write the slices of some rows from the word `first`; incomplete words are padded with 0."""
    d, full_rows = rows.shape[1], rows.shape[0] // STRIP * STRIP
    if d >= STRIP and full_rows:
        part = _bytes(rows[:full_rows]).reshape(-1)
        packing.slice_rows(part, first, first + full_rows // STRIP, first, top, planes)
    begin, step = (0, STRIP * 8) if d < STRIP else (full_rows, STRIP)
    for start in range(begin, rows.shape[0], step):
        part = rows[start : start + step]
        n_words = -(-part.shape[0] // STRIP)
        filled = np.zeros((n_words * STRIP, max(d, STRIP)), np.uint8)
        filled[: part.shape[0], :d] = _bytes(part)
        word = first + start // STRIP
        packing.slice_rows(filled.reshape(-1), word, word + n_words, word, top, planes)


def _bytes(part: np.ndarray) -> np.ndarray:
    """Convert small integers to bytes; other values become a byte that is no small integer."""
    part = np.ascontiguousarray(part)
    if part.dtype.itemsize == 1:
        return part.view(np.uint8)
    out = np.empty(part.shape, np.uint8)
    packing.as_bytes(part.reshape(-1), part.dtype.type(0), out.reshape(-1))
    return out
