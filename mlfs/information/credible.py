"""How sure information is: its posterior mean and variance, and an interval.

The shares of the cells of a table have a Dirichlet distribution; the prior counts half a row for
each cell (Jeffreys). The mean is exact and the variance is right to O(n^-3) (Hutter & Zaffalon,
2005, Distribution of mutual information from complete and incomplete data). The interval is that of
a scaled noncentral chi-square variable with this mean and variance: for independent columns 2 N I
has (r - 1)(c - 1) degrees of freedom.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlfs.counting.entries import edges_of
from mlfs.information.pair_matrix import Side
from mlfs.information.table import Table

PRIOR = 0.5  # rows of each cell
NORMAL = 1000  # from which noncentrality on the normal distribution is as near


class Interval(NamedTuple):
    """Information that may as well be there, each as the function gives information itself.

    Parameters
    ----------
    mean, sd : float, ndarray or pandas object
        The mean and the standard deviation.
    low, high : float, ndarray or pandas object
        The ends of the interval.
    """

    mean: np.ndarray
    sd: np.ndarray
    low: np.ndarray
    high: np.ndarray


def moments(table: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the information of several columns about another.

    Parameters
    ----------
    table : ndarray, shape (codes of all columns, codes of the other)
        How often they occur together.
    first : ndarray of int
        The first code of each column.

    Examples
    --------
    >>> [values.round(6).tolist() for values in moments(np.array([[9, 1], [2, 8]]), np.array([0]))]
    [[0.241047], [0.012688]]
    """
    from scipy.special import psi  # most programs that import mlfs do not need it

    n = table + PRIOR
    sizes, columns = np.diff(np.append(first, len(n))), n.shape[1]

    def added(values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values.sum(axis=1), first)

    n_x, n_y = n.sum(axis=1, keepdims=True), np.add.reduceat(n, first, axis=0)
    rows = n_y.sum(axis=1)
    psi_y = np.repeat(psi(n_y + 1) - psi(rows + 1)[:, None], sizes, axis=0)
    mean = added(n * (psi(n + 1) - psi(n_x + 1) - psi_y)) / rows
    n_y, total = np.repeat(n_y, sizes, axis=0), np.repeat(rows, sizes)[:, None]
    logs = np.log(n * total / (n_x * n_y))
    plain, squares = added(n * logs) / rows, added(n * logs * logs) / rows
    m = added((1 / n - 1 / n_x - 1 / n_y + 1 / total) * n * logs)
    q = 1 - added(n * n / (n_x * n_y))
    later = m + (sizes - 1) * (columns - 1) * (0.5 - plain) - q
    variance = (squares - plain * plain) / (rows + 1) + later / ((rows + 1) * (rows + 2))
    return np.maximum(mean, 0.0), np.maximum(variance, 0.0)


def intervals(x: Side, y: Side, level: float) -> Interval:
    """The interval of the information of every column of x and every column of y.

    Parameters
    ----------
    x, y : Side
        The columns.
    level : float
        The probability of the interval.
    """
    shape = x.positions.size, y.positions.size
    mean, variance, most = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    counts, valid = x.table.counts, x.table.f_valid
    codes = np.arange(counts.offsets[-1])
    column = np.repeat(np.arange(x.table.d), counts.levels)
    known = codes - counts.offsets[column] < valid[column]
    first = edges_of(valid)[:-1]
    for j, position in enumerate(y.positions.tolist()):
        pairs = x.table.statistics(y.table.anchor(position))
        table = pairs.complete_table[known, : pairs.anchor.valid]
        of_all = moments(table, first)
        mean[:, j], variance[:, j] = (values[x.positions] for values in of_all)
        most[:, j] = np.log(np.minimum(valid[x.positions], pairs.anchor.valid))
    freedom = (valid[x.positions][:, None] - 1) * (y.table.f_valid[y.positions] - 1)
    low, high = interval_of(mean, variance, most, freedom, level)
    return Interval(mean, np.sqrt(variance), low, high)


def interval_of(
    mean: np.ndarray, variance: np.ndarray, most: np.ndarray, freedom: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the interval of a scaled noncentral chi-square variable with two moments.

    Parameters
    ----------
    mean, variance : ndarray of float
        The moments.
    most : ndarray of float
        What it cannot exceed.
    freedom : ndarray of int
        Its degrees of freedom, or fewer where it varies more than such a variable can.
    level : float
        The probability of the interval.
    """
    from scipy.special import chndtrix, ndtri

    varies = (variance > 0) & (mean > 0) & (freedom > 0)
    ratio = np.divide(variance, mean * mean, out=np.ones(mean.shape), where=varies)
    degrees = np.where(varies, np.minimum(np.maximum(freedom, 1), 2 / ratio), 1.0)
    rest = np.where(varies, np.maximum(2 - ratio * degrees, 0.0), 0.0)
    off_centre = (rest + np.sqrt(2 * rest)) / ratio
    scale, is_normal = mean / (degrees + off_centre), off_centre > NORMAL

    def end(tail: float) -> np.ndarray:
        value = scale * chndtrix(tail, degrees, np.where(is_normal, 0.0, off_centre))
        value = np.where(is_normal, mean + ndtri(tail) * np.sqrt(variance), value)
        return np.where(varies, np.clip(value, 0.0, most), mean)

    return end((1 - level) / 2), end((1 + level) / 2)


def relevance_moments(
    table: Table, columns: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Mean and standard deviation of sum_l I(f;l), the most that it can be, degrees of freedom.

    The deviation is the sum of those of the labels: it is no more, however they depend on one
    another.
    """
    mean, deviation, most, freedom = np.zeros((4, columns.size))
    positions = columns if table.positions is None else table.positions[columns]
    order = np.sort(positions)
    column = np.repeat(np.arange(table.d), table.counts.levels)
    code = np.arange(column.size) - table.counts.offsets[column]
    codes = np.flatnonzero(np.isin(column, order) & (code < table.f_valid[column]))
    first, place = edges_of(table.f_valid[order])[:-1], np.searchsorted(order, positions)
    for label in labels.tolist() if columns.size else []:
        pairs = table.label(label)
        valid = pairs.anchor.valid
        mean_l, variance = moments(pairs.complete_table[codes, :valid], first)
        mean += mean_l[place]
        deviation += np.sqrt(variance)[place]
        most += np.log(np.minimum(table.f_valid[positions], valid))
        freedom += (table.f_valid[positions] - 1) * (valid - 1)
    return mean, deviation, most, freedom
