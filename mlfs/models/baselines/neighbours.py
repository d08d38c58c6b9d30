"""The nearest training rows of each row, by Euclidean distance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.errors import DataError, UsageError, printable
from mlfs.models.inference.contract import whole
from mlfs.models.inference.vectors import blocks
from mlfs.models.problem import Problem
from mlfs.models.storage.storable import storable

__all__ = ["Neighbours"]

CELLS = 1 << 20  # distances at once
SLACK = 1e-10  # squared distances that differ by less, relative to the norms, are equal


@storable
@dataclass(frozen=True)
class Neighbours:
    """Rows among which the nearest are found.

    Of equally distant rows the first are taken, and what differs by rounding alone is equally
    distant: so dense and sparse rows, and any blocks of them, have the same neighbours.

    Parameters
    ----------
    rows : ndarray of float64 or csr_array, shape (n, d)
        The training rows.
    k : int
        How many neighbours.
    scale : bool, default=False
        Divide each column by its range in the training rows, as Weka and Mulan do.

    Examples
    --------
    >>> near = Neighbours(np.array([[0.0], [1.0], [5.0], [6.0]]), 2)
    >>> near.counts(np.array([[0.2]]), np.array([[1], [1], [0], [0]])).tolist()
    [[2.0]]
    """

    rows: Any
    k: int
    scale: bool = False

    @classmethod
    def of(cls, problem: Problem, k: Any, scale: Any = False) -> Neighbours:
        """The training rows of a problem, with `k` no more than there are other rows."""
        n_neighbours = whole(k, "k")
        if not isinstance(scale, (bool, np.bool_)):
            raise UsageError(f"scale is True or False, not {printable(repr(scale))}")
        if problem.n_rows < 2:
            msg = f"neighbours need two rows or more, not n_samples = {problem.n_rows}"
            raise DataError(msg)
        return cls(problem.X, min(n_neighbours, problem.n_rows - 1), bool(scale))

    def with_rows(self, x: Any, k: Any) -> Neighbours:
        """These and further rows, dense or sparse as the first ones."""
        if sp.issparse(self.rows):
            rows = sp.csr_array(sp.vstack([self.rows, sp.csr_array(x)], format="csr"))
        else:
            rows = np.vstack([self.rows, x.toarray() if sp.issparse(x) else x])
        return Neighbours(rows, min(whole(k, "k"), rows.shape[0] - 1), self.scale)

    @cached_property
    def _centre(self) -> np.ndarray:
        """The means of dense columns, subtracted so that a common offset costs no digits."""
        return np.asarray(self.rows.mean(axis=0))

    @cached_property
    def _ranges(self) -> np.ndarray:
        rows = self.rows.tocsc() if sp.issparse(self.rows) else self.rows
        highest, lowest = rows.max(axis=0), rows.min(axis=0)
        if sp.issparse(rows):
            highest, lowest = highest.toarray().ravel(), lowest.toarray().ravel()
        return np.asarray(np.where(highest > lowest, highest - lowest, 1.0))

    @cached_property
    def _squares(self) -> np.ndarray:
        return _square_norms(self._centred(self.rows))

    def _centred(self, x: Any) -> Any:
        if sp.issparse(self.rows):
            x = sp.csr_array(x)
            return sp.csr_array(x.multiply(1 / self._ranges)) if self.scale else x
        x = (x.toarray() if sp.issparse(x) else x) - self._centre
        return x / self._ranges if self.scale else x

    def counts(self, x: Any, marks: np.ndarray, exclude_self: bool = False) -> np.ndarray:
        """The sum of the neighbours' marks.

        Parameters
        ----------
        x : ndarray of float64 or csr_array, shape (m, d)
            The rows.
        marks : ndarray, shape (n, q)
            A row of numbers for each training row, such as its labels.
        exclude_self : bool, default=False
            `x` are the training rows, and none is a neighbour of its own.

        Returns
        -------
        ndarray of float64, shape (m, q)
        """
        x, rows = self._centred(x), self._centred(self.rows)
        out = np.empty((x.shape[0], marks.shape[1]))
        for block in blocks(x.shape[0], len(self._squares), CELLS):
            product = x[block] @ rows.T
            product = product.toarray() if sp.issparse(product) else product
            distances = _square_norms(x[block])[:, None] + self._squares - 2 * product
            slack = SLACK * (_square_norms(x[block]) + self._squares.max())[:, None]
            if exclude_self:
                distances[np.arange(block.size), block] = np.inf
            selected = sp.csr_array(_nearest(distances, slack, self.k).astype(np.float64))
            out[block] = selected @ marks.astype(np.float64)
        return out


def _square_norms(x: Any) -> np.ndarray:
    squares = x.multiply(x) if sp.issparse(x) else x * x
    return np.asarray(squares.sum(axis=1)).ravel()


def _nearest(distances: np.ndarray, slack: np.ndarray, k: int) -> np.ndarray:
    """A mask of the k least values of each row; of equal ones the first."""
    kth = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    closer, tied = distances < kth - slack, np.abs(distances - kth) <= slack
    room = k - closer.sum(axis=1, keepdims=True)
    nearest: np.ndarray = closer | (tied & (np.cumsum(tied, axis=1, dtype=np.int32) <= room))
    return nearest
