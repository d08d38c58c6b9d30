"""What a pick costs on two workers of this machine, beside one process.

`python -m benchmarks.cluster 4000000x100 1000000x2000:sparse:100` prints, for each shape, criterion
and layout, the median time of a later pick and the processor time of all processes for each (less
what they take when nothing is asked), the questions for each pick, and the bytes sent and received
beside those of the formulas in docs/scale.md.
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
from mlfs.information.for_search import table_of

PICKS = 30
RUNS = (
    ("mrmr", False, "rows"),
    ("mrmr", True, "rows"),
    ("jmi", False, "rows"),
    ("mrmr", False, "columns"),
    ("jmi", False, "columns"),
)
DENSITY = 0.005
IDLE = 2.0  # seconds


def data(shape: str) -> tuple[Any, np.ndarray]:
    """Binary data of a shape such as 1000000x2000:sparse:100, the last being labels."""
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
    return X, (X[:, :q] ^ (rng.random((rows, q)) < 0.2)).astype(np.int8)


def formula(table: Any, criterion: str, layout: str) -> tuple[float, float]:
    """The bytes that go to two workers and come back, by docs/scale.md."""
    d, q, terms = table.d, table.q, PICKS - 1
    joint = q if criterion == "jmi" else 0
    if layout == "rows":
        return 0.0, 2 * 4 * (d * (joint + 1) * terms + d * q)
    features = table.counts.blocks[0].features
    sent = np.minimum(features.n_rows / 8, 8 * features.non_mode).mean()
    pairs = 4 * d * terms if joint else 0  # `jmi` asks for these too
    return 2 * float(sent) * terms, 8 * d * (terms + 1) + pairs


def cpu() -> float:
    """The processor time of this process."""
    return time.process_time()


def measured(ready: Any, criterion: str, lazy: bool, client: Any = None) -> dict[str, Any]:
    """Select, and give what a later pick took."""
    at: list[float] = []
    workers = (lambda: sum(client.run(time.process_time).values())) if client else (lambda: 0.0)
    mlfs.select(ready, criterion, 3, lazy=lazy)  # loads kernels, and counts the labels
    idle = cpu() + workers()
    time.sleep(IDLE)
    idle = (cpu() + workers() - idle) / IDLE  # heartbeats take time while others use the machine
    before, began = cpu() + workers(), time.perf_counter()
    found = mlfs.select(
        ready, criterion, PICKS, lazy=lazy, on_pick=lambda *_: at.append(time.perf_counter())
    )
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
            for criterion, lazy, layout in RUNS:
                one = measured(mlfs.prepare(given), criterion, lazy)
                ready = mlfs.prepare(given, cluster=client, layout=layout)
                table = table_of(ready.info)
                session = table.counts.blocks[0].session
                sent = session.bytes_sent  # the blocks themselves
                many = measured(ready, criterion, lazy, client)
                same = all(one[key] == many[key] for key in ("picks", "bits"))
                goes, comes = formula(table, criterion, layout)
                print(
                    f"{shape} {criterion}{' lazy' if lazy else ''} by {layout}: "
                    f"one process {one['ms']:.2f} ms (least {one['least ms']:.2f}), "
                    f"cpu {one['cpu ms']:.2f}; two workers {many['ms']:.2f} ms "
                    f"(least {many['least ms']:.2f}), cpu {many['cpu ms']:.2f}; "
                    f"{session.rounds / PICKS:.2f} questions a pick, "
                    f"{(session.bytes_sent - sent) / 1e6:.2f} MB sent of {goes / 1e6:.2f}, "
                    f"{session.bytes_received / 1e6:.2f} received of {comes / 1e6:.2f}; "
                    f"{'the same answer' if same else 'ANOTHER ANSWER'}; load {os.getloadavg()[0]}",
                    flush=True,
                )
                ready.release()
                del ready, table


if __name__ == "__main__":
    main(sys.argv[1:] or ["4000000x100"])
