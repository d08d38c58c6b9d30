"""Bin, code and count the columns of a data set.

Estimate the least memory a selection needs, so that it can be refused early.

The estimate is made three times, each time from more: from the shape and the type of X, from its
bits or entries once binnings are learned, and from the coded columns.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.candidates import Grouping, grouping
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import COLUMNS_AT_ONCE, FEW_LEVELS, LayoutKind, kinds
from mlfs.counting.counts import Counts
from mlfs.counting.label_columns import code_labels, with_masks
from mlfs.counting.memory import Budget
from mlfs.counting.weights import on_grid
from mlfs.counting.xlogx import TABLE_SIZE
from mlfs.data.bit_slices import Slices
from mlfs.data.dataset import Dataset
from mlfs.discretize import Binnings, coded, learn
from mlfs.discretize.column_blocks import CELLS
from mlfs.discretize.encoder import Survey
from mlfs.errors import DataError
from mlfs.information.table import Table

COLUMN_BYTES = 256  # sums of a column while an anchor is counted with all
ROW_BYTES = 16  # the weight of a row, and its code in an anchor
CUT_BYTES = 80  # of a row, while some columns of any numbers are binned together
ENTRY_BYTES = 8  # of an entry of a list: its row and its code, or its column and its code
PLACE_BYTES = 4  # of an entry of a column of two levels, which needs no code
FEW_WORDS = 8  # planes of at most this many words are kept word by word as well
COPIED_BYTES = 12  # of an entry of a sparse table that is reordered
BINNED_BYTES = 72  # of an entry of a column, while some columns are binned
SAMPLED = 64  # rows that show which columns hold more than one value
ROWS_TO_SPARE = 0.9  # rows are not all equal
UNITS = ((10**9, 1, "GB"), (10**6, 0, "MB"), (1, -3, "kB"))


@dataclass(frozen=True)
class MemoryEstimate:
    """The least memory that is needed, in bytes.

    Parameters
    ----------
    rows : int
        The number of rows.
    fixed : int
        The part that does not depend on the rows.
    of_rows : int
        The part that grows with the rows.
    likely : int
        That part with what is only known later.
    labels : array, optional
        Labels that are not counted yet; used only for the estimate of what would fit.
    """

    rows: int
    fixed: int
    of_rows: int
    likely: int = 0
    labels: Any = None

    @property
    def least(self) -> int:
        """Total least memory in bytes."""
        return self.fixed + self.of_rows

    def free(self, most: int) -> int:
        """The rest of an amount, or `DataError` with what would fit.

        Examples
        --------
        >>> MemoryEstimate(rows=100, fixed=1_000_000, of_rows=4_000_000).free(6_000_000)
        1000000
        """
        if self.least <= most:
            return most - self.least
        of_rows = max(1, self.of_rows, self.likely) + _of_labels(self.labels)
        fit = int(self.rows * ROWS_TO_SPARE * (most - self.fixed) / of_rows)
        if fit > 0:
            fits = f"about {fit:,} of the {self.rows:,} rows would fit"
        else:
            fits = "so many columns do not fit, whatever the rows"
        msg = (
            f"is {amount(most, down=True)}, but counting takes at least "
            f"{amount(self.least)}: raise it, or give less data ({fits})"
        )
        raise DataError(msg, option="max_memory")


def of_table(data: Any, most: int) -> MemoryEstimate:
    """Estimate from the shape and the type of (X, Y), before anything is made of them.

    Parameters
    ----------
    data : Any
        The data as they were given; only arrays, and pairs that begin with one, are estimated.
    most : int
        The memory that may be taken; values are used only if the shape alone does not fit.
    """
    X = data[0] if isinstance(data, tuple) and len(data) == 2 else data
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "biuf":
        return MemoryEstimate(1, 0, 0)
    from mlfs.data.matrices import COUNTED_TYPES

    rows, d = X.shape
    is_counted = X.dtype.newbyteorder("=") in COUNTED_TYPES and X.dtype.isnative
    copy_bytes = 0 if is_counted else 8 * X.size
    estimate = _estimate(rows, d, copy_bytes + d * _plane(rows))
    if estimate.least <= most:
        return estimate
    sample = X[:: max(1, rows // SAMPLED)]
    vary = int((sample != sample[:1]).any(axis=0).sum()) if rows else 0
    if X.dtype.kind == "f" and (sample != np.rint(sample)).any():
        likely = 2 * 2 * d * _plane(rows) + CUT_BYTES * rows
    else:
        top = np.clip(sample.max(axis=0, initial=0), 0, FEW_LEVELS - 1).astype(np.uint8)
        bits = np.unpackbits(top[:, None], axis=1).any(axis=0).sum()
        likely = (int(top.sum()) + int(bits) * d * bool((top > 1).any())) * _plane(rows)
    least = _estimate(rows, d, copy_bytes + vary * _plane(rows))
    likely = _estimate(rows, d, copy_bytes + likely).of_rows
    return replace(least, likely=likely, labels=data[1] if isinstance(data, tuple) else None)


def of_entries(survey: Survey, taken: int, labels: Any) -> MemoryEstimate:
    """Estimate the memory to bin and code a sparse table.

    Parameters
    ----------
    survey : Survey
        The table, and which of its columns hold small whole numbers only; the others are looked at
        column by column.
    taken : int
        The bytes of what was made of the data before, and stays.
    labels : ndarray or sparse array
        The labels, which are coded later.
    """
    (rows, d), entries = survey.table.shape, int(survey.table.nnz)
    cut = 0
    if not survey.small.all():
        cut = 2 * COPIED_BYTES * entries + BINNED_BYTES * min(entries, CELLS)
    two = not cut and bool(((survey.counts > 0).sum(axis=1) <= 2).all())
    codes = (PLACE_BYTES if two else ENTRY_BYTES) * entries + taken
    counted = _estimate(rows, d, 2 * codes + 16 * rows).of_rows
    likely = max(counted, codes + (cut > 0) * (2 * COPIED_BYTES + BINNED_BYTES) * entries)
    return MemoryEstimate(rows, COLUMN_BYTES * d, cut + codes, likely, labels)


def of_slices(bits: Slices, binnings: Binnings, taken: int, labels: Any) -> MemoryEstimate:
    """Estimate the memory to make planes of bit slices.

    Parameters
    ----------
    bits : Slices
        The bits of a dense table.
    binnings : Binnings
        What is made of them.
    taken : int
        The bytes of what was made of the data before, and stays.
    labels : ndarray or sparse array
        The labels, which are coded later.
    """
    d, plane = bits.top.size, 8 * bits.planes.shape[2]
    levels = binnings.levels
    n_bits = int(np.unpackbits(bits.top[:, None] & np.uint8(31), axis=1).sum())
    unchanged = bool((levels == 2).all() and (bits.top <= 1).all())  # as they are
    planes = 0 if unchanged else int((levels[levels <= FEW_LEVELS] - 1).sum())
    rows = int(labels.shape[0])
    cut = 0
    if not bits.small.all():  # planes come in parts, and are put together
        cut = CUT_BYTES * rows + planes * plane
    later = _estimate(rows, d, (planes or n_bits) * plane + taken)
    of_rows = max(later.of_rows, (n_bits + planes) * plane + cut + taken)
    return replace(later, of_rows=of_rows, labels=labels)


def of_codes(
    features: Codes, labels: Codes, kind: np.ndarray, taken: int, *, moved: bool
) -> MemoryEstimate:
    """Estimate the memory to count coded columns.

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
    return _estimate(rows, d + q, of_rows + taken)


def packed(features: Codes, kind: np.ndarray) -> int:
    """The memory of coded columns in the layouts in which they are counted."""
    listed = (kind == LayoutKind.LISTS) | (kind == LayoutKind.BINARY_LISTS)
    planes = int((features.levels[~listed] - 1).sum()) * _plane(features.n_rows)
    return planes + ENTRY_BYTES * int(features.non_mode[listed].sum())


def _estimate(rows: int, columns: int, of_rows: int) -> MemoryEstimate:
    table = 8 * min(rows + 1, TABLE_SIZE)
    return MemoryEstimate(rows, COLUMN_BYTES * columns, of_rows + table + ROW_BYTES * rows)


def _of_labels(labels: Any) -> int:
    if sp.issparse(labels):
        return 2 * ENTRY_BYTES * int(labels.nnz)
    table = np.asarray(labels) if isinstance(labels, np.ndarray) else np.zeros(0)
    return int(table.size + 2 * ENTRY_BYTES * np.count_nonzero(table))


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
    ignore_missing = options["missing"] == "ignore"
    survey = Survey.of(dataset.table, n_threads)
    if dataset.is_sparse:
        of_entries(survey, taken, dataset.Y).free(most)
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
        of_slices(survey.slices, learned, taken, dataset.Y).free(most)
    groups = grouping(options["groups"], dataset.names)
    coded_x = coded(dataset.table, learned, survey)
    del survey
    coded_x = groups.merged(coded_x, ignore_missing=ignore_missing)
    values = [len(label.values) for label in dataset.labels]
    y, mask_of = with_masks(code_labels(dataset.Y, values))
    kind = kinds(coded_x, y, weighted=weights is not None)
    codes, positions = coded_x.sorted_by(kind)
    del coded_x
    kind.sort()
    free = of_codes(codes, y, kind, taken, moved=positions is not None).free(most)
    packed_bytes = packed(codes, kind) if options["max_memory"] is None else None
    budget = Budget.of(free, packed_bytes, n_threads)
    grid = None if weights is None else on_grid(weights)
    counts = Counts(codes, y, grid, kind, n_threads)
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
