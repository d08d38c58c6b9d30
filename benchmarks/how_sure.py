"""What resamples, permutations and strata take, beside the plain selection.

    python -m benchmarks.how_sure [rows]

Prints the seconds of each, the best of three runs; `rows` makes the dense table smaller.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import mlfs


def like_emotions() -> tuple[Any, np.ndarray]:
    """Numbers in the shape of emotions, with labels that some of them tell."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(593, 72))
    return X, (X[:, :6] + X[:, 6:12] + draw.normal(size=(593, 6)) > 0.5).astype(int)


def dense(rows: int = 10_000) -> tuple[Any, np.ndarray]:
    """2,000 binary columns, 30 of which tell of ten labels."""
    draw = np.random.default_rng(0)
    X = (draw.random((rows, 2000)) < 0.5).astype(np.int8)
    told = [(X[:, 3 * i] & X[:, 3 * i + 1]) | X[:, 3 * i + 2] for i in range(10)]
    noise = draw.random((rows, 10)) < 0.2
    return X, (np.column_stack(told) ^ noise).astype(np.int8)


def like_bibtex() -> tuple[Any, np.ndarray]:
    """Rare words in the shape of bibtex, of which one determines each label."""
    draw = np.random.default_rng(0)
    share = np.clip(0.01 * draw.pareto(1.2, 1836), 0.001, 0.3)
    X = draw.random((7395, 1836)) < share
    Y = (draw.random((7395, 159)) < 0.015) | (X[:, :159] & (draw.random((7395, 159)) < 0.5))
    return sp.csr_array(X.astype(np.int8)), Y.astype(np.int8)


def seconds(work: Callable[[], object], runs: int = 3) -> float:
    """The shortest of some runs."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    """Print the table."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    data = {"emotions": like_emotions(), f"{rows} x 2,000": dense(rows), "bibtex": like_bibtex()}
    cases: list[tuple[str, str, int, dict[str, Any]]] = [
        ("emotions", "scls", 20, {"resamples": 200}),
        (f"{rows} x 2,000", "mrmr", 50, {"resamples": 200}),
        (f"{rows} x 2,000", "jmi", 50, {"resamples": 200}),
        ("bibtex", "scls", 86, {"resamples": 200}),
        ("emotions", "scls", 10, {"permutations": 200}),
        (f"{rows} x 2,000", "mrmr", 20, {"permutations": 200}),
        *((name, "jmi", 20, {"given": 5}) for name in data),
    ]
    print("shape            criterion  picks     plain   seconds  with")
    for name, criterion, n, options in cases:
        X, Y = data[name]
        more = dict(options)
        if "given" in more:
            more["given"] = np.random.default_rng(1).integers(0, more["given"], len(Y))

        select = partial(mlfs.select, (X, Y), criterion, n)
        picked = select()  # loads kernels
        plain = seconds(select)
        if "given" in more:
            took = seconds(partial(select, **more))
        else:
            draws = {"resamples": None, **more}
            took = plain + seconds(partial(mlfs.certainty, picked, (X, Y), **draws), 1)
        (option,) = options
        print(f"{name:15}  {criterion:9}  {n:5}  {plain:8.3f}  {took:8.2f}  {option}")


if __name__ == "__main__":
    main()
