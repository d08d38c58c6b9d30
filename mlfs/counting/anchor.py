"""One column that is held against all features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from mlfs.counting.bit_planes import packed_planes
from mlfs.counting.codes import Codes

__all__ = ["Given", "one_column"]

TWO = 2


class Given:
    """A column that is held against all features: a picked feature or a parent label.

    Parameters
    ----------
    blocks : sequence of Codes
        Where it stands, for each block of rows.
    j : int
        Its number there.
    valid : int
        Codes from here on are left out.
    alone : ndarray
        How often each code occurs.
    """

    def __init__(self, blocks: Sequence[Codes], j: int, valid: int, alone: np.ndarray) -> None:
        self._blocks, self._j = blocks, j
        self.valid, self.alone = valid, alone
        self.base, self.levels = int(blocks[0].base[j]), int(blocks[0].levels[j])
        self.off_base = int(alone.sum() - alone[self.base])

    @cached_property
    def others(self) -> np.ndarray:
        """Its codes but the base."""
        return np.delete(np.arange(self.levels), self.base)

    @cached_property
    def _entries(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return [block.entries(self._j) for block in self._blocks]

    @property
    def rows(self) -> list[np.ndarray]:
        """The rows in which it is off its base, ascending, for each block."""
        return [rows for rows, _ in self._entries]

    @property
    def off(self) -> list[np.ndarray]:
        """Its codes there."""
        return [codes for _, codes in self._entries]

    @cached_property
    def codes(self) -> list[np.ndarray]:
        """The column in full."""
        return [block.column(self._j) for block in self._blocks]

    @cached_property
    def masks(self) -> list[np.ndarray]:
        """A bit plane for each code but the base."""
        return [
            block.planes_of(self._j)
            if block.is_packed(self._j)
            else packed_planes(block, self._j, self._j + 1)
            for block in self._blocks
        ]

    @property
    def nbytes(self) -> int:
        """What keeping it costs; the column in full is made where there are many levels."""
        made = vars(self)
        lists = sum(part.nbytes for both in made.get("_entries", ()) for part in both)
        packed = all(block.is_packed(self._j) for block in self._blocks)  # lie there anyway
        masks = 0 if packed else sum(part.nbytes for part in made.get("masks", ()))
        full = 4 * sum(block.n_rows for block in self._blocks) * (self.levels > TWO)
        return int(lists + masks + full)


def one_column(codes: np.ndarray, base: int, levels: int) -> Codes:
    """A table of one column that is given in full."""
    rows = np.flatnonzero(codes != base).astype(np.int32)
    edges, off = np.array([0, rows.size]), codes[rows].astype(np.int32)
    one = (np.array([number], np.int32) for number in (base, levels, -1))
    return Codes(codes.size, edges, rows, off, *one)
