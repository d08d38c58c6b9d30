"""Sums of c log c as whole numbers: exact, so their order never matters.

An entropy is made of sums of ``c log c`` over counts c. Each is rounded once to a multiple of
``2 ** -shift`` and kept as an integer. Sums of integers are exact: cells, labels, blocks of rows
and threads may be added in any order, and what cancels on paper cancels here. N log N takes 54
bits, so no term is coarser than a float's. Sums over many labels may leave 64 bits on the way and
come back: integers wrap around, and the informations in the end are small enough.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from mlfs._kernels import finishing

__all__ = ["clogc_table", "entropies", "of_rows", "per_row", "wrapped"]

TABLE_SIZE = 1 << 22  # larger counts (fine weights, millions of rows) take the logarithm itself
KEPT = (1 << 20) + 2  # entries: tables up to this size are there for the next selection
BITS = 54
SPARE_BITS = 8  # between N log N and N times the greatest information about all labels


def clogc_table(total: int, nats: float, size: int = TABLE_SIZE) -> np.ndarray:
    """Make the table of ``c log c`` of the counts up to a total; behind them stands the shift.

    Parameters
    ----------
    total : int
        The greatest count.
    nats : float
        The greatest information there can be about all labels together.
    size : int
        The greatest table.

    Examples
    --------
    >>> table = clogc_table(2, 1.0)
    >>> round(float(table[2]) * 2.0 ** -float(table[-1]), 9)  # 2 log 2
    1.386294361
    """
    log_n = max(1.0, math.log(max(1, total)))
    shift = BITS - math.ceil(math.log2(max(1, total) * log_n))
    shift -= max(0, math.ceil(math.log2(max(1.0, nats) / log_n)) - SPARE_BITS)
    length = max(1, min(total + 1, size)) + 1
    return _kept(length, shift) if length <= KEPT else _filled(length, shift)


def _filled(length: int, shift: int) -> np.ndarray:
    table = np.zeros(length, np.int64)
    table[-1] = shift
    finishing.fill_clogc(table, 2.0**shift)
    return table


# nobody writes to a table; a flag that says so would slow down every call of a kernel
_kept = functools.lru_cache(maxsize=2)(_filled)


def wrapped(number: int) -> np.int64:
    """Bring a sum of any size into 64 bits, as sums in arrays are.

    Examples
    --------
    >>> int(wrapped(2**64 + 3)), int(wrapped(2**63))
    (3, -9223372036854775808)
    """
    return np.int64((number + (1 << 63)) % (1 << 64) - (1 << 63))


def per_row(total: np.ndarray, rows: np.ndarray, clogc: np.ndarray) -> np.ndarray:
    """Turn sums of c log c into informations: no rows, no information, and none is below 0."""
    scale = rows * 2.0 ** int(clogc[-1])
    if np.ndim(scale) == 0 and scale > 0:
        found = np.asarray(total / scale)
        return np.maximum(found, 0.0, out=found)
    out = np.zeros(np.broadcast_shapes(np.shape(total), np.shape(rows)))
    np.divide(total, scale, out=out, where=scale > 0)
    return np.maximum(out, 0.0, out=out)


def of_rows(rows: np.ndarray, clogc: np.ndarray) -> np.ndarray:
    """N log N of every N; there are few different ones."""
    flat = rows.ravel()
    if flat.size and (flat == flat[0]).all():
        sizes, where = flat[:1], np.zeros(flat.size, np.intp)
    else:
        sizes, where = np.unique(flat, return_inverse=True)
    out = np.empty((sizes.size, 2), np.int64)
    edges, ones = np.arange(sizes.size + 1), np.ones(sizes.size, np.int32)
    finishing.singles(sizes.astype(np.int64), edges, ones, clogc, out)
    found: np.ndarray = out[where, 1].reshape(rows.shape)
    return found


def entropies(rows: np.ndarray, t: np.ndarray, clogc: np.ndarray) -> np.ndarray:
    """(N log N - sum of c log c) / N, for any number of N at once."""
    return per_row(of_rows(rows, clogc) - t, rows, clogc)
