"""FCBF (Yu & Liu, 2003), R(f) = mean_l SU(f,l).
J(f) = R(f) if SU(f,s) < R(f) for all s in S, else -inf

A feature with R(f) < delta is never picked. The search ends when no feature is left.

Yu, L. & Liu, H. (2003). Feature selection for high-dimensional data: a fast correlation-based
filter solution.
"""

from __future__ import annotations

import numpy as np

from mlfs import Criterion, Info, checked_number

ROUNDING = 1e-12


class FCBF(Criterion):
    unit = "ratio"
    fold = np.maximum
    falls = True

    def __init__(self, delta: float = 0.0):
        self.delta = checked_number("delta", delta, high=1.0)

    def relevance(self, info: Info):
        mean = info.su_fl.mean(axis=1)
        return np.where(mean >= self.delta, mean, -np.inf)

    def term(self, info: Info, s: int):
        return info.su_fs(s)

    def score(self, relevance, total, picked):
        return np.where(total < relevance - ROUNDING, relevance, -np.inf)

    def size(self, info: Info):
        return info.d


criterion = FCBF
