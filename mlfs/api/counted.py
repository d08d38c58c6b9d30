"""Bin, code and count the columns of a data set, in the memory that there is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from mlfs.api.candidates import Grouping, grouping
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import COLUMNS_AT_ONCE, LayoutKind, kinds
from mlfs.counting.counts import Counts
from mlfs.counting.label_columns import code_labels, with_masks
from mlfs.counting.memory import Budget
from mlfs.counting.weights import on_grid
from mlfs.counting.xlogx import TABLE_SIZE
from mlfs.data.dataset import Dataset
from mlfs.discretize import Binnings, coded, learn
from mlfs.discretize.encoder import Survey
from mlfs.errors import DataError
from mlfs.information.table import Table

COLUMN_BYTES = 256  # sums of a column while an anchor is counted with all
ROW_BYTES = 16  # the weight of a row, and its code in an anchor
ENTRY_BYTES = 8  # of an entry of a list: its row and its code, or its column and its code
PLACE_BYTES = 4  # of an entry of a column of two levels, which needs no code
FEW_WORDS = 8  # planes of at most this many words are kept word by word as well
UNITS = ((10**9, 1, "GB"), (10**6, 0, "MB"), (1, -3, "kB"))


def free_memory(least: int, most: int) -> int:
    """The rest of an amount of memory, or `DataError` if it is less than the least that is needed.

    Examples
    --------
    >>> free_memory(5_000_000, 6_000_000)
    1000000
    """
    if least <= most:
        return most - least
    msg = (
        f"is {amount(most, down=True)}, but counting takes at least {amount(least)}: raise it, or "
        "give less data"
    )
    raise DataError(msg, option="max_memory")


def bytes_to_count(
    features: Codes, labels: Codes, kind: np.ndarray, taken: int, *, moved: bool
) -> int:
    """The least memory that counting coded columns takes.

    Parameters
    ----------
    features, labels : Codes
        What will be counted.
    kind : ndarray
        The kind of each feature, see `mlfs.counting.column_groups.kinds`.
    taken : int
        The bytes of what was made of the data before, and stays.
    moved : bool
        Whether the columns were put into another order, so that planes are copied.
    """
    rows, d, q = features.n_rows, len(features), len(labels)
    listed = (kind == LayoutKind.LISTS) | (kind == LayoutKind.BINARY_LISTS)
    planes = (features.levels - 1) * _plane(rows)
    packed = np.zeros(d, bool) if features.packed is None else features.packed.first >= 0
    by_column = ENTRY_BYTES if features.has_codes else PLACE_BYTES
    by_row = np.where(kind == LayoutKind.BINARY_LISTS, PLACE_BYTES, ENTRY_BYTES)[listed]
    of_rows = by_column * int(features.non_mode[~packed].sum())
    of_rows += int((by_row * features.non_mode[listed]).sum())
    if listed.any():
        of_rows += -(-int(listed.sum()) // COLUMNS_AT_ONCE) * 8 * rows
        group = min(1.0, COLUMNS_AT_ONCE / int(listed.sum()))
        of_rows += int(ENTRY_BYTES * features.non_mode[listed & packed].sum() * group)
    copies = int(moved) + int(rows <= 64 * FEW_WORDS)
    of_rows += int(planes[packed].sum()) + copies * int(planes[~listed].sum())
    of_rows += int(planes[~listed & ~packed].sum())
    of_rows += ENTRY_BYTES * labels.n_entries * (1 + bool(listed.any()))
    of_rows += 8 * rows * bool(listed.any())
    of_rows += 8 * min(rows + 1, TABLE_SIZE) + ROW_BYTES * rows + taken
    return COLUMN_BYTES * (d + q) + of_rows


def packed(features: Codes, kind: np.ndarray) -> int:
    """The memory of coded columns in the layouts in which they are counted."""
    listed = (kind == LayoutKind.LISTS) | (kind == LayoutKind.BINARY_LISTS)
    planes = int((features.levels[~listed] - 1).sum()) * _plane(features.n_rows)
    return planes + ENTRY_BYTES * int(features.non_mode[listed].sum())


def _plane(rows: int) -> int:
    return 8 * -(-rows // 64)


def amount(size: int, *, down: bool = False) -> str:
    """An amount in words, rounded up, or down.

    Examples
    --------
    >>> amount(1_999_001), amount(12), amount(1_999_001_000), amount(1_999_001_000, down=True)
    ('2 MB', '1 kB', '2.0 GB', '1.9 GB')
    """
    unit, digits, name = next(row for row in UNITS if size >= row[0] or row[0] == 1)
    step = unit // 10**digits if digits >= 0 else 10**-digits
    steps = size // step if down else -(-size // step)
    return f"{steps / 10 ** max(0, digits):,.{max(0, digits)}f} {name}"


def count_columns(
    dataset: Dataset, weights: np.ndarray | None, options: Mapping[str, Any], most: int, taken: int
) -> tuple[Grouping, Binnings, Table]:
    """Bin, code and count the columns; of the `most` bytes, `taken` are taken already."""
    n_threads = threads_of(options["n_jobs"])
    survey = Survey.of(dataset.table, n_threads)
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
    groups = grouping(options["groups"], dataset.names)
    coded_x = coded(dataset.table, learned, survey)
    del survey
    coded_x = groups.merged(coded_x)
    values = [len(label.values) for label in dataset.labels]
    y, mask_of = with_masks(code_labels(dataset.Y, values))
    kind = kinds(coded_x, y, weighted=weights is not None)
    codes, positions = coded_x.sorted_by(kind)
    del coded_x
    kind.sort()
    free = free_memory(bytes_to_count(codes, y, kind, taken, moved=positions is not None), most)
    packed_bytes = packed(codes, kind) if options["max_memory"] is None else None
    budget = Budget.of(free, packed_bytes, n_threads)
    grid = None if weights is None else on_grid(weights)
    counts = Counts(codes, y, grid, kind, n_threads)
    table = Table(
        counts,
        dataset.shape[2],
        mask_of,
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
