"""Train a chain on label-specific features: the whole fit, and the part that prepares the data.

Usage: python -m benchmarks.chains DATA [--model NAME] [--runs N]

Run it with PYTHONPATH set to another version to compare the two on the same machine.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from typing import Any

import mlfs

__all__ = ["measure"]


def measure(dataset: Any, name: str, runs: int = 3) -> dict[str, float]:
    """The best time of a fit, and in a fit under a profiler the time of preparing."""
    X, Y = dataset.X, dataset.Y
    model = mlfs.models.make(name)
    model.fit(X, Y)  # loads every kernel
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        model.fit(X, Y)
        seconds.append(time.perf_counter() - began)
    profile = cProfile.Profile()
    profile.runcall(model.fit, X, Y)
    parts: Any = pstats.Stats(profile)
    prepared = sum(
        total
        for (path, _, function), (_, _, _, total, _) in parts.stats.items()
        if function == "prepare" and "mlfs" in path
    )
    return {"fit": min(seconds), "prepare": prepared}


def main() -> None:
    """Measure a data set that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("data")
    parser.add_argument("--model", default="occ")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    found = measure(mlfs.read(given.data), given.model, given.runs)
    print(f"{given.model}: fit {found['fit']:.3f} s, preparing {found['prepare']:.3f} s")


if __name__ == "__main__":
    main()
