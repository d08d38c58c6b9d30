"""Check the weights of rows, wherever they come from."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.errors import DataError

__all__ = ["check_weights"]

HUGE = 2.0**100
BITS = 52


def check_weights(weights: Any, n_rows: int) -> np.ndarray:
    """Check the weights of rows: one finite number, not negative, for each; not all zero.

    Examples
    --------
    >>> check_weights([1, 0, 2.5], 3).tolist()
    [1.0, 0.0, 2.5]
    """
    try:
        masked = np.ma.getmask(weights)
        array = np.asarray(weights)
        if array.dtype.kind not in "biufO":
            raise TypeError
        with np.errstate(over="ignore"):  # of more than 64 bits; infinity is refused below
            checked = array.astype(np.float64)
        if masked is not np.ma.nomask:
            checked = np.where(masked, np.nan, checked)
    except (OverflowError, TypeError, ValueError) as error:
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
    if largest > HUGE or 0 < largest < 1 / HUGE:
        # A power of two changes no ratio, keeps sums finite, and keeps tiny weights exact.
        checked = np.ldexp(checked, BITS - int(np.frexp(largest)[1]))
    if not checked.any():
        msg = "all weights are zero: at least one row must count"
        raise DataError(msg)
    return checked
