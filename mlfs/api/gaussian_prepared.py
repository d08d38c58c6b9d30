"""Data prepared for the Gaussian estimator: normal scores and indicators instead of counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.candidates import Grouping, grouping
from mlfs.api.counted import free_memory
from mlfs.counting.entries import edges_of
from mlfs.counting.memory import bytes_of
from mlfs.counting.weights import on_grid
from mlfs.data.dataset import Dataset, Label
from mlfs.discretize import Binning, Binnings
from mlfs.discretize.normal_scores import MOST_VALUES, Scores, indicators, normal_scores
from mlfs.errors import Caution, DataError, UsageError, plural, printable
from mlfs.information.gaussian import GaussianInfo
from mlfs.information.gaussian_columns import GaussianColumns

OF_COUNTS = ("bins", "n_bins", "correction", "binnings", "given", "cluster")
NEUTRAL = {"bins": ("mean-sd",), "correction": ("auto", "none")}
CELL_BYTES = 4
AT_ONCE_BYTES = 24 * 32  # of a row, while some columns are ranked
SCORES = "normal-scores"


def refuse_options_of_counts(options: Mapping[str, Any]) -> None:
    """Raise `UsageError` for options of binning and counting, which this estimator does without."""
    for name in OF_COUNTS:
        value = options[name]
        is_plain = value is None or (isinstance(value, (str, list, tuple)) and not len(value))
        if not is_plain and value not in NEUTRAL.get(name, ()):
            msg = "is only used for the estimator 'counts', and it is 'gaussian': leave it out"
            raise UsageError(msg, option=name)


def gaussian_info(
    dataset: Dataset,
    weights: np.ndarray | None,
    options: Mapping[str, Any],
    most: int,
    n_threads: int,
) -> tuple[Dataset, np.ndarray | None, Grouping, Binnings, GaussianInfo, list[str]]:
    """Make the data in use, the candidates, how columns were taken, the information, and notes."""
    dataset, weights, notes = _rows_with_labels(dataset, weights)
    grid = _whole_weights(weights)
    rows = dataset.shape[0]
    sizes = dataset.sizes
    groups = grouping(options["groups"], dataset.names)
    columns = int(np.where(sizes < 0, 1, np.minimum(sizes, MOST_VALUES + 1)).sum())
    labels = sum(max(1, min(len(label.values) - 1, MOST_VALUES + 1)) for label in dataset.labels)
    of_rows = rows * (CELL_BYTES * (columns + labels) + AT_ONCE_BYTES * n_threads)
    free_memory(of_rows, most)
    scores = normal_scores(dataset.table, sizes, grid, n_threads)
    notes += _column_notes(dataset, scores, options["nominal_limit"])
    if not groups.trivial:
        scores = _merge_groups(scores, groups)
    y, positives = _label_blocks(dataset, grid, options["nominal_limit"])
    info = GaussianInfo(GaussianColumns(scores, y, positives, grid, n_threads))
    kinds = [
        Binning(column.name, SCORES)
        if column.kind == "numeric"
        else Binning(column.name, "nominal", values=tuple(map(float, range(len(column.values)))))
        for column in dataset.columns
    ]
    return dataset, weights, groups, Binnings.of(kinds), info, notes


def _whole_weights(weights: np.ndarray | None) -> np.ndarray | None:
    if weights is None:
        return None
    if not (weights == np.floor(weights)).all():
        msg = (
            "has fractions, but the estimator 'gaussian' counts rows: give whole numbers, or use "
            "the estimator 'counts'"
        )
        raise DataError(msg, option="sample_weight")
    return on_grid(weights)


def _merge_groups(scores: Scores, groups: Grouping) -> Scores:
    """The columns of each group together."""
    spans = [
        [np.arange(scores.first[j], scores.first[j + 1]) for j in members]
        for members in groups.members
    ]
    rows = [np.concatenate(spans_of_group) for spans_of_group in spans]
    first = edges_of([part.size for part in rows])
    return Scores(scores.values[np.concatenate(rows)], first)


def gaussian_among_rows(
    dataset: Dataset, weights: np.ndarray | None, kept: np.ndarray, options: Mapping[str, Any]
) -> GaussianInfo:
    """The information of some of the rows, which are ranked among themselves."""
    rows = np.flatnonzero(kept)
    part = replace(dataset, X=dataset.table[rows], Y=dataset.Y[rows])
    return gaussian_info(part, weights, options, bytes_of(options["max_memory"]), 1)[4]


def _rows_with_labels(
    dataset: Dataset, weights: np.ndarray | None
) -> tuple[Dataset, np.ndarray | None, list[str]]:
    """The rows that have a label; those of rare label sets have none."""
    is_missing = dataset.Y < 0
    has_none = np.asarray(is_missing.sum(axis=1)).ravel() == dataset.shape[2]
    if not has_none.any():
        return dataset, weights, []
    kept = np.flatnonzero(~has_none)
    note = f"{plural(int(has_none.sum()), 'row')} without any label left out"
    if not kept.size:
        raise DataError("every label is missing in every row, and there is nothing to select for")
    part = replace(dataset, X=dataset.table[kept], Y=dataset.Y[kept])
    return part, None if weights is None else weights[kept], [note]


def is_quantity(label: Label, nominal_limit: int) -> bool:
    """Whether a label is a numeric target with more values than a few whole ones."""
    if not label.numbers:
        return False
    few = len(label.values) <= nominal_limit
    return not (few and all(float(value).is_integer() for value in label.values))


def _label_blocks(
    dataset: Dataset, weights: np.ndarray | None, nominal_limit: int
) -> tuple[Scores, np.ndarray]:
    """Labels as indicators, or scores if they are numeric targets, and how many rows have each."""
    stored = sp.csc_array(dataset.Y) if sp.issparse(dataset.Y) else dataset.Y
    counts = np.zeros(0, np.int64) if weights is None else weights
    blocks, positives = [np.zeros((0, dataset.shape[0]), np.float32)], []
    for j, label in enumerate(dataset.labels):
        part = stored[:, [j]]
        column = np.asarray(part.toarray() if sp.issparse(part) else part).ravel()
        if (column < 0).any():
            msg = (
                f"the label {printable(label.name)!r} misses a value in row "
                f"{int((column < 0).argmax()) + 1}, and the estimator 'gaussian' needs all: "
                f"complete the labels, or use the estimator 'counts'"
            )
            raise DataError(msg)
        positives.append(int(((column > 0) * (counts if counts.size else 1)).sum()))
        if is_quantity(label, nominal_limit):
            numbers = np.array(list(map(float, label.values)))[column]
            blocks.append(normal_scores(numbers[:, None], np.array([-1]), weights).values)
        else:
            blocks.append(indicators(column, counts)[0])
    sizes = [len(block) for block in blocks[1:]]
    first = edges_of(sizes)
    return Scores(np.concatenate(blocks), first), np.array(positives)


def _column_notes(dataset: Dataset, scores: Scores, nominal_limit: int) -> list[str]:
    """Notes on the columns."""
    names, notes = dataset.names, list[str]()
    if scores.merged:
        name = printable(names[scores.merged[0]])
        notes.append(
            Caution(
                f"{plural(len(scores.merged), 'nominal feature')} of more than {MOST_VALUES + 1} "
                f"values: the rarest count as one: {name!r}"
                f"{' and others' if len(scores.merged) > 1 else ''}"
            )
        )
    quantities = [label.name for label in dataset.labels if is_quantity(label, nominal_limit)]
    if quantities:
        notes.append(
            f"{plural(len(quantities), 'label')} with the normal scores of their numbers: "
            f"{printable(quantities[0])!r}{' and others' if len(quantities) > 1 else ''}"
        )
    return notes
