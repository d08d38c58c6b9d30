"""DCSF (Gao, Hu & Zhang, 2018).
J(f) = sum_{s in S} sum_l [ I(f;l|s) + I(s;l|f) - I(f;s) ]

The first pick is by sum_l I(f;l).

Gao, W., Hu, L. & Zhang, P. (2018). Class-specific mutual information variation for feature
selection.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class DCSF(Criterion):
    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        conditional = info.cmi_fL_given_s(s) + info.cmi_sL_given_f(s)
        return conditional - info.q * info.mi_fs(s)

    def score(self, relevance, total, picked):
        return total


criterion = DCSF
