"""What a user gives as data becomes a `Dataset`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mlfs.data.dataset import Dataset
from mlfs.errors import UsageError, printable

__all__ = ["as_dataset"]


def as_dataset(data: Any, labels: Any = None, *, numbers: bool = False) -> Dataset:
    """The data set that a user's data are; `labels` says which columns are labels.

    With `numbers`, numeric targets keep their numbers.
    """
    if isinstance(data, Dataset):
        if labels is not None:
            msg = "is given beside a Dataset, which knows its labels: leave it out"
            raise UsageError(msg, option="labels")
        return data
    from mlfs.data.arrays import from_arrays
    from mlfs.data.formats import read

    if isinstance(data, (str, os.PathLike)):
        return read(Path(data), labels=labels, numbers=numbers)
    if isinstance(data, tuple) and len(data) == 2:
        if labels is not None:
            msg = "names columns of a file or frame, and Y is given as well: give one of the two"
            raise UsageError(msg, option="labels")
        return from_arrays(*data, numbers=numbers)
    if labels is not None:
        return from_arrays(data, labels=labels, numbers=numbers)
    msg = f"data is a Dataset, a path or (X, Y), not {printable(type(data).__name__)}"
    raise UsageError(msg)
