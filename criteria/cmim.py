"""CMIM (Fleuret, 2004).   J(f) = min( sum_l I(f;l), min_{s in S} sum_l I(f;l|s) )

Fleuret, F. (2004). Fast binary feature selection with conditional mutual information.
"""

from __future__ import annotations

import numpy as np

from mlfs import Criterion, Info


class CMIM(Criterion):
    fold = np.minimum
    falls = True

    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.cmi_fL_given_s(s)

    def score(self, relevance, total, picked):
        return np.minimum(relevance, total)


criterion = CMIM
