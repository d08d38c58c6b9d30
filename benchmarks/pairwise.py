"""All pairs of columns: `mlfs.information.mutual_information` beside what others offer.

    python -m benchmarks.pairwise [ROWS COLUMNS]

scikit-learn and pyitlib compare one pair in a call, so that they are timed on some pairs, and the
time of all pairs is extrapolated. What is computed must be the same. praznik needs R: where there
is none, its time for the pairs of 2,000 such columns with one label is quoted, and extrapolated.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Callable

import numpy as np

import mlfs
from benchmarks import clock
from benchmarks.machine import describe, line

__all__ = ["main", "measured"]

QUOTED = {1: 29.5e-3, 2: 19.3e-3}  # seconds of praznik 13.0 by threads: MIM, 10,000 x 2,000 binary
QUOTED_ROWS, QUOTED_PAIRS = 10_000, 2_000
SOME = 40  # columns whose pairs the others compare
Pair = Callable[[np.ndarray, np.ndarray], float]


def _scikit_learn() -> Pair:
    from sklearn.metrics import mutual_info_score

    return lambda x, y: float(mutual_info_score(x, y))


def _pyitlib() -> Pair:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyitlib import discrete_random_variable as drv

    return lambda x, y: float(drv.information_mutual(x, y)) * np.log(2)


OTHERS = {"sklearn": ("scikit-learn, in a loop", _scikit_learn), "pyitlib": ("pyitlib", _pyitlib)}


def measured(rows: int, columns: int, budget: float = 2.0) -> list[tuple[str, float]]:
    """Time all pairs of binary columns: names, and seconds (extrapolated for the others)."""
    X = (np.random.default_rng(0).random((rows, columns)) < 0.5).astype(np.uint8)
    information = mlfs.information.mutual_information
    found: list[tuple[str, float]] = []
    ours = information(mlfs.prepare((X, X[:, 0])).features)

    def all_pairs(n_jobs: int) -> np.ndarray:
        return information(mlfs.prepare((X, X[:, 0]), n_jobs=n_jobs).features)

    for n_jobs in (1, 2):
        run = clock.best_of(lambda _, n=n_jobs: all_pairs(n), budget=budget)  # type: ignore[misc]
        found.append((f"mlfs, {n_jobs} thread{'s' * (n_jobs > 1)}", run["seconds"]))
    some = min(SOME, columns)
    pairs = [(i, j) for i in range(some) for j in range(i, some)]
    share = columns * (columns + 1) / 2 / len(pairs)
    for module, (name, make) in OTHERS.items():
        if importlib.util.find_spec(module) is None:
            found.append((f"{name}: not installed", float("nan")))
            continue
        pair = make()
        for i, j in pairs[:: max(1, len(pairs) // 20)]:
            np.testing.assert_allclose(pair(X[:, i], X[:, j]), ours[i, j], atol=1e-9)
        run = clock.best_of(
            lambda _, p=pair: [p(X[:, i], X[:, j]) for i, j in pairs],  # type: ignore[misc]
            budget=budget,
            most=3,
        )
        found.append((f"{name}, extrapolated", run["seconds"] * share))
    scale = columns * (columns + 1) / 2 / QUOTED_PAIRS * rows / QUOTED_ROWS
    for n_jobs, seconds in QUOTED.items():
        name = f"praznik, {n_jobs} thread{'s' * (n_jobs > 1)}, quoted and extrapolated"
        found.append((name, seconds * scale))
    return found


def main(arguments: list[str]) -> None:
    """Print a table."""
    rows, columns = (int(one) for one in arguments) if arguments else (10_000, 2_000)
    sys.stdout.write(
        f"{line(describe())}\n\nall pairs of {columns:,} binary columns of {rows:,} rows\n\n"
    )
    sys.stdout.write("| | seconds |\n|---|---|\n")
    for name, seconds in measured(rows, columns):
        sys.stdout.write(f"| {name} | {seconds:.3g} |\n")


if __name__ == "__main__":
    main(sys.argv[1:])
