"""Small random problems with every trap a criterion can meet, and their naive form."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

MISSING_LEVEL = "missing"


@dataclass(frozen=True)
class Problem:
    """Integer codes X (NaN where missing) and 0/1 labels Y (NaN where missing)."""

    X: np.ndarray
    Y: np.ndarray

    def naive(self, missing: str = "level") -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """Columns of X and of Y as tuples; a missing value is None or a level of its own."""
        level = MISSING_LEVEL if missing == "level" else None
        return columns(self.X, level), columns(self.Y, None)


def columns(table: np.ndarray, missing: Any) -> list[tuple[Any, ...]]:
    return [tuple(missing if isnan(v) else int(v) for v in column) for column in table.T.tolist()]


def problem(seed: int, *, labels: int | None = None) -> Problem:
    """20-60 rows, 4-9 columns, 1-5 labels.

    Always a constant column, a duplicate, a many-valued one and a pair whose XOR is the first
    label; the columns stand in random order. Labels depend on one another; some are constant.
    """
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 61)), int(rng.integers(4, 10))
    q = labels or int(rng.integers(1, 6))
    left, right = rng.integers(0, 2, (2, n))
    Y = np.empty((n, q), dtype=np.int64)
    Y[:, 0] = left ^ right
    for l in range(1, q):
        draw = rng.random(n)
        follows = Y[:, rng.integers(0, l)]
        Y[:, l] = np.where(draw < 0.6, follows, draw < 0.6 + 0.4 * rng.random())
        if rng.random() < 0.15:
            Y[:, l] = rng.integers(0, 2)
    X = [left, right, rng.integers(0, int(rng.integers(5, 13)), n)]
    X.append(np.full(n, rng.integers(0, 3)))
    while len(X) < d - 1:
        levels = int(rng.integers(2, 5))
        noise = rng.integers(0, levels, n)
        X.append(np.where(rng.random(n) < 0.5, Y[:, rng.integers(0, q)], noise))
    if len(X) < d:
        X.append(X[rng.integers(0, len(X))])
    table = np.stack(X, axis=1)[:, rng.permutation(d)]
    return Problem(table, Y[:, rng.permutation(q)])


def with_holes(given: Problem, seed: int, *, x: float = 0.0, y: float = 0.0) -> Problem:
    """The same problem with a share of the values missing in X and in Y."""
    rng = np.random.default_rng([seed, 1])
    X, Y = given.X.astype(float), given.Y.astype(float)
    X[rng.random(X.shape) < x] = np.nan
    Y[rng.random(Y.shape) < y] = np.nan
    return Problem(X, Y)
