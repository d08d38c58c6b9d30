"""Sums of c log c as whole numbers: exact, so their order never matters.

An entropy is made of sums of ``c log c`` over counts c. Each is rounded once to a multiple of
``2 ** -shift`` and kept as an integer. Sums of integers are exact: cells, labels and threads may be
added in any order, and what cancels on paper cancels here. N log N takes 54 bits, so no term is
coarser than a float's. Sums over many labels may leave 64 bits on the way and come back: integers
wrap around, and the results in the end are small enough.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from mlfs._kernels.co_sums import AllCounts, AnyCounts, fill_xlogx, terms

XLogX = AllCounts | AnyCounts

TABLE_SIZE = 1 << 20  # larger counts (fine weights, millions of rows) are computed
BITS = 54
SPARE_BITS = 8  # between N log N and N times the greatest information about all labels


def xlogx_table(total: int, nats: float, size: int = TABLE_SIZE) -> XLogX:
    """Make the table of ``c log c`` of the counts up to a total.

    Parameters
    ----------
    total : int
        The greatest count.
    nats : float
        The greatest information there can be about all labels together.
    size : int
        The greatest count in the table.

    Examples
    --------
    >>> xlogx = xlogx_table(2, 1.0)
    >>> round(float(xlogx.table[2]) / xlogx.unit, 9)  # 2 log 2
    1.386294361
    """
    log_n = max(1.0, math.log(max(1, total)))
    shift = BITS - math.ceil(math.log2(max(1, total) * log_n))
    shift -= max(0, math.ceil(math.log2(max(1.0, nats) / log_n)) - SPARE_BITS)
    length, unit = max(1, min(total, size)) + 1, 2.0**shift
    table = _filled(length, unit)
    return AllCounts(table, unit) if total < length else AnyCounts(table, unit)


# nobody writes to a table; a flag that says so would slow down every call of a kernel
@functools.lru_cache(maxsize=2)
def _filled(length: int, unit: float) -> np.ndarray:
    table = np.zeros(length, np.int64)
    fill_xlogx(table, unit)
    return table


def wrap_int64(number: int) -> np.int64:
    """Bring a sum of any size into 64 bits, as sums in arrays are.

    Examples
    --------
    >>> int(wrap_int64(2**64 + 3)), int(wrap_int64(2**63))
    (3, -9223372036854775808)
    """
    return np.int64((number + (1 << 63)) % (1 << 64) - (1 << 63))


def terms_of(counts: np.ndarray, xlogx: XLogX) -> np.ndarray:
    """C log c of every count."""
    out = np.empty(counts.shape, np.int64)
    terms(counts.ravel(), xlogx, out.ravel())
    return out


def terms_of_rows(rows: np.ndarray, xlogx: XLogX) -> np.ndarray:
    """N log N of every N; there are few different ones."""
    flat = rows.ravel()
    if flat.size and (flat == flat[0]).all():
        sizes, where = flat[:1], np.zeros(flat.size, np.intp)
    else:
        sizes, where = np.unique(flat, return_inverse=True)
    terms: np.ndarray = terms_of(sizes.astype(np.int64), xlogx)[where].reshape(rows.shape)
    return terms


def per_row(total: np.ndarray, rows: np.ndarray, xlogx: XLogX) -> np.ndarray:
    """Divide sums of c log c by the rows: 0 where there are none, and never below 0."""
    scale = rows * xlogx.unit
    if rows.ndim == 0 and scale > 0:
        result = np.asarray(total / scale)
        return np.maximum(result, 0.0, out=result)
    out = np.zeros(np.broadcast_shapes(np.shape(total), np.shape(rows)))
    np.divide(total, scale, out=out, where=scale > 0)
    return np.maximum(out, 0.0, out=out)


def entropies(rows: np.ndarray, t: np.ndarray, xlogx: XLogX) -> np.ndarray:
    """(N log N - sum of c log c) / N, for any number of N at once."""
    return per_row(terms_of_rows(rows, xlogx) - t, rows, xlogx)
