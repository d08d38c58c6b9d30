"""Tests of pairs of methods, with Holm's correction.

Over data sets by Wilcoxon's signed ranks; over the splits of one data set by the corrected
resampled t-test.

How probable it is that one method is better than another, or that they hardly differ.

Over data sets by the Bayesian signed-rank test (Benavoli et al., 2014), over the splits of one
data set by the Bayesian correlated t-test (Corani and Benavoli, 2015). Two methods hardly differ
if their values differ by less than one per cent of the greater one, on any metric.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from mlfs.compare.ranks import round_to_scale
from mlfs.errors import DataError

EQUAL = 0.01  # of the greater value: methods that differ by less are practically equal
PRIOR = 0.5  # the weight of one more data set, on which the methods are equal
DRAWS = 5000  # of the posterior: the probabilities have a standard error of at most 0.7 %
SEED = 0
EXACT = 50  # differences up to which Wilcoxon's test counts all signs


class Posterior(NamedTuple):
    """The probabilities of the three cases; they add up to 1.

    Parameters
    ----------
    better, equal, worse : float
        That the first method is better, that both are practically equal, that the first is worse.
    """

    better: float
    equal: float
    worse: float


def relative(first: Any, second: Any, *, higher_is_better: bool) -> np.ndarray:
    """By which share of the greater value the first is better, for each pair of values.

    Examples
    --------
    >>> relative([0.5, 0.0], [0.4, 0.0], higher_is_better=True).round(3).tolist()
    [0.2, 0.0]
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    greater = np.maximum(np.abs(a), np.abs(b))
    shares = np.divide(a - b, greater, out=np.zeros_like(greater), where=greater > 0)
    return shares if higher_is_better else -shares


def signed_rank(differences: Any, rope: float = EQUAL) -> Posterior:
    """The Bayesian signed-rank test of relative differences, one for each data set.

    The data sets get random weights from a Dirichlet distribution; a pair of them speaks for the
    first method if the mean of its two differences exceeds `rope`. A probability is the share of
    draws in which the pairs that speak for a case have the greatest weight.

    Examples
    --------
    >>> found = signed_rank([0.2, 0.1, 0.3, 0.15, 0.25, 0.2, -0.01])
    >>> found.better > 0.99
    True
    """
    values = np.concatenate([[0.0], np.asarray(differences, float)])
    sums = values[:, None] + values[None, :]
    weights = _weights(values.size)
    better, worse = (
        np.einsum("ri,ri->r", weights @ speaks, weights)
        for speaks in ((sums > 2 * rope).astype(float), (sums < -2 * rope).astype(float))
    )
    equal = 1 - better - worse
    greatest = np.argmax(np.column_stack([equal, better, worse]), axis=1)
    shares = np.bincount(greatest, minlength=3) / greatest.size
    return Posterior(float(shares[1]), float(shares[0]), float(shares[2]))


@lru_cache(maxsize=8)
def _weights(n: int) -> np.ndarray:
    """Draws of the weights of n values, of which the first is the prior's."""
    alpha = np.concatenate([[PRIOR], np.ones(n - 1)])
    draws: np.ndarray = np.random.default_rng(SEED).dirichlet(alpha, DRAWS)
    return draws


def correlated_t(differences: Any, test_to_train: float, rope: float = EQUAL) -> Posterior:
    """The Bayesian correlated t-test of relative differences, one for each split of a data set.

    The mean difference has a t distribution with the variance of the corrected resampled t-test.

    Examples
    --------
    >>> found = correlated_t([0.2, 0.1, 0.3], test_to_train=0.5)
    >>> [round(one, 3) for one in found]
    [0.914, 0.012, 0.074]
    """
    from scipy import stats

    values = np.asarray(differences, float)
    n, mean = values.size, float(values.mean())
    scale = math.sqrt((1 / n + test_to_train) * float(values.var(ddof=1)))
    if scale == 0:
        return Posterior(float(mean > rope), float(abs(mean) <= rope), float(mean < -rope))
    better = float(stats.t.sf(rope, n - 1, mean, scale))
    worse = float(stats.t.cdf(-rope, n - 1, mean, scale))
    return Posterior(better, 1 - better - worse, worse)


@dataclass(frozen=True)
class Pair:
    """The result of the test of two methods.

    Parameters
    ----------
    first, second : int
        The columns of the methods.
    statistic, p : float
        The statistic and its two-sided p-value.
    p_holm : float
        The p-value corrected by Holm for all pairs that were tested together.
    wins, ties, losses : int
        How often the first is better than the second, equal, worse.
    effect : float
        How great the difference is, above 0 where the first is better: over data sets the
        rank-biserial correlation (R+ - R-) / (R+ + R-), over splits the mean difference divided by
        its standard deviation; NaN where that is 0.
    p_better, p_equal, p_worse : float
        How probable it is that the first is better by one per cent or more, that the two differ
        by less, that the first is worse; see `mlfs.compare.pairs`.
    """

    first: int
    second: int
    statistic: float
    p: float
    p_holm: float
    wins: int
    ties: int
    losses: int
    effect: float
    p_better: float
    p_equal: float
    p_worse: float


def wilcoxon(first: Any, second: Any) -> tuple[float, float]:
    """Wilcoxon's signed-rank test, two-sided: min(R+, R-) and the p-value.

    Differences of zero are left out; the p-value is exact for up to 50 differences, also where
    some are equal and share a rank. Of two equal samples it is 1.

    Examples
    --------
    >>> wilcoxon([3, 5, 7, 9, 11, 13], [1, 2, 3, 4, 5, 6])
    (0.0, 0.03125)
    >>> wilcoxon([3, 5, 7, 9, 11, 13], [2, 4, 6, 8, 10, 12])
    (0.0, 0.03125)
    """
    from scipy import stats

    a, b = _paired_values(first, second)
    differences = round_to_scale(a - b, a, b)
    if not differences.any():
        return 0.0, 1.0
    nonzero = differences[differences != 0]
    if nonzero.size > EXACT:
        test = stats.wilcoxon(nonzero, method="approx")
        return float(test.statistic), float(test.pvalue)
    doubled = (2 * stats.rankdata(np.abs(nonzero))).astype(int)  # whole, where ranks are shared too
    positive = int(doubled[nonzero > 0].sum())
    least = min(positive, int(doubled.sum()) - positive)
    shares = np.ones(1)  # of all signs, by the sum of the positive ranks
    for rank in doubled.tolist():
        shares = (np.pad(shares, (0, rank)) + np.pad(shares, (rank, 0))) / 2
    return least / 2, min(1.0, 2 * float(shares[: least + 1].sum()))


def rank_biserial(differences: Any) -> float:
    """(R+ - R-) / (R+ + R-) of paired differences (Kerby, 2014); 0 if all are 0.

    Examples
    --------
    >>> rank_biserial([3.0, 1.0, -2.0, 0.0]), rank_biserial([1.0, 2.0])
    (0.3333333333333333, 1.0)
    """
    from scipy import stats

    values = np.asarray(differences, float)
    values = values[values != 0]
    ranks = stats.rankdata(np.abs(values))
    return float(ranks @ np.sign(values) / ranks.sum()) if values.size else 0.0


def standardised(differences: Any) -> float:
    """The mean of paired differences divided by their standard deviation; NaN if that is 0.

    Examples
    --------
    >>> standardised([1.0, 2.0, 3.0]), standardised([1.0, 1.0])
    (2.0, nan)
    """
    values = np.asarray(differences, float)
    spread = float(values.std(ddof=1))
    return float(values.mean()) / spread if spread > 0 else math.nan


def wilcoxon_all(table: Any, *, higher_is_better: bool, against: int | None = None) -> list[Pair]:
    """Test all pairs of methods, or one against all others, and correct by Holm.

    Parameters
    ----------
    table : array, shape (data sets, methods)
        A value of each.
    higher_is_better : bool
        Whether greater values are better.
    against : int, optional
        Only pairs with this method, which is then the first of each.
    """
    values = np.asarray(table, float)
    k = values.shape[1]
    if against is None:
        columns = list(itertools.combinations(range(k), 2))
    else:
        columns = [(against, other) for other in range(k) if other != against]
    tests = [wilcoxon(values[:, a], values[:, b]) for a, b in columns]
    measures = signed_rank, rank_biserial
    return _pairs(values, columns, tests, measures, higher_is_better=higher_is_better)


def corrected_t(first: Any, second: Any, test_to_train: float) -> tuple[float, float]:
    """The corrected resampled t-test (Nadeau and Bengio, 2003), two-sided: t and the p-value.

    The splits of one data set share training rows, so that their differences are not independent;
    the variance is enlarged by the ratio of test rows to training rows. Of two equal samples p
    is 1.

    Examples
    --------
    >>> t, p = corrected_t([0.8, 0.7, 0.9], [0.6, 0.6, 0.6], test_to_train=0.5)
    >>> round(t, 3), round(p, 3)
    (2.191, 0.16)
    """
    from scipy import stats

    a, b = _paired_values(first, second)
    differences = round_to_scale(a - b, a, b)
    n, mean, variance = differences.size, float(differences.mean()), float(differences.var(ddof=1))
    if mean == 0:
        return 0.0, 1.0
    if variance == 0:
        return math.copysign(math.inf, mean), 0.0
    t = mean / math.sqrt((1 / n + test_to_train) * variance)
    return t, float(2 * stats.t.sf(abs(t), n - 1))


def resampled_all(table: Any, test_to_train: float, *, higher_is_better: bool) -> list[Pair]:
    """The corrected resampled t-test of every pair of methods on one data set.

    Parameters
    ----------
    table : array, shape (splits, methods)
        A value of each.
    test_to_train : float
        The ratio of test rows to training rows in a split.
    higher_is_better : bool
        Whether greater values are better.
    """
    values = np.asarray(table, float)
    columns = list(itertools.combinations(range(values.shape[1]), 2))
    tests = [corrected_t(values[:, a], values[:, b], test_to_train) for a, b in columns]
    measures = partial(correlated_t, test_to_train=test_to_train), standardised
    return _pairs(values, columns, tests, measures, higher_is_better=higher_is_better)


def _pairs(
    values: np.ndarray,
    columns: list[tuple[int, int]],
    tests: list[tuple[float, float]],
    measures: tuple[Callable[[np.ndarray], Posterior], Callable[[np.ndarray], float]],
    *,
    higher_is_better: bool,
) -> list[Pair]:
    posterior, effect_of = measures
    corrected = holm([p for _, p in tests])
    sign = 1 if higher_is_better else -1
    pairs = []
    for (a, b), (statistic, p), p_holm in zip(columns, tests, corrected, strict=True):
        column_a, column_b = values[:, a], values[:, b]
        better = round_to_scale(column_a - column_b, values[:, [a, b]]) * sign
        wins, ties, losses = (int((np.sign(better) == side).sum()) for side in (1, 0, -1))
        effect = effect_of(better)
        shares = posterior(relative(column_a, column_b, higher_is_better=higher_is_better))
        pairs.append(Pair(a, b, statistic, p, p_holm, wins, ties, losses, effect, *shares))
    return pairs


def holm(p_values: Any) -> list[float]:
    """Correct p-values that belong together (Holm, 1979).

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, float)
    order = np.argsort(values, kind="stable")
    factors = values.size - np.arange(values.size)
    monotone = np.maximum.accumulate(np.minimum(1.0, values[order] * factors))
    corrected = np.empty(values.size)
    corrected[order] = monotone
    return [float(p) for p in corrected]


def _paired_values(first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.asarray(first, float), np.asarray(second, float)
    if a.shape != b.shape or a.ndim != 1:
        msg = f"a paired test needs two equally long lists, not shapes {a.shape} and {b.shape}"
        raise DataError(msg)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        msg = "a paired test needs numbers: leave out pairs of which one is missing"
        raise DataError(msg)
    return a, b
