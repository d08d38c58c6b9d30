"""MIQ, mRMR as a quotient (Ding & Peng, 2005).
J(f) = sum_l I(f;l) / max( 1/|S| sum_{s in S} I(f;s), floor )

Ding, C. & Peng, H. (2005). Minimum redundancy feature selection from microarray gene expression
data. The floor, which keeps the quotient finite, is ours.
"""

from __future__ import annotations

import numpy as np

from mlfs import Criterion, Info, checked_number


class MIQ(Criterion):
    unit = "ratio"
    falls = True

    def __init__(self, floor: float = 0.001):
        self.floor = checked_number("floor", floor, low=1e-12)

    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.mi_fs(s)

    def score(self, relevance, total, picked):
        return relevance / np.maximum(total / len(picked), self.floor)


criterion = MIQ
