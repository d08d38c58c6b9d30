"""Edges that do not depend on the labels: mean and deviation, equal width, equal frequency.

Means and deviations of columns, rounded once: the same for rows in any order.
"""

from __future__ import annotations

import math
from itertools import chain

import numpy as np

from mlfs._kernels.column_values import add_parts
from mlfs.discretize.column_blocks import Block

PARTS = 12
FEW = 64  # columns that are summed one by one faster than as arrays
SPLIT = 134217729.0  # 2**27 + 1


def deviations(
    block: Block,
    center: np.ndarray,
    bound: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    squared: bool = False,
) -> np.ndarray:
    """The sum of the deviations from a center in each column, rounded once as `math.fsum` does.

    Every deviation is cut into parts that are multiples of a common power of two and have few
    enough bits that their sums are exact in any order. Rows that are not stored hold 0; they count
    where deviations are squared.

    Parameters
    ----------
    block : Block
        The columns; missing values are left out.
    center : ndarray
        What is subtracted from the values of each column; 0 if nothing is squared.
    bound : ndarray
        No deviation (squared, with `squared`) is larger in magnitude.
    weights : ndarray, optional
        The factor of each row of the table.
    squared : bool
        Sum the squares of the deviations, each rounded as usual.
    """
    width, n_terms, heaviest = block.width, block.n_rows, 1.0
    pieces = [(block.values, center, squared)]
    if weights is not None:
        differences = block.values - block.spread(center)
        if squared:
            differences *= differences
        products = two_product(differences, block.weights(weights))
        pieces = [(product, np.zeros(width), False) for product in products]
        n_terms, heaviest = 2 * n_terms, max(1.0, float(weights.max(initial=0.0)))
    top = np.frexp(bound * heaviest * 2)[1]
    bits = 51 - max(1, n_terms).bit_length()
    common, remainders = np.zeros((PARTS, width)), np.empty(block.values.size)
    extra: dict[int, list[float]] = {}
    for values, middle, squares in pieces:
        if add_parts(values, block.bounds, middle, squares, top, bits, common, remainders):
            for j in range(width):  # magnitudes that differ very much
                column_remainders = remainders[block.bounds[j] : block.bounds[j + 1]]
                if column_remainders.any():
                    extra.setdefault(j, []).extend(
                        column_remainders[column_remainders != 0].tolist()
                    )
    zeros = (0.0 - center) * (0.0 - center)
    zero_terms = two_product(zeros, block.implicit_weights(weights)) if squared else ()
    all_terms = [term for term in (*common, *zero_terms) if term.any()]
    sums, is_exact = np.zeros(width), np.zeros(width, bool)
    if width > FEW:  # selecting from a sparse table of 47,236 columns takes a third less time
        sums, is_exact = _round_once(all_terms, width)
    is_exact[list(extra)] = False
    for j in np.flatnonzero(~is_exact).tolist():
        sums[j] = math.fsum(chain([term[j] for term in all_terms], extra.get(j, ())))
    return sums


def _round_once(terms: list[np.ndarray], size: int) -> tuple[np.ndarray, np.ndarray]:
    """The sums of some terms, and where they are known to be rounded only once.

    They are the sums of two floats each, the rounded sum and its error, unless the sum of the
    errors is not exact.
    """
    total, error, is_exact = np.zeros(size), np.zeros(size), np.ones(size, bool)
    for term in terms:
        total, rounding = _two_sum(total, term)
        error, residue = _two_sum(error, rounding)
        is_exact &= residue == 0
    return total + error, is_exact


def _two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rounded sum and its error: a + b = total + error exactly (Knuth)."""
    total = a + b
    b_rounded = total - a
    return total, (a - (total - b_rounded)) + (b - b_rounded)


def two_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rounded product and its error: a * b = product + error exactly (Dekker, 1971).

    Examples
    --------
    >>> product, error = two_product(np.array([0.1]), np.array([3.0]))
    >>> product.tolist(), error.tolist()
    ([0.30000000000000004], [-2.7755575615628914e-17])
    """
    product = a * b
    wide_a, wide_b = SPLIT * a, SPLIT * b
    high_a, high_b = wide_a - (wide_a - a), wide_b - (wide_b - b)
    low_a, low_b = a - high_a, b - high_b
    error = low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)
    return product, error


def mean_sd(
    block: Block,
    weights: np.ndarray | None,
    low: np.ndarray,
    high: np.ndarray,
    n_missing: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and population standard deviation (ddof = 0) of some columns.

    The sum of the values, and that of the squared deviations (each rounded as usual), are
    rounded once; so dense and sparse tables, rows in any order, and rows repeated instead of
    weighted by integers give the same bits.

    Parameters
    ----------
    block : Block
        The columns. Missing values are left out; every column has at least one other.
    weights : ndarray or None
        One positive weight for each row of the table.
    low, high, n_missing : ndarray
        The least and the greatest value of each column, and how many are missing.
    """
    # Squares of very large or small numbers overflow: bring these columns near 1.
    exponents = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
    shift = np.where(np.abs(exponents) > 300, -exponents, 0)
    low, high = np.ldexp(low, shift), np.ldexp(high, shift)
    if weights is None:
        amount = (block.n_rows - n_missing) * 1.0
    else:
        stored = block.weights(weights) * ~np.isnan(block.values)
        amount = block.reduce(np.add, stored, 0.0) + block.implicit_weights(weights)
    if shift.any():
        block = block._replace(values=np.ldexp(block.values, block.spread(shift)))
    largest = np.maximum(np.abs(low), np.abs(high))
    mean = deviations(block, np.zeros(low.size), largest, weights) / amount
    furthest = np.maximum(np.abs(low - mean), np.abs(high - mean))
    squares = deviations(block, mean, furthest * furthest, weights, squared=True)
    return np.ldexp(mean, -shift), np.ldexp(np.sqrt(squares / amount), -shift)


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
        As for `mlfs.discretize.unsupervised.mean_sd`.
    """
    mean, sd = mean_sd(block, weights, low, high, n_missing)
    reach = ROUNDING * np.maximum(np.abs(low), np.abs(high))
    with np.errstate(over="ignore"):
        below, above = mean - sd, mean + sd
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
