"""Ordinary tables with a known truth: seeded generators, each with one difficulty of real data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

__all__ = ["TABLES", "Random", "Table", "words_of"]

Random = np.random.Generator
TABLES: dict[str, Callable[[Random], Table]] = {}


@dataclass(frozen=True)
class Table:
    """Columns, labels and the truth.

    Parameters
    ----------
    X : frame or sparse matrix
        The columns.
    Y : ndarray of int
        The labels, a column each.
    truth : list of frozenset of int
        For each factor that the labels depend on, the columns that carry it: one of them is right,
        and a second is a copy.
    weights : ndarray, optional
        The weight of each row.
    given : ndarray, optional
        The stratum of each row, within which the columns tell the labels.
    """

    X: Any
    Y: np.ndarray
    truth: list[frozenset[int]]
    weights: np.ndarray | None = None
    given: np.ndarray | None = None

    def score(self, picks: list[int]) -> float:
        """Compute the F-score of the picks: a factor counts once, a copy is a false pick."""
        true = sum(bool(factor & {*picks}) for factor in self.truth)
        return 2 * true / (len(picks) + len(self.truth))

    def false_picks(self, picks: list[int]) -> tuple[int, int]:
        """Count the picks that are not true: proxies of the truth, and columns of noise.

        A proxy is a column that a label tells by more than four standard errors, alone.
        """
        true = frozenset[int]().union(*self.truth)
        others = [j for j in picks if j not in true]
        proxies = sum(_tells(self.X, j, self.Y) for j in others)
        return proxies, len(others) - proxies


def _tells(X: Any, j: int, Y: np.ndarray) -> bool:
    """Whether a numeric column is correlated with a label; words are taken for noise."""
    x = X[:, [j]].toarray().ravel() if sp.issparse(X) else X.iloc[:, j]
    if getattr(x, "dtype", np.dtype(object)).kind not in "fiub":
        return False
    ranks = pd.Series(x).rank().fillna(len(x) / 2).to_numpy(float)
    if ranks.std() == 0:
        return False
    r = np.corrcoef(ranks, Y.T)[0, 1:]
    return bool(np.nanmax(np.abs(r)) > 4 / np.sqrt(len(ranks)))


def _table(make: Callable[[Random], Table]) -> Callable[[Random], Table]:
    TABLES[make.__name__] = make
    return make


def _labels(
    rng: Random, effects: np.ndarray, q: int = 6, strength: float = 2.0, share: float = 0.4
) -> np.ndarray:
    """Labels by logistic models of a few effects each; every effect is in some label."""
    n, k = effects.shape
    effects = (effects - effects.mean(axis=0)) / effects.std(axis=0)
    Y = np.empty((n, q), np.int64)
    for label in range(q):
        used = [j for j in range(k) if j % q == label or rng.random() < 1.5 / k]
        if not used:
            used = [int(rng.integers(k))]
        slopes = rng.choice([-1.0, 1.0], len(used)) * rng.uniform(0.4, 1.0, len(used))
        score = strength * effects[:, used] @ slopes / np.sqrt(len(used))
        noisy = score + rng.logistic(size=n)
        Y[:, label] = noisy > np.quantile(noisy, 1 - share)
    return Y


def _frame(rng: Random, columns: dict[str, Any], truth: list[set[str]], Y: np.ndarray) -> Table:
    """A frame with its columns in a random order."""
    names = [list(columns)[j] for j in rng.permutation(len(columns))]
    X = pd.DataFrame({name: columns[name] for name in names})
    return Table(X, Y, [frozenset(names.index(name) for name in factor) for factor in truth])


def _numbers(rng: Random, n: int, d: int, name: str = "x") -> dict[str, np.ndarray]:
    return {f"{name}{j}": rng.normal(size=n) for j in range(d)}


def _first(columns: dict[str, Any], k: int) -> tuple[np.ndarray, list[set[str]]]:
    names = list(columns)[:k]
    return np.column_stack([columns[name] for name in names]), [{name} for name in names]


@_table
def linear(rng: Random) -> Table:
    """Thirty numbers, eight of which shift the labels."""
    columns = _numbers(rng, 2000, 30)
    effects, truth = _first(columns, 8)
    return _frame(rng, columns, truth, _labels(rng, effects))


@_table
def u_shaped(rng: Random) -> Table:
    """Thirty numbers, eight of which matter by their distance from the middle."""
    columns = _numbers(rng, 2000, 30)
    effects, truth = _first(columns, 8)
    return _frame(rng, columns, truth, _labels(rng, np.abs(effects), strength=2.5))


@_table
def pairs(rng: Random) -> Table:
    """Eight numbers that act in pairs: the slope of one depends on the other."""
    columns = _numbers(rng, 3000, 30)
    effects, truth = _first(columns, 8)
    left, right = effects[:, :4], effects[:, 4:]
    acting = left * (right > 0) + 0.4 * right
    return _frame(rng, columns, truth, _labels(rng, acting, q=4, strength=3.0))


@_table
def label_chain(rng: Random) -> Table:
    """Labels that depend on one another: each copies its predecessor in half of the rows."""
    columns = _numbers(rng, 2000, 30)
    effects, truth = _first(columns, 8)
    Y = _labels(rng, effects, q=8, strength=3.0)
    for label in range(1, 8):
        copied = rng.random(2000) < 0.5
        Y[copied, label] = Y[copied, label - 1]
    return _frame(rng, columns, truth, Y)


@_table
def rare_labels(rng: Random) -> Table:
    """Twenty labels that one row in fifty has."""
    columns = _numbers(rng, 5000, 40)
    effects, truth = _first(columns, 10)
    return _frame(rng, columns, truth, _labels(rng, effects, q=20, strength=3.0, share=0.02))


@_table
def copies(rng: Random) -> Table:
    """Each of eight numbers has a copy, a noisy copy or a transformed one beside it."""
    columns = _numbers(rng, 2000, 24)
    effects, truth = _first(columns, 8)
    Y = _labels(rng, effects)
    for j, factor in enumerate(truth):
        x = columns[f"x{j}"]
        copy = [x, 3 - 2 * x, x + 0.15 * rng.normal(size=2000), np.exp(x)][j % 4]
        columns[f"copy{j}"] = copy
        factor.add(f"copy{j}")
    return _frame(rng, columns, truth, Y)


def words_of(rng: Random, n: int, levels: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    """A column of words, and the effect of each row's word."""
    shares = rng.dirichlet(np.full(levels, 2.0))
    codes = rng.choice(levels, n, p=shares)
    return np.array([f"{name}{c}" for c in range(levels)])[codes], rng.normal(size=levels)[codes]


def _categories(
    rng: Random, n: int, sizes: tuple[int, ...], matter: str
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    made = {f"{matter}{size}": words_of(rng, n, size, "v") for size in sizes}
    return {name: words for name, (words, _) in made.items()}, np.column_stack(
        [effect for _, effect in made.values()]
    )


@_table
def categories(rng: Random) -> Table:
    """Words of 2 to 5,000 levels: those of 2 to 60 matter, those of 2 to 5,000 do not."""
    useful, effects = _categories(rng, 4000, (2, 3, 5, 12, 60), "true")
    noise, _ = _categories(rng, 4000, (2, 4, 7, 15, 40, 150, 900, 5000), "noise")
    columns = {**useful, **noise, **_numbers(rng, 4000, 10)}
    return _frame(rng, columns, [{name} for name in useful], _labels(rng, effects))


@_table
def keys(rng: Random) -> Table:
    """A counter, a code of each row, a date, constants and a postcode beside numbers."""
    n = 3000
    columns: dict[str, Any] = _numbers(rng, n, 20)
    effects, truth = _first(columns, 6)
    columns |= {
        "row": np.arange(n) + 100_000,
        "code": np.array([f"K{c:06d}" for c in rng.permutation(n)]),
        "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, n), "D"),
        "country": np.full(n, "here"),
        "version": np.zeros(n),
        "postcode": words_of(rng, n, 700, "P")[0],
    }
    return _frame(rng, columns, truth, _labels(rng, effects))


@_table
def missing_values(rng: Random) -> Table:
    """A fifth of all values is missing, of some columns more often where they are high."""
    columns = _numbers(rng, 3000, 30)
    effects, truth = _first(columns, 8)
    Y = _labels(rng, effects, strength=2.5)
    for j, x in enumerate(columns.values()):
        gone = rng.random(3000) < (0.2 if j % 2 else 0.4 * (x > 0))
        x[gone] = np.nan
    return _frame(rng, columns, truth, Y)


@_table
def words(rng: Random) -> Table:
    """Counts of two thousand words in three thousand texts, twenty of which tell the topic."""
    n, d, k = 3000, 2000, 20
    rates = 0.3 / np.arange(1, d + 1) ** 0.6
    X = rng.poisson(np.broadcast_to(rates, (n, d)) * rng.uniform(0.5, 2, (n, 1)))
    Y = (rng.random((n, 10)) < 0.15).astype(np.int64)
    useful = rng.choice(np.arange(20, 600), k, replace=False)
    for i, word in enumerate(useful):
        X[:, word] += rng.poisson(0.6 * Y[:, i % 10] * rng.uniform(0.6, 1.2, n))
    return Table(sp.csr_matrix(X), Y, [frozenset({int(word)}) for word in useful])


@_table
def wide(rng: Random) -> Table:
    """Three hundred rows of three thousand numbers, as of genes."""
    columns = _numbers(rng, 300, 3000)
    effects, truth = _first(columns, 6)
    return _frame(rng, columns, truth, _labels(rng, effects, q=3, strength=4.0))


@_table
def heavy_tails(rng: Random) -> Table:
    """Amounts: skewed, with a few values beyond all others."""
    n = 2000
    shapes: list[Callable[[np.ndarray], np.ndarray]] = [
        lambda z: np.exp(1.5 * z),
        lambda z: np.sign(z) * np.abs(z) ** 5,
        lambda z: np.floor(20 * np.exp(z)),
        lambda z: z,
    ]
    hidden = _numbers(rng, n, 30)
    effects, truth = _first(hidden, 8)
    columns = {name: shapes[j % 4](z) for j, (name, z) in enumerate(hidden.items())}
    return _frame(rng, columns, truth, _labels(rng, effects))


@_table
def weighted(rng: Random) -> Table:
    """Rows of weight 1 tell the truth; as many rows of weight .05 follow other columns."""
    columns = _numbers(rng, 4000, 30)
    effects, truth = _first(columns, 8)
    others = np.column_stack([columns[f"x{j}"] for j in range(8, 16)])
    good = rng.random(4000) < 0.5
    Y = np.where(good[:, None], _labels(rng, effects), _labels(rng, others))
    table = _frame(rng, columns, truth, Y)
    return Table(table.X, Y, table.truth, np.where(good, 1.0, 0.05))


@_table
def steps(rng: Random) -> Table:
    """Counts and grades: whole numbers of 2 to 30 values, with a threshold."""
    n = 2000
    columns = {
        f"x{j}": rng.binomial(top, rng.uniform(0.3, 0.6), n)
        for j, top in enumerate([1, 4, 9, 12, 20, 30] * 5)
    }
    effects, truth = _first(columns, 8)
    over = effects >= np.maximum(1, np.median(effects, axis=0))
    return _frame(rng, columns, truth, _labels(rng, over.astype(float)))


@_table
def customers(rng: Random) -> Table:
    """All of it together: numbers, words, copies, a postcode, a key, missing values."""
    n = 5000
    numbers = _numbers(rng, n, 12)
    effects, truth = _first(numbers, 6)
    useful, of_words = _categories(rng, n, (3, 8, 25), "kind")
    noise, _ = _categories(rng, n, (2, 6, 30, 900), "other")
    Y = _labels(rng, np.column_stack([effects, of_words]), q=8)
    columns: dict[str, Any] = {**numbers, **useful, **noise}
    for j in (0, 3):
        columns[f"copy{j}"] = columns[f"x{j}"] * 100 + 32
        truth[j].add(f"copy{j}")
    columns["customer"] = np.array([f"C{c:06d}" for c in rng.permutation(n)])
    columns["opened"] = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    for name in ("x1", "x7", "x9"):
        columns[name] = np.where(rng.random(n) < 0.15, np.nan, columns[name])
    return _frame(rng, columns, [*truth, *({name} for name in useful)], Y)
