"""How sure information is: an estimate without the share of chance, and an interval.

Counts of independent columns share about (r - 1)(c - 1) / 2N nats by chance, and of small cells so
much as the hypergeometric distribution says. 2N times the counted information is nearly a
noncentral chi-square variable, whose noncentrality is 2N times the true information: its ends are
those with which so much, or so little, would be counted in one of forty tables. Where columns
depend strongly, the variance of the counted information (by the delta method) takes the place of
that of the chi-square variable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlfs.counting.entries import edges_of
from mlfs.information.pair_matrix import Side
from mlfs.information.table import Table

FEW = 12  # rows expected in a cell, below which the share of chance is exact
CELLS_AT_MOST = 60  # rows in such a cell
NORMAL = 1000  # a chi-square variable from which on the normal distribution is as near


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


class InformationMoments(NamedTuple):
    """The counted information of pairs of columns, and how it varies.

    Parameters
    ----------
    counted : ndarray
        Their information.
    chance, chance_variance : ndarray
        How much of it chance tells, and how that varies.
    unit : ndarray
        1 / 2N: the unit of chi-square variables.
    variance : ndarray
        The variance of the counted information, as far as they depend.
    most : ndarray
        What information cannot exceed.
    """

    counted: np.ndarray
    chance: np.ndarray
    chance_variance: np.ndarray
    unit: np.ndarray
    variance: np.ndarray
    most: np.ndarray


def moments(table: np.ndarray, first: np.ndarray) -> InformationMoments:
    """The information of several columns about another, and how it varies.

    Parameters
    ----------
    table : ndarray, shape (codes of all columns, codes of the other)
        How often they occur together.
    first : ndarray of int
        The first code of each column.

    Examples
    --------
    >>> found = moments(np.array([[9, 1], [2, 8]]), np.array([0]))
    >>> [values.round(4).tolist() for values in (found.counted, found.chance, found.variance)]
    [[0.2754], [0.0271], [0.0191]]
    """
    n = table.astype(np.float64)
    sizes = np.diff(np.append(first, len(n)))
    n_x, n_y = n.sum(axis=1), np.add.reduceat(n, first, axis=0)
    rows = np.maximum(n_y.sum(axis=1), 1.0)
    expected = n_x[:, None] * np.repeat(n_y / rows[:, None], sizes, axis=0)
    logs = np.log(np.where(n > 0, n, 1.0) / np.where(n > 0, expected, 1.0))

    def mean(values: np.ndarray) -> np.ndarray:
        return np.add.reduceat((n * values).sum(axis=1), first) / rows

    counted, squares = mean(logs), mean(logs * logs)
    levels = np.add.reduceat((n_x > 0).astype(np.float64), first), (n_y > 0).sum(axis=1)
    of_cells = _by_chance(
        n_x[:, None], np.repeat(n_y, sizes, axis=0), np.repeat(rows, sizes)[:, None]
    )
    mean_of_cells, variance, of_large = (
        np.add.reduceat(values.sum(axis=1), first) for values in of_cells
    )
    freedom = np.maximum(0.0, (levels[0] - 1) * (levels[1] - 1))
    chance = mean_of_cells * (freedom > 0) * (levels[1] - 1) / np.maximum(1, levels[1])
    chance_variance = 2 * freedom * variance / np.maximum(1e-300, of_large)
    return InformationMoments(
        np.maximum(counted, 0.0),
        chance / (2 * rows),
        chance_variance / (2 * rows) ** 2,
        1 / (2 * rows),
        np.maximum(squares - counted**2, 0.0) / rows,
        np.log(np.maximum(1.0, np.minimum(*levels))),
    )


def _by_chance(
    n_x: np.ndarray, n_y: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and variance under independence of 2N I of each level and class against all others.

    The third one is the variance that large counts have. The others are exact (hypergeometric)
    where fewer than `FEW` rows are expected in a cell.
    """
    from scipy.special import gammaln

    n_x, n_y, rows = np.broadcast_arrays(n_x, n_y, rows)
    swapped = 2 * n_y > rows  # the smaller cell of the level is counted
    b = np.where(swapped, rows - n_y, n_y)
    e = n_x * b / rows
    varies = (e > 0) & (n_x < rows)
    mean = np.where(varies, (1 - n_x / rows) * rows / np.maximum(1.0, rows - 1), 0.0)
    of_large = 2 * mean**2
    variance = of_large.copy()
    is_small = varies & (e < FEW)
    cells = np.stack([n_x[is_small], b[is_small], rows[is_small]], axis=1)
    cells, place = np.unique(cells, axis=0, return_inverse=True)
    a, b, n = (column[:, None] for column in cells.T)
    c = np.arange(CELLS_AT_MOST)
    possible = (c <= a) & (c <= b) & (n - a - b + c >= 0)
    k = np.where(possible, c, np.maximum(0.0, a + b - n))

    def log_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
        return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))

    def term(c: np.ndarray, e: np.ndarray) -> np.ndarray:
        return np.asarray(2 * c * np.log(np.maximum(c, 1) / np.maximum(e, 1e-300)))

    share = np.exp(log_choose(b, k) + log_choose(n - b, a - k) - log_choose(n, a)) * possible
    values = term(k, a * b / n) + term(a - k, a - a * b / n)
    means = (share * values).sum(axis=1)
    mean[is_small] = means[place.ravel()]
    variance[is_small] = (share * (values - means[:, None]) ** 2).sum(axis=1)[place.ravel()]
    return mean, variance, of_large


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
    found = InformationMoments(*np.zeros((6, *shape)))
    counts, valid = x.table.counts, x.table.f_valid
    codes = np.arange(counts.offsets[-1])
    column = np.repeat(np.arange(x.table.d), counts.levels)
    known = codes - counts.offsets[column] < valid[column]
    first = edges_of(valid)[:-1]
    for j, position in enumerate(y.positions.tolist()):
        pairs = x.table.statistics(y.table.anchor(position))
        table = pairs.complete_table[known, : pairs.anchor.valid]
        for values, of_all in zip(found, moments(table, first), strict=True):
            values[:, j] = of_all[x.positions]
    low, high = interval_of(found, level)
    mean = np.maximum(found.counted - found.chance, 0.0)
    return Interval(mean, np.sqrt(found.variance + found.chance_variance), low, high)


def interval_of(found: InformationMoments, level: float) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the interval of information; 0 where chance may tell all that was counted.

    Parameters
    ----------
    found : InformationMoments
        What was counted.
    level : float
        In what share of tables the interval holds the true information.
    """
    from scipy.special import chndtrinc, ndtri

    varies = (found.counted > 0) & (found.chance > 0)
    counted, unit = np.where(varies, found.counted, 1.0), np.where(varies, found.unit, 1.0)
    depends = np.maximum(0.0, 1 - found.chance / counted)  # the share that is not chance
    of_chance = found.chance_variance / (2 * unit * np.where(varies, found.chance, 1.0))
    wider = (1 - depends) * of_chance + depends * found.variance / (4 * unit * counted)
    scale = unit * np.maximum(wider, 1e-12)
    x, degrees = counted / scale, np.where(varies, found.chance / scale, 1.0)
    is_large = x > NORMAL

    def end(tail: float) -> np.ndarray:
        centre = chndtrinc(np.where(is_large, 1.0, x), degrees, tail)
        z, above = ndtri(tail), x - degrees
        root = np.sqrt(np.maximum(0.0, (above + 2 * z**2) ** 2 - above**2 + 2 * z**2 * degrees))
        normal = np.maximum(0.0, above + 2 * z**2 - np.sign(z) * root)
        ends = scale * np.where(is_large, normal, centre)
        return np.where(varies, np.clip(ends, 0.0, found.most), found.counted)

    return end((1 + level) / 2), end((1 - level) / 2)


def relevance_moments(table: Table, columns: np.ndarray, labels: np.ndarray) -> InformationMoments:
    """The moments of sum_l I(f;l).

    The deviation is the sum of those of the labels: it is no more, however they depend on one
    another.
    """
    deviation, sums = np.zeros(columns.size), np.zeros((6, columns.size))
    positions = columns if table.positions is None else table.positions[columns]
    order = np.sort(positions)
    column = np.repeat(np.arange(table.d), table.counts.levels)
    code = np.arange(column.size) - table.counts.offsets[column]
    codes = np.flatnonzero(np.isin(column, order) & (code < table.f_valid[column]))
    first, place = edges_of(table.f_valid[order])[:-1], np.searchsorted(order, positions)
    for label in labels.tolist() if columns.size else []:
        pairs = table.label(label)
        found = moments(pairs.complete_table[codes, : pairs.anchor.valid], first)
        sums += np.array(found)[:, place]
        deviation += np.sqrt(found.variance)[place]
    counted, chance, chance_variance, unit, _, most = sums
    unit = unit / max(1, labels.size)
    return InformationMoments(counted, chance, chance_variance, unit, deviation**2, most)
