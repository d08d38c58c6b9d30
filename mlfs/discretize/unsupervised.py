"""Edges that do not depend on the labels: mean and deviation, equal width, equal frequency."""

from __future__ import annotations

import numpy as np

from mlfs.discretize.column_blocks import Block
from mlfs.discretize.moments import mean_sd

__all__ = ["equal_frequency", "equal_width", "mean_sd_edges", "midpoints"]

ROUNDING = 2.0**-50  # four units in the last place
HUGE, TINY = 2.0**1000, 2.0**-900  # beyond them a column is scaled by a power of two


def midpoints(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """A cut between two neighbouring values: their middle, low <= cut < high.

    Examples
    --------
    >>> midpoints(np.array([1.0, 1.0]), np.array([2.0, np.nextafter(1.0, 2.0)])).tolist()
    [1.5, 1.0]
    """
    middle = low / 2 + high / 2
    return np.where((middle >= low) & (middle < high), middle, low)


def mean_sd_edges(
    block: Block,
    weights: np.ndarray | None,
    low: np.ndarray,
    high: np.ndarray,
    n_missing: np.ndarray,
) -> np.ndarray:
    """Three levels: x < mean - sd, the middle, x > mean + sd (population sd).

    The first edge is the float just below mean - sd, since level 0 of a binning is x <= edge.
    No value is further than one sd from the mean only where two values are equally frequent;
    then both are the middle, whatever the rounding of mean - sd and mean + sd. Where one of these
    is beyond the floats, its edge is left out: rows are padded with inf.

    Parameters
    ----------
    block, weights, low, high, n_missing
        As for `mlfs.discretize.moments.mean_sd`.
    """
    mean, sd = mean_sd(block, weights, low, high, n_missing)
    with np.errstate(over="ignore"):
        below, above = mean - sd, mean + sd
    reach = ROUNDING * np.maximum(np.abs(low), np.abs(high))
    halves = (np.abs(low - below) <= reach) & (np.abs(high - above) <= reach)
    below = np.nextafter(np.where(halves, np.minimum(low, below), below), -np.inf)
    above = np.where(halves, np.maximum(high, above), above)
    edges = np.stack([below, above], axis=1)
    edges[np.isinf(edges)] = np.inf  # beyond all floats: it cuts off nothing
    return np.sort(edges, axis=1)


def equal_width(low: np.ndarray, high: np.ndarray, bins: int) -> np.ndarray:
    """Intervals of one width from the least to the greatest value, a row for each column.

    Edges that are equal in floating point are merged, and rows are padded with inf.
    """
    steps = np.arange(1, bins)
    largest = np.maximum(np.abs(low), np.abs(high))
    scale = np.where(largest > HUGE, 1 / 4, np.where(largest < TINY, 1 / TINY, 1.0))
    low, high = low * scale, high * scale
    exact = np.sort(low[:, None] + (high / bins - low / bins)[:, None] * steps, axis=1)
    edges = exact / scale[:, None]
    # An edge among the smallest floats is rounded down, so that x <= edge stays what it is.
    above = edges * scale[:, None] > exact
    edges[above] = np.nextafter(edges[above], -np.inf)
    edges[:, 1:][edges[:, 1:] == edges[:, :-1]] = np.inf
    return np.sort(edges, axis=1)


def equal_frequency(values: np.ndarray, weights: np.ndarray | None, bins: int) -> tuple[float, ...]:
    """Levels as equally filled as ties allow: equal values stay together.

    For k = 1, ..., bins - 1 the cut lies between the two neighbouring values where the number
    (weight) of values below it is nearest to k/bins of all, the lower of two that
    are equally near. Equal cuts are merged.

    Examples
    --------
    >>> equal_frequency(np.array([1.0, 1, 1, 1, 2, 3, 4, 5]), None, 2)
    (1.5,)
    """
    distinct, below = tally(values, weights)
    if distinct.size < 2:
        return ()
    total, below = below[-1], below[:-1]
    cuts = set()
    for k in range(1, bins):
        goal = k * total
        after = int(np.searchsorted(below * bins, goal))
        near = [i for i in (after - 1, after) if 0 <= i < below.size]
        cuts.add(min(near, key=lambda i: (abs(below[i] * bins - goal), i)))
    positions = sorted(cuts)
    edges = midpoints(distinct[positions], distinct[np.add(positions, 1)])
    return tuple(edges.tolist())


def tally(values: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values, rising, and the number (weight) of values up to each."""
    if weights is None:
        distinct, counts = np.unique(values, return_counts=True)
        return distinct, np.cumsum(counts)
    distinct, positions = np.unique(values, return_inverse=True)
    return distinct, np.cumsum(np.bincount(positions, weights=weights))
