"""Codes of dense columns become bit planes at once, some columns at a time."""

from __future__ import annotations

import numpy as np

from mlfs._kernels import slices
from mlfs.counting.codes import Codes, Packed
from mlfs.counting.entries import edges_of
from mlfs.discretize.slicing import counted

__all__ = ["FEW_LEVELS", "Packing"]

FEW_LEVELS = 16  # planes cost one each
ITSELF = np.arange(FEW_LEVELS + 1)[None, :]  # the code of a code


class Packing:
    """Columns of few levels that are coded and packed.

    Parameters
    ----------
    n_rows : int
        The number of their rows.
    """

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._columns = [np.zeros(0, np.int64)]
        self._words = [np.zeros((0, -(-n_rows // 64)), np.uint64)]
        self._bases = [np.zeros(0, np.int32)]
        self._counts = [np.zeros(0, np.int64)]

    def add(self, columns: np.ndarray, codes: np.ndarray, levels: np.ndarray) -> np.ndarray:
        """Pack the codes of some columns, a row for each; tell the most frequent of each."""
        bits = counted(codes.astype(np.uint8, copy=False).T)
        occurs = bits.counts[:, : int(levels.max())]
        bases = occurs.argmax(axis=1).astype(np.int32)
        first = edges_of(levels - 1)
        words = np.empty((int(first[-1]), bits.planes.shape[2]), np.uint64)
        alike = np.zeros(columns.size, np.int64)
        slices.write_planes(
            bits.planes,
            bits.top,
            bits.counts,
            bits.last,
            np.arange(columns.size),
            alike,
            ITSELF,
            bases,
            first[:-1],
            words,
        )
        self._columns.append(columns)
        self._words.append(words)
        self._bases.append(bases)
        self._counts.append(occurs[np.arange(occurs.shape[1]) < levels[:, None]].astype(np.int64))
        return bases

    def holds(self, columns: np.ndarray) -> bool:
        """Whether it is these columns that were packed, and no others."""
        return np.array_equal(np.concatenate(self._columns), columns)

    def codes(self, levels: np.ndarray, missing: np.ndarray) -> Codes:
        """All columns; `levels` and `missing` as `Codes` has them."""
        none = np.zeros(0, np.int32)
        return Codes(
            self._n_rows,
            np.zeros(levels.size + 1, np.int64),
            none,
            none,
            np.concatenate(self._bases),
            levels,
            missing,
            packed=Packed(np.concatenate(self._words), edges_of(levels - 1)[:-1]),
            counts=np.concatenate(self._counts),
        )
