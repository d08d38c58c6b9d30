"""Make inputs: dense tables with one class, sparse binary tables with many labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.inputs import Shape

__all__ = ["binary_rows", "many_rows", "one_class"]

ROWS_AT_ONCE = 50_000


def one_class(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Informative columns from shared latent factors, noisy copies of them, and noise."""
    rng = np.random.default_rng(shape.seed)
    n, d, informative = shape.rows, shape.columns, shape.informative
    y = (rng.random(n) < 0.4).astype(np.uint8)
    q = max(4, informative // 5)
    chance = rng.random((n, q))
    in_one, in_other = rng.uniform(0.45, 0.7, q), rng.uniform(0.3, 0.55, q)
    latent = (chance < np.where(y[:, None] == 1, in_one, in_other)).astype(np.uint8)
    levels = rng.integers(shape.levels[0], shape.levels[1] + 1, d)
    X = np.empty((n, d), np.uint8)
    for j, size in enumerate(levels.tolist()):
        if j < informative:
            z = latent[:, j % q]
            code = z * 2 + y if j % 3 else z
            ends = np.cumsum(rng.dirichlet(np.full(size, 1.5), size=4), 1)
            X[:, j] = np.minimum((rng.random(n)[:, None] > ends[code]).sum(1), size - 1)
        elif j < informative + shape.copies:
            source = np.minimum(X[:, rng.integers(0, informative)], size - 1)
            flipped = rng.random(n) < rng.uniform(0.05, 0.4)
            X[:, j] = np.where(flipped, rng.integers(0, size, n), source)
        else:
            ends = np.cumsum(rng.dirichlet(np.full(size, 2.0)))
            X[:, j] = np.minimum(np.searchsorted(ends, rng.random(n)), size - 1)
    return np.ascontiguousarray(X[:, rng.permutation(d)]), y


def binary_rows(shape: Shape) -> tuple[Any, Any]:
    """Words by Zipf's law, drawn from the topics of the labels of each row."""
    rng = np.random.default_rng(shape.seed)
    d, q = shape.columns, shape.labels
    base = 1.0 / np.arange(1, d + 1) ** 0.8
    base = base[rng.permutation(d)]
    base /= base.sum()
    often = 1.0 / np.arange(1, q + 1) ** 0.7
    often /= often.sum()
    topics = np.empty((q, d))
    for label in range(q):
        words = base.copy()
        own = rng.choice(d, size=min(d, max(5, d // 60)), replace=False)
        words[own] += rng.dirichlet(np.ones(len(own))) * 0.9
        topics[label] = words / words.sum()
    ends = np.cumsum(topics, 1)
    in_x, in_y = [], []
    for _ in range(shape.rows):
        size = min(max(1, rng.poisson(shape.cardinality)), q)
        labels = np.unique(rng.choice(q, size=size, p=often))
        length = max(2, rng.poisson(shape.density * d * 1.35))
        which = rng.integers(0, len(labels), length)
        chance = rng.random(length)
        words = np.empty(length, int)
        for i, label in enumerate(labels):
            mine = which == i
            if mine.any():
                words[mine] = np.searchsorted(ends[label], chance[mine])
        in_x.append(np.unique(np.minimum(words, d - 1)))
        in_y.append(labels)
    return _csr(in_x, d), _csr(in_y, q)


def many_rows(shape: Shape) -> tuple[Any, Any]:
    """The like, drawn for thousands of rows at once: a third of the words by topic."""
    rng = np.random.default_rng(shape.seed)
    d, q = shape.columns, shape.labels
    words = np.cumsum(1.0 / np.arange(1, d + 1) ** 0.8)
    labels = np.cumsum(1.0 / np.arange(1, q + 1) ** 0.7)
    length = round(shape.density * d)
    X, Y = [], []
    for first in range(0, shape.rows, ROWS_AT_ONCE):
        n = min(ROWS_AT_ONCE, shape.rows - first)
        own = np.searchsorted(labels, rng.random((n, round(shape.cardinality))) * labels[-1])
        drawn = np.searchsorted(words, rng.random((n, length)) * words[-1])
        topical = rng.random((n, length)) < 1 / 3
        topic = np.take_along_axis(own, rng.integers(0, own.shape[1], (n, length)), 1)
        drawn = np.where(topical, (topic * 97 + rng.integers(0, 20, (n, length))) % d, drawn)
        X.append(_csr_of_draws(drawn, d))
        Y.append(_csr_of_draws(own, q))
    return sp.vstack(X, format="csr"), sp.vstack(Y, format="csr")


def _csr(rows: list[np.ndarray], columns: int) -> Any:
    ends = np.cumsum([0, *map(len, rows)])
    ones = np.ones(int(ends[-1]), np.uint8)
    at = np.concatenate(rows).astype(np.int32)
    return sp.csr_array((ones, at, ends), shape=(len(rows), columns))


def _csr_of_draws(drawn: np.ndarray, columns: int) -> Any:
    drawn = np.sort(drawn, axis=1).astype(np.int32)
    first = np.ones(drawn.shape, bool)
    first[:, 1:] = np.diff(drawn, axis=1) > 0
    ends = np.concatenate([[0], np.cumsum(first.sum(1))])
    return sp.csr_array(
        (np.ones(int(ends[-1]), np.uint8), drawn[first], ends), shape=(len(drawn), columns)
    )
