"""Discounted relevance.   J(f) = sum_l I(f;l) / (1 + beta sum_{s in S} I(f;s))"""

from __future__ import annotations

from mlfs import Criterion


class Discounted(Criterion):
    falls = True

    def __init__(self, beta=0.5):
        self.beta = beta

    def relevance(self, info):
        return info.mi_fL

    def term(self, info, s):
        return self.beta * info.mi_fs(s)

    def score(self, relevance, total, picked):
        return relevance / (1 + total)
