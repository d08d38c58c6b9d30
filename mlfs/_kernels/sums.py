"""Sums of a few floats that are rounded once, as `math.fsum` gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled

__all__ = ["add_parts", "exact_sums"]


LEAST = -1000  # a finer grid is beyond what a power of two can be turned over


@compiled
def add_parts(values: Any, top: Any, bits: int, parts: Any, rest: Any) -> bool:
    """Cut the values of each column into parts, add these up exactly, and leave the rest.

    parts[k, j] takes what is a multiple of 2**(top[j] - k * (bits + 1) - bits); as whole numbers
    such parts may be added in any order, several at once. Tells whether any rest is not 0.
    """
    left = False
    for j in range(values.shape[0]):
        own = rest[j]
        for row in range(own.size):
            own[row] = values[j, row]
        found = np.uint8(1)
        for k in range(parts.shape[0]):
            grid = int(top[j]) - k * (bits + 1) - bits
            if grid < LEAST:
                break
            magic, scale = math.ldexp(1.5, grid + 52), math.ldexp(1.0, -grid)
            total = np.int64(0)
            found = np.uint8(0)
            for row in range(own.size):
                high = (own[row] + magic) - magic
                low = own[row] - high
                own[row] = low
                total += np.int64(high * scale)
                found |= np.uint8(low != 0.0)
            parts[k, j] += math.ldexp(float(total), grid)
            if not found:
                break
        if found:
            left = True
    return left


@compiled
def exact_sums(terms: Any, out: Any) -> None:
    """out[i] = the sum of terms[i], rounded once (Shewchuk, 1997); all are finite.

    The partials of a sum do not overlap and grow in magnitude; what is below the largest ones
    that add up inexactly can only decide a tie.
    """
    partials = np.empty(terms.shape[1] + 1)
    for i in range(terms.shape[0]):
        n = 0
        for k in range(terms.shape[1]):
            x = terms[i, k]
            kept = 0
            for at in range(n):
                y = partials[at]
                if abs(x) < abs(y):
                    x, y = y, x
                high = x + y
                low = y - (high - x)
                if low != 0.0:
                    partials[kept] = low
                    kept += 1
                x = high
            if x != 0.0:
                partials[kept] = x
                kept += 1
            n = kept
        total = 0.0
        low = 0.0
        while n > 0 and low == 0.0:
            n -= 1
            x, y = total, partials[n]
            total = x + y
            low = y - (total - x)
        if n > 0 and (
            (low < 0.0 and partials[n - 1] < 0.0) or (low > 0.0 and partials[n - 1] > 0.0)
        ):
            y = low * 2.0
            x = total + y
            if y == x - total:
                total = x
        out[i] = total
