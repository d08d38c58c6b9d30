"""Similarity of selections: over folds (stability), or between criteria (agreement)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence

import numpy as np

from mlfs.errors import DataError

__all__ = ["agreement", "jaccard", "kuncheva", "nogueira"]


def jaccard(selections: Sequence[Collection[int]]) -> float:
    """The mean over all pairs of selections of |A and B| / |A or B|.

    It grows with the share of features that is selected; `nogueira` corrects for chance.

    Examples
    --------
    >>> round(jaccard([{0, 1}, {1, 2}]), 3)
    0.333
    """
    pairs = list(itertools.combinations([set(selection) for selection in selections], 2))
    _at_least_two(selections)
    return math.fsum(len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs) / len(pairs)


def kuncheva(selections: Sequence[Collection[int]], d: int) -> float:
    """Kuncheva's consistency (2007): the mean over pairs of (r d - k^2) / (k (d - k)).

    r features are common to two selections of k out of d. NaN where it is not defined: for
    selections of unequal sizes, of none or of all.

    Examples
    --------
    >>> kuncheva([{0, 1}, {0, 1}], 10), round(kuncheva([{0, 1}, {2, 3}], 10), 3)
    (1.0, -0.25)
    """
    _at_least_two(selections)
    sets = [set(selection) for selection in selections]
    k = len(sets[0])
    if any(len(selection) != k for selection in sets) or k in {0, d}:
        return math.nan
    pairs = list(itertools.combinations(sets, 2))
    return math.fsum((len(a & b) * d - k * k) / (k * (d - k)) for a, b in pairs) / len(pairs)


def nogueira(selections: Sequence[Collection[int]], d: int) -> float:
    """The stability of Nogueira, Sechidis and Brown (2018), for selections of any sizes.

    1 - mean_f s_f^2 / ((k/d)(1 - k/d)), s_f^2 the unbiased variance of whether f is selected,
    k the mean size: 1 when all agree, 0 in the mean by chance. NaN when none or all features
    are always selected.

    Examples
    --------
    >>> nogueira([{0, 1}, {0, 1}], 10), round(nogueira([{0, 1}, {2, 3}], 10), 3)
    (1.0, -0.25)
    """
    _at_least_two(selections)
    m = len(selections)
    table = np.zeros((m, d))
    for row, selection in enumerate(selections):
        table[row, list(selection)] = 1
    share = table.sum() / (m * d)
    if share in {0.0, 1.0}:
        return math.nan
    p = table.mean(axis=0)
    variance = m / (m - 1) * p * (1 - p)
    return float(1 - variance.mean() / (share * (1 - share)))


def agreement(selections: Sequence[Collection[int]]) -> np.ndarray:
    """|A and B| / |A or B| for each two of some selections, one of each criterion.

    Examples
    --------
    >>> agreement([{0, 1}, {1, 2}, {0, 1}]).round(2).tolist()
    [[1.0, 0.33, 1.0], [0.33, 1.0, 0.33], [1.0, 0.33, 1.0]]
    """
    sets = [set(selection) for selection in selections]
    return np.array([[len(a & b) / len(a | b) if a | b else 1.0 for b in sets] for a in sets])


def _at_least_two(selections: Sequence[Collection[int]]) -> None:
    if len(selections) < 2:
        msg = f"stability is about two selections or more, not {len(selections)}"
        raise DataError(msg)
