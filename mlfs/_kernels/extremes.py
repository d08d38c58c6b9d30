"""Whether numbers need a closer look."""

from __future__ import annotations

from typing import Any

from mlfs._kernels.jit import compiled

__all__ = ["is_beyond"]

BLOCK = 4096


@compiled
def is_beyond(values: Any, limit: float) -> bool:
    """Whether a number is missing, infinite, or farther from 0 than a limit."""
    for start in range(0, values.size, BLOCK):
        last = min(start + BLOCK, values.size)
        inside = 0
        for i in range(start, last):
            inside += (values[i] >= -limit) & (values[i] <= limit)
        if inside < last - start:
            return True
    return False
