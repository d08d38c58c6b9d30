"""The floor of a selection: its counts at the speed of the machine, and nothing else."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.inputs import Input
from benchmarks.limits import Limits

__all__ = ["floor"]

PAIRS_ONLY = {"mim", "mrmr", "scls", "ami"}
NO_FEATURES = {"mim"}


def floor(data: Input, picks: list[int], criterion: str, limits: Limits) -> float:
    """Seconds for one read of X and every count of an eager search, on one thread.

    Packing, entropies and the search itself are not in it, so nobody reaches it; a lazy search
    counts less and may come below.

    Parameters
    ----------
    data : Input
        The arrays.
    picks : list of int
        The columns that were picked; the last one is counted with nothing.
    criterion : str
        Decides whether pairs of features and triples are counted.
    limits : Limits
        What the machine can do.
    """
    steps = [] if criterion in NO_FEATURES else picks[:-1]
    triples = criterion not in PAIRS_ONLY
    if sp.issparse(data.X):
        lists = _places(data, steps, triples=triples, pairs=criterion == "pmu") / limits.places
        planes = _words(data, steps, triples=triples, pairs=criterion == "pmu") / limits.words
        read = data.X.nnz * 5 / limits.bytes
        return float(min(lists, planes) + read)
    # Rows sorted by class: one sweep gives the counts for every class at once.
    sweeps = _words(data, steps, triples=False, pairs=False) / limits.words
    return float(sweeps + data.X.nbytes / limits.bytes)


def _words(data: Input, steps: list[int], *, triples: bool, pairs: bool) -> float:
    n, d = data.X.shape
    words = -(-n // 64)
    q = 1 if data.Y.ndim == 1 else data.Y.shape[1]
    if sp.issparse(data.X):
        sweeps = q + len(steps) * (q if triples else 1) + (q * (q - 1) // 2 if pairs else 0)
        return float(sweeps) * d * words
    planes = data.X.max(0).astype(np.int64)
    return float(planes.sum()) * words * (q + int(planes[steps].sum()))


def _places(data: Input, steps: list[int], *, triples: bool, pairs: bool) -> float:
    in_x = np.diff(data.X.indptr).astype(float)
    in_y = np.diff(data.Y.indptr).astype(float)
    total = float(in_x @ in_y)
    columns = sp.csc_array(data.X)
    each = in_x * in_y if triples else in_x
    for s in steps:
        rows = columns.indices[columns.indptr[s] : columns.indptr[s + 1]]
        total += float(each[rows].sum())
    if pairs:
        total += float(in_x @ (in_y * (in_y - 1) / 2))
    return total
