"""mRMR (Peng, Long & Ding, 2005).   J(f) = sum_l I(f;l) - q/|S| sum_{s in S} I(f;s)

Peng, H., Long, F. & Ding, C. (2005). Feature selection based on mutual information: criteria
of max-dependency, max-relevance, and min-redundancy.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class MRMR(Criterion):
    falls = True

    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.q * info.mi_fs(s)

    def score(self, relevance, total, picked):
        return relevance - total / len(picked)


criterion = MRMR
