"""One version of mlfs at work: it runs a case by public names and answers with the times.

`against.py` starts this once for each of two checkouts. Only public names of mlfs are used here,
because the module is imported by a checkout of another version, too.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import mlfs
from benchmarks import clock
from benchmarks.cases import CASES, Case, reduced
from benchmarks.inputs import Input, load
from mlfs.data import from_arrays

__all__ = ["SkipCase", "command", "real_file", "serve", "work", "written"]

TOO_LONG = 3.0  # seconds; then one run before the timed ones is enough
CELLS = 4_000_000  # of a dense file; some megabytes
COMMAND = "import sys; from mlfs.cli import main; sys.argv[0] = 'mlfs'; sys.exit(main())"
Work = Callable[[], object]


class SkipCase(Exception):
    """Why a case cannot be run here."""


def work(case: Case, inputs: Path, scratch: Path, threads: int = 1) -> Work:
    """Return what is timed: a call by public names, its data already in memory."""
    if case.kind in {"select", "order"}:
        assert case.shape is not None
        data = load(case.shape, inputs)
        if case.kind == "order":
            return lambda: mlfs.label_network((data.X, data.Y), order="full")
        n = min(case.n, data.X.shape[1])
        corner = data.cut(400, 64)
        mlfs.select((corner.X, corner.Y), case.what, min(n, 8, corner.X.shape[1]), n_jobs=threads)
        return lambda: mlfs.select((data.X, data.Y), case.what, n, n_jobs=threads)
    if case.kind == "read":
        assert case.shape is not None
        path = written(load(case.shape, inputs), scratch / f"data.{case.what}")
        return lambda: mlfs.read(path, labels="y*")
    if case.kind == "file":
        path = real_file(case.source)
        if case.what == "arff":
            return lambda: mlfs.read(path)
        dataset = mlfs.read(path)
        return lambda: mlfs.select(dataset, case.what, case.n, n_jobs=threads)
    if case.kind == "shell":
        return command(case, scratch)
    raise SkipCase(f"a case of kind {case.kind!r} is not measured against another version")


def written(data: Input, path: Path) -> Path:
    """Write an input, or the first rows of a dense one, in the format of the path's suffix."""
    if not sp.issparse(data.X):
        data = data.cut(max(1, CELLS // data.X.shape[1]), data.X.shape[1])
    X = data.X if sp.issparse(data.X) else data.X.astype(np.float64)
    mlfs.write(from_arrays(X, data.Y), path)
    return path


def real_file(name: str) -> Path:
    """Return the path of a file in the shared folder."""
    folder = os.environ.get("MLFS_SHARED_DATA")
    if not folder:
        raise SkipCase(f"needs {name}: set MLFS_SHARED_DATA to the folder of the real data sets")
    path = Path(folder) / name
    if not path.exists():
        raise SkipCase(f"{name} is not in the folder that MLFS_SHARED_DATA names")
    return path.resolve()


def command(case: Case, scratch: Path) -> Work:
    """Return the start of the command, with its kernels cached or with an empty cache."""
    path = str(real_file(case.source))
    line = [sys.executable, "-c", COMMAND, "select", "-c", "scls", "-n", str(case.n), path]
    home = str(Path(mlfs.__file__).resolve().parents[1])

    def start() -> None:
        cache = scratch / "warm" if case.what == "warm" else tempfile.mkdtemp(dir=scratch)
        env = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
        env["PYTHONPATH"] = os.pathsep.join([home, env.get("PYTHONPATH", "")])
        subprocess.run(line, env=env, cwd=scratch, check=True, capture_output=True)

    return start


def serve() -> None:
    """Answer requests on standard input, a line of JSON for each, until it ends."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what is printed by the library does not mix with the answers

    def reply(**fields: Any) -> None:
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    reply(mlfs=str(Path(mlfs.__file__).resolve()))
    run: Work = list
    with tempfile.TemporaryDirectory() as scratch:
        for line in sys.stdin:
            request = json.loads(line)
            try:
                if "case" in request:
                    run = _prepared(request, Path(scratch))
                    reply(**_first(run))
                else:
                    reply(times=[_seconds(run) for _ in range(request["repeat"])])
            except Exception as why:  # noqa: BLE001 - the case fails, not the run
                reply(failed=f"{type(why).__name__}: {why}"[:300])


def _prepared(request: dict[str, Any], scratch: Path) -> Work:
    case = next(one for one in CASES if one.name == request["case"])
    case = reduced(case) if request["quick"] else case
    return work(case, Path(request["inputs"]), scratch, request["threads"])


def _first(run: Work) -> dict[str, Any]:
    """Run twice, for the memory and the answer, then for the time when all is compiled."""
    before = clock.memory_now()
    clock.reset_peak()
    start = time.perf_counter()
    result = run()
    seconds = time.perf_counter() - start
    memory = (clock.peak_memory() - before) / 2**20
    picks = [int(j) for j in result.indices] if isinstance(result, mlfs.Selection) else None
    del result
    if seconds < TOO_LONG:
        seconds = _seconds(run)[0]
    return {"picks": picks, "seconds": seconds, "mb": memory}


def _seconds(run: Work) -> tuple[float, float]:
    """Return the seconds of the wall clock and of all processors, children included."""
    start, used = time.perf_counter(), _processor()
    run()
    return time.perf_counter() - start, _processor() - used


def _processor() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
