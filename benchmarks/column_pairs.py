"""Pairs of columns: `mlfs.pairs` beside PLINK's BOOST, and how often it finds what was planted.

    python -m benchmarks.column_pairs [--threads 2] [--tables 200]

PLINK 1.9 (Debian: plink1.9) runs on the same genotypes if it is installed. BOOST's own paper says
300,000 pairs a second (Wan and others, 2010).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import mlfs
from benchmarks.machine import describe, line

SHAPES = {
    "10,000 x 2,000 binary, 3 labels": (10_000, 2_000, 2, 3),
    "10,000 x 2,000 of three levels, 3 labels": (10_000, 2_000, 3, 3),
    "5,000 x 5,000 binary, 1 label": (5_000, 5_000, 2, 1),
    "5,000 x 3,000 genotypes, 1 label": (5_000, 3_000, 3, 1),
    "5,000 x 3,000 genotypes, 10 labels": (5_000, 3_000, 3, 10),
    "2,000 x 20,000 genotypes, 1 label": (2_000, 20_000, 3, 1),
}
PLINK_ON = "5,000 x 3,000 genotypes, 1 label"
RUNS = 3
Table = tuple[np.ndarray, np.ndarray]


def table_of(n: int, d: int, levels: int, q: int) -> Table:
    """Levels at random; columns 3 and 7 tell the first label together."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, levels, (n, d)).astype(np.uint8)
    Y = (rng.random((n, q)) < 0.3).astype(np.int8)
    differ = (X[:, 3] > 0) ^ (X[:, 7] > 0)
    Y[:, 0] = np.where(rng.random(n) < 0.5, differ, Y[:, 0])
    return X, Y


def seconds_of(work: Callable[[], object], runs: int = RUNS) -> float:
    """The least time of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def plink(X: np.ndarray, y: np.ndarray, threads: int) -> float | None:
    """The time of PLINK's fast epistasis by BOOST on genotypes; None if it is not installed."""
    program = shutil.which("plink1.9") or shutil.which("plink")
    if program is None:
        return None
    n, d = X.shape
    with tempfile.TemporaryDirectory() as folder:
        stem = Path(folder) / "x"
        codes = np.array([0, 2, 3], np.uint8)[X.T]
        codes = np.pad(codes, ((0, 0), (0, -n % 4))).reshape(d, -1, 4)
        packed = (codes << np.array([0, 2, 4, 6], np.uint8)).sum(axis=2).astype(np.uint8)
        stem.with_suffix(".bed").write_bytes(b"\x6c\x1b\x01" + packed.tobytes())
        lines = (f"1 s{j} 0 {j + 1} A C\n" for j in range(d))
        stem.with_suffix(".bim").write_text("".join(lines))
        lines = (f"f{i} i{i} 0 0 1 {1 + int(y[i])}\n" for i in range(n))
        stem.with_suffix(".fam").write_text("".join(lines))
        command = [program, "--bfile", str(stem), "--fast-epistasis", "boost", "--epi1", "1e-9"]
        command += ["--threads", str(threads), "--out", str(stem)]
        return seconds_of(lambda: subprocess.run(command, capture_output=True, check=True))


def chance(rng: np.random.Generator, score: np.ndarray) -> np.ndarray:
    """A label by a logistic model."""
    return (rng.random(score.size) < 1 / (1 + np.exp(-score))).astype(np.int8)


def planted(kind: str, rng: np.random.Generator) -> Table:
    """A thousand columns of which the first two tell the label together."""
    if kind == "exclusive or":
        X = rng.integers(0, 2, (1000, 1000))
        return X, chance(rng, 1.1 * np.where(X[:, 0] ^ X[:, 1], 1, -1))
    if kind == "product of numbers":
        X = rng.normal(size=(1000, 1000))
        return X, chance(rng, 1.3 * X[:, 0] * X[:, 1])
    X = rng.binomial(2, 0.5, (1000, 1000))  # no locus alone: each row and column has one mean
    penetrance = np.array([[0.0, 0.1, 0.0], [0.1, 0.0, 0.1], [0.0, 0.1, 0.0]]) * 6 + 0.1
    return X, (rng.random(1000) < penetrance[X[:, 0], X[:, 1]]).astype(np.int8)


def empty(kind: str, rng: np.random.Generator) -> Table:
    """Tables of fifty columns without an interaction."""
    X = rng.normal(size=(1000, 50))
    if kind == "correlated columns":
        X = 0.8 * rng.normal(size=(1000, 1)) + 0.6 * X
    score = X[:, 0] + X[:, 1] + 0.5 * X[:, 2] - 0.5
    if kind == "one hidden cause":
        score = 2 * rng.normal(size=1000)
        X = 0.4 * score[:, None] + 0.6 * X
    if kind == "near copies":
        X[:, 25:] = X[:, :25] + 0.1 * X[:, 25:]
    if kind == "rare values, rare label":
        X, score = (X > 1.5).astype(float), score - 3.5
    if kind == "levels":
        X = rng.integers(0, 6, (1000, 50))
        score = (X[:, 0] == 2) * 1.5 - (X[:, 1] > 3) * 1.0
    return X, chance(rng, np.zeros(1000) if kind == "noise" else score)


PLANTED = ("exclusive or", "product of numbers", "two loci")
EMPTY = (
    "noise", "main effects", "correlated columns", "one hidden cause", "near copies",
    "rare values, rare label", "levels",
)  # fmt: skip


def main(given: list[str]) -> int:
    """Print the times, and the shares of tables in which a pair was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.column_pairs", description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tables", type=int, default=200)
    options = parser.parse_args(given)
    print(line(describe()))
    print(
        f"\n| data | pairs | one thread, s | {options.threads} threads, s |\n|---|---:|---:|---:|"
    )
    mlfs.pairs(table_of(100, 10, 3, 1))
    for name, shape in SHAPES.items():
        data = table_of(*shape)
        d, runs = shape[1], 1 if shape[1] > 10_000 else RUNS
        ours = [
            seconds_of(lambda data=data, n=n: mlfs.pairs(data, n_jobs=n), runs)
            for n in (1, options.threads)
        ]
        cells = " | ".join(f"{took:.2f}" for took in ours)
        print(f"| {name} | {d * (d - 1) // 2:,} | {cells} |", flush=True)
        if name == PLINK_ON:
            theirs = [plink(data[0], data[1][:, 0], n) for n in (1, options.threads)]
            if None in theirs:
                print("PLINK is skipped: apt install plink1.9", file=sys.stderr)
            else:
                cells = " | ".join(f"{took:.2f}" for took in theirs)
                print(f"| the same, PLINK 1.9 | {d * (d - 1) // 2:,} | {cells} |", flush=True)
    print("\n| planted | found | other pairs |\n|---|---:|---:|")
    for kind in PLANTED:
        found = others = 0
        for seed in range(options.tables // 4):
            X, y = planted(kind, np.random.default_rng([seed, 1]))
            pairs = [pair.index for pair in mlfs.pairs((X, y[:, None]))]
            found += (0, 1) in pairs
            others += len(pairs) - ((0, 1) in pairs)
        n = max(1, options.tables // 4)
        print(f"| {kind} | {found / n:.2f} | {others / n:.2f} |", flush=True)
    print("\n| nothing planted | tables with a pair |\n|---|---:|")
    for kind in EMPTY:
        false = 0
        for seed in range(options.tables):
            X, y = empty(kind, np.random.default_rng([seed, 2]))
            false += bool(mlfs.pairs((X, y[:, None])))
        print(f"| {kind} | {false / options.tables:.3f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
