"""JIM, JMI with Gini impurity (Kursa, 2021).   J(f) = sum_{s in S} sum_l G(f,s;l)

G(x;l) = sum_xl p(x,l)^2 / p(x) - sum_l p(l)^2 is the gain in impurity. The first pick is by
sum_l G(f;l).

Kursa, M. B. (2021). Praznik: high performance information-based feature selection.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class JIM(Criterion):
    unit = "ratio"

    def relevance(self, info: Info):
        return info.gini_fL

    def term(self, info: Info, s: int):
        return info.gini_fsL(s)

    def score(self, relevance, total, picked):
        return total


criterion = JIM
