"""Weights of rows on a common fixed-point grid, so that sums are exact in any order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlfs.errors import DataError

__all__ = ["checked_weights", "on_grid"]

HUGE = 2.0**100
GRID_BITS = 52  # sums stay exact as int64 and as float64


def checked_weights(weights: Any, n_rows: int) -> np.ndarray:
    """Check the weights of rows: one finite number, not negative, for each; not all zero.

    Examples
    --------
    >>> checked_weights([1, 0, 2.5], 3).tolist()
    [1.0, 0.0, 2.5]
    """
    try:
        checked = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = "the weights of rows must be numbers"
        raise DataError(msg) from error
    if checked.ndim == 0:
        checked = np.full(n_rows, float(checked))
    if checked.shape != (n_rows,):
        msg = f"the weights have shape {checked.shape}, but there are {n_rows} rows: give one each"
        raise DataError(msg)
    bad = np.flatnonzero(~np.isfinite(checked) | (checked < 0))
    if bad.size:
        msg = (
            f"row {bad[0] + 1} has the weight {checked[bad[0]]}: "
            "weights must be finite and not negative"
        )
        raise DataError(msg)
    largest = float(checked.max(initial=0.0))
    if largest > HUGE:  # a power of two changes no ratio and keeps sums finite
        checked = np.ldexp(checked, GRID_BITS - int(np.frexp(largest)[1]))
    if not checked.any():
        msg = "all weights are zero: at least one row must count"
        raise DataError(msg)
    return checked


def on_grid(weights: np.ndarray) -> np.ndarray:
    """Round weights to integers on the finest common grid whose total fits 52 bits.

    Integers stay what they are, so that an integer weight equals repetition exactly.

    Examples
    --------
    >>> on_grid(np.array([1.0, 2.0])).tolist()
    [1, 2]
    >>> grid = on_grid(np.array([0.5, 0.25]))
    >>> bool(grid[0] == 2 * grid[1])
    True
    """
    if float(weights.max()) < 1 / HUGE:
        weights = np.ldexp(weights, -int(np.frexp(float(weights.max()))[1]))
    total = math.fsum(weights.tolist())  # the same in any order of the rows
    if total < 2.0**GRID_BITS and (weights == np.floor(weights)).all():
        return weights.astype(np.int64)
    step = GRID_BITS - int(np.ceil(np.log2(total)))
    return np.rint(np.ldexp(weights, step)).astype(np.int64)
