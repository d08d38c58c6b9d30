"""From whole-number sums of c log c to entropies and mutual information, in nats."""

from __future__ import annotations

import numpy as np

from mlfs.counting.xlogx import XLogX, is_corrected, of_rows

__all__ = ["entropies", "per_row"]


def per_row(total: np.ndarray, rows: np.ndarray, xlogx: XLogX) -> np.ndarray:
    """Divide sums of c log c by the rows: 0 where there are none.

    The result is never below 0, unless it is corrected for bias.
    """
    scale = rows * xlogx.unit
    if np.ndim(scale) == 0 and scale > 0:
        found = np.asarray(total / scale)
        return found if is_corrected(xlogx) else np.maximum(found, 0.0, out=found)
    out = np.zeros(np.broadcast_shapes(np.shape(total), np.shape(rows)))
    np.divide(total, scale, out=out, where=scale > 0)
    return out if is_corrected(xlogx) else np.maximum(out, 0.0, out=out)


def entropies(rows: np.ndarray, t: np.ndarray, xlogx: XLogX) -> np.ndarray:
    """(N log N - sum of c log c) / N, for any number of N at once."""
    return per_row(of_rows(rows, xlogx) - t, rows, xlogx)
