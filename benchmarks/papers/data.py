"""The data sets of the tables, by the names that the papers give them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

import mlfs
from benchmarks.files import real_file

__all__ = ["Data", "Part", "load", "load_split"]

WHOLE = {
    "emotions": ["emotions/emotions.arff"],
    "yeast": ["yeast/yeast.arff"],
    "birds": ["birds/birds-train.arff", "birds/birds-test.arff"],
    "genbase": ["genbase/genbase.arff"],
    "medical": ["medical/medical.arff"],
    "enron": ["enron/enron.arff"],
    "languagelog": ["languagelog/langlog.arff"],
    "rcv1subset1": ["rcv1subset1/rcv1subset1.mat"],
    "bibtex": ["bibtex/bibtex.arff"],
    "corel5k": ["corel5k/Corel5k-sparse.arff"],
    "delicious": ["delicious/delicious.arff"],
    "image": ["image/Image-train.arff", "image/Image-test.arff"],
}
SPARSE = 0.2  # X with fewer values than this share is held as a sparse matrix


@dataclass(frozen=True)
class Part:
    """Rows: X of float64, dense or csr, and Y of 0 and 1."""

    X: Any
    Y: np.ndarray

    def at(self, rows: np.ndarray) -> Part:
        """Some of the rows."""
        return Part(self.X[rows], self.Y[rows])


@dataclass(frozen=True)
class Data(Part):
    """A data set by its name."""

    name: str


def load(name: str) -> Data:
    """All rows of a data set."""
    parts = [_read(file) for file in WHOLE[name]]
    X, Y = [part.X for part in parts], [part.Y for part in parts]
    return Data(
        sp.vstack(X, format="csr") if sp.issparse(X[0]) else np.vstack(X), np.vstack(Y), name
    )


def load_split(name: str) -> tuple[Part, Part]:
    """The rows for training and those for testing, as its publishers divided them."""
    return _read(f"{name}/{name}-train.arff"), _read(f"{name}/{name}-test.arff")


def _read(file: str) -> Part:
    dataset = mlfs.read(real_file(file))
    kept = [j for j, column in enumerate(dataset.columns) if column.name != "protein"]
    X = dataset.X[:, kept] if len(kept) < dataset.X.shape[1] else dataset.X
    if not sp.issparse(X):
        for place, j in enumerate(kept):
            if dataset.columns[j].values == ("YES", "NO"):
                X[:, place] = 1 - X[:, place]
        if np.count_nonzero(X) < SPARSE * X.size:
            X = sp.csr_array(X)
    return Part(X, (np.asarray(dataset.Y) > 0).astype(np.int64))
