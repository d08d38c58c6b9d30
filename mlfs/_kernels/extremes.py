"""Whether numbers need a closer look."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled

__all__ = ["is_beyond"]

BLOCK = 4096


@compiled
def is_beyond(values: Any, limit: Any) -> bool:
    """Whether a number is missing, infinite, or farther from 0 than a limit of the same type."""
    for start in range(0, values.size, BLOCK):
        beyond = np.uint8(0)  # as narrow as can be: LLVM then takes several numbers at once
        for value in values[start : min(start + BLOCK, values.size)]:
            inside = (value >= -limit) & (value <= limit)
            beyond |= np.uint8(not inside)
        if beyond:
            return True
    return False
