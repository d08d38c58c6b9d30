"""MLFS, global (Sun & Kudo, 2018).
J(f) = sum_l [ I(f;l) + beta sum_{p in pa(l)} I(l;p|f) + gamma sum_{s in S} I(s;l|f) ]

By default beta = 1/|pa(l)| and gamma = 1/|S|.

Sun, L. & Kudo, M. (2018). Optimization of classifier chains via conditional likelihood
maximization, eq. (42).
"""

from __future__ import annotations

from mlfs import Criterion, Info, checked_number


class MLFSGlobal(Criterion):
    network = True

    def __init__(self, beta: float | None = None, gamma: float | None = None):
        self.beta = beta if beta is None else checked_number("beta", beta)
        self.gamma = gamma if gamma is None else checked_number("gamma", gamma)

    def relevance(self, info: Info):
        return info.mi_fL + self.label_correlation(info)

    def label_correlation(self, info: Info):
        return info.label_term(self.beta)

    def term(self, info: Info, s: int):
        return info.cmi_sL_given_f(s)

    def score(self, relevance, total, picked):
        gamma = 1 / len(picked) if self.gamma is None else self.gamma
        return relevance + gamma * total


criterion = MLFSGlobal
