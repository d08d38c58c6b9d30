"""Weights of rows on a common fixed-point grid, so that sums are exact in any order."""

from __future__ import annotations

import math

import numpy as np

HUGE = 2.0**100
GRID_BITS = 52  # sums stay exact as int64 and as float64


def on_grid(weights: np.ndarray) -> np.ndarray:
    """Round weights to integers on the finest common grid whose total fits 52 bits.

    Integers stay what they are, so that an integer weight equals repetition exactly. Others are
    divided by what they have in common, so that weights that are all alike count rows.

    Examples
    --------
    >>> on_grid(np.array([1.0, 2.0])).tolist()
    [1, 2]
    >>> on_grid(np.array([0.5, 0.25])).tolist()
    [2, 1]
    """
    if float(weights.max()) < 1 / HUGE:
        weights = np.ldexp(weights, -int(np.frexp(float(weights.max()))[1]))
    total = math.fsum(weights.tolist())  # the same in any order of the rows
    if total < 2.0**GRID_BITS and (weights == np.floor(weights)).all():
        return weights.astype(np.int64)
    step = GRID_BITS - int(np.ceil(np.log2(total)))
    grid = np.rint(np.ldexp(weights, step)).astype(np.int64)
    return grid // np.gcd.reduce(grid)
