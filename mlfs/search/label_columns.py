"""The labels as columns of 0 and 1, and what tests of association need to know of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import level_sums
from mlfs.discretize.rank_levels import LevelColumn

LEAST_SPREAD = 1e-12  # of a label, below which it is constant
NO_WEIGHTS = np.zeros(0, np.int64)


class LabelColumns:
    """The classes of the labels as columns of 0 and 1, and what the strata tell of them.

    Parameters
    ----------
    Y : ndarray or sparse array of int, shape (N, q)
        The codes of the labels; -1 is missing.
    strata : ndarray of int, optional
        The stratum of each row.
    weights : ndarray of int, optional
        The weights of the rows on a common grid.
    n_effective : float, optional
        How many rows the weights stand for; all of them without weights.
    """

    def __init__(
        self,
        Y: Any,
        strata: np.ndarray | None = None,
        weights: np.ndarray | None = None,
        n_effective: float | None = None,
    ) -> None:
        self.n_rows = Y.shape[0]
        self.weights = NO_WEIGHTS if weights is None else weights
        w = np.ones(self.n_rows) if weights is None else weights.astype(np.float64)
        self.n_effective = float(self.n_rows) if n_effective is None else n_effective
        codes = np.zeros(self.n_rows, np.int64) if strata is None else strata
        self.strata = np.unique(codes, return_inverse=True)[1].astype(np.int32)
        self.rows_of_strata = np.bincount(self.strata, w)
        self.n_strata = self.rows_of_strata.size
        table = sp.csc_array(Y)
        rows, of_label = list[np.ndarray](), list[int]()
        self.known: dict[int, np.ndarray] = {}
        for label in range(Y.shape[1]):
            part = slice(table.indptr[label], table.indptr[label + 1])
            stored, values = table.indices[part], np.asarray(table.data[part])
            classes, counts = np.unique(values, return_counts=True)
            n_zero = self.n_rows - int(counts[classes != 0].sum())
            present = [int(c) for c in classes if c > 0]
            if n_zero and len(present) > 1:
                present = [0, *present]
            elif not n_zero:
                present = present[1:] if len(present) == 2 else present
            is_missing = stored[values < 0]
            for c in present:
                if c:
                    members = stored[values == c]
                else:
                    members = np.setdiff1d(np.arange(self.n_rows), stored[values != 0])
                if is_missing.size:
                    known = np.ones(self.n_rows, bool)
                    known[is_missing] = False
                    self.known[len(rows)] = known
                rows.append(np.sort(members))
                of_label.append(label)
        self.of_label, self.q = np.array(of_label, np.int64), len(rows)
        self._count(rows, w)

    def columns_of(self, labels: np.ndarray) -> np.ndarray:
        """The columns of some labels."""
        return np.flatnonzero(np.isin(self.of_label, labels))

    def members_of(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        """Masks of the rows of a column of labels, and of those where it is known."""
        members = np.zeros(self.n_rows, bool)
        members[self._by_column.indices[slice(*self._by_column.indptr[column : column + 2])]] = True
        return members, self.known.get(column, np.ones(self.n_rows, bool))

    def rows_of(self, column: LevelColumn) -> np.ndarray:
        """The weight of the rows of each level of a column in each stratum."""
        return column.sums(level_sums.stratum_sums, self.rows_of_strata, self.weights, self.strata)

    def sums_of(self, column: LevelColumn, rows: np.ndarray) -> np.ndarray:
        """The weight of the rows of each level that have a label, beyond that of its stratum."""
        sums = column.sums(
            level_sums.label_sums, self.totals, self.weights, self.first, self.labels
        )
        by_chance = rows @ self.means
        for j, known in self.known.items():
            by_chance[:, j] = self._rows_known(column, known) @ self.means[:, j]
        return np.asarray(sums - by_chance)

    def _rows_known(self, column: LevelColumn, known: np.ndarray) -> np.ndarray:
        """The weight of the rows of each level in each stratum where a label is known."""
        levels = column.levels_of_rows(self.n_rows).astype(np.int64)
        weights = self.weights[known] if self.weights.size else None
        size = len(column.parts), self.n_strata
        places = levels[known] * self.n_strata + self.strata[known]
        return np.bincount(places, weights, minlength=size[0] * size[1]).reshape(size)

    def _count(self, rows: list[np.ndarray], w: np.ndarray) -> None:
        """Sum the labels: by stratum, and their products within strata."""
        sizes = [part.size for part in rows]
        indptr = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        indices = np.concatenate([np.zeros(0, np.int64), *rows])
        shape = (self.n_rows, self.q)
        columns = sp.csc_array((np.ones(indices.size), indices, indptr), shape=shape)
        weighted = sp.csc_array(columns.multiply(w[:, None])) if self.weights.size else columns
        by_row = sp.csr_array(columns)
        self.first, self.labels = by_row.indptr.astype(np.int64), by_row.indices.astype(np.int32)
        in_strata = sp.csr_array(
            (np.ones(self.n_rows), (self.strata, np.arange(self.n_rows))),
            shape=(self.n_strata, self.n_rows),
        )
        self.totals = np.asarray(weighted.sum(axis=0), np.float64).ravel()
        by_stratum = np.asarray((in_strata @ weighted).toarray(), np.float64)  # (strata, q)
        rows_known = np.repeat(self.rows_of_strata[:, None], self.q, axis=1)
        for column, known in self.known.items():
            rows_known[:, column] = np.bincount(self.strata, w * known, minlength=self.n_strata)
        self.means = by_stratum / np.maximum(rows_known, 1e-300)
        products = np.asarray((columns.T @ weighted).toarray(), np.float64)
        for stratum in range(self.n_strata) if not self.known else ():
            mean = self.means[stratum]
            products -= self.rows_of_strata[stratum] * np.outer(mean, mean)
        if self.known:  # rows where a label is not known count as its mean
            centred = columns.toarray() - self.means[self.strata]
            for column, known in self.known.items():
                centred[~known, column] = 0.0
            products = centred.T @ (w[:, None] * centred)
        self.products = products
        p = np.clip(self.totals / np.maximum(1e-300, rows_known.sum(axis=0)), 0.0, 1.0)
        self._share, self._spread = p, np.maximum(p * (1 - p), LEAST_SPREAD)
        self._by_row, self._by_column = by_row, columns

    def targets(self, columns: np.ndarray) -> LabelTargets:
        """Gather the facts about some of the columns that a test about them needs."""
        n, p, spread = self.n_effective, self._share[columns], self._spread[columns]
        together = 0.0
        if columns.size > 1:
            varies = spread > LEAST_SPREAD
            weights, constant = np.zeros(self.q), float((p**2 / spread)[varies].sum())
            weights[columns] = np.where(varies, (1 - 2 * p) / spread, 0.0)
            squares = (self._by_row @ weights + constant) ** 2
            rows = self.weights if self.weights.size else None
            together = float(np.average(squares, weights=rows)) / n
        return LabelTargets(
            columns,
            self.products[np.ix_(columns, columns)],
            (1 - 2 * p) / np.sqrt(spread),
            (1 - 3 * p * (1 - p)) / (n * spread),
            together,
            n,
        )


class LabelTargets(NamedTuple):
    """The columns of labels that a test is about.

    Parameters
    ----------
    columns : ndarray of int
        Their numbers.
    products : ndarray
        Sums of products of the labels, within strata.
    skewness, fourth : ndarray
        Of each label: the skewness, and the sum of its standardised fourth powers.
    fourth_together : float
        The sum over rows of the square of the sum over labels of standardised squares.
    n : float
        The effective number of rows.
    """

    columns: np.ndarray
    products: np.ndarray
    skewness: np.ndarray
    fourth: np.ndarray
    fourth_together: float
    n: float

    @property
    def total(self) -> np.ndarray:
        """The sum of squares of each label."""
        return np.maximum(np.diag(self.products), 0.0)


class LabelMoments(NamedTuple):
    """Sums of powers of the eigenvalues of the correlations of the labels."""

    first: int
    second: float
    third: float

    @classmethod
    def of(cls, products: np.ndarray) -> LabelMoments:
        """The moments of labels with these sums of products."""
        scale = np.sqrt(np.maximum(np.diag(products), 0.0))
        varies = scale > 0
        R = products[np.ix_(varies, varies)] / np.outer(scale[varies], scale[varies])
        squared = R @ R
        return cls(int(varies.sum()), float(np.trace(squared)), float((squared * R).sum()))
