"""PMU (Lee & Kim, 2013).
J(f) = sum_l I(f;l) - sum_{s in S} sum_l I(f;s;l) - sum_{l < l'} I(f;l;l')

I(a;b;c) = I(a;b) - I(a;b|c) is the interaction.

Lee, J. & Kim, D.-W. (2013). Feature selection for multi-label classification using
multivariate mutual information.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class PMU(Criterion):
    def relevance(self, info: Info):
        return info.mi_fL - info.interaction_fLL

    def label_correlation(self, info: Info):
        return -info.interaction_fLL

    def term(self, info: Info, s: int):
        return info.interaction_fsL(s)

    def score(self, relevance, total, picked):
        return relevance - total


criterion = PMU
