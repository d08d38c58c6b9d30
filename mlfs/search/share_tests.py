"""P-values of the shares of the labels that columns explain.

Where parts of columns (see `mlfs.discretize.rank_levels`) and labels are rare, shares are far from
normal. One or two parts are therefore corrected for the skewness that a share has over all orders
of the rows (Pearson's type III, by the cube root of Wilson & Hilferty, 1931); of more parts the sum
of shares is a gamma variable with the mean and the variance that it has over all orders of the rows
(Kazi-Aoual and others, 1995). The p-value joins the best label (Bonferroni) and the sum over
labels, for which a chi-square variable has the first three moments of a sum over labels that depend
on one another.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from mlfs.search.label_columns import LabelMoments, LabelTargets

COLLINEAR = 1e-4  # of the variance of a part, below which the picks explain all of it
LEFT = 1e-9  # of a label, below which nothing is left to explain
FEW_PARTS = 2  # parts of a column that are corrected for skewness one by one
RARE = 2.0  # skewness of a count whose mean is a quarter
LEAST = 1e-100  # of a moment, below which nothing varies


class PartSums(NamedTuple):
    """Sums of products of the parts of some columns, with one another and with the labels.

    Parameters
    ----------
    size : ndarray, shape (columns, parts)
        The sum of squares of each part.
    own : ndarray, shape (columns, parts, parts)
        Sums of products of the parts of each column, beside the picks.
    about : ndarray, shape (columns, parts, labels)
        Sums of products of the parts with the labels.
    skewness : ndarray, shape (columns, parts)
        The skewness of each part.
    fourth : ndarray, shape (columns,)
        The sum of squared leverages of the rows.
    """

    size: np.ndarray
    own: np.ndarray
    about: np.ndarray
    skewness: np.ndarray
    fourth: np.ndarray


class Evidence(NamedTuple):
    """Shares of the labels that some columns explain.

    Parameters
    ----------
    score : ndarray, shape (columns, labels)
        About a chi-square variable, by chance.
    parts : ndarray of int
        Its degrees of freedom: the parts of each column that the picks leave.
    fourth : ndarray
        The sum of squared leverages of the rows.
    skewness : ndarray, shape (columns, FEW_PARTS)
        That of each part that counts, where there are few; else NaN.
    n : float
        The rows less what the model has.
    """

    score: np.ndarray
    parts: np.ndarray
    fourth: np.ndarray
    skewness: np.ndarray
    n: float


def evidence(sums: PartSums, left: np.ndarray, targets: LabelTargets, n: float) -> Evidence:
    """Test some columns of equally many parts.

    Parameters
    ----------
    sums : PartSums
        Of the columns beside the picks.
    left : ndarray
        What is left of each label to explain, of all columns or of each.
    targets : LabelTargets
        The labels.
    n : float
        The rows less the strata and the parts of the picks.
    """
    own, about = sums.own, sums.about
    m, k, q = about.shape
    parts, explained, corrected = np.zeros(m), np.zeros((m, q)), np.zeros((m, q))
    start, skewed = np.maximum(left, 1e-300), np.full((m, FEW_PARTS), np.nan)
    for part in range(k):  # one after the other, as Cholesky does
        size = own[:, part, part]
        counts = size > COLLINEAR * np.maximum(sums.size[:, part], 1e-300)
        root = np.where(counts, np.sqrt(np.where(counts, size, 1.0)), np.inf)
        shared = about[:, part] / root[:, None]
        if k <= FEW_PARTS:
            free = np.maximum(1.0, n - 1 - parts)[:, None]
            share = np.minimum(shared**2 / np.maximum(start - explained, 1e-300), 1 - 1e-12)
            z = np.sqrt(-free * np.log1p(-share)) * (8 * free + 1) / (8 * free + 3)
            skewness = np.outer(sums.skewness[:, part], targets.skewness) / np.sqrt(targets.n)
            skewed[counts, part] = sums.skewness[counts, part]
            corrected += normal(np.copysign(z, shared), skewness) ** 2 * counts[:, None]
        explained += shared**2
        parts += counts
        factor = own[:, part] / np.where(counts, size, np.inf)[:, None]
        about = about - factor[:, :, None] * about[:, part][:, None, :]
        own = own - factor[:, :, None] * own[:, part][:, None, :]
    score = corrected if k <= FEW_PARTS else explained / start * n
    score = np.where(left <= LEFT * np.maximum(targets.total, 1e-300), 0.0, score)
    return Evidence(score, parts, sums.fourth, skewed, n)


def normal(z: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """The normal deviate of a standardised gamma variable of some skewness; if great, of a count.

    Examples
    --------
    >>> normal(np.array([2.0, 4.0]), np.array([0.0, 1.0])).round(2).tolist()
    [2.0, 2.82]
    """
    z, s = np.broadcast_arrays(z, np.where(np.abs(skewness) < 1e-6, 1e-6, skewness))
    out = np.asarray((np.cbrt(np.maximum(0.0, 1 + z * s / 2)) - 1 + s**2 / 36) * 6 / s)
    rare = np.abs(s) > RARE
    if rare.any():  # a count of Poisson, most often 0
        from scipy.special import gammainc, ndtri

        rate = s[rare] ** -2.0
        count = np.maximum(rate + z[rare] * np.sign(s[rare]) * np.sqrt(rate), 1e-9)
        out[rare] = -ndtri(np.maximum(gammainc(count, rate), 1e-300) / 2) * np.sign(s[rare])
    return out


def p_values(found: Evidence, targets: LabelTargets, moments: LabelMoments) -> np.ndarray:
    """The p-value of each column about all targets together: the best of them, or their sum.

    Parameters
    ----------
    found : Evidence
        What the columns explain.
    targets : LabelTargets
        The labels.
    moments : LabelMoments
        Moments of what is left of the labels.
    """
    from scipy.special import gammaincc  # most selections do not need it

    q = targets.columns.size
    some = found.parts > 0
    out = np.ones(some.size)
    if not q or not some.any():
        return out
    best = p_by_label(found, targets).min(axis=1) * q
    if q == 1:
        return np.where(some, np.minimum(1.0, best), out)
    total, parts = found.score.sum(axis=1), np.maximum(found.parts, 1)
    mean, second, third = np.empty(some.size), np.ones(some.size), np.ones(some.size)
    many = found.parts > FEW_PARTS
    by_chance = chance_of_squares(found.skewness[~many], targets)
    mean[~many] = by_chance[0]
    second[~many], third[~many] = by_chance[1] * moments.second, by_chance[2] * moments.third
    if many.any():
        labels = (float(q), moments.second, targets.fourth_together)
        spread = found.n**2 * variance(found.n + 1, parts[many], found.fourth[many], *labels)
        mean[many], second[many] = parts[many] * q, spread
        third[many] = 2 * spread**2 / mean[many]
    some &= (second > LEAST) & (third > LEAST)
    second, third = np.where(some, second, 1.0), np.where(some, third, 1.0)
    free = 4 * second**3 / third**2  # Pearson's type III
    summed = gammaincc(free, np.maximum(0.0, free + (total - mean) * 2 * second / third))
    return np.where(some, np.minimum(1.0, 2 * np.minimum(best, summed)), out)


def chance_of_squares(skewness: np.ndarray, targets: LabelTargets) -> np.ndarray:
    """Three moments by chance of the sum over parts and labels: mean, variance, third one.

    They are those of independent labels, divided by the number of labels but for the mean.
    """
    out = np.zeros((3, len(skewness)))
    grid, table = squares_of_poisson()
    of_labels = np.abs(targets.skewness) / np.sqrt(targets.n)
    for part in skewness.T:
        counts = ~np.isnan(part)
        position = np.outer(np.abs(part[counts]), of_labels)
        for row, values in zip(out, table, strict=True):
            row[counts] += np.interp(position, grid, values).sum(axis=1)
    out[1:] /= max(1, targets.columns.size)
    return out


@cache
def squares_of_poisson() -> tuple[np.ndarray, np.ndarray]:
    """Three moments of the square of a count that was made normal, for each skewness of a count.

    A rare value meets a rare label so often as a Poisson variable says. What `normal` makes of its
    few values is not normal: its square has a smaller mean than 1.
    """
    grid = np.concatenate([[0.0], np.geomspace(0.02, 50.0, 120)])
    table = np.empty((3, grid.size))
    table[:, 0] = 1.0, 2.0, 8.0
    for i, skewness in enumerate(grid[1:], start=1):
        rate = skewness**-2.0
        counts = np.arange(int(rate + 12 * np.sqrt(rate) + 30))
        logs = counts * np.log(rate) - rate - np.cumsum(np.log(np.maximum(counts, 1)))
        share = np.exp(logs)
        squares = normal((counts - rate) * skewness, np.full(counts.size, skewness)) ** 2
        mean = float(share @ squares)
        table[:, i] = mean, share @ (squares - mean) ** 2, share @ (squares - mean) ** 3
    return grid, table


def p_by_label(found: Evidence, targets: LabelTargets) -> np.ndarray:
    """The p-value of each column about each target: (columns, targets)."""
    from scipy.special import erfc, gammaincc

    p = np.ones(found.score.shape)
    one, two, many = found.parts == 1, found.parts == 2, found.parts > FEW_PARTS
    p[one], p[two] = erfc(np.sqrt(found.score[one] / 2)), np.exp(-found.score[two] / 2)
    if many.any():
        parts, fourth = found.parts[many][:, None], found.fourth[many][:, None]
        labels = (1.0, 1.0, targets.fourth)
        spread = found.n**2 * variance(found.n + 1, parts, fourth, *labels)
        p[many] = gammaincc(parts**2 / spread, found.score[many] * parts / spread)
    single = np.flatnonzero(one)
    if single.size:  # of rare values and labels the smallest count is not far from the mean
        skewness = np.nansum(np.abs(found.skewness[single]), axis=1)
        skewness = np.outer(skewness, np.abs(targets.skewness)) / np.sqrt(targets.n)
        least = normal(-1 / np.maximum(skewness, 1e-6), np.minimum(skewness, RARE))
        p[single] *= np.where(found.score[single] > least**2, 0.5, 1.0)
    return p


def variance(n: float, parts: Any, fourth: Any, first: Any, second: Any, of_labels: Any) -> Any:
    """The variance, over all orders of the rows, of a sum of shares: of trace(H K).

    H projects on the parts of a column: its trace and that of its square are their number, the sum
    of its squared diagonal is `fourth`. K is of standardised labels: its trace, the trace of its
    square, and the sum of its squared diagonal.
    """
    regular = 2 * ((n - 1) * parts - parts**2) * ((n - 1) * second - first**2)
    regular = regular / ((n - 1) ** 2 * (n + 1) * (n - 2))
    of_parts = n * (n + 1) * fourth - (n - 1) * (parts**2 + 2 * parts)
    about = n * (n + 1) * of_labels - (n - 1) * (first**2 + 2 * second)
    excess = of_parts * about / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return np.maximum(regular + excess, 0.1 * regular)
