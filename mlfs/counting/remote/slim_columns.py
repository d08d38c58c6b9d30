"""Coded columns on their way: one in few bytes, some of a table, and parts of the rows joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlfs.counting.anchor import BlockAnchor
from mlfs.counting.bit_planes import pack_planes
from mlfs.counting.codes import WORD, Codes, Packed
from mlfs.counting.entries import edges_of
from mlfs.counting.recoded_modes import stack_blocks

__all__ = ["SlimColumn", "joined_rows", "own_columns"]

ROW_BYTES = 4
NO_ROWS = np.zeros(0, np.int32)


class SlimColumn(NamedTuple):
    """A coded column as bit planes, or as the rows in which it is not at its mode.

    Parameters
    ----------
    n_rows, mode, levels : int
        As for `Codes`.
    planes : ndarray of uint64, or None
        A plane for each code but the mode; None where the rows take fewer bytes.
    rows, values : ndarray
        The rows, and the codes there; no codes where there is only one but the mode.
    n : ndarray or None
        With planes, in how many rows each code is.

    Examples
    --------
    >>> slim = SlimColumn.of(Codes.from_dense([[0], [2], [0]]), 0)
    >>> slim.codes().column(0).tolist()
    [0, 2, 0]
    """

    n_rows: int
    mode: int
    levels: int
    planes: np.ndarray | None
    rows: np.ndarray
    values: np.ndarray
    n: np.ndarray | None

    @classmethod
    def of(cls, codes: Codes, j: int) -> SlimColumn:
        """A column of a table."""
        mode, levels = int(codes.mode[j]), int(codes.levels[j])
        if _fewer_as_planes(codes.n_rows, levels, int(codes.non_mode[j])):
            planes = pack_planes(codes, j, j + 1).copy()
            n = codes.counts[codes.offsets[j] : codes.offsets[j + 1]]
            return cls(codes.n_rows, mode, levels, planes, NO_ROWS, NO_ROWS, n)
        return cls._listed(codes.n_rows, mode, levels, *codes.entries(j))

    @classmethod
    def of_anchor(cls, anchor: BlockAnchor, n_rows: int) -> SlimColumn:
        """A column that is an anchor."""
        mode, levels, rows = anchor.mode, anchor.levels, anchor.rows
        if _fewer_as_planes(n_rows, levels, rows.size):
            n = np.bincount(anchor.codes, minlength=levels)
            return cls(n_rows, mode, levels, anchor.planes, NO_ROWS, NO_ROWS, n)
        return cls._listed(n_rows, mode, levels, rows, anchor.codes[rows])

    @classmethod
    def _listed(
        cls, n_rows: int, mode: int, levels: int, rows: np.ndarray, values: np.ndarray
    ) -> SlimColumn:
        small = NO_ROWS if levels == 2 else values.astype(np.min_scalar_type(levels))
        return cls(n_rows, mode, levels, None, rows.astype(np.int32), small, None)

    def codes(self) -> Codes:
        """A table of this one column, in arrays of its own: kernels want them aligned."""
        mode, levels, missing = (
            np.array([number], np.int32) for number in (self.mode, self.levels, -1)
        )
        if self.planes is None:
            values = self.values.astype(np.int32) if self.levels > 2 else None
            edges = np.array([0, self.rows.size])
            return Codes(self.n_rows, edges, np.array(self.rows), values, mode, levels, missing)
        return Codes(
            self.n_rows,
            np.zeros(2, np.int64),
            NO_ROWS,
            NO_ROWS,
            mode,
            levels,
            missing,
            packed=Packed(np.array(self.planes), np.zeros(1, np.int64)),
            counts=self.n,
        )


def _fewer_as_planes(n_rows: int, levels: int, entries: int) -> bool:
    entry_bytes = ROW_BYTES + (np.min_scalar_type(levels).itemsize if levels > 2 else 0)
    return 8 * -(-n_rows // WORD) * (levels - 1) <= entry_bytes * entries


def own_columns(codes: Codes, first: int, last: int) -> Codes:
    """The columns from `first` to `last`, with no more planes than they have."""
    table = codes.take(np.arange(first, last))
    if table.packed is None:
        return table
    begins = table.packed.first
    sizes = np.where(begins < 0, 0, table.levels - 1)
    edges = edges_of(sizes)
    planes = table.packed.planes[np.repeat(begins - edges[:-1], sizes) + np.arange(edges[-1])]
    packed = Packed(planes, np.where(begins < 0, -1, edges[:-1]))
    return table.with_entries(*table.lists, packed=packed, counts=table.counts)


def joined_rows(parts: Sequence[Codes]) -> Codes:
    """The rows of several tables that are coded alike, one below the other.

    Examples
    --------
    >>> top, below = Codes.from_dense([[0], [0], [1]]), Codes.from_dense([[0], [1], [0]])
    >>> joined_rows([top, below]).column(0).tolist()
    [0, 0, 1, 0, 1, 0]
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    packed = [part.packed for part in parts if part.packed is not None]
    if len(packed) < len(parts) or any((p.first != packed[0].first).any() for p in packed):
        return stack_blocks(parts)
    without_planes = [part.with_entries(*part.lists) for part in parts]
    listed = stack_blocks(without_planes)
    begins = edges_of([part.n_rows for part in parts])
    n_rows = int(begins[-1])
    planes = np.zeros((packed[0].planes.shape[0], -(-n_rows // WORD)), np.uint64)
    for begin, part in zip(begins.tolist(), packed, strict=False):
        word, bit = divmod(begin, WORD)
        width = part.planes.shape[1]
        planes[:, word : word + width] |= part.planes << np.uint64(bit)
        if bit:
            over = part.planes >> np.uint64(WORD - bit)
            room = planes.shape[1] - word - 1
            planes[:, word + 1 : word + 1 + width] |= over[:, :room]
    counts = np.add.reduce([part.counts for part in parts])
    return listed.with_entries(
        listed.indptr,
        listed.rows,
        listed.codes,
        packed=Packed(planes, packed[0].first),
        counts=counts,
    )
