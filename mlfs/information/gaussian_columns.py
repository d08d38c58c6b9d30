"""Variables as columns of whole numbers, and the correlations between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from mlfs._kernels.gaussian import products
from mlfs.counting.entries import edges_of
from mlfs.counting.parallel import Threads

ROWS_A_NANOSECOND = 8  # of two columns
STANDARD = math.log(2 * math.pi * math.e) / 2  # nats
NO_DIRECTION = 1e-9
PIECE = 256  # columns, or candidates, of a thread at a time


class Blocks(Protocol):
    """Variables as blocks of columns of whole numbers; see `mlfs.discretize.normal_scores`."""

    @property
    def values(self) -> np.ndarray:
        """The columns, in rows."""

    @property
    def first(self) -> np.ndarray:
        """Where the columns of each variable begin."""


class Variables:
    """Columns of variables, with what makes sums of their products correlations.

    Parameters
    ----------
    blocks : Blocks
        The columns.
    weights : ndarray of float64 or None
        How often each row counts.
    threads : Threads
        Share out the work.
    """

    def __init__(self, blocks: Blocks, weights: np.ndarray | None, threads: Threads) -> None:
        self.values, self.first = blocks.values, np.asarray(blocks.first, np.int64)
        self._weights, self._threads = weights, threads
        rows = self.values.shape[1]
        self.total = float(rows if weights is None else weights.sum())
        all_columns, ones = np.arange(len(self.values)), np.ones((1, rows))
        self.sums = self._products(all_columns, ones)[:, 0]
        self._inner_sums = [self._inner_products(slice(*ends)) for ends in self._wide]
        variance = self._squares() - self.sums**2 / max(1.0, self.total)
        self.scale = np.zeros(all_columns.size)
        self.scale[variance > 0] = 1.0 / np.sqrt(variance[variance > 0])

    @property
    def _wide(self) -> list[tuple[int, int]]:
        """The columns of the variables that have several."""
        sizes = np.diff(self.first)
        return [(int(self.first[j]), int(self.first[j + 1])) for j in np.flatnonzero(sizes > 1)]

    def _inner_products(self, columns: slice) -> np.ndarray:
        numbers = np.arange(columns.start, columns.stop)
        return self._products(numbers, self.values[columns].astype(np.float64))

    def _squares(self) -> np.ndarray:
        out = np.empty(len(self.values))

        def work(start: int) -> None:
            for j in range(start, min(start + PIECE, out.size)):
                column = self.values[j].astype(np.float64)
                weighted = column if self._weights is None else column * self._weights
                out[j] = column @ weighted  # exact in any order

        jobs = [(start,) for start in range(0, out.size, PIECE)]
        self._threads.map(work, jobs, self.values.size)
        return out

    def _products(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """The sums of products of some columns with others, each row as often as it counts."""
        if self._weights is not None:
            others = others * self._weights
        out = np.empty((rows.size, len(others)))
        edges = [*range(0, rows.size, PIECE), rows.size]
        jobs = list(pairwise(edges)) if rows.size else []

        def work(a: int, b: int) -> None:
            products(self.values, rows[a:b], others, out[a:b])

        cost = rows.size * len(others) * self.values.shape[1] // ROWS_A_NANOSECOND
        self._threads.map(work, jobs, max(cost, 1))
        return out

    def correlations(
        self, rows: np.ndarray, others: Variables, columns: slice | np.ndarray
    ) -> np.ndarray:
        """The correlations of some columns with some of other variables: (rows, columns)."""
        out = self._products(rows, others.values[columns].astype(np.float64))
        out -= self.sums[rows, None] * (others.sums[columns] / max(1.0, self.total))
        out *= self.scale[rows, None]
        out *= others.scale[columns]
        return np.clip(out, -1.0, 1.0, out=out)

    @cached_property
    def inner_correlations(self) -> tuple[np.ndarray, np.ndarray]:
        """The correlations within each variable, one after the other, and where each begins."""
        sizes = np.diff(self.first)
        starts = edges_of(sizes**2)
        flat = np.empty(int(starts[-1]))
        flat[starts[:-1][sizes == 1]] = self.scale[self.first[:-1][sizes == 1]] > 0
        for (a, b), sums in zip(self._wide, self._inner_sums, strict=True):
            scale, mean = self.scale[a:b], self.sums[a:b] / max(1.0, self.total)
            block = (sums - np.outer(self.sums[a:b], mean)) * np.outer(scale, scale)
            np.fill_diagonal(block, scale > 0)
            j = int(np.searchsorted(self.first, a, side="right")) - 1
            flat[starts[j] : starts[j + 1]] = block.ravel()
        return flat, starts

    @cached_property
    def entropies(self) -> np.ndarray:
        """The entropy of each variable: of a column that varies that of a standard normal one.

        Of a block of columns it is that of jointly normal ones with these correlations, without the
        directions that others determine.
        """
        out = np.where(self.scale[self.first[:-1]] > 0, STANDARD, 0.0)
        for j in np.flatnonzero(np.diff(self.first) > 1).tolist():
            spread = np.linalg.eigvalsh(self.block(j))
            spread = spread[spread > NO_DIRECTION]
            out[j] = spread.size * STANDARD + np.log(spread).sum() / 2
        return out

    def block(self, j: int) -> np.ndarray:
        """The correlations within one variable."""
        flat, starts = self.inner_correlations
        size = int(self.first[j + 1] - self.first[j])
        return flat[starts[j] : starts[j + 1]].reshape(size, size)

    def columns(self, j: int) -> slice:
        """The columns of a variable."""
        return slice(int(self.first[j]), int(self.first[j + 1]))


class GaussianColumns:
    """Features and labels as blocks of columns, shared by all views.

    Parameters
    ----------
    features, labels : Blocks
        Their columns.
    positives : ndarray of int
        How many rows have each label, for the imbalance.
    weights : ndarray of int, optional
        How often each row counts.
    n_jobs : int
        Threads.
    """

    def __init__(
        self,
        features: Blocks,
        labels: Blocks,
        positives: np.ndarray,
        weights: np.ndarray | None = None,
        n_jobs: int = 1,
    ) -> None:
        mass = None if weights is None else weights.astype(np.float64)
        self.threads = Threads(n_jobs)
        self.x = Variables(features, mass, self.threads)
        self.y = Variables(labels, mass, self.threads)
        self.positives = positives
        self.d, self.q = self.x.first.size - 1, self.y.first.size - 1
        self._with_feature: dict[int, np.ndarray] = {}
        self.kept: dict[Any, np.ndarray] = {}

    @cached_property
    def fl(self) -> np.ndarray:
        """Correlations of all columns of features with all of labels."""
        return self.x.correlations(np.arange(len(self.x.values)), self.y, slice(None))

    @cached_property
    def ll(self) -> np.ndarray:
        """Correlations among the columns of labels."""
        return self.y.correlations(np.arange(len(self.y.values)), self.y, slice(None))

    def with_features(self, features: Sequence[int], rows: np.ndarray) -> np.ndarray:
        """Correlations of columns with those of some features; all of one feature are kept."""
        if len(features) == 1 and features[0] in self._with_feature:
            return self._with_feature[features[0]][rows]
        spans = [np.arange(self.x.first[s], self.x.first[s + 1]) for s in features]
        correlations = self.x.correlations(rows, self.x, np.concatenate(spans))
        if len(features) == 1 and rows.size == len(self.x.values):
            self._with_feature[features[0]] = correlations
        return correlations
