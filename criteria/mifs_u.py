"""MIFS-U (Kwak & Choi, 2002).
J(f) = sum_l [ I(f;l) - beta sum_{s in S} I(s;l)/H(s) I(f;s) ]

Kwak, N. & Choi, C.-H. (2002). Input feature selection for classification problems.
"""

from __future__ import annotations

from mlfs import Criterion, Info, checked_number


class MIFSU(Criterion):
    falls = True

    def __init__(self, beta: float = 1.0):
        self.beta = checked_number("beta", beta)

    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return sum(self._redundancy(same_rows, s) for same_rows in info.by_rows)

    def _redundancy(self, info: Info, s: int):
        entropy = info.h_s(s)
        return self.beta * info.mi_sL(s) / entropy * info.mi_fs(s) if entropy > 0 else 0.0

    def score(self, relevance, total, picked):
        return relevance - total


criterion = MIFSU
