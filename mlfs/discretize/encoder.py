"""The codes of a whole table: planes or lists of the rows that have not their column's mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlfs._kernels import column_values
from mlfs.counting.codes import Codes, Packed
from mlfs.counting.entries import edges_of
from mlfs.data.bit_slices import slice_table
from mlfs.discretize.binning import Binning, Binnings
from mlfs.discretize.column_blocks import Block, blocks
from mlfs.discretize.table_survey import Survey, code_planes, encode_small
from mlfs.errors import DataError

__all__ = ["Encoder", "coded", "encode", "modes_of"]

FEW_LEVELS = 16  # planes cost one each


def encode(dataset: Any, binnings: Sequence[Binning]) -> Codes:
    """The codes of a data set under binnings that were learned, from it or another.

    Dense and sparse tables of the same numbers give the same codes; a sparse one is never
    made dense.

    Parameters
    ----------
    dataset : Dataset
        Its X is coded.
    binnings : sequence of Binning
        One for each column.

    Examples
    --------
    >>> from mlfs.data.dataset import Column, Dataset, Label
    >>> data = Dataset(np.array([[0.0], [2.0], [0.0]]), np.ones((3, 1)), (Column("a"),),
    ...                (Label("y"),))
    >>> codes = encode(data, [Binning("a", "nominal", values=(0.0, 2.0))])
    >>> codes.rows.tolist(), codes.codes.tolist(), codes.mode.tolist()
    ([1], [1], [0])
    """
    return coded(dataset.table, binnings)


def coded(table: Any, binnings: Sequence[Binning], survey: Survey | None = None) -> Codes:
    """The codes of a table.

    Parameters
    ----------
    table : ndarray or sparse array
        X, of any type of numbers.
    binnings : sequence of Binning
        One for each column.
    survey : Survey, optional
        The survey of the table, if there is one; it can be used once.
    """
    d = table.shape[1]
    if len(binnings) != d:
        raise DataError(f"{len(binnings)} binnings for {d} columns: there must be one for each")
    binnings = Binnings.of(binnings)
    survey = Survey.of(table) if survey is None else survey
    columns, codes = encode_small(survey, binnings)
    if columns.size == d:
        return codes
    others = np.delete(np.arange(d), columns)
    encoder = survey.encoder
    if not isinstance(encoder, Encoder) or not np.array_equal(encoder.columns, others):
        encoder = Encoder(int(table.shape[0]))
        for block in blocks(table[:, others] if columns.size else table):
            block_columns = others[block.start : block.start + block.width]
            encoder.add(block_columns, block, binnings.take(block_columns))
    other_codes = encoder.codes()
    positions = np.concatenate([columns, encoder.columns]).argsort()
    codes = codes.beside(other_codes) if columns.size else other_codes
    return codes if (np.diff(positions) > 0).all() else codes.take(positions)


class Encoder:
    """Collects the codes of columns, some at a time.

    Parameters
    ----------
    n_rows : int
        The number of their rows.
    """

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        nothing = np.zeros(0, np.int32)
        self._columns, self._modes, self._levels, self._missing = ([nothing] for _ in range(4))
        self._counts, self._n_planes, self._sizes = ([np.zeros(0, np.int64)] for _ in range(3))
        self._rows, self._codes = [nothing], [nothing]
        self._planes = [np.zeros((0, -(-n_rows // 64)), np.uint64)]

    @property
    def columns(self) -> np.ndarray:
        """The columns that were added, in this order."""
        return np.concatenate(self._columns)

    def add(self, columns: np.ndarray, block: Block, binnings: Binnings) -> np.ndarray:
        """Code the columns of a block and return the mode of each.

        Columns of few levels become planes if the table is dense, all others row lists.
        """
        is_few = (binnings.levels <= FEW_LEVELS) & block.is_dense & (block.n_rows > 0)
        if is_few.any() and not is_few.all():
            modes = np.zeros(columns.size, np.int32)
            for subset in (np.flatnonzero(is_few), np.flatnonzero(~is_few)):
                part = block.take(subset)
                modes[subset] = self.add(columns[subset], part, binnings.take(subset))
            return modes
        codes = binnings.codes_of(block)
        if is_few.any():
            modes, counts = self._pack(codes.reshape(block.width, -1), binnings.levels)
        else:
            modes, counts = self._list(codes, block, binnings)
        self._columns.append(columns)
        self._modes.append(modes)
        self._counts.append(counts)
        self._levels.append(binnings.levels)
        self._missing.append(binnings.missing_codes)
        return modes

    def _pack(self, codes: np.ndarray, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        bits = slice_table(codes.T)
        counts = bits.counts[:, : int(levels.max())]
        modes = counts.argmax(axis=1).astype(np.int32)
        identity = np.tile(np.arange(FEW_LEVELS + 1, dtype=np.uint8), (levels.size, 1))
        self._planes.append(code_planes(bits, np.arange(levels.size), identity, modes, levels))
        self._n_planes.append(levels - 1)
        self._sizes.append(np.zeros(levels.size, np.int64))
        return modes, counts[np.arange(counts.shape[1]) < levels[:, None]].astype(np.int64)

    def _list(
        self, codes: np.ndarray, block: Block, binnings: Binnings
    ) -> tuple[np.ndarray, np.ndarray]:
        zero = binnings.codes_of_zero()
        modes, counts = _count_codes(codes, block, binnings.levels, zero)
        sizes = block.n_rows - counts[edges_of(binnings.levels)[:-1] + modes]
        starts = edges_of(sizes)
        rows, row_codes = (np.empty(int(starts[-1]), np.int32) for _ in range(2))
        column_values.write_lists(
            codes, block.bounds, block.rows, block.n_rows, zero, modes, starts, rows, row_codes
        )
        self._rows.append(rows)
        self._codes.append(row_codes)
        self._sizes.append(sizes)
        self._n_planes.append(np.zeros(sizes.size, np.int64))
        return modes, counts

    def codes(self) -> Codes:
        """The codes of all columns, in the order in which they were added. Can be called once."""
        indptr = edges_of(np.concatenate(self._sizes))
        n_planes = np.concatenate(self._n_planes)
        first_plane = np.where(n_planes > 0, edges_of(n_planes)[:-1], -1)
        rows = np.concatenate(self._rows)
        self._rows.clear()  # the parts are as large as the whole
        has_planes = (first_plane >= 0).any()
        packed = Packed(np.concatenate(self._planes), first_plane) if has_planes else None
        return Codes(
            self._n_rows,
            indptr,
            rows,
            np.concatenate(self._codes),
            np.concatenate(self._modes),
            np.concatenate(self._levels),
            np.concatenate(self._missing),
            packed=packed,
            counts=np.concatenate(self._counts),
        )


def modes_of(block: Block, binnings: Binnings, weights: np.ndarray | None) -> np.ndarray:
    """The most frequent code (by weight) of each column of a block."""
    zero = binnings.codes_of_zero()
    return _count_codes(binnings.codes_of(block), block, binnings.levels, zero, weights)[0]


def _count_codes(
    codes: np.ndarray,
    block: Block,
    levels: np.ndarray,
    zero: np.ndarray,
    weights: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The mode of each column and the number of rows with each code, column by column."""
    offsets = edges_of(levels)
    counts, modes = np.zeros(int(offsets[-1])), np.empty(block.width, np.int32)
    mass = np.zeros(0) if weights is None else weights
    implicit = block.implicit_weights(weights)
    column_values.count_codes(
        codes, block.bounds, block.rows, mass, implicit, zero, offsets, counts, modes
    )
    return modes, counts.astype(np.int64) if weights is None else counts
