"""How users write against mlfs, checked by mypy and never run."""

from __future__ import annotations

from typing import Any

import numpy as np

import mlfs
from mlfs import criteria


class Half(mlfs.Criterion):
    """A user's criterion with a parameter."""

    falls = True

    def __init__(self, share: float = 0.5) -> None:
        self.share = share

    def relevance(self, info: mlfs.Info) -> Any:
        """Half of the relevance."""
        return self.share * info.mi_fL

    def term(self, info: mlfs.Info, s: int) -> Any:
        """What s repeats."""
        return info.mi_fs(s)


def from_a_file(path: str) -> list[str]:
    """Read, select, and take the names."""
    data: mlfs.Dataset = mlfs.read(path, labels="last:6")
    selection: mlfs.Selection = mlfs.select(data, "scls", 10, exclude=["track_number"])
    return list(selection.names)


def from_arrays(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Use the transformer."""
    selector = mlfs.FeatureSelector(criterion=Half(share=0.4), n_features_to_select=3)
    selector.fit(X, Y)
    return np.asarray(selector.indices_)


def names() -> list[str]:
    """Know the criteria."""
    return list(criteria.available())
