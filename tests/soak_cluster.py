"""`python -m tests soak-cluster`: kill workers of a cluster at random moments; the answer stays.

Selections of several kinds (arrays, files that workers read, decimals, sparse columns, label by
label, an automatic number) and comparisons run on three workers of this
machine. One or two of them get SIGKILL while the data are prepared, counted or searched. Every
answer is compared with that of one process, and afterwards no worker may hold anything. Everything
random comes from ``--seed``; what is disturbed depends on the machine.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import mlfs
from mlfs.compare import run
from mlfs.data.arrays import from_arrays
from tests.api.test_cluster import holds_nothing

SECONDS = ("times", "seconds", "pair_terms", "cluster")
OF_RUN = ("prepare_seconds", "select_seconds", "fit_seconds", "predict_seconds", "peak_mb")
WORKERS = 3
Work = Callable[[Any], Any]


def _plain(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _plain(value) for key, value in part.items() if key not in SECONDS}
    return [_plain(one) for one in part] if isinstance(part, (list, tuple)) else part


def selecting(data: Any, criterion: str, **options: Any) -> Work:
    """A selection; all that it reports but for times."""

    def work(cluster: Any) -> Any:
        made = mlfs.select(data, criterion, cluster=cluster, **options)
        found = _plain(made.to_dict())
        return found, made.scores.tobytes(), made.margins.tobytes()

    return work


def comparing(data: Any) -> Work:
    """A comparison; its records without times and memory."""

    def work(cluster: Any) -> Any:
        found = run({"data": data}, ["mim", "random"], ["mlnb"], [4, 8], folds=2, cluster=cluster)
        return [{k: v for k, v in one.items() if k not in OF_RUN} for one in found.records]

    return work


def works(folder: Path) -> dict[str, Work]:
    """The kinds of work."""
    rng = np.random.default_rng(0)
    X = (rng.random((20_000, 60)) < rng.random(60) * 0.6).astype(np.uint8)
    Y = (X[:, :4] ^ (rng.random((20_000, 4)) < 0.2)).astype(int)
    mixed = X.astype(float)
    mixed[:, 10:16] = rng.normal(size=(20_000, 6))
    mixed[:, 16:20] = rng.integers(0, 40, (20_000, 4))
    mixed[rng.random(mixed.shape) < 0.01] = np.nan
    stored = sp.random_array((20_000, 300), density=0.01, format="csr", rng=rng)
    stored.data[:] = 1
    file = folder / "data.csv"
    head = ",".join([*(f"f{j}" for j in range(20)), "y1", "y2"])
    table = np.hstack([mixed[:, :20], Y[:, :2]])
    np.savetxt(file, table, "%.6g", ",", header=head, comments="")
    file.write_text(file.read_text().replace("nan", ""))
    files = mlfs.read(file, labels="last:2")

    def of_file(criterion: str) -> Work:
        def work(cluster: Any) -> Any:
            given, labels = (files, None) if cluster is None else (file, "last:2")
            return selecting(given, criterion, n=8, labels=labels)(cluster)

        return work

    return {
        "binary, jmi": selecting((X, Y), "jmi", n=30),
        "binary, mrmr": selecting((X, Y), "mrmr", n=30),
        "mixed, cmim": selecting((mixed, Y), "cmim", n=12),
        "sparse, jmi": selecting((stored, Y), "jmi", n=20),
        "jointly": selecting((mixed, Y), "cmi", n=8),
        "label by label": selecting((X, Y), "mrmr", n=20, per_label=True),
        "automatic number": selecting((X, Y), "mim", n="auto"),
        "a file": of_file("jmi"),
        "a file, label chain": of_file("mlfs_global"),
        "a comparison": comparing(from_arrays(X[:400, :20], Y[:400, :2])),
    }


def disturbed(work: Work, client: Any, moments: list[float], rng: random.Random) -> Any:
    """Do the work while workers are killed; the answer, or the error, and the kills."""
    pids = sorted(client.run(os.getpid, on_error="ignore").values())
    killed: list[int] = []

    def kill(pid: int) -> None:
        try:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        except ProcessLookupError:
            pass

    chosen = zip(moments, rng.sample(pids, len(moments)), strict=True)
    timers = [threading.Timer(moment, kill, (pid,)) for moment, pid in chosen]
    for timer in timers:
        timer.start()
    try:
        return work(client), len(killed)
    except Exception as error:  # noqa: BLE001 -- it is a fault, and said
        return repr(error), len(killed)
    finally:
        for timer in timers:
            timer.cancel()


def say(text: str) -> None:
    """Write a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Soak:
    """What was done, and what was found.

    Parameters
    ----------
    rng : random.Random
        Gives everything random.
    everything : dict
        The kinds of work.
    kills : int
        How many workers are to be killed.
    """

    def __init__(self, rng: random.Random, everything: dict[str, Work], kills: int) -> None:
        self.rng, self.everything, self.kills = rng, everything, kills
        self.counts, self.faults = Counter[str](), 0
        self.seconds: dict[str, float] = {}
        self.longest: dict[str, float] = {}
        self.expected = {name: work(None) for name, work in everything.items()}

    def fault(self, text: str) -> None:
        """Note a fault, and say it at once."""
        self.faults += 1
        say(f"FAULT {self.faults}: {text}")

    def on(self, client: Any) -> None:
        """Go on until all are killed, or the cluster does not start its workers again."""
        while self.counts["kills"] < self.kills:
            try:
                client.wait_for_workers(WORKERS, timeout=60)
            except TimeoutError:
                self.counts["clusters that did not start a worker again"] += 1
                return
            self.one(self.rng.choice(list(self.everything)), client)

    def one(self, name: str, client: Any) -> None:
        """Do one work; undisturbed the first time."""
        work, began = self.everything[name], time.monotonic()
        if name not in self.seconds:
            found, killed = disturbed(work, client, [], self.rng)
            self.seconds[name] = time.monotonic() - began
        else:
            n = self.rng.choice((1, 1, 2))
            moments = [self.rng.uniform(0, 1.1) * self.seconds[name] for _ in range(n)]
            found, killed = disturbed(work, client, moments, self.rng)
            seconds = time.monotonic() - began
            self.longest[name] = max(self.longest.get(name, 0.0), seconds)
            if not killed:  # the first time kernels were loaded
                self.seconds[name] = min(self.seconds[name], seconds)
        self.counts["kills"] += killed
        self.counts[name] += killed
        if found != self.expected[name]:
            what = found if isinstance(found, str) else "answers otherwise"
            self.fault(f"{name} after {killed} kills: {what[:1000]}")
        if not holds_nothing(client):
            self.fault(f"{name} leaves results: {client.has_what()}")
        say(f"{self.counts['kills']} kills, {self.faults} faults; {name}: {killed} kills")


def main(arguments: list[str]) -> int:
    """Run it; 0 if nothing is wrong."""
    parser = argparse.ArgumentParser("python -m tests soak-cluster", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="how many workers are killed")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    import distributed

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="mlfs-soak-") as folder:
        soak = Soak(random.Random(options.seed), works(Path(folder)), options.kills)
        while soak.counts["kills"] < options.kills:
            with (
                contextlib.suppress(KeyError),  # of dask, if it closes while a worker starts
                distributed.LocalCluster(
                    n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=50
                ) as cluster,
                distributed.Client(cluster, set_as_default=False) as client,
            ):
                soak.on(client)
    for name, count in sorted(soak.counts.items()):
        seconds, longest = soak.seconds.get(name, 0.0), soak.longest.get(name, 0.0)
        say(f"{name:28}{count:6,}  undisturbed {seconds:5.1f} s, longest {longest:5.1f} s")
    say(f"{soak.faults} faults, seed {options.seed}")
    return 1 if soak.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
