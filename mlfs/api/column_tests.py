"""The tests that an automatic number of features rests on, made of prepared data when needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.counted import threads_of
from mlfs.api.gaussian_prepared import is_quantity
from mlfs.api.prepared import Prepared
from mlfs.counting.weights import on_grid
from mlfs.discretize.rank_levels import LevelColumns
from mlfs.information.stratified import StratifiedInfo
from mlfs.search.additive import AdditiveTests
from mlfs.search.label_columns import LabelColumns
from mlfs.search.pair_tests import PairTests

TARGET_CLASSES = 5  # of a numeric target


def column_tests(prepared: Prepared, left_out: Sequence[int]) -> Callable[[], AdditiveTests]:
    """A function that tests all candidates the first time that it is called.

    Parameters
    ----------
    prepared : Prepared
        The data.
    left_out : sequence of int
        Columns that name a row; they are not tested.
    """
    return cache(lambda: AdditiveTests(*columns_and_labels(prepared, left_out)))


def pair_tests(prepared: Prepared) -> PairTests:
    """All pairs of columns that name no row."""
    return PairTests(*columns_and_labels(prepared, prepared.identifiers))


def columns_and_labels(
    prepared: Prepared, left_out: Sequence[int]
) -> tuple[LevelColumns, LabelColumns, np.ndarray, int]:
    """The columns as levels, the labels, the candidates that are tested, and the threads."""
    dataset, grouping, rows = prepared.dataset, prepared.grouping, prepared.rows
    strata = prepared.info.codes if isinstance(prepared.info, StratifiedInfo) else None
    weights, table, Y = prepared.weights, dataset.table, dataset.Y
    table = table.whole() if hasattr(table, "whole") else table  # read by workers so far
    if rows is not None:
        table, Y = table[rows], Y[rows]
        weights = None if weights is None else weights[rows]
    n = effective_rows(weights)
    grid = None if weights is None else on_grid(weights)
    counted = None if grid is None else grid * (n / grid.sum())
    members = None if grouping.trivial else grouping.members
    skipped = grouping.candidates([*left_out, *prepared.held])
    candidates = np.setdiff1d(np.arange(len(grouping.members)), skipped)
    columns = LevelColumns(table, dataset.sizes, members, counted)
    if any(label.numbers for label in dataset.labels):
        limit = prepared.options["nominal_limit"]
        targets = [j for j, label in enumerate(dataset.labels) if is_quantity(label, limit)]
        Y = in_fifths(Y, targets)
    labels = LabelColumns(Y, strata, grid, n)
    return columns, labels, candidates, threads_of(prepared.options["n_jobs"])


def in_fifths(Y: Any, targets: Sequence[int]) -> np.ndarray:
    """The labels, of which numeric targets are cut into classes of a fifth of the rows each.

    Examples
    --------
    >>> in_fifths(np.array([[4], [3], [2], [1], [0], [-1]]), [0]).ravel().tolist()
    [4, 3, 2, 1, 0, -1]
    """
    out = np.array(Y.toarray() if sp.issparse(Y) else Y)
    for j in targets:
        known = out[:, j] >= 0
        counts = np.bincount(out[known, j])
        middle = np.cumsum(counts) - counts / 2
        out[known, j] = np.floor(TARGET_CLASSES * middle / counts.sum())[out[known, j]]
    return out


def effective_rows(weights: np.ndarray | None) -> float | None:
    """How many rows weights stand for: a whole number repeats its row, others make rows unequal.

    Examples
    --------
    >>> effective_rows(np.array([1.0, 2.0])), effective_rows(np.array([0.5, 0.5]))
    (3.0, 2.0)
    """
    if weights is None:
        return None
    total = float(weights.sum())
    if (weights == np.floor(weights)).all():
        return total
    return round(total**2 / float((weights**2).sum()), 9)
