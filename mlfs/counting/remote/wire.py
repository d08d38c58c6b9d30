"""Counts in few bytes: the smallest type that holds them, and without zeros where most are 0."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["PackedCounts", "bytes_in", "pack_counts"]

TYPES = (np.uint8, np.uint16, np.uint32)
INDEX_BYTES = 4


class PackedCounts(NamedTuple):
    """An array of counts on its way.

    Parameters
    ----------
    values : ndarray
        The counts, or those that are not 0.
    where : ndarray of uint32, or None
        Where these are in the flattened array; None where all are given.

    Examples
    --------
    >>> out = np.ones(600, np.int64)
    >>> pack_counts(np.arange(600) // 599 * 7).add_to(out)
    >>> out[[0, 599]].tolist()
    [1, 8]
    """

    values: np.ndarray
    where: np.ndarray | None

    def add_to(self, out: np.ndarray) -> None:
        """Add the counts to an array that lies in one piece."""
        flat = out.reshape(-1)
        if self.where is None:
            flat += self.values
        else:
            flat[self.where] += self.values


def pack_counts(counts: np.ndarray) -> PackedCounts:
    """Pack an array of counts, none of which is below 0."""
    flat = counts.reshape(-1)
    most = int(flat.max(initial=0))
    dtype = next((dtype for dtype in TYPES if most <= np.iinfo(dtype).max), np.int64)
    size = np.dtype(dtype).itemsize
    if np.count_nonzero(flat) * (size + INDEX_BYTES) < flat.size * size and flat.size < 1 << 32:
        where = np.flatnonzero(flat)
        return PackedCounts(flat[where].astype(dtype), where.astype(np.uint32))
    return PackedCounts(flat.astype(dtype), None)


def bytes_in(value: Any) -> int:
    """The bytes of all arrays in a question or an answer."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, (tuple, list)):
        return sum(map(bytes_in, value))
    if isinstance(value, dict):
        return sum(map(bytes_in, value.values()))
    plain = callable(value) or not hasattr(value, "__dict__")
    return 0 if plain else sum(map(bytes_in, vars(value).values()))
