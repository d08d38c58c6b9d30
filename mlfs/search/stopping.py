"""The automatic number of features: what is beyond chance, and beyond what is picked already.

Two rules. A candidate must carry more information about the labels than chance gives it: its
relevance is compared with its relevances about shuffled rows of labels, and the false
discoveries among the candidates that pass, counted on further shuffles, are held at `alpha`
(Storey & Tibshirani, 2003). And it
must bring something: once a feature is picked, candidates of which it leaves less than a
`min_gain` share of the greatest relevance are passed over. Both informations are corrected by
what chance gives. The search ends when no candidate is left. A weight stays with its row of
features when the labels are shuffled, so here a weight of 2 is not the same as two rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mlfs.information.info import Info
from mlfs.information.table import Table

__all__ = ["AutoStop"]

SHUFFLES = 100
ROUNDING = 1e-12


class AutoStop:
    """Which candidates are still worth picking.

    Parameters
    ----------
    info : Info
        The view that is searched.
    alpha : float
        The share of false discoveries that is accepted.
    min_gain : float
        The least share of the greatest relevance that a pick must bring.
    seed : int
        Seeds the shuffles.
    shuffles : int
        How often the labels are shuffled.
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
        generator = np.random.Generator(np.random.PCG64(seed))
        chance = _by_chance(info, generator, shuffles)
        mean, variance = chance.mean(axis=0), chance.var(axis=0, ddof=1 if shuffles > 1 else 0)
        self._chance = mean
        relevance = info.mi_fL
        self.p_values = _tail(relevance, mean, variance)
        fresh = _by_chance(info, generator, shuffles)  # the others have shaped mean and variance
        by_chance = np.concatenate([_tail(row, mean, variance) for row in fresh])
        self.significant = _discoveries(self.p_values, by_chance, shuffles, alpha)
        gain = relevance - mean
        self._least = min_gain * float(gain[self.significant].max(initial=0.0))
        self.left_out = info.features[~self.significant | (gain < self._least)]

    def closes(self, s: int) -> np.ndarray:
        """The candidates to which the pick of s leaves too little."""
        levels = int(self._info.table.f_valid[self._info.table.position(s)])
        left: np.ndarray = self._info.cmi_fL_given_s(s) - levels * self._chance
        return left < self._least


def _by_chance(info: Info, generator: np.random.Generator, shuffles: int) -> np.ndarray:
    """The relevances when the rows of labels are shuffled, a row for each shuffle."""
    table = info.table
    out = np.empty((shuffles, info.d))
    for row in out:
        shuffled = Table(
            table.counts.shuffled(generator),
            table.q,
            table.mask_of,
            ignore_missing=table.ignore_missing,
            place=table.place,
            budget=replace(table.budget, cache=0),
        )
        view = Info(shuffled, labels=info.labels, features=info.features)
        row[:] = view.mi_fL
    return out


def _tail(relevance: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """P(chance >= relevance), chance being a gamma variable of that mean and variance.

    2 N I is a chi-square variable under independence, and a sum over dependent labels is close
    to a scaled one (Satterthwaite): this gives small p-values without a million shuffles. Rare
    values have a heavier tail than that, so these are a scale to compare on, not yet chances.
    """
    from scipy.special import gammaincc  # not at the top: most selections do without

    # information that shuffling does not change (an identifier has all of it) tells nothing
    same = relevance - mean <= ROUNDING * np.maximum(1.0, mean)
    ok = (mean > 0) & (variance > 0) & ~same
    shape = np.divide(mean**2, variance, out=np.ones_like(mean), where=ok)
    scale = np.divide(variance, mean, out=np.ones_like(mean), where=ok)
    tail = gammaincc(shape, relevance / scale)
    return np.where(ok, tail, np.where(same, 1.0, 0.0))


def _discoveries(
    p_values: np.ndarray, by_chance: np.ndarray, shuffles: int, alpha: float
) -> np.ndarray:
    """The largest set of features of which chance explains at most a share of alpha.

    How many features chance puts below a threshold is counted on the shuffled labels
    (Storey & Tibshirani, 2003, with one more for the shuffle that was seen), so it holds however
    the tails of their distributions look.
    """
    order = np.argsort(p_values, kind="stable")
    found = np.searchsorted(p_values[order], p_values[order], side="right")
    false = np.searchsorted(np.sort(by_chance), p_values[order], side="right")
    passed = np.flatnonzero((false + 1) / (shuffles + 1) <= alpha * found)
    out = np.zeros(p_values.size, bool)
    if passed.size:
        out[order[: passed[-1] + 1]] = True
    return out
