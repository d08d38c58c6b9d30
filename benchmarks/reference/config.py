"""What protocol.toml says, and the data sets as they take part."""

from __future__ import annotations

import functools
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import mlfs
from benchmarks.selectors import path_of
from mlfs.compare.data_sources import dense, drop_columns
from mlfs.data import Dataset
from mlfs.data.dataset import join_datasets
from mlfs.data.identifiers import identifier_columns

__all__ = ["FOLDS", "HERE", "Entry", "entries", "leaked", "protocol"]

HERE = Path(__file__).parent
FOLDS = HERE / "folds"


@functools.cache
def protocol() -> Mapping[str, Any]:
    """The whole file."""
    return tomllib.loads((HERE / "protocol.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Entry:
    """A data set of the benchmark."""

    name: str
    files: tuple[str, ...]
    domain: str
    used: int
    models: tuple[str, ...]
    exclude: tuple[str, ...] = ()
    large: bool = False

    @property
    def criteria(self) -> list[str]:
        found = protocol()["fast" if self.large else "criteria"]
        return [*found, *map(path_of, protocol()["baselines"])]

    def raw(self) -> list[Dataset]:
        """The files as they are, from the folder that MLFS_SHARED_DATA names."""
        root = Path(os.environ["MLFS_SHARED_DATA"])
        return [mlfs.read(root / one) for one in self.files]

    def load(self) -> tuple[Dataset, tuple[str, ...]]:
        """The data set as it takes part, and the columns that were left out of it."""
        parts = self.raw()
        data = parts[0] if len(parts) == 1 else join_datasets(*parts)
        gone = {*self.exclude, *leaked(data, int(protocol()["leaked"]))}
        gone |= {data.columns[j].name for j in identifier_columns(data)}
        names = tuple(name for name in data.feature_names if name in gone)
        return drop_columns(data, names), names


def entries() -> list[Entry]:
    """All data sets, in the order of the file."""
    return [
        Entry(one["name"], tuple(one["files"]), one["domain"], one["used"], tuple(one["models"]),
              tuple(one.get("exclude", ())), one.get("large", False))
        for one in protocol()["data"]
    ]  # fmt: skip


def leaked(data: Dataset, rows: int) -> list[str]:
    """The columns that say the same as a label in every row; of labels with enough rows."""
    Y = dense(data.Y) > 0
    Y = Y[:, (Y.sum(axis=0) >= rows) & ((~Y).sum(axis=0) >= rows)]
    labels = {one.tobytes() for y in Y.T for one in (y, ~y)}
    X = sp.csc_array(data.X) if sp.issparse(data.X) else data.X
    found = []
    for j, column in enumerate(data.columns):
        x = X[:, [j]]
        values = np.asarray(x.toarray() if sp.issparse(x) else x).ravel()
        if np.unique(values).size == 2 and (values == values.max()).tobytes() in labels:
            found.append(column.name)
    return found
