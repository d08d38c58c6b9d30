"""Data in columns: what a worker needs to hold some of them, and whether that sends less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.api import memory_estimate
from mlfs.api.cluster.part_reader import PartPiece, PartReader
from mlfs.api.cluster.pieces import Piece
from mlfs.counting.blocks import Block
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import Kind
from mlfs.counting.memory import Budget, bytes_of
from mlfs.counting.remote.slim_columns import joined_rows, own_columns
from mlfs.information.held_columns import ColumnsSetup, HeldColumns

__all__ = ["CodedColumnPieces", "PartColumnPieces", "column_edges", "sends_less_by_columns"]

SHARE = 4  # a worker takes a quarter of the memory that is left
ENTRY, COUNT, SUM = 8, 4, 8  # bytes of the formulas: an entry of a column, a count, a sum


def sends_less_by_columns(features: Any, labels: Codes, n_workers: int) -> bool:
    """Whether less goes over the wire for a pick where workers have columns, not rows.

    By rows each worker sends its counts of all features, a pick and the labels; by columns each
    gets the picked column and sends a sum for each of its features. See docs/scale.md.

    Examples
    --------
    >>> shapes = (9, 99), (9999, 2), (9, 5)
    >>> wide, long, labels = (Codes.from_dense(np.indices(s).sum(axis=0) % 2) for s in shapes)
    >>> sends_less_by_columns(wide, labels, 2), sends_less_by_columns(long, labels, 2)
    (True, False)
    """
    cells = features.levels.astype(np.int64) - 1
    of_labels = max(1, int((labels.levels.astype(np.int64) - 1).sum()))
    by_rows = n_workers * COUNT * float(cells.sum()) * float(cells.mean()) * of_labels
    sent = np.minimum(features.n_rows / 8 * cells, ENTRY * features.non_mode)
    by_columns = n_workers * float(sent.mean()) + SUM * len(features)
    return bool(by_columns < by_rows)


def column_edges(features: Any, kind: np.ndarray, n_blocks: int) -> list[int]:
    """Where blocks of columns begin that take about as much memory each.

    Examples
    --------
    >>> column_edges(Codes.from_dense(np.eye(4, dtype=int)), np.zeros(4), 2)
    [0, 2, 4]
    """
    listed = (kind == Kind.LISTS) | (kind == Kind.BINARY_LISTS)
    planes = (features.levels - 1) * (features.n_rows // 8)
    ends = np.cumsum(np.where(listed, ENTRY * features.non_mode, planes) + 1.0)
    d, edges = kind.size, [0]
    for k in range(1, n_blocks):
        cut = int(np.searchsorted(ends, ends[-1] * k / n_blocks, side="left")) + 1
        edges.append(max(edges[-1] + 1, min(cut, d - (n_blocks - k))))
    return [*edges, d]


@dataclass(frozen=True)
class ColumnPiece:
    """Some coded columns.

    Parameters
    ----------
    piece : Piece
        The columns, and the labels.
    setup : ColumnsSetup
        What is known of them.
    """

    piece: Piece
    setup: ColumnsSetup

    def holder(self, reader: Any) -> HeldColumns:
        """What answers questions about them."""
        return _make_holder(self.piece.block(reader), self.setup)


@dataclass(frozen=True)
class CodedColumnPieces:
    """The pieces of coded columns in memory, cut when a worker wants them.

    Parameters
    ----------
    features, labels : Codes
        The columns.
    weights : ndarray of int, or None
        The weights of the rows.
    setup : ColumnsSetup
        What is known of all columns.
    """

    layout = "columns"
    features: Codes
    labels: Codes
    weights: np.ndarray | None
    setup: ColumnsSetup

    def all_rows(self) -> None:
        """None: no worker has all columns."""

    def piece(self, i: int, first: int, last: int) -> ColumnPiece:
        """The columns of block i."""
        del i
        columns = own_columns(self.features, first, last)
        return ColumnPiece(
            Piece(columns, self.labels, self.weights), _part(self.setup, first, last)
        )


@dataclass(frozen=True)
class PartColumnPiece:
    """Some columns, whose rows a worker reads part by part.

    Parameters
    ----------
    parts : sequence of PartPiece
        All rows; the part that the worker has read already comes without being read again.
    read_part : int
        Which part that is.
    last : int
        The column after its last.
    setup : ColumnsSetup
        What is known of the columns.
    """

    parts: Sequence[PartPiece]
    read_part: int
    last: int
    setup: ColumnsSetup

    def holder(self, reader: PartReader) -> HeldColumns:
        """What answers questions about them."""
        first, columns = self.parts[0], []
        for i, part in enumerate(self.parts):
            codes = (reader if i == self.read_part else PartReader(())).features(part)
            columns.append(own_columns(codes, self.setup.first, self.last))
            del codes
        return _make_holder(Block(joined_rows(columns), first.labels, first.weights), self.setup)


@dataclass(frozen=True)
class PartColumnPieces:
    """What each worker needs to read its columns.

    Parameters
    ----------
    parts : sequence of PartPiece
        All rows, each part with all labels and weights.
    setup : ColumnsSetup
        What is known of all columns.
    """

    layout = "columns"
    parts: Sequence[PartPiece]
    setup: ColumnsSetup

    def all_rows(self) -> None:
        """None: no worker has all columns."""

    def piece(self, i: int, first: int, last: int) -> PartColumnPiece:
        """The columns of block i."""
        return PartColumnPiece(self.parts, i, last, _part(self.setup, first, last))


def _part(setup: ColumnsSetup, first: int, last: int) -> ColumnsSetup:
    return setup._replace(first=first, kind=setup.kind[first:last])


def _make_holder(block: Block, setup: ColumnsSetup) -> HeldColumns:
    needed = memory_estimate.packed(block.features, setup.kind)
    return HeldColumns(block, setup, Budget.of(bytes_of(None) // SHARE, needed))
