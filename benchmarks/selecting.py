"""Select: from arrays to the answer, and from ready counts; time, memory, limit, peers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

import mlfs
from benchmarks import clock
from benchmarks.cases import Case
from benchmarks.floor import floor
from benchmarks.inputs import Input
from benchmarks.limits import Limits
from mlfs import criteria
from mlfs.api.prepared import prepare
from mlfs.information.info import Info
from mlfs.search.greedy import greedy

__all__ = ["answer", "select_case", "warm"]

TOO_LONG = 5.0  # seconds; then one run is enough


def answer(data: Any, case: Case, threads: int = 1) -> mlfs.Selection:
    """What a user calls."""
    return mlfs.select(data, case.what, min(case.n, data[0].shape[1]), n_jobs=threads)


def warm(data: Input, case: Case) -> None:
    """Load every kernel that the case may use, on a corner of its own input."""
    corner = data.cut(400, 64)
    small = Case(case.kind, case.source, case.what, min(case.n, 8))
    for threads in (1, 2):
        answer((corner.X, corner.Y), small, threads)


def select_case(data: Input, case: Case, limits: Limits, budget: float) -> dict[str, Any]:
    """Measure a selection."""
    pair = (data.X, data.Y)
    warm(data, case)
    before = clock.memory_now()
    clock.reset_peak()
    one = clock.best_of(lambda _: answer(pair, case), budget=budget)
    peak = clock.peak_memory()
    selection = answer(pair, case) if one["seconds"] < TOO_LONG else None
    record: dict[str, Any] = {
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "labels": 1 if data.Y.ndim == 1 else data.Y.shape[1],
        **one,
        "peak_mb": (peak - before) / 2**20,
        "input_mb": _bytes(data) / 2**20,
        "packed_mb": packed(data) / 2**20,
    }
    if one["seconds"] < 10 * TOO_LONG:
        record["two_threads"] = clock.best_of(lambda _: answer(pair, case, 2), budget=budget)[
            "seconds"
        ]
        record["ready"] = _from_counts(data, case, budget)
    if selection is not None and selection.scope == "all labels":
        record["picks"] = [int(j) for j in selection.indices]
        record["ties"] = sum(map(len, selection.ties))
        record["floor"] = floor(data, record["picks"], case.what, limits)
        record["share"] = record["floor"] / record["seconds"]
    return record


def _from_counts(data: Input, case: Case, budget: float) -> float | None:
    """The greedy search alone, the data being coded and packed."""
    name, criterion = criteria.get(case.what)
    if criterion.scope == "each label" or criterion.network:
        return None

    def ready() -> Info:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return prepare((data.X, data.Y)).info

    n = min(case.n, data.X.shape[1])
    return clock.best_of(lambda info: greedy(criterion, info, n, name=name), ready, budget=budget)[
        "seconds"
    ]


def packed(data: Input) -> int:
    """Bytes of the smallest of our forms: bit planes, a plane a value but one; or row lists."""
    if sp.issparse(data.X):
        lists = data.X.nnz * 4
        planes = data.X.shape[1] * -(-data.X.shape[0] // 64) * 8
        return min(lists, planes) + int(data.Y.nnz) * 4
    planes = int(data.X.max(0).astype(np.int64).sum())
    return planes * -(-data.X.shape[0] // 64) * 8


def _bytes(data: Input) -> int:
    parts = [
        part
        for matrix in (data.X, data.Y)
        for part in (
            (matrix.data, matrix.indices, matrix.indptr) if sp.issparse(matrix) else (matrix,)
        )
    ]
    return sum(int(part.nbytes) for part in parts)
