"""The first principal component of the features, the same bits on every machine.

It represents all features where the order of labels is found by the cheap method. Columns are
centred and not scaled; `RowProducts` says what numbers they have. The sign is such that
the loading of greatest magnitude is positive.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import products
from mlfs._kernels.products import dot, orthogonalise
from mlfs.data.dataset import Column, Dataset

AT_ONCE = 1 << 20  # cells of a dense array
FAR = 150  # beyond this power of two the square of a square may overflow or underflow


@dataclass(frozen=True)
class CellNumbers:
    """The numbers that the cells of a table become.

    Parameters
    ----------
    means : dict of int to float
        What missing values are replaced by, for the columns that have some.
    indicators : dict of int to ndarray
        The values of a nominal column, rising, and the share that each of them has.
    exponent : int
        All numbers are divided by this power of two.
    """

    means: dict[int, float] = field(default_factory=dict)
    indicators: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    exponent: int = 0

    @classmethod
    def of(cls, table: Any, columns: Sequence[Column]) -> CellNumbers:
        """Learn what the cells of a table of all rows become.

        Examples
        --------
        >>> from mlfs.data import from_arrays
        >>> data = from_arrays([[1.0], [np.nan], [4.0]], [[0], [1], [1]])
        >>> CellNumbers.of(data.table, data.columns).means
        {0: 2.5}
        """
        nominal = [j for j, column in enumerate(columns) if len(column.values) > 2]
        missing, greatest = _survey(table, nominal)
        by_column = sp.csc_array(table) if sp.issparse(table) and (nominal or missing) else table
        indicators = {j: _values(_column(by_column, j)) for j in nominal}
        means = {j: _mean(_column(by_column, j)) for j in missing if j not in indicators}
        if any(values.size for values, _ in indicators.values()):
            greatest = max(1.0, greatest)
        return cls(means, indicators, far_exponent(greatest))

    def n_columns(self, d: int) -> int:
        """How many columns d columns become."""
        return d + sum(values.size - 1 for values, _ in self.indicators.values())

    def dense(self, rows: np.ndarray) -> np.ndarray:
        """The numbers of a few dense rows, in bytes or floats, in rows or columns."""
        if self.means or self.indicators or self.exponent:
            return self._replace_values(rows.astype(np.float64))
        if rows.dtype == bool:
            rows = rows.view(np.uint8)
        if rows.dtype != np.uint8:
            rows = rows.astype(np.float64, copy=False)
        return np.ascontiguousarray(rows)

    def _replace_values(self, rows: np.ndarray) -> np.ndarray:
        for j, mean in self.means.items():
            rows[np.isnan(rows[:, j]), j] = mean
        if self.indicators:
            blocks, start = [], 0
            for j, (values, shares) in sorted(self.indicators.items()):
                blocks += [rows[:, start:j], _hits(rows[:, [j]], values, shares)]
                start = j + 1
            rows = np.concatenate([*blocks, rows[:, start:]], axis=1)
        rows = np.ldexp(rows, -self.exponent) if self.exponent else rows
        return np.ascontiguousarray(rows)

    def sparse(self, table: Any) -> Any:
        """The numbers of a sparse table without indicators by row, zeros not stored."""
        rows = sp.csr_array(table, copy=True)
        rows.sum_duplicates()
        if self.means:
            gaps = np.flatnonzero(np.isnan(rows.data))
            rows.data[gaps] = [self.means[j] for j in rows.indices[gaps].tolist()]
        rows.eliminate_zeros()
        if rows.dtype != np.uint8:
            rows = rows.astype(np.float64)
        if self.exponent:
            rows.data = np.ldexp(rows.data, -self.exponent)
        return rows


class RowProducts:
    """Products of some rows.

    Parameters
    ----------
    table : array or sparse matrix
        The rows.
    numbers : CellNumbers
        What its cells become.
    share : ndarray of float64, optional
        How much each row counts; 1 by default.
    """

    def __init__(self, table: Any, numbers: CellNumbers, share: np.ndarray | None = None) -> None:
        self.n_rows, self.d = table.shape[0], numbers.n_columns(table.shape[1])
        self._share, self._numbers = share, numbers
        is_sparse = sp.issparse(table) and not numbers.indicators
        self._table = numbers.sparse(table) if is_sparse else table
        self._is_sparse = is_sparse

    def _parts(self) -> Iterator[tuple[slice, Any]]:
        if self._is_sparse:
            yield slice(0, self.n_rows), self._table
        else:
            for first, rows in _dense_parts(self._table):
                yield slice(first, first + len(rows)), self._numbers.dense(rows)

    def sums(self) -> np.ndarray:
        """The sum of each column."""
        out = np.zeros(self.d)
        for span, rows in self._parts():
            share = np.ones(span.stop - span.start) if self._share is None else self._share[span]
            _add(rows, share, out)
        return out

    def gram(self, vector: np.ndarray, shift: float) -> tuple[np.ndarray, float]:
        """Project the rows, and add them by their projections; also the sum of these."""
        out, total = np.zeros(self.d), 0.0
        for span, rows in self._parts():
            projections = _project(rows, vector, shift)
            if self._share is not None:
                projections *= self._share[span]
            _add(rows, projections, out)
            total = products.added(projections, total)
        return out, total

    def project(self, vector: np.ndarray, shift: float) -> np.ndarray:
        """The product of each row with a vector, less `shift`."""
        out = np.empty(self.n_rows)
        for span, rows in self._parts():
            out[span] = _project(rows, vector, shift)
        return out


def far_exponent(greatest: float) -> int:
    """The power of two that is taken out of numbers far from 1; 0 for others."""
    exponent = int(np.frexp(greatest)[1])
    return exponent if abs(exponent) > FAR else 0


def _project(rows: Any, vector: np.ndarray, shift: float) -> np.ndarray:
    out = np.empty(rows.shape[0])
    if sp.issparse(rows):
        products.from_columns(rows.indptr, rows.indices, rows.data, vector, shift, out)
    else:
        products.from_rows(rows, vector, shift, out)
    return out


def _add(rows: Any, vector: np.ndarray, out: np.ndarray) -> None:
    if sp.issparse(rows):
        products.onto_columns(rows.indptr, rows.indices, rows.data, vector, out)
    else:
        products.onto_rows(rows, vector, out)


def _column(table: Any, j: int) -> np.ndarray:
    if sp.issparse(table):
        return np.asarray(table[:, [j]].toarray().ravel(), np.float64)
    return np.asarray(table[:, j], np.float64)


def _hits(column: np.ndarray, values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """An indicator for each value; the share of each where the value is missing."""
    hits = (column == values).astype(np.float64)
    hits[np.isnan(column[:, 0])] = shares
    return hits


def _dense_parts(table: Any) -> Iterator[tuple[int, np.ndarray]]:
    """Some rows at a time, and the first of each."""
    step = max(1, AT_ONCE // max(1, table.shape[1]))
    for first in range(0, table.shape[0], step):
        rows = table[first : first + step]
        yield first, rows.toarray() if sp.issparse(rows) else rows


def _survey(table: Any, nominal: list[int]) -> tuple[list[int], float]:
    """The columns that have missing values, and the greatest magnitude of a number.

    Whole numbers are never far from 1, and nominal columns have none.
    """
    has_missing, greatest = np.zeros(table.shape[1], bool), 0.0
    if table.dtype.kind == "f" and sp.issparse(table):
        entries = sp.coo_array(table)
        has_missing[entries.col[np.isnan(entries.data)]] = True
        numbers = entries.data[~np.isin(entries.col, nominal)]
        greatest = float(np.fmax.reduce(np.abs(numbers), initial=0.0))
    elif table.dtype.kind == "f":
        for _, rows in _dense_parts(table):
            magnitudes = np.abs(rows.astype(np.float64))
            has_missing |= np.isnan(magnitudes).any(axis=0)
            magnitudes[:, nominal] = 0.0
            greatest = max(greatest, float(np.fmax.reduce(magnitudes, axis=None, initial=0.0)))
    return np.flatnonzero(has_missing).tolist(), greatest


def _values(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    present = column[~np.isnan(column)]
    values = np.unique(present)
    shares = [float((present == value).mean()) for value in values.tolist()]
    return values, np.array(shares)


def _mean(column: np.ndarray) -> float:
    """The mean of the known values, rounded once; so it does not depend on the order of rows."""
    present = column[~np.isnan(column)]
    if not present.size:
        return 0.0
    try:
        return math.fsum(present.tolist()) / present.size
    except OverflowError:
        return math.fsum((present / present.size).tolist())


STEPS = 40
RESTARTS = 8
TOLERANCE = 1e-10
GOLDEN = (5**0.5 - 1) / 2


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
        The projections; zeros if all features are constant. They are scaled by a power of two if
        a feature reaches 2**150 or none reaches 2**-150.
    """
    table: Any = dataset.table
    share = None if weights is None else _near_one(weights)
    total = float(dataset.shape[0] if share is None else share.sum())
    products = RowProducts(table, CellNumbers.of(table, dataset.columns), share)
    mean = products.sums() / total

    def spread(vector: np.ndarray) -> np.ndarray:
        """The centred matrix, transposed and weighted, times the centred matrix times a vector."""
        shift = dot(mean, vector)
        out, weight = products.gram(vector, shift)
        return out - mean * weight

    # a start that data are not orthogonal to by construction, independent of the rows
    loadings = 1.0 + np.mod(np.arange(products.d) * GOLDEN, 1.0)
    if not _norm(spread(loadings)):
        return np.zeros(dataset.shape[0])
    for _ in range(RESTARTS):
        loadings, residual = _lanczos(spread, loadings)
        if residual <= TOLERANCE:
            break
    top = int(np.abs(loadings).argmax())
    loadings = loadings if loadings[top] > 0 else -loadings
    return products.project(loadings, dot(mean, loadings))


def in_three_levels(values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Code values as 0, 1 or 2: below, within or above mean +- one standard deviation."""
    share = np.ones(values.size) if weights is None else weights
    total = dot(np.ones(values.size), share)
    mean = dot(values, share) / total
    sd = np.sqrt(dot((values - mean) ** 2, share) / total)
    return 1 + (values > mean + sd).astype(np.int32) - (values < mean - sd).astype(np.int32)


def _near_one(numbers: np.ndarray) -> np.ndarray:
    """Scale the numbers by a power of two if the greatest is far from 1."""
    exponent = far_exponent(float(np.abs(numbers).max(initial=0.0)))
    return np.ldexp(numbers, -exponent) if exponent else numbers


def _norm(vector: np.ndarray) -> float:
    return float(np.sqrt(dot(vector, vector)))


def _lanczos(apply: object, start: np.ndarray) -> tuple[np.ndarray, float]:
    """The best approximation of the first eigenvector from a Krylov space, and its residual."""
    basis = np.empty((min(STEPS, start.size) + 1, start.size))
    basis[0] = start / _norm(start)
    diagonal: list[float] = []
    beside: list[float] = []
    for step in range(len(basis) - 1):
        new = apply(basis[step])  # type: ignore[operator]  # a function of a vector
        diagonal.append(dot(new, basis[step]))
        for _twice in range(2):  # one pass loses orthogonality by rounding
            orthogonalise(new, basis[: step + 1])
        length = _norm(new)
        if length <= TOLERANCE * max(1e-300, abs(diagonal[0])):
            beside.append(0.0)
            break
        beside.append(length)
        basis[step + 1] = new / length
    size = len(diagonal)
    small = np.diag(diagonal) + np.diag(beside[: size - 1], 1) + np.diag(beside[: size - 1], -1)
    values, vectors = np.linalg.eigh(small)
    top = vectors[:, -1]
    vector = np.zeros(start.size)
    for coefficient, direction in zip(top.tolist(), basis, strict=False):
        vector += coefficient * direction
    residual = abs(beside[-1] * top[-1]) / max(abs(values[-1]), 1e-300)
    return vector / _norm(vector), float(residual)
