"""What a pick costs on two workers of this machine, beside one process.

`python -m benchmarks.cluster 4000000x100:four 1000000x20000:sparse:100` prints, for each shape and
criterion, the median time of a later pick and the processor time of all processes for each, less
what they take when nothing is asked.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

import mlfs

PICKS = 30
CRITERIA = ("mrmr", "jmi")
DENSITY = 0.005
IDLE = 2.0  # seconds


def data(shape: str) -> tuple[Any, np.ndarray]:
    """Data of a shape such as 1000x20:four (levels) or 1000000x2000:sparse:100, of 100 labels."""
    size, *more = shape.split(":")
    rows, d = map(int, size.split("x"))
    q = next((int(one) for one in more if one.isdigit()), 2)
    rng = np.random.default_rng(0)
    if "sparse" in more:
        X = sp.random_array((rows, d), density=DENSITY, format="csr", rng=rng, dtype=np.float64)
        X.data[:] = 1
        return X, (rng.random((rows, q)) < 0.02).astype(np.int8)
    X = np.empty((rows, d), np.uint8)
    for j in range(d):
        X[:, j] = rng.random(rows, np.float32) < 0.2 + 0.3 * rng.random()
        if "four" in more:
            X[:, j] |= np.uint8(2) * (rng.random(rows, np.float32) < 0.4)
    return X, ((X[:, :q] & 1) ^ (rng.random((rows, q)) < 0.2)).astype(np.int8)


def cpu() -> float:
    """The processor time of this process."""
    return time.process_time()


def measured(ready: Any, criterion: str, client: Any = None) -> dict[str, Any]:
    """Select, and give what a later pick took."""
    at: list[float] = []
    workers = (lambda: sum(client.run(time.process_time).values())) if client else (lambda: 0.0)
    mlfs.select(ready, criterion, 3)  # loads kernels, and counts the labels
    idle = cpu() + workers()
    time.sleep(IDLE)
    idle = (cpu() + workers() - idle) / IDLE  # heartbeats take time while others use the machine
    before, began = cpu() + workers(), time.perf_counter()
    found = mlfs.select(ready, criterion, PICKS, on_pick=lambda *_: at.append(time.perf_counter()))
    ends = time.perf_counter()
    spent = cpu() + workers() - before - idle * (ends - began)
    picks = np.diff(at)[3:]  # what the first search asked is known
    return {
        "picks": found.indices,
        "bits": found.scores.tobytes(),
        "ms": 1e3 * statistics.median(picks),
        "least ms": 1e3 * float(min(picks)),
        "cpu ms": 1e3 * spent / PICKS,
    }


def main(shapes: list[str]) -> None:
    """Print a line for each shape, criterion and kind of evaluation."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        for shape in shapes:
            given = data(shape)
            for criterion in CRITERIA:
                one = measured(mlfs.prepare(given), criterion)
                ready = mlfs.prepare(given, cluster=client)
                many = measured(ready, criterion, client)
                same = all(one[key] == many[key] for key in ("picks", "bits"))
                print(
                    f"{shape} {criterion}: "
                    f"one process {one['ms']:.2f} ms (least {one['least ms']:.2f}), "
                    f"cpu {one['cpu ms']:.2f}; two workers {many['ms']:.2f} ms "
                    f"(least {many['least ms']:.2f}), cpu {many['cpu ms']:.2f}; "
                    f"{'the same answer' if same else 'ANOTHER ANSWER'}; load {os.getloadavg()[0]}",
                    flush=True,
                )
                ready.release()
                del ready


if __name__ == "__main__":
    main(sys.argv[1:] or ["4000000x100"])
