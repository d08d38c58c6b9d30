"""NMIFS (Estevez et al., 2009).
J(f) = sum_l [ I(f;l) - 1/|S| sum_{s in S} I(f;s) / min(H(f), H(s)) ]

Estevez, P. A., Tesmer, M., Perez, C. A. & Zurada, J. M. (2009). Normalized mutual information
feature selection.
"""

from __future__ import annotations

import numpy as np

from mlfs import Criterion, Info


class NMIFS(Criterion):
    falls = True

    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return sum(self._redundancy(same_rows, s) for same_rows in info.by_rows)

    def _redundancy(self, info: Info, s: int):
        least = np.minimum(info.h_f_where_s(s), info.h_s_where_f(s))
        return info.q * np.divide(info.mi_fs(s), least, out=np.zeros(info.d), where=least > 0)

    def score(self, relevance, total, picked):
        return relevance - total / len(picked)


criterion = NMIFS
