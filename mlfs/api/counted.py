"""Bin, code and count the columns of a data set."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from mlfs.api import memory_estimate
from mlfs.api.as_dataset import x_bytes
from mlfs.api.candidates import Grouping, grouping
from mlfs.api.estimators import per_cell_of
from mlfs.counting.column_groups import kinds
from mlfs.counting.counts import Counts
from mlfs.counting.label_columns import code_labels, with_masks
from mlfs.counting.memory import Budget
from mlfs.counting.weights import on_grid
from mlfs.data.dataset import Dataset
from mlfs.discretize import Binnings, coded, learn
from mlfs.discretize.table_survey import Survey
from mlfs.information.table import Table


def count_columns(
    dataset: Dataset, weights: np.ndarray | None, options: Mapping[str, Any], most: int, taken: int
) -> tuple[Grouping, Binnings, Table]:
    """Bin, code and count the columns; of the `most` bytes, `taken` are taken already."""
    n_threads = threads_of(options["n_jobs"])
    ignore_missing = options["missing"] == "ignore"
    survey = Survey.of(dataset.table, n_threads)
    if dataset.is_sparse:
        memory_estimate.of_entries(survey, taken, dataset.Y).free(most)
    if options["binnings"] is None:
        learned = learn(
            dataset,
            options["bins"],
            options["n_bins"],
            options["nominal_limit"],
            weights=weights,
            survey=survey,
        )
    else:
        learned = Binnings.of(options["binnings"])
    if survey.slices is not None:
        memory_estimate.of_slices(survey.slices, learned, taken, dataset.Y).free(most)
    groups = grouping(options["groups"], dataset.names)
    coded_x = coded(dataset.table, learned, survey)
    del survey
    if dataset.once:
        taken -= x_bytes(dataset)
        dataset.release()
    coded_x = groups.merged(coded_x, ignore_missing=ignore_missing)
    values = [len(label.values) for label in dataset.labels]
    y, mask_of = with_masks(code_labels(dataset.Y, values))
    kind = kinds(coded_x, y, weighted=weights is not None)
    codes, positions = coded_x.sorted_by(kind)
    del coded_x
    kind.sort()
    free = memory_estimate.of_codes(codes, y, kind, taken, moved=positions is not None).free(most)
    packed_bytes = memory_estimate.packed(codes, kind) if options["max_memory"] is None else None
    budget = Budget.of(free, packed_bytes, n_threads)
    grid = None if weights is None else on_grid(weights)
    per_cell = per_cell_of(options["correction"], grid, weights)
    counts = Counts(codes, y, grid, kind, n_threads, per_cell=per_cell)
    table = Table(
        counts,
        dataset.shape[2],
        mask_of,
        ignore_missing=ignore_missing,
        positions=positions,
        budget=budget,
    )
    return groups, learned, table


def threads_of(n_jobs: int | None) -> int:
    """Count the threads that `n_jobs` stands for."""
    if n_jobs is None:
        return 1
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    return int(n_jobs) if n_jobs > 0 else max(1, (processors or 1) + 1 + int(n_jobs))
