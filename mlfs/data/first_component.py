"""The first principal component of the features, the same bits on every machine.

It represents all features where the order of labels is found by the cheap method. Columns are
centred and not scaled; `mlfs.data.row_products` says what numbers they have. The sign is such that
the loading of greatest magnitude is positive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.products import dot, orthogonalise
from mlfs.data.dataset import Dataset
from mlfs.data.row_products import Numbers, RowProducts, far_exponent

__all__ = ["first_component", "in_three_levels"]

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
    products = RowProducts(table, Numbers.of(table, dataset.columns), share)
    mean = products.sums(np.zeros(products.d)) / total

    def spread(vector: np.ndarray) -> np.ndarray:
        """The centred matrix, transposed and weighted, times the centred matrix times a vector."""
        shift = dot(mean, vector)
        out, weight = products.gram(vector, shift, np.zeros(products.d), 0.0)
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
