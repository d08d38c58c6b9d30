"""Make the folds of the benchmark, once; rows with equal features are in one fold."""

from __future__ import annotations

import hashlib

import numpy as np
import scipy.sparse as sp
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold

from benchmarks.reference.config import FOLDS, Entry, entries, protocol
from mlfs.compare.data_sources import dense
from mlfs.compare.resampling import SUMS
from mlfs.data import Dataset

__all__ = ["folds_of", "write_folds"]


def write_folds() -> None:
    """Write a file for each data set, and their digests."""
    FOLDS.mkdir(exist_ok=True)
    sums = []
    for entry in entries():
        data, _ = entry.load()
        text = fold_text(folds_of(data), _about(entry, data))
        (FOLDS / f"{entry.name}.txt").write_text(text, encoding="ascii", newline="\n")
        sums.append(f"{hashlib.sha256(text.encode()).hexdigest()}  {entry.name}.txt\n")
        print(entry.name, data.shape, flush=True)
    (FOLDS / SUMS).write_text("".join(sums), encoding="ascii", newline="\n")


def _about(entry: Entry, data: Dataset) -> str:
    return f"{entry.name}: the fold in which each of the {data.shape[0]} rows is a test row"


def folds_of(data: Dataset) -> np.ndarray:
    """Folds stratified by labels (Sechidis et al., 2011), of distinct rows; copies follow."""
    X = data.X.toarray() if sp.issparse(data.X) else np.asarray(data.X)
    first, which = _distinct(X)
    kinds = MultilabelStratifiedKFold(
        n_splits=protocol()["folds"], shuffle=True, random_state=protocol()["seed"]
    )
    folds = np.empty(first.size, np.int64)
    for fold, (_, test) in enumerate(kinds.split(first[:, None], dense(data.Y)[first] > 0)):
        folds[test] = fold
    return folds[which]


def _distinct(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first row of each kind, and the kind of each row."""
    kinds: dict[bytes, int] = {}
    which = np.array([kinds.setdefault(row.tobytes(), len(kinds)) for row in X])
    return np.unique(which, return_index=True)[1], which


def fold_text(folds: np.ndarray, about: str) -> str:
    """The text of a file of folds.

    Examples
    --------
    >>> fold_text(np.array([0, 1]), "two rows")
    '# two rows\\n0\\n1\\n'
    """
    return f"# {about}\n" + "".join(f"{fold}\n" for fold in folds.tolist())
