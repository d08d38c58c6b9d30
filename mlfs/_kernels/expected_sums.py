"""Expected sums of c log c where two columns are independent and their counts are given.

The rows that two values share are then a hypergeometric variable, as in the adjusted mutual
information of Vinh, Epps & Bailey (2010).
"""

from __future__ import annotations

from typing import Any

from mlfs._kernels.co_sums import log, xlogx_of
from mlfs._kernels.jit import compiled, inner

WIDE = 2500.0  # a variance from which the sum over all shared rows is a series of moments
NEGLIGIBLE = 1e-19


@inner
def _series(a: float, b: float, n: float, mean: float, variance: float) -> float:
    """E[k log k] from the moments of k, to the sixth; the rest is below 1e-9 where it is used."""
    third = variance * (n - 2 * a) * (n - 2 * b) / (n * (n - 2))
    series = mean * log(mean) + variance / (2 * mean) - third / (6 * mean**2)
    series += variance**2 / (4 * mean**3) - variance * third / (2 * mean**4)
    return series + variance**3 / (2 * mean**5)


@inner
def _summed(a: int, b: int, n: int, xlogx: Any) -> float:
    """E[k log k], in units, term by term from the most probable k on both sides."""
    low = max(0, a + b - n)
    high = min(a, b)
    mode = min(high, max(low, ((a + 1) * (b + 1)) // (n + 2)))
    weight = 1.0
    total = 1.0
    weighted = float(xlogx_of(mode, xlogx))
    for k in range(mode, high):
        weight *= float(a - k) * float(b - k) / (float(k + 1) * float(n - a - b + k + 1))
        if weight < NEGLIGIBLE:
            break
        total += weight
        weighted += weight * xlogx_of(k + 1, xlogx)
    weight = 1.0
    for k in range(mode, low, -1):
        weight *= float(k) * float(n - a - b + k) / (float(a - k + 1) * float(b - k + 1))
        if weight < NEGLIGIBLE:
            break
        total += weight
        weighted += weight * xlogx_of(k - 1, xlogx)
    return weighted / total


@compiled
def add_expected(counts: Any, others: Any, times: Any, n: int, xlogx: Any, out: Any) -> None:
    """out[i] += the sum over j of times[j] E[k log k], in units.

    k is the number of rows, of n, that are among counts[i] random ones and among others[j].
    """
    for i in range(counts.size):
        a = counts[i]
        expected = 0.0
        for j in range(others.size):
            b = others[j]
            if a == 0 or b == 0:
                continue
            if a == n or b == n:
                expected += times[j] * xlogx_of(min(a, b), xlogx)
                continue
            mean = float(a) * float(b) / n
            variance = mean * float(n - a) / n * float(n - b) / (n - 1)
            if variance > WIDE:
                series = _series(float(a), float(b), float(n), mean, variance)
                expected += times[j] * xlogx.unit * series
            else:
                expected += times[j] * _summed(a, b, n, xlogx)
        out[i] += expected
