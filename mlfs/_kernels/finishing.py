"""Sums of c log c over counts, as whole numbers.

Each term is rounded once (see `mlfs.counting.xlogx`), so sums are exact in any order, and a count
that was made in another way gives the same bits.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from mlfs._kernels.jit import compiled, inner

__all__ = ["AllCounts", "AnyCounts", "fill_xlogx", "singles", "terms", "xlogx_of"]


class AllCounts(NamedTuple):
    """C log c, in units, of every count that there can be."""

    table: np.ndarray
    unit: float


class AnyCounts(NamedTuple):
    """C log c, in units: small counts are looked up, others computed.

    table[1] is what a correction adds to every count but 0; without one it is 0.
    """

    table: np.ndarray
    unit: float


@compiled
def fill_xlogx(table: Any, unit: float) -> None:
    """table[c] = c log c in units; np.log is avoided, its last bit depends on vector width."""
    for c in range(1, table.size):
        table[c] = math.floor(c * math.log(c) * unit + 0.5)


@inner
def _computed(c: int, xlogx: AnyCounts) -> int:
    return math.floor(c * math.log(c) * xlogx.unit + 0.5) + xlogx.table[1]


def _in_table(c: Any, xlogx: Any) -> Any:
    return xlogx.table[np.uint64(c)]  # unsigned, so its sign is not checked


def _in_table_or_computed(c: Any, xlogx: Any) -> Any:
    return xlogx.table[c] if c < xlogx.table.size else _computed(c, xlogx)


def xlogx_of(c: int, xlogx: AllCounts | AnyCounts) -> int:
    """C log c of a count; kernels are compiled for each of the two types."""
    return _in_table(c, xlogx) if isinstance(xlogx, AllCounts) else _in_table_or_computed(c, xlogx)


@overload(xlogx_of)
def _chosen(c: Any, xlogx: Any) -> Any:  # noqa: ARG001
    return _in_table if xlogx.instance_class is AllCounts else _in_table_or_computed


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


@compiled
def terms(counts: Any, xlogx: Any, out: Any) -> None:
    """Set out[i] to c log c of counts[i]."""
    for i in range(counts.size):
        out[i] = xlogx_of(counts[i], xlogx)
