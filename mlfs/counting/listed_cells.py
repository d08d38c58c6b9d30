"""Coded columns as lists of the cells that occur in each row."""

from __future__ import annotations

import numpy as np

from mlfs._kernels.row_walks import Lists
from mlfs.counting.codes import Codes
from mlfs.counting.entries import edges_of

__all__ = ["listed_cells"]


def listed_cells(codes: Codes, first: int, last: int, weights: np.ndarray) -> Lists:
    """The cells of the columns from `first` to `last`, row by row."""
    levels, modes = codes.levels[first:last], codes.mode[first:last]
    firsts = edges_of(levels - 1)
    indptr, cells, values = codes.by_row(first, last)
    column = np.arange(last - first, dtype=np.int32)
    if not ((levels == 2).all() and last > first):
        column = np.repeat(column, levels - 1)
        values -= values > modes[cells]
        cells = (values + firsts[cells]).astype(np.int32)
    return Lists(indptr, cells, weights, firsts, column)
