"""How often codes occur in a range of the rows, counted from planes and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mlfs._kernels import planes
from mlfs.counting.entries import edges_of

if TYPE_CHECKING:
    from mlfs.counting.codes import Codes, Packed

__all__ = ["counts_between"]


def counts_between(
    whole: Codes,
    packed: Packed,
    indptr: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    ends: tuple[int, int],
) -> np.ndarray:
    """How often each code of each column occurs in a range of the rows, ragged.

    Parameters
    ----------
    whole : Codes
        The columns.
    packed : Packed
        The planes of the range.
    indptr, rows, codes : ndarray
        The lists of all rows.
    ends : tuple of int
        The first row of the range, and the row after its last.
    """
    first, last = ends
    offsets, cells = whole.offsets, int(whole.offsets[-1])
    kept = (rows >= first) & (rows < last)
    column = np.repeat(np.arange(len(whole)), np.diff(indptr))[kept]
    out = np.bincount(offsets[column] + codes[kept], minlength=cells)
    if not len(whole):
        return out
    every = np.full((1, packed.planes.shape[1]), -1, np.int64).view(np.uint64)
    of_planes = np.zeros((1, len(packed.planes)), np.int64)
    planes.sweep(packed.planes, every, of_planes)
    is_cell, modes = np.ones(cells, bool), offsets[:-1] + whole.mode
    is_cell[modes] = False
    own = edges_of(whole.levels - 1)
    plane = np.repeat(packed.first - own[:-1], whole.levels - 1) + np.arange(own[-1])
    has_planes = np.repeat(packed.first >= 0, whole.levels - 1)
    out[np.flatnonzero(is_cell)[has_planes]] = of_planes[0, plane[has_planes]]
    out[modes] = 0
    out[modes] = last - first - np.add.reduceat(out, offsets[:-1])
    return out
