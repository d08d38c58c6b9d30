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


@compiled
def add_table(
    x: Any,
    y: Any,
    stratum: Any,
    times: Any,
    cells: Any,
    margins: Any,
    xlogx: Any,
    sums: Any,
    out: Any,
) -> None:
    """Count two columns within strata, and add up c log c of the counts and as expected.

    Parameters
    ----------
    x, y, stratum : arrays of int64
        The codes of each row; those beyond the sizes of `cells` and strata below 0 are left out.
    times : array of int64
        How often each row counts; empty where each counts once.
    cells : array of int64, shape (strata, n_x, n_y)
        Zeros, for the counts.
    margins : array of int64, shape (3, max(n_x, n_y))
        Memory for the counts of x and of y in a stratum; and ones.
    sums : array of int64, shape (4,)
        C log c of the cells, of x, of y and of the strata.
    out : array of float64, shape (n_x,)
        The expected sum, by the value of x.
    """
    n_strata, n_x, n_y = cells.shape
    for i in range(x.size):
        if stratum[i] >= 0 and x[i] < n_x and y[i] < n_y:
            cells[stratum[i], x[i], y[i]] += times[i] if times.size else 1
    for s in range(n_strata):
        n = 0
        for j in range(n_y):
            margins[1, j] = 0
        for i in range(n_x):
            margins[0, i] = 0
            for j in range(n_y):
                c = cells[s, i, j]
                margins[0, i] += c
                margins[1, j] += c
                sums[0] += xlogx_of(c, xlogx)
            n += margins[0, i]
            sums[1] += xlogx_of(margins[0, i], xlogx)
        if n == 0:
            continue
        for j in range(n_y):
            sums[2] += xlogx_of(margins[1, j], xlogx)
        sums[3] += xlogx_of(n, xlogx)
        add_expected(margins[0, :n_x], margins[1, :n_y], margins[2, :n_y], n, xlogx, out)
