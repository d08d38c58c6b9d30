"""Products of a matrix with vectors, in one fixed order of additions.

A library's product may add in another order on another machine; these never do.
"""

from __future__ import annotations

from typing import Any

from mlfs._kernels.jit import compiled


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


@compiled
def from_rows(rows: Any, vector: Any, shift: float, out: Any) -> None:
    """Set out to rows @ vector - shift; four sums at a time, since each waits for its last term."""
    whole = out.size - out.size % 4
    for row in range(0, whole, 4):
        a = b = c = d = 0.0
        for j in range(vector.size):
            a += rows[row, j] * vector[j]
            b += rows[row + 1, j] * vector[j]
            c += rows[row + 2, j] * vector[j]
            d += rows[row + 3, j] * vector[j]
        out[row] = a - shift
        out[row + 1] = b - shift
        out[row + 2] = c - shift
        out[row + 3] = d - shift
    for row in range(whole, out.size):
        total = 0.0
        for j in range(vector.size):
            total += rows[row, j] * vector[j]
        out[row] = total - shift


@compiled
def onto_rows(rows: Any, vector: Any, out: Any) -> None:
    """Add rows.T @ vector."""
    for row in range(vector.size):
        for j in range(out.size):
            out[j] += rows[row, j] * vector[row]


@compiled
def added(values: Any, total: float) -> float:
    """The sum of the values and `total`, one after the other."""
    for i in range(values.size):
        total += values[i]
    return total
