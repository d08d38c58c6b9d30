"""Mean and standard deviation without rounding in the sums: the order of rows is no matter."""

from __future__ import annotations

import math

import numpy as np

from mlfs._kernels.sums import add_parts, exact_sums
from mlfs.discretize.blocks import Block

__all__ = ["ExactSum", "mean_sd", "on_grid", "two_product", "weight_of"]

PARTS = 12
SPLIT = 134217729.0  # 2**27 + 1


class ExactSum:
    """Sums of many floats for each column, rounded once, at the end: what `math.fsum` gives.

    Every value is cut into parts that are multiples of a common power of two, few enough bits
    each that sums of parts are exact in any order, so numpy may add them as it likes.

    Parameters
    ----------
    count : int
        At most so many values are added to a column.
    bound : ndarray
        No value of the column is larger in magnitude.
    """

    def __init__(self, count: int, bound: np.ndarray) -> None:
        self.bits = 51 - max(1, int(count)).bit_length()
        self.top = np.frexp(bound)[1]
        self.parts = np.zeros((PARTS, bound.size))
        self.spilled: dict[int, list[float]] = {}

    def add(self, block: Block, values: np.ndarray) -> None:
        """Add entries that lie as those of `block` do."""
        if block.bounds is None:
            rest = np.empty(values.shape)
            if add_parts(values, self.top, self.bits, self.parts, rest):
                self._spill(block, rest)
            return
        rest = values
        for k, part in enumerate(self.parts):
            # |rest| <= 2**exponent; adding and taking away 1.5 * 2**(52 + grid) rounds to the grid.
            exponent = self.top - k * (self.bits + 1)
            magic = block.spread(np.ldexp(1.5, exponent - self.bits + 52))
            high = rest + magic
            high -= magic
            part += block.reduce(np.add, high, 0.0)
            rest = rest - high
            if not rest.any():
                return
        self._spill(block, rest)

    def _spill(self, block: Block, rest: np.ndarray) -> None:
        owner = np.broadcast_to(block.spread(np.arange(block.width)), rest.shape)
        left = np.flatnonzero(rest)
        for j, value in zip(owner.flat[left].tolist(), rest.flat[left].tolist(), strict=True):
            self.spilled.setdefault(j, []).append(value)

    def total(self, more: tuple[np.ndarray, ...] = ()) -> np.ndarray:
        """The sums, with a few `more` terms for each column."""
        terms = np.stack([*self.parts, *more], axis=1)
        sums = np.empty(terms.shape[0])
        exact_sums(terms, sums)
        for j, spilled in self.spilled.items():
            sums[j] = math.fsum([*terms[j].tolist(), *spilled])
        return sums


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


def on_grid(weights: np.ndarray) -> np.ndarray:
    """The weights rounded to a common fixed-point grid, so that sums are exact in any order.

    Integers stay what they are (up to a total of 2**51).

    Examples
    --------
    >>> on_grid(np.array([1.0, 2.0, 5.0])).tolist()
    [1.0, 2.0, 5.0]
    """
    total = math.fsum(weights.tolist())
    if total <= 0:
        return weights
    # At most 2**51 steps of the grid in the whole sum: every partial sum fits a float.
    steps = 51 - math.frexp(total)[1]
    return np.asarray(np.ldexp(np.rint(np.ldexp(weights, steps)), -steps))


def mean_sd(
    block: Block, low: np.ndarray, high: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and population standard deviation (ddof = 0) of each column of a block.

    The sum of the values, and that of the squared deviations (each rounded as usual), are
    rounded once; so dense and sparse tables, rows in any order, and rows repeated instead of
    weighted by integers give the same bits.

    Parameters
    ----------
    block : Block
        Without missing values; every column has at least one value.
    low, high : ndarray
        The least and the greatest value of each column.
    weights : ndarray, optional
        One positive weight for each row of the table.
    """
    # Squares of very large or small numbers overflow: bring these columns near 1.
    exponents = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
    shift = np.where(np.abs(exponents) > 300, -exponents, 0)
    count = block.n_rows if weights is None else 2 * block.n_rows
    amount = weight_of(block, weights)

    def values_of(chunk: Block) -> np.ndarray:
        scaled = shift.any()
        return np.ldexp(chunk.values, chunk.spread(shift)) if scaled else chunk.values

    heaviest = 1.0 if weights is None else float(weights.max())
    low, high = np.ldexp(low, shift), np.ldexp(high, shift)
    sums = ExactSum(count, np.maximum(np.abs(low), np.abs(high)) * max(1.0, heaviest) * 2)
    for chunk, rows in block.chunks():
        _add(sums, chunk, values_of(chunk), weights, rows)
    mean = sums.total() / amount

    furthest = np.maximum(np.abs(low - mean), np.abs(high - mean))
    squares = ExactSum(count, furthest * furthest * max(1.0, heaviest) * 2)
    for chunk, rows in block.chunks():
        deviation = values_of(chunk) - chunk.spread(mean)
        _add(squares, chunk, deviation * deviation, weights, rows)
    zeros = (0.0 - mean) * (0.0 - mean)
    variance = squares.total(two_product(zeros, block.empty)) / amount
    return np.ldexp(mean, -shift), np.ldexp(np.sqrt(variance), -shift)


def weight_of(block: Block, weights: np.ndarray | None) -> np.ndarray:
    """The weight of all entries of each column, the implicit ones too."""
    if block.bounds is None:
        total = block.n_rows if weights is None else weights.sum()
        return np.full(block.width, float(total))
    if weights is None:
        return np.asarray(np.diff(block.bounds) + block.empty)
    return np.asarray(block.reduce(np.add, weights[block.rows], 0.0) + block.empty)


def _add(
    sums: ExactSum, chunk: Block, values: np.ndarray, weights: np.ndarray | None, rows: slice
) -> None:
    if weights is None:
        sums.add(chunk, values)
        return
    weight = weights[None, rows] if chunk.rows is None else weights[chunk.rows]
    for part in two_product(values, np.broadcast_to(weight, values.shape)):
        sums.add(chunk, part)
