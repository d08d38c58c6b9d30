"""Anchor columns: one column against which all features are counted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from mlfs.counting.bit_planes import packed_planes
from mlfs.counting.codes import Codes

__all__ = ["AddedAnchor", "Anchor", "BlockAnchor", "ColumnAnchor"]

TWO = 2
FEW_PLANES = 8  # of a column in full: it takes less time to pack each than to list them all


class Anchor:
    """A picked feature, a label, or any coded column.

    Parameters
    ----------
    mode, levels : int
        Its mode, and the number of its codes.
    valid : int
        Codes from here are left out of all results.
    n : ndarray
        How often each code occurs.
    """

    def __init__(self, mode: int, levels: int, valid: int, n: np.ndarray) -> None:
        self.mode, self.levels, self.valid, self.n = mode, levels, valid, n
        self.cells = levels - 1

    @cached_property
    def non_modes(self) -> np.ndarray:
        """Its codes but the mode."""
        codes = np.arange(self.cells)
        codes += codes >= self.mode
        return codes

    @cached_property
    def n_cells(self) -> np.ndarray:
        """How often each code but the mode occurs."""
        return self.n[self.non_modes]

    @cached_property
    def non_mode(self) -> int:
        """In how many rows it is not at its mode."""
        return int(self.n.sum() - self.n[self.mode])

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        raise NotImplementedError


class BlockAnchor(Anchor):
    """An anchor in one block of rows.

    Parameters
    ----------
    codes : Codes
        The table it is in.
    j : int
        Its number there.
    valid, n
        As for `Anchor`.
    kept : ndarray of bool, optional
        A mask of the rows that count; by default all do.
    """

    def __init__(
        self, codes: Codes, j: int, valid: int, n: np.ndarray, kept: np.ndarray | None = None
    ) -> None:
        super().__init__(int(codes.mode[j]), int(codes.levels[j]), valid, n)
        self._table, self._j, self._kept = codes, j, kept
        self._n_rows = codes.n_rows

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray]:
        rows, codes = self._table.entries(self._j)
        chosen = slice(None) if self._kept is None else self._kept[rows]
        rows = rows[chosen]
        if self.levels == TWO:
            return rows, np.zeros(rows.size, np.int8)
        codes = codes[chosen]
        return rows, codes - (codes > self.mode)

    @property
    def rows(self) -> np.ndarray:
        """The rows in which it is not at its mode, ascending."""
        return self._entries[0]

    @property
    def row_cells(self) -> np.ndarray:
        """The cell of each of these rows: its code, counted without the mode."""
        return self._entries[1]

    @cached_property
    def codes(self) -> np.ndarray:
        """The column in full."""
        return self._table.column(self._j)

    @cached_property
    def all_cells(self) -> np.ndarray:
        """The cell of each row, -1 where it is at its mode."""
        found = np.full(self._n_rows, -1, np.int32)
        found[self.rows] = self.row_cells
        return found

    @cached_property
    def planes(self) -> np.ndarray:
        """A bit plane for each code but the mode."""
        if self._table.is_packed(self._j):
            return self._table.planes_of(self._j)
        return packed_planes(self._table, self._j, self._j + 1)

    @property
    def nbytes(self) -> int:
        """The memory that it takes; the column in full is made where there are many levels."""
        made = vars(self)
        lists = sum(part.nbytes for part in made.get("_entries", ()))
        packed = 0 if self._table.is_packed(self._j) else getattr(made.get("planes"), "nbytes", 0)
        full = 4 * self._table.n_rows * (self.levels > TWO)
        return int(lists + packed + full)


class ColumnAnchor(BlockAnchor):
    """An anchor that is given in full; lists and planes are made when they are asked for.

    Parameters
    ----------
    column : ndarray of int
        Its code in each row.
    mode, levels, valid, n
        As for `Anchor`.
    """

    def __init__(
        self, column: np.ndarray, mode: int, levels: int, valid: int, n: np.ndarray
    ) -> None:
        Anchor.__init__(self, mode, levels, valid, n)
        self._column, self._n_rows = column, column.size

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray]:
        rows = np.flatnonzero(self._column != self.mode).astype(np.int32)
        if self.levels == TWO:
            return rows, np.zeros(rows.size, np.int8)
        codes = self._column[rows].astype(np.int32)
        return rows, codes - (codes > self.mode)

    @cached_property
    def codes(self) -> np.ndarray:
        """The column in full."""
        return self._column.astype(np.int32)

    @cached_property
    def planes(self) -> np.ndarray:
        """A bit plane for each code but the mode."""
        if self.cells > FEW_PLANES:
            edges, values = np.array([0, self.rows.size]), self.codes[self.rows]
            one = (np.array([number], np.int32) for number in (self.mode, self.levels, -1))
            return packed_planes(Codes(self._n_rows, edges, self.rows, values, *one), 0, 1)
        made = np.zeros((self.cells, 8 * -(-self._n_rows // 64)), np.uint8)
        for plane, code in zip(made, self.non_modes.tolist(), strict=True):
            bits = np.packbits(self._column == code, bitorder="little")
            plane[: bits.size] = bits
        return made.view("<u8").astype(np.uint64, copy=False)

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        made = vars(self)
        lists = sum(part.nbytes for part in made.get("_entries", ()))
        others = (getattr(made.get(name), "nbytes", 0) for name in ("codes", "planes"))
        return int(self._column.nbytes + lists + sum(others))


class AddedAnchor(Anchor):
    """An anchor in several blocks of rows.

    Parameters
    ----------
    parts : sequence of Anchor
        The same column in each block.
    """

    def __init__(self, parts: Sequence[Anchor]) -> None:
        first = parts[0]
        n = np.add.reduce([part.n for part in parts])
        super().__init__(first.mode, first.levels, first.valid, n)
        self.parts = tuple(parts)

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return sum(part.nbytes for part in self.parts)
