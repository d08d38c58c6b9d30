"""SCLS (Lee & Kim, 2017).   J(f) = R(f) - sum_{s in S} R(f) I(f;s)/H(f),  R(f) = sum_l I(f;l)

A feature with H(f) = 0 is never picked.

Lee, J. & Kim, D.-W. (2017). SCLS: multi-label feature selection based on scalable criterion
for large label set, eq. (25).
"""

from __future__ import annotations

import numpy as np

from mlfs import Criterion, Info


class SCLS(Criterion):
    falls = True

    def relevance(self, info: Info):
        return np.where(info.h_f > 0, info.mi_fL, -np.inf)

    def term(self, info: Info, s: int):
        entropy = info.h_f_where_s(s)
        share = np.divide(info.mi_fs(s), entropy, out=np.zeros(info.d), where=entropy > 0)
        return info.mi_fL * share

    def score(self, relevance, total, picked):
        return relevance - total


criterion = SCLS
