"""Are the methods equal over many data sets? Ranks, Friedman's test, critical differences.

A table has a row for each data set and a column for each method. The tests follow Demsar (2006),
"Statistical comparisons of classifiers over multiple data sets".
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.errors import DataError

LEVEL = 0.05
FEWEST = 6  # with fewer data sets no test over data sets can reach 0.05
DIGITS = (
    12  # values that agree in these are equal: the last digits depend on the order of summation
)


def underpowered(n_data: int, n_pairs: int = 1) -> str:
    """Why no difference can be significant, or an empty string.

    The least p-value that a two-sided signed-rank test can reach with n data sets is 2 / 2**n:
    0.0625 with five. Holm's correction multiplies the least of several by their number.

    Examples
    --------
    >>> underpowered(6)
    ''
    >>> underpowered(5)
    'underpowered: 5 data sets, and no test over data sets can reach 0.05 with fewer than 6'
    >>> underpowered(8, n_pairs=10)
    'underpowered: with 8 data sets and 10 pairs the least p that Holm allows is 0.078'
    """
    sets = "1 data set" if n_data == 1 else f"{n_data} data sets"
    if n_data < FEWEST:
        least = f"no test over data sets can reach 0.05 with fewer than {FEWEST}"
        return f"underpowered: {sets}, and {least}"
    p = min(1.0, n_pairs * 2 / 2**n_data)
    if p < LEVEL:
        return ""
    return f"underpowered: with {sets} and {n_pairs} pairs the least p that Holm allows is {p:.2g}"


def ranks(table: Any, *, higher_is_better: bool) -> np.ndarray:
    """Rank the methods on each data set, 1 for the best; equal ones share the mean rank.

    Values that agree in twelve digits are equal.

    Examples
    --------
    >>> ranks([[0.9, 0.8, 0.8], [0.5, 0.6, 0.7]], higher_is_better=True).tolist()
    [[1.0, 2.5, 2.5], [3.0, 2.0, 1.0]]
    """
    from scipy.stats import rankdata

    values = round_to_scale(_complete_table(table))
    rank_table: np.ndarray = rankdata(-values if higher_is_better else values, axis=1)
    return rank_table


def round_to_scale(values: np.ndarray, *like: np.ndarray) -> np.ndarray:
    """Values rounded to the digits that are significant beside the greatest of them (or of others).

    Examples
    --------
    >>> difference = 0.1 + 0.2 - 0.3
    >>> difference == 0, round_to_scale(np.array([difference]), np.array([0.3])).item() == 0
    (False, True)
    """
    greatest = max((float(np.abs(array).max(initial=0)) for array in like or (values,)), default=0)
    if greatest == 0:
        return values
    return np.round(values, min(DIGITS - math.ceil(math.log10(greatest)), 300))


@dataclass(frozen=True)
class Friedman:
    """Friedman's test that all methods are equal, and the form of Iman and Davenport.

    Parameters
    ----------
    chi2, chi2_p : float
        The statistic, corrected for shared ranks, and its p-value on k - 1 degrees of freedom.
    f, f_p : float
        F_F = (N - 1) chi2 / (N (k - 1) - chi2), from the chi2 without that correction as the
        papers of the field print it, and its p-value on (k - 1, (k - 1)(N - 1)).
    critical : float
        What F_F must exceed at 0.05.
    degrees : tuple of int
        The degrees of freedom of F_F.
    """

    chi2: float
    chi2_p: float
    f: float
    f_p: float
    critical: float
    degrees: tuple[int, int]


def friedman(table: Any, *, higher_is_better: bool) -> Friedman:
    """Test whether all methods are equal.

    Parameters
    ----------
    table : array, shape (data sets, methods)
        A value of each; at least two data sets and two methods.
    higher_is_better : bool
        Whether greater values are better.
    """
    from scipy import stats

    rank_table = ranks(table, higher_is_better=higher_is_better)
    n, k = rank_table.shape
    if n < 2 or k < 2:
        msg = f"Friedman's test needs two data sets and two methods, not {n} and {k}"
        raise DataError(msg)
    uncorrected = _chi2(rank_table.mean(axis=0), n)
    shared = sum(
        float((times**3 - times).sum())
        for times in (np.unique(row, return_counts=True)[1] for row in rank_table)
    )
    correction = 1 - shared / (n * k * (k**2 - 1))
    chi2 = uncorrected / correction if correction > 0 else 0.0
    f = f_of_ranks(rank_table.mean(axis=0), n)
    degrees = (k - 1, (k - 1) * (n - 1))
    return Friedman(
        chi2,
        float(stats.chi2.sf(chi2, k - 1)),
        f,
        float(stats.f.sf(f, *degrees)),
        float(stats.f.isf(LEVEL, *degrees)),
        degrees,
    )


def f_of_ranks(average: Any, n: int) -> float:
    """Iman and Davenport's F_F from average ranks over n data sets, as papers print them.

    Examples
    --------
    >>> round(f_of_ranks([1.12, 4.52, 3.40, 2.20, 3.76], 25), 3)
    62.406
    """
    means = np.asarray(average, float)
    chi2 = _chi2(means, n)
    remainder = n * (means.size - 1) - chi2
    return (n - 1) * chi2 / remainder if remainder > 1e-12 else math.inf


def _chi2(average: np.ndarray, n: int) -> float:
    k = average.size
    return 12 * n / (k * (k + 1)) * (float((average**2).sum()) - k * (k + 1) ** 2 / 4)


def nemenyi(k: int, n: int) -> float:
    """Nemenyi's critical difference between the average ranks of k methods on n data sets.

    Examples
    --------
    >>> round(nemenyi(7, 13), 3)
    2.498
    """
    return _studentized_range(k) / math.sqrt(2) * _scale(k, n)


@functools.cache
def _studentized_range(k: int) -> float:
    """Return the upper quantile; a report asks for the same one for every metric."""
    from scipy.stats import studentized_range

    return float(studentized_range.isf(LEVEL, k, np.inf))


def bonferroni_dunn(k: int, n: int) -> float:
    """The critical difference of Bonferroni and Dunn between one method and k - 1 others.

    Examples
    --------
    >>> round(bonferroni_dunn(5, 25), 3)
    1.117
    """
    from scipy.stats import norm

    return float(norm.isf(LEVEL / (2 * (k - 1)))) * _scale(k, n)


def cliques(average: Any, difference: float) -> list[tuple[int, ...]]:
    """The largest groups of methods whose average ranks lie within a critical difference.

    Each is a tuple of columns, best first; these are the bars of a critical-difference diagram.

    Examples
    --------
    >>> cliques([1.0, 1.5, 2.6, 4.0], 1.2)
    [(0, 1), (1, 2)]
    """
    means = np.asarray(average, float)
    order = np.argsort(means, kind="stable")
    groups: list[tuple[int, ...]] = []
    furthest = 0
    for first in range(order.size):
        last = first
        while last + 1 < order.size and means[order[last + 1]] - means[order[first]] <= difference:
            last += 1
        if last > first and last > furthest:
            groups.append(tuple(int(j) for j in order[first : last + 1]))
        furthest = max(furthest, last)
    return groups


def _scale(k: int, n: int) -> float:
    if k < 2 or n < 1:
        msg = f"a critical difference needs two methods and a data set, not {k} and {n}"
        raise DataError(msg)
    return math.sqrt(k * (k + 1) / (6 * n))


def _complete_table(table: Any) -> np.ndarray:
    values = np.asarray(table, float)
    if values.ndim != 2:
        msg = "a table of results has a row for each data set and a column for each method"
        raise DataError(msg)
    gaps = np.argwhere(~np.isfinite(values))
    if gaps.size:
        row, column = gaps[0].tolist()
        msg = (
            f"the table has {values[row, column]} in row {row + 1}, column {column + 1}: "
            "leave out data sets on which a method has no value"
        )
        raise DataError(msg)
    return values
