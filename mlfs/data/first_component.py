"""The first principal component of the features, the same bits on every machine.

It represents all features where the order of labels is found by the cheap method. Columns are
centred and not scaled; missing values are replaced by the mean of their column, and a nominal
column of more than two values by one indicator for each value. The sign is such that the loading
of greatest magnitude is positive.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs._kernels.products import dot, from_columns, onto_columns, orthogonalise
from mlfs.data.dataset import Dataset
from mlfs.data.packed_table import PackedTable

__all__ = ["first_component", "in_three_levels"]

STEPS = 40
RESTARTS = 8
TOLERANCE = 1e-10
GOLDEN = (5**0.5 - 1) / 2
FAR = 150  # beyond this power of two the square of a square may overflow or underflow


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
    matrix = _as_numbers(dataset)
    matrix.data = _near_one(matrix.data)
    n_rows, d = matrix.shape
    share = np.ones(n_rows) if weights is None else _near_one(weights)
    mean = np.zeros(d)
    onto_columns(matrix.indptr, matrix.indices, matrix.data, share, mean)
    mean /= share.sum()

    def project(loadings: np.ndarray) -> np.ndarray:
        out = np.empty(n_rows)
        shift = dot(mean, loadings)
        from_columns(matrix.indptr, matrix.indices, matrix.data, loadings, shift, out)
        return out

    def spread(rows: np.ndarray) -> np.ndarray:
        """The centred matrix, transposed, times the weighted rows."""
        out = np.zeros(d)
        weighted = rows * share
        onto_columns(matrix.indptr, matrix.indices, matrix.data, weighted, out)
        return out - mean * dot(np.ones(n_rows), weighted)

    # a start that data are not orthogonal to by construction, independent of the rows
    loadings = 1.0 + np.mod(np.arange(d) * GOLDEN, 1.0)
    if not _norm(spread(project(loadings))):
        return np.zeros(n_rows)
    for _ in range(RESTARTS):
        loadings, residual = _lanczos(lambda v: spread(project(v)), loadings)
        if residual <= TOLERANCE:
            break
    top = int(np.abs(loadings).argmax())
    return project(loadings if loadings[top] > 0 else -loadings)


def in_three_levels(values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Code values as 0, 1 or 2: below, within or above mean +- one standard deviation."""
    share = np.ones(values.size) if weights is None else weights
    total = dot(np.ones(values.size), share)
    mean = dot(values, share) / total
    sd = np.sqrt(dot((values - mean) ** 2, share) / total)
    return 1 + (values > mean + sd).astype(np.int32) - (values < mean - sd).astype(np.int32)


def _near_one(numbers: np.ndarray) -> np.ndarray:
    """Scale the numbers by a power of two if the greatest is far from 1."""
    exponent = int(np.frexp(np.abs(numbers).max(initial=0.0))[1])
    return numbers if abs(exponent) <= FAR else np.ldexp(numbers, -exponent)


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


def _as_numbers(dataset: Dataset) -> sp.csr_array:
    """The features as one sparse matrix of numbers, stored zeros dropped, rows in order."""
    many = [len(column.values) > 2 for column in dataset.columns]
    table: Any = dataset.table  # X would be written out as numbers of 64 bits
    if isinstance(table, PackedTable):
        table = table.toarray()
    if sp.issparse(table) and table.format == "csr" and not any(many):
        plain = table.has_canonical_format and table.data.all() and not np.isnan(table.data).any()
        if plain:  # already in the wanted form
            return sp.csr_array(table).astype(np.float64, copy=False)
    matrix = sp.csc_array(table).astype(np.float64, copy=False)
    if np.isnan(matrix.data).any() or any(many):
        parts = []
        for j, is_many in enumerate(many):
            column = matrix[:, [j]]
            parts.append(_indicators(column) if is_many else _filled(column))
        matrix = sp.csc_array(sp.hstack(parts, format="csc"))
    rows = sp.csr_array(matrix)
    rows.eliminate_zeros()
    rows.sort_indices()
    return rows


def _filled(column: sp.csc_array) -> sp.csc_array:
    gone = np.isnan(column.data)
    known, n_known = column.data[~gone], column.shape[0] - int(gone.sum())
    if n_known:  # rounded once, so that it does not depend on the order of rows
        column.data[gone] = _mean(known, n_known)
    else:
        column.data[gone] = 0.0
    return column


def _mean(values: np.ndarray, n: int) -> float:
    try:
        return math.fsum(values.tolist()) / n
    except OverflowError:
        return math.fsum((values / n).tolist())


def _indicators(column: sp.csc_array) -> sp.csc_array:
    full = column.toarray().ravel()
    codes = full[~np.isnan(full)]
    values = np.unique(codes)
    out = np.zeros((full.size, values.size))
    for k, value in enumerate(values.tolist()):
        hits = (full == value).astype(float)
        hits[np.isnan(full)] = float((codes == value).mean()) if codes.size else 0.0
        out[:, k] = hits
    return sp.csc_array(out)
