"""TCRFS (Gao et al., 2021), q labels.
J(f) = 1/(q (q - 1)) sum_{l != l'} I(f;l|l')
+ 1/(q |S|) sum_{s in S} sum_l [ I(f;l|s) + I(s;l|f) - I(f;s;l) ]

I(f;s;l) = I(f;l) - I(f;l|s) is the interaction. The first pick is by the first sum.

Gao, L., Wang, Y., Li, Y., Zhang, P. & Hu, L. (2021). Multi-label feature selection combining
three types of conditional relevance.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class TCRFS(Criterion):
    least_labels = 2

    def relevance(self, info: Info):
        return info.cmi_fL_given_L / (info.q * (info.q - 1))

    def term(self, info: Info, s: int):
        conditional = info.cmi_fL_given_s(s) + info.cmi_sL_given_f(s)
        return (conditional - info.interaction_fsL(s)) / info.q

    def score(self, relevance, total, picked):
        return relevance + total / len(picked)


criterion = TCRFS
