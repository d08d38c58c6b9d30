"""CFR (Gao et al., 2018).   J(f) = sum_{s in S} sum_l [ I(f;l|s) - I(f;s;l) ]

I(f;s;l) = I(f;l) - I(f;l|s) is the interaction. The first pick is by sum_l I(f;l).

Gao, W., Hu, L., Zhang, P. & He, J. (2018). Feature selection considering the composition of
feature relevancy.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class CFR(Criterion):
    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.cmi_fL_given_s(s) - info.interaction_fsL(s)

    def score(self, relevance, total, picked):
        return total


criterion = CFR
