"""Some of the rows of packed data: counted by weights of 0 and 1, without packing again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["RowSubset"]


class RowSubset(NamedTuple):
    """Some of the rows.

    Parameters
    ----------
    kept : ndarray of bool
        Which rows count.
    weights : ndarray of int64
        1 for the rows that count, 0 for the others.
    plane : ndarray of uint64
        The same as bits, 64 rows to the word.
    size : int
        How many rows count.

    Examples
    --------
    >>> RowSubset.of(np.array([True, False, True])).plane.tolist()
    [5]
    """

    kept: np.ndarray
    weights: np.ndarray
    plane: np.ndarray
    size: int

    @classmethod
    def of(cls, kept: np.ndarray) -> RowSubset:
        """The rows where a mask is set."""
        packed = np.zeros(8 * -(-kept.size // 64), np.uint8)
        bits = np.packbits(kept, bitorder="little")
        packed[: bits.size] = bits
        return cls(
            kept, kept.astype(np.int64), packed.view("<u8").astype(np.uint64), int(kept.sum())
        )
