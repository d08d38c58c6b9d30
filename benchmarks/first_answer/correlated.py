"""Tables whose columns stand for one another, whose labels are rare, or whose rows are few.

Each true column counts alone: a column that only stands for it (a proxy) is a false pick.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy.sparse as sp

from benchmarks.first_answer.tables import Random, Table, words_of


def blocks(rng: Random, n: int, d: int, size: int, rho: float) -> np.ndarray:
    """Columns in blocks that share a part."""
    shared = np.repeat(rng.normal(size=(n, -(-d // size))), size, axis=1)[:, :d]
    return np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.normal(size=(n, d))


def factors(rng: Random, n: int, d: int, k: int, share: float) -> np.ndarray:
    """Columns that are sums of some common factors and noise of their own."""
    loads = rng.normal(size=(k, d))
    common = rng.normal(size=(n, k)) @ (loads / np.linalg.norm(loads, axis=0))
    return np.sqrt(share) * common + np.sqrt(1 - share) * rng.normal(size=(n, d))


def neighbours(rng: Random, n: int, d: int, rho: float) -> np.ndarray:
    """Columns in a row, each like the one before it."""
    X = rng.normal(size=(n, d))
    for j in range(1, d):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    return X


def labels(rng: Random, effects: np.ndarray, q: int = 3, strength: float = 1.0) -> np.ndarray:
    """Labels by logistic models of four effects each; every effect is in some label."""
    n, k = effects.shape
    effects = (effects - effects.mean(axis=0)) / effects.std(axis=0)
    Y = np.empty((n, q), np.int64)
    for label in range(q):
        used = [j for j in range(k) if j % q == label]
        others = [j for j in rng.permutation(k).tolist() if j not in used]
        used += others[: max(0, min(4, k) - len(used))]
        slopes = rng.choice([-1.0, 1.0], len(used)) * rng.uniform(0.6, 1.4, len(used))
        score = strength * effects[:, used] @ slopes + 0.8 * rng.logistic(size=n)
        Y[:, label] = score > np.quantile(score, 0.6)
    return Y


def _of(rng: Random, X: np.ndarray, k: int = 6, strength: float = 1.0) -> Table:
    true = rng.choice(X.shape[1], k, replace=False)
    return _table(X, labels(rng, X[:, true], strength=strength), true)


def _table(
    X: np.ndarray, Y: np.ndarray, true: np.ndarray, given: np.ndarray | None = None
) -> Table:
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    return Table(frame, Y, [frozenset({int(j)}) for j in true], given=given)


def correlated_blocks(rng: Random) -> Table:
    """Fifty columns in blocks of five with correlations of .6."""
    return _of(rng, blocks(rng, 2000, 50, 5, 0.6))


def common_factors(rng: Random) -> Table:
    """Fifty columns of three factors."""
    return _of(rng, factors(rng, 2000, 50, 3, 0.5))


def in_time(rng: Random) -> Table:
    """Fifty columns, each correlated .8 with its neighbours."""
    return _of(rng, neighbours(rng, 2000, 50, 0.8))


def sensors(rng: Random) -> Table:
    """Fifty-six sensors behind one load."""
    return _of(rng, blocks(rng, 2000, 56, 56, 0.7))


def near_copies(rng: Random) -> Table:
    """Two noisy copies of each true column."""
    X = rng.normal(size=(2000, 50))
    true = rng.choice(50, 6, replace=False)
    Y = labels(rng, X[:, true])
    others = np.setdiff1d(np.arange(50), true)
    for i, j in enumerate(true):
        X[:, others[2 * i]] = X[:, j] + 0.2 * rng.normal(size=2000)
        X[:, others[2 * i + 1]] = 0.6 * rng.normal(size=2000) - 2 * X[:, j]
    return _table(X, Y, true)


def one_broad_column(rng: Random) -> Table:
    """One column tells 35 labels, five columns tell one label each."""
    X = rng.normal(size=(2000, 40))
    true = rng.choice(40, 6, replace=False)
    column_of = true[np.r_[np.zeros(35, int), 1:6]]
    strength = np.r_[np.full(35, 1.2), np.full(5, 0.6)]
    Y = (strength * X[:, column_of] + rng.logistic(size=(2000, 40)) > 0.8).astype(np.int64)
    return _table(X, Y, true)


def unequal_labels(rng: Random) -> Table:
    """Eight labels of 2 to 50 % of the rows, each told by a column in a block."""
    X = blocks(rng, 3000, 40, 4, 0.5)
    true = rng.choice(40, 8, replace=False)
    Y = np.empty((3000, 8), np.int64)
    for label, share in enumerate((0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02)):
        score = 1.2 * X[:, true[label]] + rng.logistic(size=3000)
        Y[:, label] = score > np.quantile(score, 1 - share)
    return _table(X, Y, true)


def rare_labels_of_categories(rng: Random) -> Table:
    """Words of up to 90 levels and numbers; half of the labels in 2 % of the rows."""
    columns: dict[str, np.ndarray] = {}
    effects = []
    for levels in (2, 5, 30, 90):
        columns[f"true{levels}"], effect = words_of(rng, 2000, levels, "v")
        effects.append(effect)
    for levels in (2, 5, 30, 90, 300):
        columns[f"noise{levels}"] = words_of(rng, 2000, levels, "v")[0]
    for j in range(20):
        columns[f"x{j}"] = rng.normal(size=2000)
    effects += [columns["x0"], columns["x1"]]
    Y = np.empty((2000, 6), np.int64)
    for label, effect in enumerate(effects):
        score = 1.5 * effect / effect.std() + rng.logistic(size=2000)
        Y[:, label] = score > np.quantile(score, 0.98 if label % 2 else 0.7)
    names = list(columns)
    true = ["true2", "true5", "true30", "true90", "x0", "x1"]
    return Table(pd.DataFrame(columns), Y, [frozenset({names.index(name)}) for name in true])


def rare_copies_among_words(rng: Random) -> Table:
    """Three thousand words; three labels of 12 to 40 rows are copies of rare ones."""
    n, d = 1235, 3000
    X = (rng.random((n, d)) < np.minimum(0.3, 2 / np.arange(1, d + 1) ** 0.8)).astype(np.int64)
    rows = X.sum(axis=0)
    rare = rng.choice(np.flatnonzero((rows >= 12) & (rows <= 40)), 3, replace=False)
    frequent = rng.choice(np.flatnonzero(rows > 100), 2, replace=False)
    Y = np.c_[X[:, rare], rng.random((n, 2)) < 0.1 + 0.4 * X[:, frequent]].astype(np.int64)
    return Table(sp.csr_matrix(X), Y, [frozenset({int(j)}) for j in [*rare, *frequent]])


def given_many_strata(rng: Random) -> Table:
    """Thirty rows at each of a hundred sites, which differ in all columns and in the label."""
    site = rng.integers(0, 100, 3000)
    X = rng.normal(size=(3000, 20)) + rng.normal(size=(100, 20))[site]
    true = rng.choice(20, 3, replace=False)
    score = X[:, true] @ np.array([0.8, -0.8, 0.6]) + rng.normal(size=100)[site]
    Y = (score + rng.logistic(size=3000) > 0).astype(np.int64)[:, None]
    return _table(X, Y, true, site)


def few_rows(rng: Random) -> Table:
    """Eighty rows of two hundred numbers."""
    X = rng.normal(size=(80, 200))
    true = rng.choice(200, 3, replace=False)
    score = 1.5 * X[:, true[[0, 1]]] + np.array([1.0, -1.0]) * X[:, true[[2, 2]]]
    return _table(X, (score + 0.3 * rng.logistic(size=(80, 2)) > 0).astype(np.int64), true)


def zero_inflated(rng: Random) -> Table:
    """Amounts that are 0 in three of five rows, in correlated blocks."""
    X = np.exp(blocks(rng, 2000, 50, 5, 0.5)) * (rng.random((2000, 50)) < 0.4)
    true = rng.choice(50, 6, replace=False)
    return _table(X, labels(rng, np.log1p(X[:, true]), strength=1.3), true)


def bimodal(rng: Random) -> Table:
    """Numbers with two modes, of which the side matters."""
    side = rng.random((2000, 50)) < 0.5
    X = np.where(side, 3.0, -3.0) + rng.normal(size=(2000, 50))
    true = rng.choice(50, 6, replace=False)
    return _table(X, labels(rng, side[:, true].astype(float)), true)


def ratios(rng: Random) -> Table:
    """Three labels, each told by the ratio of two of forty correlated amounts."""
    X = np.exp(0.7 * factors(rng, 2000, 40, 4, 0.4))
    true = rng.choice(40, 6, replace=False)
    ratio = np.log(X[:, true[::2]] / X[:, true[1::2]])
    return _table(X, (1.5 * ratio + 0.7 * rng.logistic(size=(2000, 3)) > 0).astype(np.int64), true)


def exclusive_or(rng: Random) -> Table:
    """Three labels, each where exactly one of two columns is high: no column tells one alone."""
    X = rng.normal(size=(2000, 50))
    true = rng.choice(50, 6, replace=False)
    differ = (X[:, true[::2]] > 0) ^ (X[:, true[1::2]] > 0)
    by_chance = rng.random((2000, 3)) < 0.5
    Y = np.where(rng.random((2000, 3)) < 0.6, differ, by_chance)
    return _table(X, Y.astype(np.int64), true)


HARDER = {
    make.__name__: make
    for make in (
        correlated_blocks, common_factors, in_time, sensors, near_copies, one_broad_column,
        unequal_labels, rare_labels_of_categories, rare_copies_among_words, given_many_strata,
        few_rows, zero_inflated, bimodal, ratios, exclusive_or,
    )
}  # fmt: skip
