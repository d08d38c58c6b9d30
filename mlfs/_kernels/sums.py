"""Sums of a few floats that are rounded once, as `math.fsum` gives them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled

__all__ = ["exact_sums"]


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
