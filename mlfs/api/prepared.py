"""Make data ready: read, bin, code and count them, and tell what was decided on the way."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api import memory_estimate as needs
from mlfs.api.candidates import Grouping, grouping
from mlfs.counting.column_groups import kinds
from mlfs.counting.counts import Counts
from mlfs.counting.label_codes import code_labels, with_masks
from mlfs.counting.memory import Budget, bytes_of
from mlfs.counting.weights import checked_weights, on_grid
from mlfs.data.dataset import Dataset
from mlfs.discretize import Binning, Binnings, coded, learn
from mlfs.discretize.small import surveyed
from mlfs.errors import DataError, UsageError, plural, printable
from mlfs.information.info import Info
from mlfs.information.table import Table

__all__ = ["Prepared", "check_jobs", "prepare"]

MISSING = ("level", "ignore", "error")
CELLS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Prepared:
    """A data set, coded and counted: what all criteria on the same data share."""

    dataset: Dataset
    binnings: Sequence[Binning]
    grouping: Grouping
    table: Table
    weights: np.ndarray | None
    notes: tuple[str, ...]

    @property
    def info(self) -> Info:
        """The view on all candidates and all labels."""
        return Info(self.table)


def prepare(
    data: Any,
    *,
    labels: Any = None,
    groups: Any = None,
    bins: str = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    missing: str = "level",
    sample_weight: Any = None,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
    binnings: Sequence[Binning] | None = None,
) -> Prepared:
    """Read, bin and count a data set; see `select` for the parameters."""
    if missing not in MISSING:
        msg = f"missing is one of {', '.join(MISSING)}, not {printable(repr(missing))}"
        raise UsageError(msg)
    most = bytes_of(max_memory)
    needs.of_table(data, most).free(most)
    dataset = _as_dataset(data, labels)
    is_given = isinstance(data, (Dataset, str, os.PathLike))
    from_user = _arrays(dataset.table, dataset.Y) if is_given else _arrays(*_pair(data))
    if dataset.shape[2] == 0:
        where = printable(dataset.source.path, 400)
        msg = f"{where} has no label columns, and there is nothing to select for"
        raise DataError(msg)
    notes = list(dataset.notes)
    notes += [f"column {printable(n)!r} is left out of X: {why}" for n, why in dataset.left_out]
    notes = list(dict.fromkeys(notes))  # a reader may have said so already
    dataset, weights = _weighted(dataset, sample_weight, notes)
    if missing == "error":
        _refuse_missing(dataset)
    n_threads = _threads(n_jobs)
    own = _made_of(from_user, dataset)
    survey = surveyed(dataset.table, n_threads)
    if dataset.is_sparse:
        small = None if survey is None else survey.small
        needs.of_entries(dataset.table, small, own, dataset.Y).free(most)
    learned = (
        learn(dataset, bins, n_bins, nominal_limit, weights=weights, survey=survey)
        if binnings is None
        else Binnings.made_of(binnings)
    )
    if survey is not None and survey.slices is not None:
        needs.of_slices(survey.slices, learned, own, dataset.Y).free(most)
    groups_ = grouping(groups, dataset.names)
    coded_x = coded(dataset.table, learned, survey)
    del survey
    coded_x = groups_.merged(coded_x, ignore_missing=missing == "ignore")
    values = [len(label.values) for label in dataset.labels]
    y, mask_of = with_masks(code_labels(dataset.Y, values))
    kind = kinds([coded_x], [y], weights is not None)
    codes, place = coded_x.sorted_by(kind)
    del coded_x
    kind.sort()
    free = needs.of_codes(codes, y, kind, own, moved=place is not None).free(most)
    beside = needs.packed(codes, kind) if max_memory is None else None
    budget = Budget.of(free, beside, n_threads)
    grid = None if weights is None else [on_grid(weights)]
    counts = Counts([codes], [y], grid, n_threads, kind)
    table = Table(
        counts,
        dataset.shape[2],
        mask_of,
        ignore_missing=missing == "ignore",
        place=place,
        budget=budget,
    )
    notes += _told(dataset, table, groups_, learned, missing)
    ready = Prepared(dataset, learned, groups_, table, weights, tuple(notes))
    weakref.finalize(ready, table.let_go)
    return ready


def _weighted(
    dataset: Dataset, sample_weight: Any, notes: list[str]
) -> tuple[Dataset, np.ndarray | None]:
    """The rows that count, and how much each does."""
    given = dataset.weights if sample_weight is None else sample_weight
    if given is None:
        return dataset, None
    weights = checked_weights(given, dataset.shape[0])
    if sample_weight is None:
        notes.append("rows are weighted as the file says")
    if not weights.all():
        kept = np.flatnonzero(weights)
        notes.append(f"{plural(weights.size - kept.size, 'row')} of weight 0 left out")
        weights = weights[kept]
        dataset = replace(dataset, X=dataset.table[kept], Y=dataset.Y[kept])
    return dataset, weights


def _as_dataset(data: Any, labels: Any) -> Dataset:
    if isinstance(data, Dataset):
        if labels is not None:
            msg = "labels= was given beside a Dataset, which knows its labels"
            raise UsageError(msg)
        return data
    from mlfs.data.arrays import from_arrays
    from mlfs.data.formats import read

    if isinstance(data, (str, os.PathLike)):
        return read(Path(data), labels=labels)
    if isinstance(data, tuple) and len(data) == 2:
        if labels is not None:
            msg = "labels= names columns of a file or frame, and Y is given as well: give one"
            raise UsageError(msg)
        return from_arrays(*data)
    if labels is not None:
        return from_arrays(data, labels=labels)
    msg = f"data is a Dataset, a path or (X, Y), not {printable(type(data).__name__)}"
    raise UsageError(msg)


def _made_of(given: list[np.ndarray], dataset: Dataset) -> int:
    """The bytes of what was made of the data, and is not what was given."""
    return sum(
        part.nbytes
        for part in _arrays(dataset.table, dataset.Y)
        if not any(np.may_share_memory(part, other) for other in given)
    )


def _pair(data: Any) -> tuple[Any, ...]:
    return data if isinstance(data, tuple) else (data,)


def _arrays(*tables: Any) -> list[np.ndarray]:
    names = ("data", "indices", "indptr")
    parts = [
        [getattr(table, name, None) for name in names] if sp.issparse(table) else [table]
        for table in tables
    ]
    return [part for some in parts for part in some if isinstance(part, np.ndarray)]


def _refuse_missing(dataset: Dataset) -> None:
    if dataset.table.dtype.kind != "f":
        return
    if sp.issparse(dataset.X):
        stored = sp.coo_array(dataset.X)
        gone = np.isnan(stored.data)
        rows, columns = stored.row[gone], stored.col[gone]
    else:
        step = max(1, CELLS_AT_ONCE // dataset.X.shape[1])
        parts = range(0, dataset.X.shape[0], step)
        found = [np.add(np.argwhere(np.isnan(dataset.X[at : at + step])), (at, 0)) for at in parts]
        rows, columns = np.concatenate(found).T
    if rows.size:
        first = np.lexsort((columns, rows))[0]
        msg = (
            f"{rows.size} values of X are missing, the first in row {rows[first] + 1} of the "
            f"column {printable(dataset.columns[columns[first]].name)!r}: "
            "use missing='level' or missing='ignore'"
        )
        raise DataError(msg)


def _told(
    dataset: Dataset, table: Table, groups: Grouping, binnings: Binnings, missing: str
) -> list[str]:
    notes = []
    n_missing = int(binnings.has_missing.sum())
    if n_missing:
        how = "are a level of their own" if missing == "level" else "are left out"
        notes.append(f"missing values in {plural(n_missing, 'column')} {how}")
    constant = np.flatnonzero(Info(table).h_f == 0)
    if constant.size:
        first = dataset.columns[groups.members[int(constant[0])][0]].name
        notes.append(
            f"{plural(constant.size, 'feature')} constant once binned, without information: "
            f"{printable(first)!r}{' and others' if constant.size > 1 else ''}"
        )
    gone = int((table.mask_of >= 0).sum())
    if gone:
        notes.append(
            f"{plural(gone, 'label')} with missing values: such rows are left out of their terms"
        )
    flat = [dataset.label_names[i] for i in np.flatnonzero(table.h_l == 0).tolist()]
    if flat:
        notes.append(
            f"{plural(len(flat), 'label')} constant, telling nothing: "
            f"{printable(flat[0])!r}{' and others' if len(flat) > 1 else ''}"
        )
    return notes


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of threads."""
    if n_jobs is None:
        return
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        msg = f"n_jobs is a number of threads, or -1 for all, not {printable(repr(n_jobs))}"
        raise UsageError(msg)


def _threads(n_jobs: int | None) -> int:
    check_jobs(n_jobs)
    if n_jobs is None:
        return 1
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    return int(n_jobs) if n_jobs > 0 else max(1, (processors or 1) + 1 + int(n_jobs))
