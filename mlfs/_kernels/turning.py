"""Some columns of a table that lies row by row, each in one piece."""

from __future__ import annotations

from typing import Any

from mlfs._kernels.jit import compiled

__all__ = ["columns_of"]

ROWS = 32  # as many rows at a time as stay in a cache, each with a line or more of every column


@compiled
def columns_of(table: Any, first: int, out: Any) -> None:
    """out[c] = the column first + c."""
    for start in range(0, table.shape[0], ROWS):
        last = min(start + ROWS, table.shape[0])
        for c in range(out.shape[0]):
            for row in range(start, last):
                out[c, row] = table[row, first + c]
