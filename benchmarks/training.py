"""Training and prediction: the models of mlfs beside those of other programs, in one run.

    python -m benchmarks.training [--quick] [--only TEXT] [--data TEXT] [-o FOLDER]

The programs that are not installed are named and left out. Each classifier on each data set runs in
a process of its own, with one thread: it is fitted on two thirds of the rows and predicts the rest.
It may use a minute of the processor.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import clock
from benchmarks.classifiers import CLASSIFIERS, Classifier
from benchmarks.inputs import SHAPES, load
from benchmarks.machine import describe, line, version

__all__ = ["DATA", "apart", "main", "markdown", "measure", "timed"]

LIMIT = 60  # seconds of the processor for one classifier on one data set
BUDGET = 2.0  # seconds of repetitions
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
FIELDS = ("method", "program", "name", "data", "fit", "fit_wall", "predict", "predict_wall")
MORE = ("megabytes", "micro_f1", "absent", "failed")


def numbers(rows: int, columns: int, labels: int, seed: int = 0) -> tuple[Any, Any]:
    """Draw decimals, and labels that depend on some of them and on one another."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    of_x = X @ (rng.normal(size=(columns, labels)) * (rng.random((columns, labels)) < 0.1))
    of_x /= np.maximum(of_x.std(axis=0), 1e-9)
    Y = np.zeros((rows, labels), np.int8)
    for label in range(labels):
        before = 1.5 * (Y[:, rng.integers(0, label)] - 0.3) if label else 0.0
        Y[:, label] = of_x[:, label] + before + 0.7 * rng.logistic(size=rows) > 0.8
    return X, Y


def words(name: str) -> tuple[Any, Any]:
    """A sparse input of the other benchmarks."""
    made = load(SHAPES[name])
    return sp.csr_matrix(made.X, dtype=np.float64), made.Y.toarray().astype(np.int8)


DATA: dict[str, Callable[[], tuple[Any, Any]]] = {
    "593 x 72 decimals, 6 labels": lambda: numbers(593, 72, 6),
    "2,417 x 103 decimals, 14 labels": lambda: numbers(2_417, 103, 14),
    "978 x 1,449 sparse, 45 labels": lambda: words("medicallike"),
    "7,395 x 1,836 sparse, 159 labels": lambda: words("bibtexlike"),
}
QUICK = 1  # of these


def timed(work: Callable[[], object], budget: float) -> tuple[float, float]:
    """The processor seconds of a run, as a mean, and the least seconds of the clock.

    The system may count processor time in steps of milliseconds, so that the least of it is too
    little.
    """
    wall: list[float] = []
    used, stop = time.process_time(), time.perf_counter() + budget
    while not wall or time.perf_counter() < stop:
        began = time.perf_counter()
        work()
        wall.append(time.perf_counter() - began)
    return (time.process_time() - used) / len(wall), min(wall)


def measure(classifier: Classifier, X: Any, Y: np.ndarray, budget: float) -> dict[str, Any]:
    """Times, memory and micro-F1 of one classifier here and now."""
    from sklearn.metrics import f1_score

    tiny = numbers(60, 5, 3)
    sparse = sp.issparse(X)
    small = sp.csr_matrix(tiny[0]) if sparse else tiny[0]
    classifier.make(sparse, 3).fit(small, tiny[1]).predict(small)  # loads what it needs
    cut = X.shape[0] * 2 // 3
    seen = Y[:cut].min(axis=0) < Y[:cut].max(axis=0)  # most programs refuse a constant label
    train, test, known, truth = X[:cut], X[cut:], Y[:cut, seen], Y[cut:, seen]
    held: list[Any] = []

    def fit() -> None:
        held[:] = [classifier.make(sparse, known.shape[1]).fit(train, known)]

    clock.reset_peak()
    before = clock.memory_now()
    fit_times = timed(fit, 0)
    predicted = held[0].predict(test)
    peak = clock.peak_memory() - before
    if fit_times[1] < budget:
        fit_times = timed(fit, budget)
    times = timed(lambda: held[0].predict(test), budget)
    found = predicted.toarray() if sp.issparse(predicted) else np.asarray(predicted)
    return {
        "fit": fit_times[0],
        "fit_wall": fit_times[1],
        "predict": times[0],
        "predict_wall": times[1],
        "megabytes": peak / 1e6,
        "micro_f1": float(f1_score(truth, found > 0, average="micro")),
    }


def apart(classifier: Classifier, data: str, budget: float) -> dict[str, Any]:
    """What `measure` says in a process of its own; what is absent, fails or is slow says so."""
    if classifier.name != classifier.method and version(classifier.program) is None:
        return {"absent": f"python -m pip install {classifier.program}"}
    call = [sys.executable, "-m", "benchmarks.training", "--one", classifier.key, data]
    done = subprocess.run(
        [*call, str(budget)],
        env={**os.environ, **ONE_THREAD},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == -signal.SIGXCPU:
        return {"failed": f"over {LIMIT} s"}
    if done.returncode < 0:
        return {"failed": f"killed by signal {-done.returncode}"}
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["no message"])[-1][:160]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _one(key: str, data: str, budget: str) -> None:
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
    classifier = next(one for one in CLASSIFIERS if one.key == key)
    X, Y = DATA[data]()
    sys.stdout.write("\n" + json.dumps(measure(classifier, X, Y, float(budget))) + "\n")


def markdown(records: list[dict[str, Any]], fields: tuple[str, ...]) -> str:
    """A table: a row for each classifier, a column for each data set, in a cell some fields."""
    data = list(dict.fromkeys(record["data"] for record in records))
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for record in records:
        if "absent" in record:
            continue
        who = record["method"], f"{record['program']}: {record['name']}"
        cell = record.get("failed") or ", ".join(_short(record[field]) for field in fields)
        rows.setdefault(who, {})[record["data"]] = cell
    lines = [["method", "program", *data], ["---"] * (2 + len(data))]
    lines += [[*who, *(cells.get(one, "") for one in data)] for who, cells in rows.items()]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _short(value: float) -> str:
    """Two digits, or more before the point.

    >>> [_short(one) for one in (0.0001234, 0.0567, 3.14159, 123.4, 0.0)]
    ['0.00012', '0.057', '3.1', '123', '0']
    """
    if value >= 10 or value <= 0:
        return f"{value:.0f}"
    return f"{value:.{1 - math.floor(math.log10(value))}f}"


def main(given: list[str]) -> int:
    """Measure, print two tables, and write all numbers as CSV where a folder is named."""
    if given[:1] == ["--one"]:
        _one(*given[1:])
        return 0
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the smallest data set only")
    parser.add_argument("--only", default="", help="part of the name of a method or a program")
    parser.add_argument("--data", default="", help="part of the name of a data set")
    parser.add_argument("-o", "--output", type=Path, help="a folder for training.csv")
    parser.add_argument("--seconds", type=float, default=BUDGET, help="of repetitions")
    options = parser.parse_args(given)
    names = [one for one in DATA if options.data in one]
    chosen = [one for one in CLASSIFIERS if options.only in f"{one.method} {one.key}"]
    records = []
    print(line(describe()), flush=True)
    for data in names[:QUICK] if options.quick else names:
        for one in chosen:
            found = apart(one, data, 0.2 if options.quick else options.seconds)
            about = {"method": one.method, "program": one.program, "name": one.name, "data": data}
            records.append({**about, **found})
            print(data, one.key, {k: v for k, v in found.items() if v}, file=sys.stderr, flush=True)
    absent = {record["program"]: record["absent"] for record in records if "absent" in record}
    for program, install in absent.items():
        print(f"{program} is not installed: `{install}`")
    print("\nprocessor seconds to fit and to predict, and MB:\n")
    print(markdown(records, ("fit", "predict", "megabytes")))
    print("\nseconds of the clock to fit and to predict, and micro-F1:\n")
    print(markdown(records, ("fit_wall", "predict_wall", "micro_f1")))
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        with (options.output / "training.csv").open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, FIELDS + MORE, lineterminator="\n")
            writer.writeheader()
            writer.writerows(records)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
