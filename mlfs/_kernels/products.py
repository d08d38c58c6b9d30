"""Products of a sparse matrix with vectors, in one fixed order of additions.

A library's product may add in another order on another machine; these never do.
"""

from __future__ import annotations

from typing import Any

from mlfs._kernels.jit import compiled

__all__ = ["dot", "from_columns", "onto_columns", "orthogonalise"]


@compiled
def dot(a: Any, b: Any) -> float:
    """The inner product of two vectors."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@compiled
def orthogonalise(vector: Any, basis: Any) -> None:
    """Take from a vector its part along each row of an orthonormal basis, one after another."""
    for row in range(basis.shape[0]):
        part = dot(vector, basis[row])
        for i in range(vector.size):
            vector[i] -= part * basis[row, i]


@compiled
def from_columns(
    indptr: Any, columns: Any, values: Any, vector: Any, shift: float, out: Any
) -> None:
    """Set out to matrix @ vector - shift."""
    for row in range(out.size):
        total = 0.0
        for at in range(indptr[row], indptr[row + 1]):
            total += values[at] * vector[columns[at]]
        out[row] = total - shift


@compiled
def onto_columns(indptr: Any, columns: Any, values: Any, vector: Any, out: Any) -> None:
    """Add matrix.T @ vector."""
    for row in range(vector.size):
        for at in range(indptr[row], indptr[row + 1]):
            out[columns[at]] += values[at] * vector[row]
