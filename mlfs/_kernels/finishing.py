"""Sums of c log c over counts, as whole numbers.

Each term is rounded once (see `mlfs.counting.xlogx`), so sums are exact in any order, and a count
that was made in another way gives the same bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled, inner, spliced

__all__ = ["fill_xlogx", "looked_up", "singles", "xlogx_of"]


@compiled
def fill_xlogx(table: Any, unit: float) -> None:
    """table[c] = c log c in units; np.log is avoided, its last bit depends on vector width."""
    for c in range(1, table.size - 1):
        table[c] = math.floor(c * math.log(c) * unit + 0.5)


@inner
def xlogx_of(c: int, table: Any) -> int:
    """C log c of any count: from the table, or computed; the table ends with the shift."""
    last = table.size - 1
    if c < last:
        return table[c]
    return math.floor(math.ldexp(c * math.log(c), int(table[last])) + 0.5)


@spliced
def looked_up(c: int, table: Any) -> int:
    """C log c of a count that the table has; unsigned, so no index is checked for its sign."""
    return table[np.uint64(c)]


@compiled
def singles(counts: Any, offsets: Any, valid: Any, xlogx: Any, out: Any) -> None:
    """out[f] = (rows, sum of c log c) of each column; codes from `valid` are left out."""
    for f in range(valid.size):
        rows = 0
        total = 0
        for code in range(offsets[f], offsets[f] + valid[f]):
            rows += counts[code]
            total += xlogx_of(counts[code], xlogx)
        out[f, 0] = rows
        out[f, 1] = total
