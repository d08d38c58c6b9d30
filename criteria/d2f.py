"""D2F, also CIFE (Lee & Kim, 2015; Lin & Tang, 2006).
J(f) = sum_l I(f;l) - sum_{s in S} sum_l I(f;s;l)

I(f;s;l) = I(f;l) - I(f;l|s) is the interaction.

Lee, J. & Kim, D.-W. (2015). Mutual information-based multi-label feature selection using
interaction information. Lin, D. & Tang, X. (2006). Conditional infomax learning.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class D2F(Criterion):
    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.interaction_fsL(s)

    def score(self, relevance, total, picked):
        return relevance - total


criterion = D2F
