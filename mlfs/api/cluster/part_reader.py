"""Reading on a worker: the rows of a part, their values, and their codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs.api.missing_values import first_missing
from mlfs.counting.blocks import Block
from mlfs.counting.codes import Codes
from mlfs.counting.recoded_modes import with_modes
from mlfs.counting.remote.holder import Holder
from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import Dataset
from mlfs.data.first_component import Numbers, RowProducts, missing_and_greatest
from mlfs.data.piecewise import FilePieces, ReadRows
from mlfs.discretize import Binnings, coded
from mlfs.discretize.divided import ColumnPart
from mlfs.discretize.table_survey import Survey
from mlfs.errors import DataError, printable

__all__ = ["ChunkPieces", "Head", "PartPiece", "PartReader", "RowsPart"]


@dataclass(frozen=True)
class RowsPart:
    """Rows that a worker reads.

    Parameters
    ----------
    pieces : FilePieces
        The whole that they are a part of.
    share : tuple of int
        The pieces of the part.
    common : object
        What is known of the whole, once it is.
    kept : ndarray of int, optional
        The rows of the part that count; all by default.
    """

    pieces: FilePieces
    share: tuple[int, int]
    common: Any = None
    kept: np.ndarray | None = None


class Head(NamedTuple):
    """Rows of a data set without X.

    Parameters
    ----------
    n_rows : int
        How many there are.
    dtype : dtype
        The type of X.
    is_sparse : bool
        Whether X is sparse.
    fields : dict
        The other fields of the `Dataset`.
    """

    n_rows: int
    dtype: Any
    is_sparse: bool
    fields: dict[str, Any]


class ChunkPieces(FilePieces):
    """Chunks that are computed on the cluster, and handed to the actor that reads them."""

    def __init__(self, n: int) -> None:
        self.sizes = (1,) * n

    def read(self, first: int, last: int) -> ReadRows:
        """Nothing is read: the actor has the rows."""
        raise NotImplementedError

    def combine(self, summaries: Sequence[Any]) -> Any:
        """The columns, which must be the same in all chunks."""
        expected = summaries[0]
        for i, summary in enumerate(summaries):
            if list(summary[0]) != list(expected[0]):
                column_pairs = zip(summary[0], expected[0], strict=False)
                name = next((b.name for a, b in column_pairs if a != b), "")
                msg = (
                    f"chunk {i + 1} of X differs from the first in the column "
                    f"{printable(name)!r}: make text a category with known values "
                    "(X.categorize()), and give all chunks the same columns"
                )
                raise DataError(msg)
        return expected


class _ChunkRows(ReadRows):
    """The rows of some chunks of X; their labels are elsewhere."""

    def __init__(self, chunks: Sequence[Any]) -> None:
        X: Any = chunks[0] if len(chunks) == 1 else _join_chunks(chunks)
        dataset = from_arrays(X, np.zeros((X.shape[0], 1)))
        self._data, self.n_rows = dataset, int(X.shape[0])
        self.summary = (dataset.columns, dataset.left_out, dataset.notes)

    def dataset(self, common: Any) -> Dataset:  # noqa: ARG002  # it is what was found
        """The rows."""
        return self._data


def _join_chunks(chunks: Sequence[Any]) -> Any:
    if hasattr(chunks[0], "columns"):
        import pandas as pd

        return pd.concat(chunks, axis=0)
    stack: Any = sp.vstack if sp.issparse(chunks[0]) else np.concatenate
    return stack(chunks)


class PartReader:
    """Reads the rows of a part once, and keeps them until they are coded.

    Parameters
    ----------
    chunks : sequence
        The rows, where they are at hand.
    """

    def __init__(self, chunks: Sequence[Any]) -> None:
        self._chunks = chunks
        self._rows: ReadRows | None = None
        self._data: Dataset | None = None
        self._survey: Survey | None = None
        self._columns: tuple[bytes, ColumnPart] | None = None

    def look(self, part: RowsPart) -> tuple[int, Any]:
        """How many rows there are, and what was found in them."""
        rows = self._read(part)
        return rows.n_rows, rows.summary

    def _read(self, part: RowsPart) -> ReadRows:
        if self._rows is None or not part.pieces.accepts(self._rows):
            self._rows = None
            chunks = self._chunks
            self._rows = _ChunkRows(chunks) if chunks else part.pieces.read(*part.share)
        return self._rows

    def _dataset(self, part: RowsPart) -> Dataset:
        if self._data is None:
            self._data = self._read(part).dataset(part.common)
            self._rows = None
        if part.kept is not None and self._data.shape[0] != part.kept.size:
            data = self._data
            self._data = replace(data, X=data.table[part.kept], Y=data.Y[part.kept])
        return self._data

    def head(self, part: RowsPart) -> Head:
        """The data set without X."""
        data = self._dataset(part)
        names = ("columns", "labels", "left_out", "source", "notes", "Y", "weights")
        fields = {name: getattr(data, name) for name in names}
        return Head(data.shape[0], data.table.dtype, is_sparse=data.is_sparse, fields=fields)

    def missing(self, part: RowsPart) -> tuple[int, int, int]:
        """How many values are missing, and the row and the column of the first."""
        return first_missing(self._dataset(part).table)

    def survey(self, part: RowsPart) -> tuple[np.ndarray, np.ndarray]:
        """How often each column has small whole numbers, and which have nothing else."""
        if self._survey is None:
            self._survey = Survey.of(self._dataset(part).table)
        return self._survey.counts, self._survey.small

    def columns(self, part: RowsPart, columns: np.ndarray) -> Any:
        """Some columns of X."""
        table = self._dataset(part).table
        return table[:, columns]

    def of_columns(
        self,
        part: RowsPart,
        columns: np.ndarray,
        weights: np.ndarray | None,
        question: str,
        *args: Any,
    ) -> Any:
        """What a method of `ColumnPart` returns for some columns of X."""
        key = columns.tobytes()
        if self._columns is None or self._columns[0] != key:
            self._columns = key, ColumnPart(self.columns(part, columns), weights)
        return getattr(self._columns[1], question)(*args)

    _products: RowProducts | None = None

    def missing_and_greatest(self, part: RowsPart, nominal: list[int]) -> tuple[list[int], float]:
        """What `Numbers.from_columns` needs to know of X."""
        return missing_and_greatest(self._dataset(part).table, nominal)

    def products(
        self,
        part: RowsPart,
        numbers: Numbers,
        share: np.ndarray | None,
        question: str,
        *args: Any,
    ) -> Any:
        """What a method of `RowProducts` returns for X."""
        if self._products is None:
            self._products = RowProducts(self._dataset(part).table, numbers, share)
        copies = [
            argument.copy() if isinstance(argument, np.ndarray) else argument for argument in args
        ]
        return getattr(self._products, question)(*copies)

    def release(self, part: RowsPart) -> None:
        """Let X go, unless it is still to be coded."""
        del part
        self._products = None
        if self._is_coded:
            self._data = None

    def counts(self, part: RowsPart, binnings: Binnings) -> np.ndarray:
        """How often each code occurs, ragged."""
        return self._codes(part, binnings).counts

    _coded: Codes | None = None
    _is_coded = False

    def _codes(self, part: RowsPart, binnings: Binnings) -> Codes:
        self._columns = None
        if self._coded is None:
            self.survey(part)
            self._coded = coded(self._dataset(part).table, binnings, self._survey)
            self._survey = self._data = None
            self._is_coded = True
        return self._coded

    def features(self, piece: PartPiece) -> Codes:
        """The coded columns of a piece; nothing is kept."""
        codes = with_modes(self._codes(piece.part, piece.binnings), piece.modes)
        self._coded = None
        return codes.sorted_by(piece.kind)[0]


@dataclass(frozen=True)
class PartPiece:
    """What a worker needs to make the block of a part.

    Parameters
    ----------
    part : RowsPart
        Its rows.
    binnings : Binnings
        How the columns of all rows are binned.
    modes : ndarray
        The most frequent code of each column in all rows.
    kind : ndarray
        The kind of each column, which decides their order.
    labels : Codes
        The labels of its rows.
    weights : ndarray of int, or None
        The weights of its rows.
    """

    part: RowsPart
    binnings: Binnings
    modes: np.ndarray
    kind: np.ndarray
    labels: Codes
    weights: np.ndarray | None

    def block(self, reader: PartReader) -> Block:
        """The block."""
        return Block(reader.features(self), self.labels, self.weights)

    def holder(self, reader: PartReader) -> Holder:
        """What answers questions about it."""
        return Holder(self.block(reader))
