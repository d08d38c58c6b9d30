"""The automatic number of features: pick while features tell more than chance and than the picks.

Two rules decide. First, the relevance of a candidate must be greater than by chance: it is
compared with the relevance for shuffled rows of labels, and the share of false discoveries,
counted on further shuffles, is controlled at `alpha` (Storey & Tibshirani, 2003). Second, a
candidate must add information: after each pick, candidates whose relevance given the pick is less
than a `min_gain` share of the greatest relevance are no longer considered. Both kinds of relevance
are corrected by their mean under chance. The search ends when no candidate is left. A weight stays
with its row of features when the labels are shuffled, so here a weight of 2 differs from two rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlfs.counting.entries import edges_of
from mlfs.information.for_search import (
    chance_relevance,
    relevance_interval,
    rows_of_classes,
    rows_of_levels,
)
from mlfs.information.info import Info
from mlfs.search.picks import Significance

SHUFFLES = 100
ROUNDING = 1e-12
LEVEL = 0.95  # of the interval of relevance
SURE = 40  # expected rows of a level, of which one is there as surely as floats can say


class AutoStop:
    """Decides which candidates are still worth picking.

    Parameters
    ----------
    info : Info
        The view that is searched.
    alpha : float
        The accepted share of false discoveries.
    min_gain : float
        The least gain of a pick, as a share of the greatest relevance.
    seed : int
        Seeds the shuffles.
    shuffles : int
        The number of shuffles of the labels.
    """

    def __init__(
        self,
        info: Info,
        *,
        alpha: float = 0.05,
        min_gain: float = 0.01,
        seed: int = 0,
        shuffles: int = SHUFFLES,
    ) -> None:
        self._info = info
        self._rows = rows_of_levels(info)
        self._levels = _ExpectedLevels([self._rows[j] for j in info.features.tolist()])
        self._classes = _ExpectedLevels(rows_of_classes(info))
        generator = np.random.Generator(np.random.PCG64(seed))
        by_chance = chance_relevance(info, generator, shuffles)
        mean = by_chance.mean(axis=0)
        variance = by_chance.var(axis=0, ddof=1 if shuffles > 1 else 0)
        del by_chance  # of many columns it is large
        self._chance = mean
        relevance = info.mi_fL
        tails = _Tails(mean, variance)
        self.p_values = tails.exact(relevance)
        # mean and variance come from the other shuffles
        by_chance = chance_relevance(info, generator, shuffles)
        by_chance = np.require(by_chance, requirements="W")  # that of a cluster is not
        for row in by_chance:
            row[:] = tails.near_enough(row)
        self.significant, adjusted = _discoveries(self.p_values, by_chance, alpha)
        gain = relevance - mean
        self._least = min_gain * float(gain[self.significant].max(initial=0.0))
        informative = self.significant & (gain >= self._least)
        self.left_out = info.features[~informative]
        interval = np.full((2, info.d), np.nan)
        ends = relevance_interval(info, info.features[informative], LEVEL)
        if ends is not None:
            interval[:, informative] = ends
        self.significance = Significance(
            info.features,
            np.array(relevance),
            mean,
            np.sqrt(variance),
            self.p_values,
            adjusted,
            informative,
            shuffles,
            *interval,
        )

    def narrow(self, info: Info, columns: np.ndarray) -> None:
        """Go on with some of the columns only, which `info` numbers anew."""
        self._info, self._chance = info, self._chance[columns]
        self._rows = [self._rows[j] for j in columns.tolist()]
        self._levels = _ExpectedLevels(self._rows)

    def closes(self, s: int) -> np.ndarray:
        """Give a mask of the candidates that add too little after the pick of s."""
        return self.gain(s) < self._least

    def gain(self, s: int) -> np.ndarray:
        """The information that each candidate adds to the pick of s beyond chance.

        Chance tells about (levels - 1) (classes - 1) / 2n nats in n rows, and so as much within
        each level of s as in all rows; less where not all levels and classes are to be expected.
        """
        share = np.zeros(self._chance.size)
        most, most_classes = np.maximum(1, self._levels.most), max(1, self._classes.most.sum())
        sizes, times = np.unique(self._rows[s][self._rows[s] > 0], return_counts=True)
        for n_rows, n_levels in zip(sizes.tolist(), times.tolist(), strict=True):
            of_classes = n_levels * self._classes.beyond_one(n_rows).sum() / most_classes
            share += of_classes * self._levels.beyond_one(n_rows) / most
        gain: np.ndarray = self._info.cmi_fL_given_s(s) - np.maximum(1.0, share) * self._chance
        return gain


class _ExpectedLevels:
    """How many levels of columns are to be expected in some of the rows.

    Parameters
    ----------
    rows : sequence of ndarray of int
        How many rows each column has at each of its levels.

    Attributes
    ----------
    most : ndarray of int
        The levels but one that each column has in all rows.
    """

    def __init__(self, rows: Sequence[np.ndarray]) -> None:
        sizes = [part.size for part in rows]
        self._starts, flat = edges_of(sizes)[:-1], np.concatenate([np.zeros(0, np.int64), *rows])
        share = flat / np.repeat(np.maximum(1, np.add.reduceat(flat, self._starts)), sizes)
        with np.errstate(divide="ignore"):  # of a column of one level
            self._missed = np.log1p(-share)
        self._rarest = float(share[share > 0].min(initial=1.0))
        self.most = np.add.reduceat(flat > 0, self._starts, dtype=np.int64) - 1

    def beyond_one(self, n_rows: int) -> np.ndarray:
        """The levels but one that each column is to be expected to have in so many rows.

        Examples
        --------
        >>> _ExpectedLevels([np.array([50, 50]), np.array([99, 1])]).beyond_one(2).round(4).tolist()
        [0.5, 0.0198]
        """
        if n_rows * self._rarest > SURE:
            return self.most
        expected: np.ndarray = np.add.reduceat(-np.expm1(n_rows * self._missed), self._starts)
        return expected - 1.0


class _Tails:
    """P(chance >= relevance), where chance is a gamma variable of this mean and variance.

    2 N I is a chi-square variable under independence, and a sum over dependent labels is close
    to a scaled one (Satterthwaite): this gives small p-values without a million shuffles. Rare
    values have a heavier tail, so the results are comparable, but are not yet probabilities.
    """

    def __init__(self, mean: np.ndarray, variance: np.ndarray) -> None:
        self._mean, self._varies = mean, (mean > 0) & (variance > 0)
        self._shape = np.divide(mean**2, variance, out=np.ones_like(mean), where=self._varies)
        self._scale = np.divide(variance, mean, out=np.ones_like(mean), where=self._varies)
        self._spread = 1.0 / (3.0 * np.sqrt(self._shape))

    def exact(self, relevance: np.ndarray) -> np.ndarray:
        """The tails of all features."""
        from scipy.special import gammaincc  # most selections do not need it

        return self._where_it_varies(gammaincc(self._shape, relevance / self._scale), relevance)

    def near_enough(self, relevance: np.ndarray) -> np.ndarray:
        """The same, but tails beyond a sixth by the cube root of Wilson & Hilferty (1931)."""
        from scipy.special import gammaincc, ndtr

        ratio = relevance / (self._shape * self._scale)
        root = (np.cbrt(ratio) - 1.0) / self._spread + self._spread
        tail, small = ndtr(-root), np.flatnonzero(root > 1.0)
        tail[small] = gammaincc(self._shape[small], relevance[small] / self._scale[small])
        return self._where_it_varies(tail, relevance)

    def _where_it_varies(self, tail: np.ndarray, relevance: np.ndarray) -> np.ndarray:
        # relevance that shuffling does not change (as of an identifier) is not evidence
        same = relevance - self._mean <= ROUNDING * np.maximum(1.0, self._mean)
        return np.where(self._varies & ~same, tail, np.where(same, 1.0, 0.0))


def _discoveries(
    p_values: np.ndarray, by_chance: np.ndarray, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """Find the largest set of features of which chance explains at most a share of alpha.

    The number of features that chance puts below a threshold is counted on shuffled labels
    (Storey & Tibshirani, 2003, plus one), so the result holds for any distribution of the tails.
    Also give the least share at which each feature passes. `by_chance` has a row of tails for each
    shuffle, and loses its order.
    """
    shuffles, by_chance = len(by_chance), by_chance.reshape(-1)
    by_chance.sort()
    order = np.argsort(p_values, kind="stable")
    n_passing = np.searchsorted(p_values[order], p_values[order], side="right")
    n_by_chance = np.searchsorted(by_chance, p_values[order], side="right")
    passed = np.flatnonzero((n_by_chance + 1) / (shuffles + 1) <= alpha * n_passing)
    out = np.zeros(p_values.size, bool)
    if passed.size:
        out[order[: passed[-1] + 1]] = True
    shares = np.minimum(1.0, (n_by_chance + 1) / ((shuffles + 1) * n_passing))
    adjusted = np.empty(p_values.size)
    adjusted[order] = np.minimum.accumulate(shares[::-1])[::-1]
    return out, adjusted
