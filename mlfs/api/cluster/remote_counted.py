"""Bin, code and count data that workers have read: each looks at its rows, sums meet here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from mlfs.api.candidates import Grouping, grouping
from mlfs.api.cluster.layouts import Layout
from mlfs.api.cluster.part_reader import ChunkPieces, PartPiece, RowsPart
from mlfs.api.cluster.remote_data import RemoteTable, stack_rows
from mlfs.api.estimators import per_cell_of
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import kinds
from mlfs.counting.entries import edges_of
from mlfs.counting.label_columns import code_labels, with_masks
from mlfs.counting.memory import Budget
from mlfs.counting.remote.remote_columns import RemoteCodes
from mlfs.counting.weights import on_grid
from mlfs.data.columns import check_weights
from mlfs.data.dataset import Dataset, declared_sizes, names_of
from mlfs.discretize import Binnings, learn
from mlfs.discretize.binning import join
from mlfs.discretize.column_blocks import round_weights
from mlfs.discretize.divided import DIVIDED, learn_divided
from mlfs.discretize.learning import check_method
from mlfs.discretize.table_survey import Survey, learn_small
from mlfs.errors import UsageError
from mlfs.information.table import Table

__all__ = ["count_on_cluster"]

CELLS_AT_ONCE = 1 << 23  # of whole columns that are fetched to be cut


def count_on_cluster(
    dataset: Dataset, weights: np.ndarray | None, options: Mapping[str, Any], most: int
) -> tuple[Grouping, Binnings, Table]:
    """Bin, code and count the columns; see `mlfs.api.counted.count_columns`."""
    table: RemoteTable = dataset.table
    groups = grouping(options["groups"], dataset.names)
    if not groups.trivial:
        msg = "join columns over all rows, which workers that read the data cannot do: give arrays"
        raise UsageError(f"{msg}, or leave cluster out", option="groups")
    if options["binnings"] is not None:
        learned = Binnings.of(options["binnings"])
    else:
        learned = _learn_binnings(dataset, weights, options)
    part_counts = table.session.call("read", [("counts", part, learned) for part in table.parts])
    counts, levels = np.add.reduce(part_counts), learned.levels
    modes = _modes(counts, levels)
    codes = RemoteCodes(table.shape[0], modes, levels, learned.missing_codes, counts, _no_column)
    y, mask_of = with_masks(code_labels(dataset.Y, [len(label.values) for label in dataset.labels]))
    kind = kinds(codes, y, weighted=weights is not None)  # type: ignore[arg-type]
    order, positions = np.argsort(kind, kind="stable"), None
    if (np.diff(kind) < 0).any():
        positions = np.empty(order.size, np.int64)
        positions[order] = np.arange(order.size)
    grid = None if weights is None else on_grid(weights)
    pieces = _PartPieces(table, learned, modes, kind, y, grid)
    per_cell = per_cell_of(options["correction"], grid, weights)
    settings = {
        "ignore_missing": options["missing"] == "ignore",
        "positions": positions,
        "budget": Budget.of(most, None if options["max_memory"] is not None else 0),
    }
    layout = Layout(np.sort(kind), per_cell, dataset.shape[2], mask_of, settings)
    return (
        groups,
        learned,
        layout.of_parts(table.session, pieces, table.edges, codes.take(order), options),
    )


@dataclass(frozen=True)
class _PartPieces:
    """What each worker needs to make its block of what it has read."""

    layout = "rows"
    table: RemoteTable
    binnings: Binnings
    modes: np.ndarray
    kind: np.ndarray
    labels: Codes
    weights: np.ndarray | None

    def piece(self, i: int, first: int, last: int) -> PartPiece:
        """That of block i."""
        weights = None if self.weights is None else self.weights[first:last]
        labels = self.labels.between_rows(first, last)
        return self._piece_of(self.table.parts[i], labels, weights)

    def _piece_of(self, part: RowsPart, labels: Codes, weights: np.ndarray | None) -> PartPiece:
        return PartPiece(part, self.binnings, self.modes, self.kind, labels, weights)

    @property
    def is_of_chunks(self) -> bool:
        """Whether the rows are computed by the cluster, and only one worker has them."""
        return isinstance(self.table.parts[0].pieces, ChunkPieces)

    def with_all_labels(self) -> list[PartPiece]:
        """All rows, part by part, each with the labels and the weights of all."""
        return [self._piece_of(part, self.labels, self.weights) for part in self.table.parts]

    def all_rows(self) -> PartPiece | None:
        """All rows, which a worker reads again; None where it cannot."""
        if self.is_of_chunks or any(part.kept is not None for part in self.table.parts):
            return None
        part = self.table.parts[0]
        part = replace(part, share=(0, len(part.pieces.sizes)))
        return self._piece_of(part, self.labels, self.weights)


def _no_column(j: int) -> np.ndarray:
    raise NotImplementedError(j)


def _modes(counts: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """The most frequent code of each column, the lowest of several."""
    first = edges_of(levels)[:-1]
    most = np.repeat(np.maximum.reduceat(counts, first), levels)
    code = np.arange(counts.size) - np.repeat(first, levels)
    code[counts < most] = counts.size
    modes: np.ndarray = np.minimum.reduceat(code, first).astype(np.int32)
    return modes


def _learn_binnings(
    dataset: Dataset, weights: np.ndarray | None, options: Mapping[str, Any]
) -> Binnings:
    """The binnings: small whole numbers by their counts, others by what workers say of their rows.

    Methods that look at the labels get whole columns, which are fetched some at a time.
    """
    table: RemoteTable = dataset.table
    method, limit = options["bins"], options["nominal_limit"]
    n_bins = check_method(method, options["n_bins"], limit)
    names, sizes = names_of(dataset.columns), declared_sizes(dataset.columns)
    small, parts = np.zeros(0, np.int64), [Binnings.of(())]
    if weights is None:
        surveys = table.session.call("read", [("survey", part) for part in table.parts])
        counts = np.add.reduce([part_counts for part_counts, _ in surveys])
        is_small = np.logical_and.reduce([part_is_small for _, part_is_small in surveys])
        survey = Survey(None, np.ascontiguousarray(counts), is_small)
        small, binnings = learn_small(survey, sizes, limit)
        parts.append(binnings)
    is_open = np.ones(sizes.size, bool)
    is_open[small] = False
    remaining = np.flatnonzero(is_open)
    mass = None if weights is None else round_weights(check_weights(weights, table.shape[0]))
    step = max(1, CELLS_AT_ONCE // max(1, table.shape[0]))
    for start in range(0, remaining.size, step):
        chunk = remaining[start : start + step]
        if method in DIVIDED:
            divided = learn_divided(
                _ask(table, mass), chunk, sizes[chunk], names, method, n_bins, limit
            )
            codes = np.add.reduce(_ask(table, mass)(chunk, "codes", divided))
            divided.fallback = _modes(codes, divided.levels).astype(np.int64)
            parts.append(divided)
            continue
        questions = [("columns", part, chunk) for part in table.parts]
        part = dataset.with_changes(
            X=stack_rows(table.session.call("read", questions)),
            columns=tuple(dataset.columns[j] for j in chunk.tolist()),
        )
        parts.append(learn(part, method, options["n_bins"], limit, weights=weights))
    binnings = join(parts).take(np.concatenate([small, remaining]).argsort())
    return binnings.named(names)


def _ask(table: RemoteTable, mass: np.ndarray | None) -> Callable[..., list[Any]]:
    """What asks all workers about some columns of their rows, with the weights of these."""
    edges = table.edges
    part_weights = [None if mass is None else mass[a:b] for a, b in pairwise(edges)]

    def ask(columns: np.ndarray, question: str, *args: Any) -> list[Any]:
        pairs = zip(table.parts, part_weights, strict=True)
        questions = [("of_columns", part, columns, w, question, *args) for part, w in pairs]
        answers: list[Any] = table.session.call("read", questions)
        return answers

    return ask
