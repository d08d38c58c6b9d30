"""Scores of each feature on its own, as a module of a user's has them, and what they score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.value_kinds import Number, checked_count
from mlfs.compare.data_sources import dense
from mlfs.compare.training_rows import TrainingRows
from mlfs.errors import DataError, UsageError, printable
from mlfs.models.training_table import TrainingTable


def table_of_rows(train: TrainingRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The values as models get them, the labels, and the feature of each column."""
    table = TrainingTable.learn(train.data)
    X, _ = table.matrix(train.data)
    Y = dense(train.data.Y)
    if (Y < 0).any():
        msg = "this baseline takes no missing labels: leave such rows out, or take another one"
        raise DataError(msg)
    feature = np.repeat(np.arange(len(table.fields)), [len(f.names) for f in table.fields])
    return np.asarray(X.toarray() if sp.issparse(X) else X, np.float64), Y, feature


@dataclass(frozen=True)
class Filter:
    """A way to score each feature on its own; one of a module is named by its import path.

    Parameters
    ----------
    scores : callable
        ``scores(train, seed, **parameters)`` gives the worth of each feature.
    counts : bool
        Whether it uses the rows binned and counted, not the values themselves.
    parameters : mapping
        The parameters, with their defaults.
    """

    scores: Callable[..., np.ndarray]
    counts: bool = False
    parameters: Mapping[str, float] = field(default_factory=dict)

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters with their values; one that this filter does not have is refused."""
        for name, value in values.items():
            if name not in self.parameters:
                takes = ", ".join(self.parameters) or "none"
                msg = f"there is no parameter {printable(name)!r} here; known are: {takes}"
                raise UsageError(msg)
            if isinstance(self.parameters[name], int):
                checked_count(value, name)
            else:
                Number().read(name, value)
        return {**self.parameters, **values}
