"""Logistic regressions on parts of the rows with fewer rows than columns, many at once.

The coefficients are x' a for one number a of each row, so that a part with s rows is a problem of
s numbers, whose matrix of inner products is made once. Parts of similar size are stacked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, logit

from mlfs.models.structures.newton import JITTER, NEAR

__all__ = ["fit_few_rows"]

STEPS, HALVES = 100, 20
PADDED = 1.3  # times the size of the smallest part in a stack
CELLS = 1 << 22  # of a stack


def fit_few_rows(x: Any, y: np.ndarray, shares: np.ndarray, near: float = NEAR) -> np.ndarray:
    """The coefficients of regressions of y on x, each on the rows that it gives a share.

    Parameters
    ----------
    x : ndarray or csr_array, shape (n, m)
        With a column for the intercept at the end, see `newton.with_last`.
    y : ndarray, shape (n,)
        0 and 1.
    shares : ndarray, shape (n, k)
        How much each row counts in each fit, times C.
    near : float
        How far an objective may be from its optimum.

    Returns
    -------
    ndarray, shape (m, k)
    """
    out = np.zeros((x.shape[1], shares.shape[1]))
    rows = [np.flatnonzero(row_shares) for row_shares in shares.T]
    for stacked in _stacks([len(part_rows) for part_rows in rows]):
        size = max(len(rows[part]) for part in stacked)
        stack = _Stack(x, y, shares, [(part, rows[part]) for part in stacked], size)
        for part, (coefficients, intercept) in zip(stacked, stack.solve(near), strict=True):
            out[:-1, part], out[-1, part] = coefficients, intercept
    return out


def _stacks(sizes: list[int]) -> Iterator[list[int]]:
    """Parts of similar sizes together."""
    parts: list[int] = []
    for part in np.argsort(sizes, kind="stable").tolist():
        size = sizes[part]
        if parts and (size > PADDED * sizes[parts[0]] or (len(parts) + 1) * size**2 > CELLS):
            yield parts
            parts = []
        parts.append(part)
    if parts:
        yield parts


class _Stack:
    """Parts, each with as many rows as the largest has; those added count nothing."""

    def __init__(
        self,
        x: Any,
        y: np.ndarray,
        shares: np.ndarray,
        parts: list[tuple[int, np.ndarray]],
        size: int,
    ) -> None:
        k = len(parts)
        self.kernel, self.x = np.zeros((k, size, size)), []
        self.y, self.shares = np.zeros((k, size)), np.zeros((k, size))
        for i, (part, rows) in enumerate(parts):
            part_x = x[rows].toarray() if sp.issparse(x) else x[rows]
            self.x.append(part_x[:, :-1])
            self.kernel[i, : rows.size, : rows.size] = part_x[:, :-1] @ part_x[:, :-1].T
            self.y[i, : rows.size] = y[rows]
            self.shares[i, : rows.size] = shares[rows, part]
        self.constant = float(part_x[0, -1])  # 0 where there is no intercept
        total = self.shares.sum(axis=1)
        frequency = (self.shares * self.y).sum(axis=1) / total
        self.b = self.constant * logit(np.clip(frequency, JITTER, 1 - JITTER))
        self.a = np.zeros((k, size))

    def solve(self, near: float) -> Iterator[tuple[np.ndarray, float]]:
        """The coefficients and the intercept of each part."""
        unsolved = np.arange(len(self.x))
        kernel, y, shares, a, b = self.kernel, self.y, self.shares, self.a, self.b
        ka = np.zeros_like(a)
        value = _value(ka + b[:, None], y, shares, a, ka)
        for _ in range(STEPS):
            p = expit(ka + b[:, None])
            d_a, d_b, change, gain = self._step(kernel, shares * (p - y), shares * p * (1 - p), a)
            done = gain <= near
            length = np.where(done | ~np.isfinite(gain), 0.0, 1.0)
            self.a[unsolved], self.b[unsolved] = a, b
            self.a[unsolved[done]], self.b[unsolved[done]] = (a - d_a)[done], (b - d_b)[done]
            for _half in range(HALVES):
                t = length[:, None]
                new_a, new_ka, new_b = a - t * d_a, ka - t * change, b - length * d_b
                new_value = _value(new_ka + new_b[:, None], y, shares, new_a, new_ka)
                fails = (new_value >= value) & (length > 0)
                if not fails.any():
                    break
                length = np.where(fails, length / 2, length)
            active = np.flatnonzero((length > 0) & (new_value < value))
            if not active.size:
                break
            self.a[unsolved[active]], self.b[unsolved[active]] = (
                new_a[active],
                new_b[active],
            )
            a, b, ka, value = new_a[active], new_b[active], new_ka[active], new_value[active]
            if active.size < unsolved.size:
                unsolved, kernel, y, shares = (
                    unsolved[active],
                    kernel[active],
                    y[active],
                    shares[active],
                )
        for part_x, part_a, part_b in zip(self.x, self.a, self.b, strict=True):
            yield part_x.T @ part_a[: len(part_x)], float(part_b)

    def _step(
        self, kernel: np.ndarray, residual: np.ndarray, curvature: np.ndarray, a: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Newton's step of a and b, the change of the decisions, and the expected gain."""
        root = np.sqrt(curvature)
        up = residual + a
        k_up = np.einsum("kij,kj->ki", kernel, up)
        system = root[:, :, None] * kernel * root[:, None, :]
        system[:, np.arange(a.shape[1]), np.arange(a.shape[1])] += 1.0
        right_sides = np.stack([root * k_up, self.constant * root], axis=2)
        solution = np.linalg.solve(system, right_sides)
        solved_a, solved_b = solution[:, :, 0], solution[:, :, 1]
        slope = self.constant * residual.sum(axis=1)
        bend = np.maximum(self.constant * (root * solved_b).sum(axis=1), JITTER)
        d_b = (slope - self.constant * (root * solved_a).sum(axis=1)) / bend * self.constant
        d_a = up - root * (solved_a + solved_b * d_b[:, None])
        change = np.einsum("kij,kj->ki", kernel, d_a)
        gain = ((k_up * d_a).sum(axis=1) + slope * d_b) / 2
        return d_a, d_b, change, gain


def _value(
    z: np.ndarray, y: np.ndarray, shares: np.ndarray, a: np.ndarray, ka: np.ndarray
) -> np.ndarray:
    loss = (shares * (np.logaddexp(0.0, z) - y * z)).sum(axis=1)
    return np.asarray(loss + (a * ka).sum(axis=1) / 2)
