"""Files: reading them, selecting from them, and the command from its start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import mlfs
from benchmarks import clock
from benchmarks.cases import Case
from benchmarks.inputs import Input
from benchmarks.limits import Limits
from benchmarks.selecting import answer
from mlfs.data import from_arrays

__all__ = ["SkipCase", "file_case", "read_case", "real_file", "shell_case"]

ROOT = Path(__file__).resolve().parents[1]
CELLS = 4_000_000  # of a dense file; some megabytes
COMMAND = "import sys; from mlfs.cli import main; sys.argv[0] = 'mlfs'; sys.exit(main())"


class SkipCase(Exception):
    """Why a case cannot be run here."""


def real_file(name: str) -> Path:
    """A file of the shared folder."""
    folder = os.environ.get("MLFS_SHARED_DATA")
    if not folder:
        raise SkipCase(f"needs {name}: set MLFS_SHARED_DATA to the folder of the real data sets")
    path = Path(folder) / name
    if not path.exists():
        raise SkipCase(f"{name} is not in the folder that MLFS_SHARED_DATA names")
    return path


def read_case(data: Input, case: Case, limits: Limits, budget: float) -> dict[str, Any]:
    """Read a generated file in one format, all values checked."""
    if not sp.issparse(data.X):
        data = data.cut(max(1, CELLS // data.X.shape[1]), data.X.shape[1])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"data.{case.what}"
        X = data.X if sp.issparse(data.X) else data.X.astype(np.float64)
        mlfs.write(from_arrays(X, data.Y), path)
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
    path = real_file(case.source)
    command = [sys.executable, "-c", COMMAND, "select", "-c", "scls", "-n", str(case.n), str(path)]
    with tempfile.TemporaryDirectory() as cache:

        def run(folder: str) -> float:
            env = {**os.environ, "NUMBA_CACHE_DIR": folder}
            env["PYTHONPATH"] = os.pathsep.join([str(ROOT), env.get("PYTHONPATH", "")])
            start = time.perf_counter()
            subprocess.run(command, env=env, check=True, capture_output=True)
            return time.perf_counter() - start

        if case.what == "warm":
            run(cache)
            return clock.best_of(lambda _: run(cache), budget=budget, least=3)
        empty = (tempfile.mkdtemp(dir=cache) for _ in range(100))
        return clock.best_of(run, lambda: next(empty), budget=budget, least=2, most=5)
