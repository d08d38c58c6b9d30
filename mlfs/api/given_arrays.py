"""The arrays that a user gave, and what was made of them: for estimates of memory."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Dataset

__all__ = ["arrays_of", "made_of"]


def made_of(given: list[np.ndarray], dataset: Dataset) -> int:
    """The bytes of what was made of the data, and is not what was given."""
    return sum(
        part.nbytes
        for part in _arrays(dataset.table, dataset.Y)
        if not any(np.may_share_memory(part, other) for other in given)
    )


def arrays_of(data: Any, dataset: Dataset) -> list[np.ndarray]:
    """The arrays that a user's data hold."""
    if isinstance(data, (Dataset, str, os.PathLike)):
        return _arrays(dataset.table, dataset.Y)
    return _arrays(*data) if isinstance(data, tuple) else _arrays(data)


def _arrays(*tables: Any) -> list[np.ndarray]:
    names = ("data", "indices", "indptr")
    parts = [
        [getattr(table, name, None) for name in names] if sp.issparse(table) else [table]
        for table in tables
    ]
    return [part for some in parts for part in some if isinstance(part, np.ndarray)]
