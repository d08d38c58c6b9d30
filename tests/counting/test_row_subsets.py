"""Some of the rows of packed data give what the same rows give when they are packed alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.api.prepared import prepared_of

RNG = np.random.default_rng(0)
N = 200


def few(share: float, levels: int) -> np.ndarray:
    return (RNG.random((N, 30)) < share) * RNG.integers(1, levels, (N, 30))


LEVELS = RNG.integers(0, 5, (N, 20))
TABLES: dict[str, Any] = {
    "planes of two levels": RNG.integers(0, 2, (N, 20)),
    "planes": LEVELS,
    "lists of two levels": sp.csr_array(few(0.04, 2)),
    "lists": sp.csr_array(few(0.06, 4)),
    "all kinds": np.column_stack([LEVELS, LEVELS > 2, RNG.integers(0, 40, (N, 3)), few(0.03, 2)]),
}


def labels(table: Any) -> np.ndarray:
    dense = table.toarray() if sp.issparse(table) else table
    flips = RNG.random((N, 4)) < 0.2
    return ((dense[:, :4] > 0) ^ flips).astype(float)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("targets", ["binary", "missing", "classes"])
def test_rows_of_packed_data_are_those_rows(kind: str, targets: str) -> None:
    X, Y = TABLES[kind], labels(TABLES[kind])
    if targets == "missing":
        Y[RNG.random(Y.shape) < 0.1] = np.nan
    elif targets == "classes":
        Y = RNG.integers(0, 4, N)
    kept = RNG.random(N) < 0.5
    ready = mlfs.prepare((X, Y))
    whole = mlfs.select(ready, "jmi", 3)
    some = ready.among_rows(kept)
    alone = prepared_of((X[kept], Y[kept]), {}, ready.binnings)
    for name in ("mrmr", "scls", "jmi", "cmim", "mdmr", "mlcfs", "cmi", "jim", "jmi3"):
        for options in ({}, {"per_label": True}):
            one = mlfs.select(some, name, 6, **options)
            other = mlfs.select(alone, name, 6, **options)
            assert one.indices == other.indices, (name, options)
            assert one.scores == pytest.approx(other.scores, abs=1e-12), (name, options)
    assert mlfs.select(ready, "jmi", 3) == whole  # the whole is as it was


def test_corrections_and_left_out_values_are_those_of_the_rows() -> None:
    X = TABLES["planes"].astype(float)
    X[RNG.random(X.shape) < 0.05] = np.nan
    Y, kept = labels(TABLES["planes"]), RNG.random(N) < 0.5
    for options in ({}, {"correction": "expected"}):
        ready = mlfs.prepare((X, Y), **options)
        alone = prepared_of((X[kept], Y[kept]), options, ready.binnings)
        one = mlfs.select(ready.among_rows(kept), "mim", 6)
        assert one.scores == pytest.approx(mlfs.select(alone, "mim", 6).scores, abs=1e-12)


@pytest.mark.parametrize("options", [{}, {"correction": "expected"}, {"estimator": "gaussian"}])
def test_rows_keep_their_weights(options: dict[str, Any]) -> None:
    weights, kept = RNG.integers(1, 5, N), RNG.random(N) < 0.5
    Y = LEVELS[:, :2] > 2
    ready = mlfs.prepare((LEVELS, Y), sample_weight=weights, **options)
    alone = (LEVELS[kept], Y[kept])
    one = mlfs.select(ready.among_rows(kept), "mrmr", 4)
    other = mlfs.select(alone, "mrmr", 4, sample_weight=weights[kept], **options)
    assert one.indices == other.indices
    assert one.scores == pytest.approx(other.scores, abs=1e-12)
