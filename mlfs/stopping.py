"""The automatic number of features: what is beyond chance, and beyond what is picked already.

Two rules. A candidate must carry more information about the labels than chance gives it: its
relevance is compared with its relevances about shuffled rows of labels, and the false
discoveries among the candidates that pass are held at `alpha` (Benjamini & Hochberg). And it
must bring something: once a feature is picked, candidates of which it leaves less than a
`min_gain` share of the greatest relevance are passed over. Both informations are corrected by
what chance gives. The search ends when no candidate is left. A weight stays with its row of
features when the labels are shuffled, so here a weight of 2 is not the same as two rows.
"""

from __future__ import annotations

import numpy as np

from mlfs.info import Info
from mlfs.table import Table

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
        mean, variance = _by_chance(info, seed, shuffles)
        self._chance = mean
        relevance = info.mi_fL
        self.p_values = _tail(relevance, mean, variance)
        self.significant = _discoveries(self.p_values, alpha)
        gain = relevance - mean
        self._least = min_gain * float(gain[self.significant].max(initial=0.0))
        self.left_out = info.features[~self.significant | (gain < self._least)]

    def closes(self, s: int) -> np.ndarray:
        """The candidates to which the pick of s leaves too little."""
        levels = int(self._info.table.f_valid[self._info.table.position(s)])
        left: np.ndarray = self._info.cmi_fL_given_s(s) - levels * self._chance
        return left < self._least


def _by_chance(info: Info, seed: int, shuffles: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the relevances when the rows of labels are shuffled."""
    generator = np.random.Generator(np.random.PCG64(seed))
    table = info.table
    first = np.zeros(info.d)
    second = np.zeros(info.d)
    for _ in range(shuffles):
        shuffled = Table(
            table.counts.shuffled(generator),
            table.q,
            table.mask_of,
            ignore_missing=table.ignore_missing,
            place=table.place,
            cache_bytes=0,
        )
        view = Info(shuffled, labels=info.labels, features=info.features)
        first += view.mi_fL
        second += view.mi_fL**2
    mean = first / shuffles
    return mean, np.maximum(second / shuffles - mean**2, 0.0) * shuffles / max(1, shuffles - 1)


def _tail(relevance: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """P(chance >= relevance), chance being a gamma variable of that mean and variance.

    2 N I is a chi-square variable under independence, and a sum over dependent labels is close
    to a scaled one (Satterthwaite): this gives small p-values without a million shuffles.
    """
    from scipy.special import gammaincc  # not at the top: most selections do without

    # information that shuffling does not change (an identifier has all of it) tells nothing
    same = relevance - mean <= ROUNDING * np.maximum(1.0, mean)
    ok = (mean > 0) & (variance > 0) & ~same
    shape = np.divide(mean**2, variance, out=np.ones_like(mean), where=ok)
    scale = np.divide(variance, mean, out=np.ones_like(mean), where=ok)
    tail = gammaincc(shape, relevance / scale)
    return np.where(ok, tail, np.where(same, 1.0, 0.0))


def _discoveries(p_values: np.ndarray, alpha: float) -> np.ndarray:
    """Benjamini & Hochberg: which hypotheses fall."""
    m = p_values.size
    order = np.argsort(p_values, kind="stable")
    passed = np.flatnonzero(p_values[order] <= alpha * np.arange(1, m + 1) / m)
    out = np.zeros(m, bool)
    if passed.size:
        out[order[: passed[-1] + 1]] = True
    return out
