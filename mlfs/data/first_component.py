"""The first principal component of the features.

It represents all features where the order of labels is found by the cheap method. Columns are
centred and not scaled; a missing value stands at the mean of its column, and a nominal column of
more than two values enters as an indicator for each. The projections are rounded to nine digits, so
that their levels do not depend on how a processor adds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Dataset

AT_ONCE = 1 << 20  # cells of a dense array
DIGITS = 9
FAR = 150  # beyond this power of two the square of a square may overflow or underflow
TOLERANCE = 1e-11
GOLDEN = (5**0.5 - 1) / 2
POWERS = 100  # steps towards the first component where Arnoldi's method finds none
SMALL = 8  # rows or columns of which all components are found
NOTHING = 1e-12  # the share of a column that varies, by which it is constant but for rounding


def first_component(dataset: Dataset, weights: np.ndarray | None = None) -> np.ndarray:
    """Project the rows onto their first principal component.

    Parameters
    ----------
    dataset : Dataset
        The features.
    weights : ndarray, optional
        How much each row counts.

    Returns
    -------
    ndarray, shape (N,)
        The projections; zeros if all features are constant. The loading of greatest magnitude is
        positive.
    """
    table = _Numbers(dataset)
    n, d = table.shape
    share = np.ones(n) if weights is None else weights / weights.max()
    root, mean = np.sqrt(share), table.added(share) / share.sum()

    def project(vector: np.ndarray) -> np.ndarray:
        return table.projected(vector.ravel()) - mean @ vector.ravel()

    def add(vector: np.ndarray) -> np.ndarray:
        weighted = root * vector.ravel()
        return table.added(weighted) - mean * weighted.sum()

    # a start that data are not orthogonal to by construction, independent of the rows
    start = 1.0 + np.mod(np.arange(max(n, d)) * GOLDEN, 1.0)
    spread = float(np.abs(root * project(start[:d])).max())
    if spread <= NOTHING * float(np.abs(table.projected(start[:d])).max()):
        return np.zeros(n)
    loadings = _loadings((n, d), lambda v: root * project(v), add, start)
    top = int(np.round(np.abs(loadings), DIGITS).argmax())
    projections = project(loadings if loadings[top] > 0 else -loadings)
    greatest = float(np.abs(projections).max())
    return np.asarray(np.round(projections / greatest, DIGITS) * greatest)


def _loadings(shape: tuple[int, int], matvec: Any, rmatvec: Any, start: np.ndarray) -> np.ndarray:
    """The first right singular vector of a matrix that is known by its products."""
    from scipy.sparse.linalg import ArpackError, LinearOperator, svds

    matrix = LinearOperator(shape, matvec=matvec, rmatvec=rmatvec, dtype=np.float64)
    if min(shape) <= SMALL:
        side = rmatvec if shape[0] < shape[1] else matvec
        short = np.stack([side(row) for row in np.eye(min(shape))], axis=1)
        vectors, _, others = np.linalg.svd(short, full_matrices=False)
        return np.asarray(vectors[:, 0] if shape[0] < shape[1] else others[0])
    try:
        return np.asarray(svds(matrix, k=1, v0=start[: min(shape)], tol=TOLERANCE)[2][0])
    except ArpackError:  # as of a key, all of whose components are equally long
        vector = start[: shape[1]]
        for _ in range(POWERS):
            vector = rmatvec(matvec(vector))
            vector = vector / np.linalg.norm(vector)
        return vector


class _Numbers:
    """The features as numbers, some rows at a time; far ones are divided by a power of two."""

    def __init__(self, dataset: Dataset) -> None:
        table: Any = dataset.table
        nominal = np.flatnonzero(dataset.sizes > 2).tolist()
        missing, greatest = _survey(table, nominal)
        by_column = sp.csc_array(table) if sp.issparse(table) and (missing or nominal) else table
        self.indicators = {j: _values(by_column, j) for j in nominal}
        self.means = {j: _mean(by_column, j) for j in missing if j not in self.indicators}
        self.is_sparse = bool(sp.issparse(table)) and not self.indicators
        self.table = table.astype(np.float64) if self.is_sparse else table
        exponent = int(np.frexp(greatest)[1])
        self.exponent = exponent if abs(exponent) > FAR else 0
        if self.is_sparse:
            data, columns = self.table.data, self.table.tocsr().indices
            gaps = np.flatnonzero(np.isnan(data))
            data[gaps] = [self.means[j] for j in columns[gaps].tolist()]
            data[:] = np.ldexp(data, -self.exponent)
        wider = sum(values.size - 1 for values, _ in self.indicators.values())
        self.shape = int(table.shape[0]), int(table.shape[1]) + wider

    def parts(self) -> Iterator[tuple[slice, Any]]:
        """The rows as floats, and which they are."""
        if self.is_sparse:
            yield slice(0, self.shape[0]), self.table
            return
        step = max(1, AT_ONCE // self.shape[1])
        for first in range(0, self.shape[0], step):
            rows = self.table[first : first + step]
            rows = rows.toarray() if sp.issparse(rows) else rows
            yield slice(first, first + len(rows)), self._converted(rows.astype(np.float64))

    def _converted(self, rows: np.ndarray) -> np.ndarray:
        for j, mean in self.means.items():
            rows[np.isnan(rows[:, j]), j] = mean
        blocks, start = [], 0
        for j, (values, shares) in sorted(self.indicators.items()):
            hits = (rows[:, [j]] == values).astype(np.float64)
            hits[np.isnan(rows[:, j])] = shares
            blocks += [rows[:, start:j], hits]
            start = j + 1
        rows = np.concatenate([*blocks, rows[:, start:]], axis=1) if blocks else rows
        return np.ldexp(rows, -self.exponent) if self.exponent else rows

    def projected(self, vector: np.ndarray) -> np.ndarray:
        """The product of each row with a vector."""
        out = np.empty(self.shape[0])
        for span, rows in self.parts():
            out[span] = rows @ vector
        return out

    def added(self, vector: np.ndarray) -> np.ndarray:
        """The sum of the rows, each times a number."""
        out = np.zeros(self.shape[1])
        for span, rows in self.parts():
            out += rows.T @ vector[span]
        return out


def _column(table: Any, j: int) -> np.ndarray:
    column = table[:, [j]]
    return np.ravel(column.toarray() if sp.issparse(column) else column).astype(np.float64)


def _values(table: Any, j: int) -> tuple[np.ndarray, np.ndarray]:
    """The values of a nominal column, and the share that each of them has."""
    column = _column(table, j)
    values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    return values, counts / max(1, counts.sum())


def _survey(table: Any, nominal: list[int]) -> tuple[list[int], float]:
    """The columns that have missing values, and the greatest magnitude of a number."""
    if table.dtype.kind != "f":
        return [], 1.0
    if sp.issparse(table):
        entries = sp.coo_array(table)
        missing = np.unique(entries.col[np.isnan(entries.data)])
        numbers = np.abs(entries.data[~np.isin(entries.col, nominal)])
    else:
        missing = np.flatnonzero(np.isnan(np.minimum.reduce(table, axis=0)))
        ends = np.fmax.reduce(table, axis=0), np.fmin.reduce(table, axis=0)
        numbers = np.delete(np.abs(ends), nominal, axis=1)
    greatest = float(np.fmax.reduce(numbers, axis=None, initial=0.0))
    return missing.tolist(), max(1.0, greatest) if nominal else greatest


def _mean(table: Any, j: int) -> float:
    column = _column(table, j)
    known = column[~np.isnan(column)]
    return float((known / max(1, known.size)).sum())


def in_three_levels(values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Code values as 0, 1 or 2: below, within or above mean +- one standard deviation."""
    share = np.ones(values.size) if weights is None else weights / weights.sum()
    total = share.sum()
    scale = float(np.abs(values).max(initial=0.0)) or 1.0
    values = values / scale
    mean = values @ share / total
    sd = np.sqrt((values - mean) ** 2 @ share / total)
    return 1 + (values > mean + sd).astype(np.int32) - (values < mean - sd).astype(np.int32)
