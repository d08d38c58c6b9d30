"""Expected sums of c log c where two columns are independent and their counts are given.

The rows that two values share are then a hypergeometric variable, as in the adjusted mutual
information of Vinh, Epps & Bailey (2010).
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
    by_x: Any,
    by_y: Any,
    xlogx: Any,
    sums: Any,
) -> float:
    """Count two columns within strata, add up c log c, and bound the expected information.

    Parameters
    ----------
    x, y, stratum : arrays of uint32
        The codes of each row; those beyond the sizes of `cells` are left out.
    times : array of int64
        How often each row counts; empty where each counts once.
    cells, by_x, by_y : arrays of int64, shapes (strata, n_x, n_y), (strata, n_x), (strata, n_y)
        Zeros, for the counts.
    sums : array of int64, shape (4,)
        C log c of the cells, of x, of y and of the strata.

    Returns
    -------
    most : float
        A bound of N times the information that is expected by chance: E[k log(k / m)] is at most
        var(k) / m by Jensen's inequality, which is n (n_x - 1) (n_y - 1) / (n - 1) for all cells.
    """
    n_strata, n_x, n_y = cells.shape
    most = 0.0
    for i in range(x.size):
        if stratum[i] < n_strata and x[i] < n_x and y[i] < n_y:
            cells[stratum[i], x[i], y[i]] += times[i] if times.size else 1
    for s in range(n_strata):
        n = levels_x = levels_y = 0
        for i in range(n_x):
            for j in range(n_y):
                c = cells[s, i, j]
                by_x[s, i] += c
                by_y[s, j] += c
                sums[0] += xlogx_of(c, xlogx)
            n += by_x[s, i]
            levels_x += by_x[s, i] > 0
            sums[1] += xlogx_of(by_x[s, i], xlogx)
        if n == 0:
            continue
        for j in range(n_y):
            levels_y += by_y[s, j] > 0
            sums[2] += xlogx_of(by_y[s, j], xlogx)
        sums[3] += xlogx_of(n, xlogx)
        if n > 1:
            most += float(n) / float(n - 1) * (levels_x - 1) * (levels_y - 1)
    return most


@compiled
def add_expected_tables(by_x: Any, by_y: Any, xlogx: Any, out: Any) -> None:
    """Add what `add_expected` adds for each stratum, from the counts of x and of y in it."""
    ones = np.ones(by_y.shape[1], np.int64)
    for s in range(by_x.shape[0]):
        n = by_x[s].sum()
        if n:
            add_expected(by_x[s], by_y[s], ones, n, xlogx, out)
