"""AMI (Lee, Lim & Kim, 2012).   J(f) = sum_l I(f;l) - sum_{s in S} I(f;s)

Lee, J., Lim, H. & Kim, D.-W. (2012). Approximating mutual information for multi-label feature
selection.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class AMI(Criterion):
    falls = True

    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.mi_fs(s)

    def score(self, relevance, total, picked):
        return relevance - total


criterion = AMI
