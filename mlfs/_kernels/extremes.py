"""Test whether all numbers of a table are finite and small."""

from __future__ import annotations

from typing import Any

from mlfs._kernels.jit import compiled

__all__ = ["is_beyond"]

BLOCK = 4096


@compiled
def is_beyond(values: Any, limit: Any) -> bool:
    """Whether a number is missing, infinite, or farther from 0 than a limit of the same type."""
    for start in range(0, values.size, BLOCK):
        part = values[start : min(start + BLOCK, values.size)]
        all_inside = True
        for i in range(part.size):  # so LLVM takes several numbers at once
            all_inside &= (part[i] >= -limit) & (part[i] <= limit)
        if not all_inside:
            return True
    return False
