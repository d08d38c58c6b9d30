"""The linear family (Brown et al., 2012).
J(f) = sum_l [ I(f;l) - beta sum_{s in S} I(f;s) + gamma sum_{s in S} I(f;s|l) ]

gamma = 0 is MIFS (Battiti, 1994), beta = 0 is conditional redundancy, beta = gamma = 1 is CIFE.

Brown, G., Pocock, A., Zhao, M.-J. & Lujan, M. (2012). Conditional likelihood maximisation: a
unifying framework for information theoretic feature selection.
"""

from __future__ import annotations

from mlfs import Criterion, Info, checked_number


class BetaGamma(Criterion):
    def __init__(self, beta: float = 1.0, gamma: float = 1.0):
        self.beta = checked_number("beta", beta)
        self.gamma = checked_number("gamma", gamma)

    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        redundancy = self.beta * info.q * info.mi_fs(s) if self.beta else 0.0
        return redundancy - (self.gamma * info.cmi_fs_given_L(s) if self.gamma else 0.0)

    def score(self, relevance, total, picked):
        return relevance - total


criterion = BetaGamma
