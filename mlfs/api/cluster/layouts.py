"""How workers divide a table: each has some of the rows, or all rows of some columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.api.cluster.clusters import cluster_of
from mlfs.api.cluster.column_pieces import (
    CodedColumnPieces,
    PartColumnPieces,
    column_edges,
    sends_less_by_columns,
)
from mlfs.api.cluster.pieces import CodedPieces, row_edges
from mlfs.counting.codes import Codes
from mlfs.counting.counts import Counts
from mlfs.counting.remote.columns_block import ColumnsBlock
from mlfs.counting.remote.remote_block import remote_block
from mlfs.errors import UsageError, plural
from mlfs.information.columns_table import ColumnsTable
from mlfs.information.held_columns import ColumnsSetup
from mlfs.information.table import Table

__all__ = ["Layout"]


@dataclass(frozen=True)
class Layout:
    """What is known of a table before workers hold it.

    Parameters
    ----------
    kind : ndarray
        The kind of each column, ascending.
    per_cell : float
        What each count is corrected by.
    q : int
        The number of labels.
    mask_of : ndarray
        The mask of missing values of each label.
    settings : mapping
        The other parameters of a `Table`.
    """

    kind: np.ndarray
    per_cell: float
    q: int
    mask_of: np.ndarray
    settings: Mapping[str, Any]

    def of_codes(
        self, codes: Codes, labels: Codes, weights: np.ndarray | None, options: Mapping[str, Any]
    ) -> Table:
        """The table of coded columns in memory, which are sent to workers."""
        workers = cluster_of(options["cluster"])
        n_blocks = min(workers.n_blocks, len(codes))
        n = codes.counts if weights is None else codes.weighted_counts(weights)
        if self.by_columns(options["layout"], codes, labels, n_blocks):
            edges = column_edges(codes, self.kind, n_blocks)
            session = workers.session(n_blocks)
            session.hold(edges, CodedColumnPieces(codes, labels, weights, self.setup(codes)))
            return self.columns_table(ColumnsBlock(session, codes, n, labels, weights))
        edges = row_edges(codes.n_rows, workers.n_blocks)
        session = workers.session(len(edges) - 1)
        session.hold(edges, CodedPieces(codes, labels, weights))
        return self.rows_table(remote_block(session, codes, n, labels, weights))

    def of_parts(
        self,
        session: Any,
        pieces: Any,
        edges: Sequence[int],
        features: Any,
        options: Mapping[str, Any],
    ) -> Table:
        """The table of files that workers read.

        Parameters
        ----------
        session : Session
            The workers.
        pieces : _PartPieces
            What each of them makes its rows of.
        edges : sequence of int
            The first row of each.
        features : RemoteCodes
            What is known of the columns, in the order in which they are counted.
        options : mapping
            The options of `prepare`.
        """
        labels, weights, n_blocks = pieces.labels, pieces.weights, session.n_blocks
        why = "chunks of dask stay where they are" if pieces.is_of_chunks else ""
        if len(features) < n_blocks:
            why = f"{plural(len(features), 'column')} are fewer than the workers"
        if why and options["layout"] == "columns":
            msg = f"is 'columns', but {why}: leave it out, or divide the rows"
            raise UsageError(msg, option="layout")
        if not why and self.by_columns(options["layout"], features, labels, n_blocks):
            by_column = column_edges(features, self.kind, n_blocks)
            session.hold(
                by_column, PartColumnPieces(pieces.with_all_labels(), self.setup(features))
            )
            n = np.concatenate(session.ask("n"))
            return self.columns_table(ColumnsBlock(session, features, n, labels, weights))
        session.hold(edges, pieces)
        n = np.add.reduce(session.ask("n"))
        return self.rows_table(remote_block(session, features, n, labels, weights))

    def by_columns(self, layout: str, features: Any, labels: Codes, n_blocks: int) -> bool:
        """Whether columns are divided."""
        if layout == "auto":
            return n_blocks > 1 and sends_less_by_columns(features, labels, n_blocks)
        return layout == "columns" and n_blocks > 0

    def setup(self, features: Any) -> ColumnsSetup:
        """What holders of columns need to know."""
        ignored = bool(self.settings["ignore_missing"])
        f_all_valid = not (ignored and (features.missing >= 0).any())
        return ColumnsSetup(0, self.kind, self.per_cell, self.q, self.mask_of, ignored, f_all_valid)

    def columns_table(self, block: ColumnsBlock) -> Table:
        """The table of columns that workers hold."""
        counts = Counts([block], self.kind, per_cell=self.per_cell)
        return ColumnsTable(counts, self.q, self.mask_of, **self.settings)

    def rows_table(self, block: Any) -> Table:
        """The table of rows that workers hold."""
        counts = Counts([block], self.kind, per_cell=self.per_cell)
        return Table(counts, self.q, self.mask_of, **self.settings)
