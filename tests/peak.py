"""What selections take at their peak: ``python -m tests.peak CASE MOST [MOST ...]``, JSON out."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np
import scipy.sparse as sp

import mlfs
from benchmarks import clock

__all__ = ["CASES"]


def _planes() -> tuple[Any, Any]:
    generator = np.random.default_rng(1)
    X = generator.integers(0, 6, (400_000, 40)).astype(np.uint8)
    return X, (X[:, :3].sum(axis=1) > 7).astype(np.int8)


def _lists() -> tuple[Any, Any]:
    generator = np.random.default_rng(2)
    X = sp.random_array((3_000, 30_000), density=0.003, format="csr", rng=generator)
    X.data = generator.integers(1, 3, X.nnz).astype(np.float64)
    return X, (generator.random((3_000, 12)) < 0.05).astype(np.int8)


def _labels() -> tuple[Any, Any]:
    generator = np.random.default_rng(3)
    X = (generator.random((20_000, 200)) < 0.2).astype(np.uint8)
    return X, (generator.random((20_000, 300)) < 0.05).astype(np.int8)


CASES = {
    "planes": (_planes, "cmim", 30),
    "lists": (_lists, "jmi", 40),
    "labels": (_labels, "pmu", 4),
}


def _run(case: str, amounts: list[str]) -> list[dict[str, Any]]:
    make, criterion, n = CASES[case]
    X, Y = make()
    mlfs.select((X[:300, :40], Y[:300]), criterion, 4)
    mlfs.select((X[:300, :40], Y[:300]), criterion, 4, max_memory=10**6)
    runs = []
    for most in amounts:
        before = clock.memory_now()
        clock.reset_peak()
        limit = None if most == "default" else int(most)
        chosen = mlfs.select((X, Y), criterion, n, max_memory=limit)
        bits = str(chosen.indices).encode() + chosen.scores.tobytes()
        peak = clock.peak_memory() - before
        runs.append({"peak": peak, "bits": hashlib.sha256(bits).hexdigest()})
    return runs


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_run(sys.argv[1], sys.argv[2:])))
