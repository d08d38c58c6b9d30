"""Data in pieces: what a worker needs to make its block of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.counting.blocks import Block
from mlfs.counting.codes import WORD, Codes, Packed
from mlfs.counting.remote.holder import Holder

__all__ = ["CodedPieces", "Piece", "row_edges"]


@dataclass(frozen=True)
class Piece:
    """Coded columns of some rows.

    Parameters
    ----------
    features, labels : Codes
        The columns.
    weights : ndarray of int, or None
        The weights of the rows.
    """

    features: Codes
    labels: Codes
    weights: np.ndarray | None

    def block(self, reader: Any) -> Block:
        """The block; the arrays are copied, since kernels want them aligned."""
        del reader
        return Block(
            _contiguous_copy(self.features), _contiguous_copy(self.labels), _array(self.weights)
        )

    def holder(self, reader: Any) -> Holder:
        """What answers questions about it."""
        return Holder(self.block(reader))


@dataclass(frozen=True)
class CodedPieces:
    """The pieces of coded columns in memory, cut when a worker wants them.

    Parameters
    ----------
    features, labels : Codes
        The columns.
    weights : ndarray of int, or None
        The weights of the rows.
    """

    layout = "rows"
    features: Codes
    labels: Codes
    weights: np.ndarray | None

    def all_rows(self) -> Piece:
        """All rows."""
        return self.piece(0, 0, self.features.n_rows)

    def piece(self, i: int, first: int, last: int) -> Piece:
        """The rows of block i."""
        del i
        weights = None if self.weights is None else self.weights[first:last]
        features = self.features.between_rows(first, last)
        return Piece(features, self.labels.between_rows(first, last), weights)


def row_edges(n_rows: int, n_blocks: int) -> list[int]:
    """Where blocks of about as many rows begin, each with a word of bits.

    Examples
    --------
    >>> row_edges(200, 3), row_edges(5, 3)
    ([0, 64, 128, 200], [0, 5])
    """
    words = -(-n_rows // WORD)
    n_blocks = max(1, min(n_blocks, words))
    inner = [WORD * (words * k // n_blocks) for k in range(1, n_blocks)]
    return [0, *inner, n_rows]


def _contiguous_copy(codes: Codes) -> Codes:
    indptr, rows, values = codes.lists
    packed = codes.packed
    if packed is not None:
        packed = Packed(_array(packed.planes), _array(packed.first))
    return Codes(
        codes.n_rows,
        _array(indptr),
        _array(rows),
        _array(values),
        _array(codes.mode),
        _array(codes.levels),
        _array(codes.missing),
        packed=packed,
        counts=_array(codes._counts),  # noqa: SLF001
    )


def _array(array: Any) -> Any:
    return None if array is None else np.array(array, order="C")
