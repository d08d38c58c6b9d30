"""Numbers that are counted as they are given, without a copy of 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels import extremes

__all__ = ["EXACT", "KEPT", "is_careful", "kept"]

EXACT = 1 << 53
EIGHT = 8  # bytes of a whole number that may be beyond that
KEPT = frozenset(map(np.dtype, ("?", "b", "B", "i2", "u2", "i4", "u4", "i8", "f4", "f8")))


def kept(x: Any) -> Any:
    """Numbers as they are, where they are of a type that is counted as it is."""
    return x if x.dtype.newbyteorder("=") in KEPT and x.dtype.isnative else x.astype(np.float64)


def is_careful(x: np.ndarray) -> bool:
    """Whether numbers are worth a closer look: one is missing, infinite or huge."""
    if x.dtype.kind != "f" and x.dtype.itemsize != EIGHT:
        return False
    if x.dtype not in KEPT or not x.flags.forc:
        return True
    return bool(extremes.is_beyond(x.ravel("K"), x.dtype.type(EXACT)))
