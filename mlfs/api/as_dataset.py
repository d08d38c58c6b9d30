"""Data as a user gives them: the `Dataset` it becomes, and the arrays it holds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.assemble import IDENTIFIER
from mlfs.data.dataset import Dataset
from mlfs.data.dates import with_dates
from mlfs.data.row_stack import is_in_file
from mlfs.datasets.fetching import place_of
from mlfs.errors import Caution, UsageError, printable, setting


@dataclass(frozen=True)
class AsGiven:
    """A data set in place of the table that it was made of, by whose columns it is counted.

    Where a data set itself is given, its own columns are counted.
    """

    dataset: Dataset


def as_dataset(
    data: Any,
    labels: Any = None,
    *,
    numeric_targets: bool = False,
    cluster: Any = None,
    max_memory: int | None = None,
    dates: str = "skip",
    numbers: str = "read",
    names: Mapping[str, Any] | None = None,
) -> Dataset:
    """The data set that a user's data are; `labels` says which columns are labels.

    With `numeric_targets` they keep their numbers. Rows that are read take at most `max_memory`
    bytes. The workers of a cluster read files, and get collections of dask. Arrays have no `names`
    of their own.
    """
    names = names or {}
    how: Any = {"labels": labels, "numeric_targets": numeric_targets, "dates": dates}
    how["numbers"] = numbers
    if names and not isinstance(data, tuple):
        msg = "is for arrays and sparse matrices, given as (X, Y): other data have names"
        raise UsageError(msg, option=next(iter(names)))
    if cluster is not None:
        from mlfs.api.cluster.elsewhere import elsewhere, is_elsewhere

        if is_elsewhere(data):
            return elsewhere(data, cluster, **how)
    if isinstance(data, AsGiven):
        return data.dataset
    if isinstance(data, Dataset):
        if labels is not None:
            msg = "is given beside a Dataset, which knows its labels: leave it out"
            raise UsageError(msg, option="labels")
        return with_dates(_counted_by_itself(data), dates)
    from mlfs.data.arrays import from_arrays
    from mlfs.data.formats import read
    from mlfs.data.h5ad import from_anndata, is_anndata
    from mlfs.data.request import Request

    if isinstance(data, (str, os.PathLike)):
        place = place_of(data) if isinstance(data, str) else data
        return read(Path(place), max_memory=max_memory, **how)
    if is_anndata(data):
        return from_anndata(data, Request(labels=labels, numeric_targets=numeric_targets))
    if isinstance(data, tuple) and len(data) == 2:
        if labels is not None:
            msg = "names columns of a file or frame, and Y is given as well: give one of the two"
            raise UsageError(msg, option="labels")
        return from_arrays(data[0], data[1], **how, **names)
    if labels is not None:
        return from_arrays(data, **how)
    if hasattr(data, "columns") and hasattr(data, "shape"):
        msg = (
            "a frame alone does not say which of its columns are labels: say labels=['a', 'b'], or "
        )
        msg += f"{setting('labels', 'last:6')}, or give (X, Y)"
        raise UsageError(msg)
    msg = f"data is a Dataset, a path or (X, Y), not {printable(type(data).__name__)}"
    raise UsageError(msg)


def _counted_by_itself(data: Dataset) -> Dataset:
    """A data set whose columns are counted without those that were left out of it."""
    if data.places is None and not data.left_out:
        return data
    return data.with_changes(places=None, left_out=(), notes=notes_of_reading(data))


def notes_of_reading(data: Dataset) -> tuple[str, ...]:
    """The notes of a reader, and those on the columns that are left out.

    A selection has its own note on identifiers.
    """
    left_out = ((printable(name), why) for name, why in data.left_out)
    notes = [Caution(f"column {name!r} is left out of X: {why}") for name, why in left_out]
    told = [note for note in data.notes if not note.endswith(IDENTIFIER)]
    return tuple(dict.fromkeys([*told, *notes]))  # a reader may have said so already


def bytes_made(given_arrays: list[np.ndarray], dataset: Dataset) -> int:
    """The bytes of the arrays that were made from the data, without those that were given.

    What lies in a file takes no memory that counting could not have.
    """
    return sum(
        array.nbytes
        for array in _arrays(dataset.table, dataset.Y)
        if not is_in_file(array)
        and not any(np.may_share_memory(array, given) for given in given_arrays)
    )


def arrays_of(data: Any, dataset: Dataset) -> list[np.ndarray]:
    """The arrays that a user's data hold."""
    if isinstance(data, (str, os.PathLike)):
        return []
    if isinstance(data, Dataset):
        return _arrays(dataset.table, dataset.Y)
    return _arrays(*data) if isinstance(data, tuple) else _arrays(data)


def _arrays(*tables: Any) -> list[np.ndarray]:
    names = ("data", "indices", "indptr")
    arrays: list[Any] = []
    for table in tables:
        arrays += [getattr(table, name, None) for name in names] if sp.issparse(table) else [table]
    return [array for array in arrays if isinstance(array, np.ndarray)]
