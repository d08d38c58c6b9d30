"""MIFS (Battiti, 1994).   J(f) = sum_l [ I(f;l) - beta sum_{s in S} I(f;s) ]"""

from __future__ import annotations

from mlfs import Criterion


class MIFS(Criterion):
    falls = True

    def __init__(self, beta=0.5):
        self.beta = beta

    def relevance(self, info):
        return info.mi_fL

    def term(self, info, s):
        return self.beta * info.q * info.mi_fs(s)

    def score(self, relevance, total, picked):
        return relevance - total
