"""Files: reading them, selecting from them, and the command from its start."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import mlfs
from benchmarks import clock
from benchmarks.cases import Case
from benchmarks.inputs import Input
from benchmarks.limits import Limits
from benchmarks.selecting import answer
from benchmarks.turns import SkipCase, command, real_file, written
from mlfs.compare.data_sources import rows_of
from mlfs.compare.named import Named
from mlfs.compare.rankers import ranker
from mlfs.compare.training_rows import TrainingRows

__all__ = ["SkipCase", "compare_case", "file_case", "read_case", "real_file", "shell_case"]

EIGHT = ("mim", "mrmr", "jmi", "cmim", "scls", "mdmr", "ami", "jmim")


def read_case(data: Input, case: Case, limits: Limits, budget: float) -> dict[str, Any]:
    """Read a generated file in one format, all values checked."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(data, Path(folder) / f"data.{case.what}")
        return _read(path, limits, budget, labels="y*")


def _read(path: Path, limits: Limits, budget: float, labels: str | None = None) -> dict[str, Any]:
    mlfs.read(path, labels=labels)
    before = clock.memory_now()
    clock.reset_peak()
    run = clock.best_of(lambda _: mlfs.read(path, labels=labels), budget=budget)
    size = path.stat().st_size
    rows, columns, q = mlfs.read(path, labels=labels).shape
    return {
        "rows": rows,
        "columns": columns,
        "labels": q,
        **run,
        "megabytes": size / 1e6,
        "mb_per_second": size / 1e6 / run["seconds"],
        "peak_mb": (clock.peak_memory() - before) / 2**20,
        "floor": size / limits.bytes,
        "share": size / limits.bytes / run["seconds"],
    }


def file_case(case: Case, limits: Limits, budget: float) -> dict[str, Any]:
    """Read a real file, or select from it once it is read."""
    path = real_file(case.source)
    if case.what in {"arff", "csv"}:
        return _read(path, limits, budget)
    dataset = mlfs.read(path)
    answer((dataset.X[:400, :64], dataset.Y[:400]), Case("select", "", case.what, 4))
    before = clock.memory_now()
    clock.reset_peak()
    run = clock.best_of(lambda _: mlfs.select(dataset, case.what, case.n), budget=budget)
    rows, columns, q = dataset.shape
    return {
        "rows": rows,
        "columns": columns,
        "labels": q,
        **run,
        "peak_mb": (clock.peak_memory() - before) / 2**20,
    }


def compare_case(case: Case, budget: float) -> dict[str, Any]:
    """Select with eight criteria on a training fold, prepared for each of them or for all once."""
    dataset = mlfs.read(real_file(case.source))
    fold = rows_of(dataset, np.arange(0, dataset.shape[0], 2))
    rankers = [ranker(Named(name)) for name in EIGHT]

    def select_with_all(_: None = None) -> None:
        shared = TrainingRows(fold)
        for one in rankers:
            rows = shared if case.what == "together" else TrainingRows(fold)
            one.rank(rows, case.n, 0)

    select_with_all()  # loads the kernels
    rows, columns, q = fold.shape
    run = clock.best_of(select_with_all, budget=budget)
    return {"rows": rows, "columns": columns, "labels": q, **run}


def shell_case(case: Case, budget: float) -> dict[str, Any]:
    """Start the command anew each time: with its kernels cached, or with an empty cache."""
    with tempfile.TemporaryDirectory() as scratch:
        start = command(case, Path(scratch))
        if case.what == "warm":
            start()
            return clock.best_of(lambda _: start(), budget=budget, least=3)
        return clock.best_of(lambda _: start(), budget=budget, least=2, most=5)
