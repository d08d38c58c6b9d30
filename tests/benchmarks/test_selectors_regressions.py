"""The regressions minimise what their papers write; graphs and marks are those of loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from benchmarks import selectors
from benchmarks.selectors import path_of, regressions
from mlfs.compare.named import named
from mlfs.compare.rankers import ranker
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.arrays import from_arrays

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 5))
X = (X - X.mean(axis=0)) / X.std(axis=0)
Y = np.column_stack([X[:, 0] + 0.3 * RANDOM.normal(size=40) > 0, X[:, 1] - X[:, 2] > 0.4]) * 1.0


def naive_laplacian(points, k=5):
    """Of a graph of the k nearest by a heat kernel, by loops."""
    n = len(points)
    k = min(k, n - 1)
    d2 = [[sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) for q in points] for p in points]
    near = [sorted((j for j in range(n) if j != i), key=lambda j: d2[i][j])[:k] for i in range(n)]
    width = sum(d2[i][j] for i in range(n) for j in near[i]) / (n * k)
    out = np.zeros((n, n))
    for i in range(n):
        for j in near[i]:
            out[i, j] = out[j, i] = -math.exp(-d2[i][j] / width)
    return out - np.diag(out.sum(axis=1))


def rows_of(W):
    return np.sqrt((W**2).sum(axis=1))


def least(objective, *shapes):
    """The blocks of the least of an objective from several starts, and the least itself."""
    sizes = [math.prod(shape) for shape in shapes]
    found = []
    for seed in range(3):
        start = np.random.default_rng(seed).normal(size=sum(sizes))

        def value(x):
            parts = np.split(x, np.cumsum(sizes)[:-1])
            return objective(*(p.reshape(s) for p, s in zip(parts, shapes, strict=True)))

        found.append(minimize(value, start, method="L-BFGS-B", options={"maxfun": 200_000}))
    best = min(found, key=lambda one: one.fun)
    parts = np.split(best.x, np.cumsum(sizes)[:-1])
    return [p.reshape(s) for p, s in zip(parts, shapes, strict=True)]


def test_a_graph_joins_the_nearest():
    assert regressions.laplacian_of(X).toarray() == pytest.approx(naive_laplacian(X.tolist()))
    assert regressions.laplacian_of(X[:1]).toarray().tolist() == [[0]]


def test_mssl_is_at_the_least_of_its_objective():
    L, C = naive_laplacian(X.T.tolist()), Y - Y.mean(axis=0)
    (W,) = least(
        lambda W: ((X @ W - C) ** 2).sum() + 3 * np.trace(W.T @ L @ W) + 2 * rows_of(W).sum(),
        (5, 2),
    )
    assert regressions.mssl(X, Y, alpha=3, beta=2) == pytest.approx(rows_of(W), abs=1e-3)


def test_mdfs_is_at_the_least_of_its_objective():
    L, L0 = naive_laplacian(X.tolist()), naive_laplacian(Y.T.tolist())

    def objective(W, F, b):
        return (
            np.trace(F.T @ L @ F) + ((X @ W + b - F) ** 2).sum() + 2 * ((F - Y) ** 2).sum()
            + 0.5 * np.trace(F @ L0 @ F.T) + 3 * rows_of(W).sum()
        )  # fmt: skip

    W, _, _ = least(objective, (5, 2), (40, 2), (1, 2))
    got = regressions.mdfs(X, Y, alpha=2, beta=0.5, gamma=3)
    assert got == pytest.approx(rows_of(W), abs=2e-3)


def test_mifs_is_where_no_block_can_be_better(monkeypatch):
    """The objective is not convex in all blocks together: no small change of any lowers it."""
    L = naive_laplacian(X.tolist())

    def objective(W, V, B):
        return (
            ((X @ W - V) ** 2).sum() + 2 * ((Y - V @ B) ** 2).sum()
            + 0.5 * np.trace(V.T @ L @ V) + 3 * rows_of(W).sum()
        )  # fmt: skip

    kept = {}
    ridge, solved = regressions._ridge, regressions._solved
    monkeypatch.setattr(regressions, "ROUNDS", 300)
    monkeypatch.setattr(
        regressions,
        "_ridge",
        lambda *a: kept.setdefault("W", []).append(ridge(*a)) or kept["W"][-1],
    )
    monkeypatch.setattr(
        regressions,
        "_solved",
        lambda *a: kept.setdefault("V", []).append(solved(*a)) or kept["V"][-1],
    )
    scores = regressions.mifs(X, Y, alpha=2, beta=0.5, gamma=3)
    W, V = kept["W"][-1], kept["V"][-1]
    B = np.linalg.lstsq(V, Y, rcond=None)[0]
    assert scores == pytest.approx(rows_of(W))
    value = objective(W, V, B)
    for _ in range(200):
        change = [1e-3 * RANDOM.normal(size=block.shape) for block in (W, V, B)]
        change[0][rows_of(W) < 1e-6] = 0
        assert objective(*(b + c for b, c in zip((W, V, B), change, strict=True))) > value - 1e-9


def test_mcdm_is_that_of_loops():
    marks = np.linalg.inv(X.T @ X + 10 * np.eye(5)) @ X.T @ Y
    shares = [sum(column) / 40 for column in Y.T.tolist()]
    H = [-p * math.log(p) - (1 - p) * math.log(1 - p) for p in shares]
    sizes = [math.sqrt(sum(marks[f, l] ** 2 for f in range(5))) for l in range(2)]
    table = [[H[l] * marks[f, l] / sizes[l] for l in range(2)] for f in range(5)]
    ends = [[pick(row[l] for row in table) for l in range(2)] for pick in (max, min)]
    far = [[math.dist(row, end) for row in table] for end in ends]
    expected = [low / (high + low) for high, low in zip(*far, strict=True)]
    assert regressions.mcdm(X, Y, ridge=10) == pytest.approx(expected)


def test_more_columns_than_rows_and_constant_ones():
    wide = np.column_stack([X, np.ones(40), RANDOM.normal(size=(40, 60))])
    rows = TrainingRows(from_arrays(wide, Y.astype(int)))
    for name in ("mfs-mcdm", "mifs-jian", "mdfs", "mssl"):
        found = getattr(selectors, name.replace("-", "_"))
        scores = found.scores(rows, 0, **found.parameters)
        assert np.isfinite(scores).all()
        assert int(np.argmax(scores)) < 3
        assert len(ranker(named(path_of(name))).rank(rows, 5, 0).union) == 5
