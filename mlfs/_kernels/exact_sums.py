"""Sums of many floats without rounding, as parts that are exact in any order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled

__all__ = ["add_parts"]

LEAST = -1000  # the exponent of the finest grid whose scale is still a float
ROWS = 4096  # values at a time, so that they stay in the processor's cache


@compiled
def add_parts(
    values: Any, bounds: Any, center: Any, squared: bool, top: Any, bits: int, parts: Any, rest: Any
) -> bool:
    """Add up the (squared) deviations of the values of each column from its center.

    Each is cut into parts: parts[k, j] receives the multiples of 2**(top[j] - k * (bits + 1) -
    bits). As integers they can be added in any order, several at once. NaN counts as 0. What the
    last part leaves is in `rest`, and whether anything is left is returned.
    """
    is_left = False
    for j in range(center.size):
        middle = center[j]
        for start in range(bounds[j], bounds[j + 1], ROWS):
            last = min(start + ROWS, bounds[j + 1])
            given, own = values[start:last], rest[start:last]
            for at in range(own.size):
                deviation = given[at] - middle
                if squared:
                    deviation *= deviation
                own[at] = deviation if deviation == deviation else 0.0
            found = np.uint8(1)
            for k in range(parts.shape[0]):
                grid = int(top[j]) - k * (bits + 1) - bits
                if grid < LEAST:
                    break
                magic, scale = math.ldexp(1.5, grid + 52), math.ldexp(1.0, -grid)
                total = np.int64(0)
                found = np.uint8(0)
                for at in range(own.size):
                    high = (own[at] + magic) - magic
                    low = own[at] - high
                    own[at] = low
                    total += np.int64(high * scale)
                    found |= np.uint8(low != 0.0)
                parts[k, j] += math.ldexp(float(total), grid)
                if not found:
                    break
            if found:
                is_left = True
    return is_left
