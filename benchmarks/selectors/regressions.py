"""Regressions of the labels whose weights rank the features: rivals in papers on feature selection.

Each is minimised as its paper writes it: the norm of the rows of W by reweighting (Nie and others,
2010), each other block exactly. Graphs join each row, or column, with its nearest ones by a heat
kernel, whose width is the mean distance. Columns are standardised.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

NEIGHBOURS = 5
ROUNDS = 30
CLOSE = 1e-10  # of the right side: what conjugate gradients may leave
TINY = 1e-12  # of a norm whose inverse is a weight


def mcdm(X: np.ndarray, Y: np.ndarray, *, ridge: float) -> np.ndarray:
    """MFS-MCDM (Hashemi and others, 2020): how close a feature is to the best by TOPSIS.

    The weights of a ridge regression are the marks that labels give, and H(l) is how much the marks
    of a label count.
    """
    marks = _ridge(X, Y, np.full(X.shape[1], ridge))
    share = Y.mean(axis=0)
    logs = [np.log(p, out=np.zeros(p.size), where=p > 0) for p in (share, 1 - share)]
    entropy = -(share * logs[0] + (1 - share) * logs[1])
    size = np.sqrt((marks**2).sum(axis=0))
    marks = marks * np.divide(entropy, size, out=np.zeros(size.size), where=size > 0)
    to_best, to_worst = (
        np.sqrt(((marks - end) ** 2).sum(axis=1)) for end in (marks.max(axis=0), marks.min(axis=0))
    )
    total = to_best + to_worst
    return np.divide(to_worst, total, out=np.zeros(total.size), where=total > 0)


def mifs(X: np.ndarray, Y: np.ndarray, *, alpha: float, beta: float, gamma: float) -> np.ndarray:
    """MIFS (Jian and others, 2016): ||w_f|| of the W that minimises, with V and B,

    ||XW - V||^2 + alpha ||Y - VB||^2 + beta tr(V'LV) + gamma sum_f ||w_f||; L is of the rows.
    """
    laplacian, V = laplacian_of(X), Y
    W = _ridge(X, V, np.full(X.shape[1], gamma))
    for _ in range(ROUNDS):
        B = np.linalg.lstsq(V, Y, rcond=None)[0]
        among = np.eye(len(B)) + alpha * B @ B.T

        def of_v(M: np.ndarray, among: np.ndarray = among) -> np.ndarray:
            return np.asarray(M @ among + beta * (laplacian @ M))

        V = _solved(of_v, X @ W + alpha * Y @ B.T, V)
        W = _ridge(X, V, gamma * _reweighted(W))
    return np.linalg.norm(W, axis=1)


def mdfs(X: np.ndarray, Y: np.ndarray, *, alpha: float, beta: float, gamma: float) -> np.ndarray:
    """MDFS (Zhang and others, 2019): ||w_f|| of the W that minimises, with F and b,

    tr(F'LF) + ||XW + 1b' - F||^2 + alpha ||F - Y||^2 + beta tr(F L_0 F') + gamma sum_f ||w_f||;
    L is of the rows, and L_0 of the labels.
    """
    laplacian, of_labels, F = laplacian_of(X), laplacian_of(Y.T).toarray(), Y
    W = _ridge(X, F - F.mean(axis=0), np.full(X.shape[1], gamma))
    for _ in range(ROUNDS):
        F = _solved(
            lambda M: laplacian @ M + M - M.mean(axis=0) + alpha * M + beta * M @ of_labels,
            X @ W + alpha * Y,
            F,
        )
        W = _ridge(X, F - F.mean(axis=0), gamma * _reweighted(W))
    return np.linalg.norm(W, axis=1)


def mssl(X: np.ndarray, Y: np.ndarray, *, alpha: float, beta: float) -> np.ndarray:
    """MSSL (Cai & Zhu, 2018): ||w_f|| of the W that minimises

    ||XW - Y||^2 + alpha tr(W'LW) + beta sum_f ||w_f||, where L is of the features.
    """
    laplacian, centred = laplacian_of(X.T).toarray(), Y - Y.mean(axis=0)
    gram, right = X.T @ X + alpha * laplacian, X.T @ centred
    W = np.linalg.solve(gram + beta * np.eye(len(gram)), right)
    for _ in range(ROUNDS):
        W = np.linalg.solve(gram + np.diag(beta * _reweighted(W)), right)
    return np.linalg.norm(W, axis=1)


def laplacian_of(points: np.ndarray) -> sp.csr_array:
    """D - S of a graph that joins each point with its nearest ones.

    Examples
    --------
    >>> laplacian_of(np.array([[0.0], [1.0]])).toarray().round(3).tolist()
    [[0.368, -0.368], [-0.368, 0.368]]
    """
    from sklearn.neighbors import kneighbors_graph

    k = min(NEIGHBOURS, len(points) - 1)
    if k < 1:
        return sp.csr_array((len(points), len(points)))
    graph = sp.csr_array(kneighbors_graph(points.astype(float), k, mode="distance"))
    width = float(np.mean(graph.data**2)) or 1.0
    graph.data = np.exp(-(graph.data**2) / width)
    graph = graph.maximum(graph.T)
    return sp.csr_array(sp.diags_array(graph.sum(axis=1)) - graph)


def _reweighted(W: np.ndarray) -> np.ndarray:
    """The weights of squares whose sum is that of the norms of the rows, near W."""
    norms = np.linalg.norm(W, axis=1)
    return 1 / (2 * np.maximum(norms, TINY * max(1.0, float(norms.max()))))


def _ridge(X: np.ndarray, target: np.ndarray, penalty: np.ndarray) -> np.ndarray:
    """Minimise ||XW - target||^2 + sum_f penalty_f ||w_f||^2."""
    n, d = X.shape
    if d <= n:
        return np.linalg.solve(X.T @ X + np.diag(penalty), X.T @ target)
    wide = (X / penalty).T  # a system of n equations instead of d
    return wide @ np.linalg.solve(X @ wide + np.eye(n), target)


def _solved(
    apply: Callable[[np.ndarray], np.ndarray], right: np.ndarray, start: np.ndarray
) -> np.ndarray:
    """Conjugate gradients for a matrix on which a positive definite operator acts."""
    x = start.astype(np.float64)
    left = right - apply(x)
    direction, size, enough = left, float((left**2).sum()), CLOSE**2 * float((right**2).sum())
    while size > enough:
        moved = apply(direction)
        step = size / float((direction * moved).sum())
        x = x + step * direction
        left = left - step * moved
        previous, size = size, float((left**2).sum())
        direction = left + size / previous * direction
    return x
