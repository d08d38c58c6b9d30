"""What decisions are made from: how often each label, and each label in vectors of each size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlfs.models.inference.enumeration import every_vector
from mlfs.models.inference.protocol import Floats, Ints, Labels

__all__ = ["Support", "marginals_of_table", "sizes_of_table"]


@dataclass(frozen=True)
class Support:
    """Label vectors with weights, for many rows side by side.

    Parameters
    ----------
    n_rows : int
        Every row has at least one vector.
    rows : ndarray of int
        The row that each vector belongs to, ascending.
    labels : ndarray of int8, shape (len(rows), q)
    weights : ndarray of float64
        How often each vector was drawn, or its probability; a row's need not have the sum 1.
    """

    n_rows: int
    rows: Ints
    labels: Labels
    weights: Floats

    @property
    def starts(self) -> Ints:
        """Where each row begins."""
        return np.searchsorted(self.rows, np.arange(self.n_rows))

    def totals(self) -> Floats:
        """The sum of each row's weights."""
        return _weighed(self.rows, self.weights, self.n_rows)

    def marginals(self) -> Floats:
        """The share of vectors with each label, (n_rows, q)."""
        weighted = self.labels * self.weights[:, None]
        return np.asarray(np.add.reduceat(weighted, self.starts) / self.totals()[:, None])

    def sizes(self) -> tuple[Floats, Floats]:
        """The share of vectors that have label i and s labels, (n_rows, q, q); of empty ones."""
        q = self.labels.shape[1]
        size = self.labels.sum(axis=1, dtype=np.intp)
        shares = self.weights / self.totals()[self.rows]
        at, label = np.nonzero(self.labels)
        cell = (self.rows[at] * q + label) * q + size[at] - 1
        joint = _weighed(cell, shares[at], self.n_rows * q * q)
        empty = _weighed(self.rows, shares * (size == 0), self.n_rows)
        return joint.reshape(self.n_rows, q, q), empty


def marginals_of_table(joint: Floats, q: int) -> Floats:
    """P(label) from the probabilities of all label vectors.

    Examples
    --------
    >>> marginals_of_table(np.array([[0.4, 0.3, 0.2, 0.1]]), 2).round(6).tolist()
    [[0.3, 0.4]]
    """
    n = len(joint)
    halves = [joint.reshape(n, 1 << l, 2, -1)[:, :, 1].sum(axis=(1, 2)) for l in range(q)]
    return np.stack(halves, axis=1) if halves else np.zeros((n, 0))


def sizes_of_table(joint: Floats, q: int) -> tuple[Floats, Floats]:
    """P(label i, s labels), (n, q, q), and P(no label), from those of all label vectors."""
    vectors = every_vector(q)
    size = vectors.sum(axis=1, dtype=np.intp)
    out = np.zeros((len(joint), q, q))
    for s in range(1, q + 1):
        these = size == s
        out[:, :, s - 1] = joint[:, these] @ vectors[these].astype(np.float64)
    return out, joint[:, 0].copy()


def _weighed(cells: Ints, weights: Floats, size: int) -> Floats:
    """The sum of the weights of each cell."""
    return np.asarray(np.bincount(cells, weights, minlength=size), dtype=np.float64)
