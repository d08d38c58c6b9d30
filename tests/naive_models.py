"""The models that papers compare with, from their papers, in loops; no code is shared with mlfs.

Everywhere a binary classifier is `LogisticRegression(C=5)` of liblinear, or a constant where
training has one class.
"""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression


def binary(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """P(1) of new rows."""
    if len(set(y.tolist())) < 2:
        return np.full(len(new), float(y[0]))
    return LogisticRegression(C=5, solver="liblinear").fit(X, y).predict_proba(new)[:, 1]


def relevance(X: np.ndarray, Y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Binary relevance: P(1) of each label alone."""
    return np.column_stack([binary(X, Y[:, l], new) for l in range(Y.shape[1])])


def nearest(x: np.ndarray, X: np.ndarray, k: int, leave: int | None = None) -> list[int]:
    """The k nearest rows, the first of equally near ones."""
    far = [(round(float(((x - X[i]) ** 2).sum()), 9), i) for i in range(len(X)) if i != leave]
    return [i for _, i in sorted(far)[:k]]


def mlknn(X: np.ndarray, Y: np.ndarray, new: np.ndarray, k: int, s: float) -> np.ndarray:
    """Zhang & Zhou (2007)."""
    n, q = Y.shape
    shares = np.zeros((len(new), q))
    for label in range(q):
        own: Counter[int] = Counter()
        other: Counter[int] = Counter()
        for i in range(n):
            c = sum(int(Y[j, label]) for j in nearest(X[i], X, k, i))
            (own if Y[i, label] else other)[c] += 1
        p1 = (s + Y[:, label].sum()) / (2 * s + n)
        for row, x in enumerate(new):
            c = sum(int(Y[j, label]) for j in nearest(x, X, k))
            yes = p1 * (s + own[c]) / (s * (k + 1) + sum(own.values()))
            no = (1 - p1) * (s + other[c]) / (s * (k + 1) + sum(other.values()))
            shares[row, label] = yes / (yes + no)
    return shares


def brknn(X: np.ndarray, Y: np.ndarray, new: np.ndarray, k: int, extension: str) -> list[list[int]]:
    """Spyromitros, Tsoumakas & Vlahavas (2008): the labels of each row."""
    found = []
    for x in new:
        near = nearest(x, X, k)
        confidence = [sum(int(Y[j, l]) for j in near) / k for l in range(Y.shape[1])]
        labels = [l for l, c in enumerate(confidence) if c > 0.5]
        ranked = sorted(range(Y.shape[1]), key=lambda l: (-confidence[l], l))
        if extension == "a" and not labels and max(confidence) > 0:
            labels = ranked[:1]
        if extension == "b":
            mean = sum(int(Y[j].sum()) for j in near) / k
            labels = sorted(ranked[: int(mean + 0.5)])
        found.append(labels)
    return found


def iblr(X: np.ndarray, Y: np.ndarray, new: np.ndarray, k: int, original: bool) -> np.ndarray:
    """Cheng & Huellermeier (2009)."""
    own = np.array([Y[nearest(x, X, k, i)].mean(axis=0) for i, x in enumerate(X)])
    other = np.array([Y[nearest(x, X, k)].mean(axis=0) for x in new])
    if original:
        own, other = np.hstack([X, own]), np.hstack([new, other])
    return relevance(own, Y, other)


def chf(X: np.ndarray, Y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Godbole & Sarawagi (2004)."""
    wide = np.hstack([X, relevance(X, Y, X)])
    return relevance(wide, Y, np.hstack([new, relevance(X, Y, new)]))


def powerset(X: np.ndarray, sets: list[tuple[int, ...]], new: np.ndarray) -> dict[Any, np.ndarray]:
    """P of each label set that occurs, one against all others, with the sum 1."""
    known = sorted(set(sets))
    shares = [binary(X, np.array([int(one == own) for one in sets]), new) for own in known]
    total = np.sum(shares, axis=0)
    return {own: share / total for own, share in zip(known, shares, strict=True)}


def powerset_answers(shares: dict[Any, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The label set of greatest P, and the marginals."""
    known = sorted(shares)
    best = [known[at] for at in np.array([shares[one] for one in known]).argmax(axis=0)]
    marginals = sum(np.outer(shares[one], one) for one in known)
    return np.array(best), np.asarray(marginals)


def pruned(X: np.ndarray, Y: np.ndarray, p: int, b: int) -> tuple[np.ndarray, list[Any]]:
    """Read, Pfahringer & Holmes (2008): the rows and their sets after pruning."""
    sets = [tuple(y.tolist()) for y in Y]
    counts = Counter(sets)
    rows, kept = [], []
    for x, own in zip(X, sets, strict=True):
        if counts[own] > p:
            rows.append(x)
            kept.append(own)
            continue
        subsets = [
            one
            for one in counts
            if counts[one] > p and sum(one) and all(a <= b for a, b in zip(one, own, strict=True))
        ]
        for one in sorted(subsets, key=lambda one: (-sum(one), -counts[one], one))[:b]:
            rows.append(x)
            kept.append(one)
    return np.array(rows), kept


def rakel(
    X: np.ndarray, Y: np.ndarray, new: np.ndarray, labelsets: list[list[int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Tsoumakas, Katakis & Vlahavas (2011): the share of votes and the mean probability."""
    votes, chances, times = np.zeros((len(new), Y.shape[1])), np.zeros((len(new), Y.shape[1])), {}
    for labels in labelsets:
        shares = powerset(X, [tuple(y[labels].tolist()) for y in Y], new)
        best, marginals = powerset_answers(shares)
        for at, label in enumerate(labels):
            votes[:, label] += best[:, at]
            chances[:, label] += marginals[:, at]
            times[label] = times.get(label, 0) + 1
    count = np.array([times[label] for label in range(Y.shape[1])])
    return votes / count, chances / count


def homer(X: np.ndarray, Y: np.ndarray, new: np.ndarray, tree: Any) -> np.ndarray:
    """Tsoumakas, Katakis & Vlahavas (2008): P of each label; a tree is nested lists of labels."""

    def below(node: Any) -> list[int]:
        return [node] if isinstance(node, int) else [l for one in node for l in below(one)]

    out = np.ones((len(new), Y.shape[1]))

    def walk(node: list[Any], rows: np.ndarray) -> None:
        for child in node:
            any_label = Y[rows][:, below(child)].max(axis=1)
            share = binary(X[rows], any_label, new)
            out[:, below(child)] *= share[:, None]
            if not isinstance(child, int):
                inside = Y[:, below(child)].max(axis=1) == 1
                walk(child, np.flatnonzero(inside))

    walk(tree, np.arange(len(X)))
    return out


def lift(X: np.ndarray, y: np.ndarray, new: np.ndarray, ratio: float, seed: int) -> np.ndarray:
    """Zhang & Wu (2015) for one label: P(1)."""
    m = ceil(ratio * min(y.sum(), (1 - y).sum()))
    centres = [
        KMeans(m, n_init=1, random_state=seed).fit(X[y == value]).cluster_centers_
        for value in (1, 0)
    ]
    both = np.vstack(centres)
    return binary(cdist(X, both), y, cdist(new, both))


def llsf(X: np.ndarray, Y: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    """Huang, Li, Huang & Wu (2015), as it is printed, by a quasi-Newton method on W = U - V."""
    n, (d, q) = len(X), (X.shape[1], Y.shape[1])
    size = np.sqrt((Y**2).sum(axis=0))
    R = 1 - (Y.T @ Y) / np.outer(size, size)

    def loss(both: np.ndarray) -> tuple[float, np.ndarray]:
        U, V = both.reshape(2, d, q)
        W = U - V
        rest = X @ W - Y
        value = 0.5 * (rest**2).sum() / n + alpha / 2 * np.trace(R @ W.T @ W) + beta * both.sum()
        grad = X.T @ rest / n + alpha * W @ R
        return value, np.concatenate([(grad + beta).ravel(), (beta - grad).ravel()])

    start = np.zeros(2 * d * q)
    bounds = [(0, None)] * start.size
    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10}
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    U, V = found.x.reshape(2, d, q)
    return U - V


def ranking_votes(X: np.ndarray, Y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Fuernkranz et al. (2008): votes of each label less those of the virtual label 0."""
    n, q = len(new), Y.shape[1]
    votes = np.zeros((n, q + 1))
    for a in range(q):
        won = binary(X, Y[:, a], new) > 0.5
        votes[:, a] += won
        votes[:, q] += ~won
        for b in range(a + 1, q):
            rows = Y[:, a] != Y[:, b]
            if not rows.any():
                votes[:, [a, b]] += 0.5
                continue
            won = binary(X[rows], Y[rows, a], new) > 0.5
            votes[:, a] += won
            votes[:, b] += ~won
    return votes[:, :q] - votes[:, q:]
