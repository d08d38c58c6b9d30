"""Files: reading them, selecting from them, and the command from its start."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import mlfs
from benchmarks import clock
from benchmarks.cases import Case
from benchmarks.inputs import Input
from benchmarks.limits import Limits
from benchmarks.selecting import answer
from benchmarks.turns import SkipCase, command, real_file, written

__all__ = ["SkipCase", "file_case", "read_case", "real_file", "shell_case"]


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


def shell_case(case: Case, budget: float) -> dict[str, Any]:
    """Start the command anew each time: with its kernels cached, or with an empty cache."""
    with tempfile.TemporaryDirectory() as scratch:
        start = command(case, Path(scratch))
        if case.what == "warm":
            start()
            return clock.best_of(lambda _: start(), budget=budget, least=3)
        return clock.best_of(lambda _: start(), budget=budget, least=2, most=5)
