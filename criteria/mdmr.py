"""MDMR (Lin et al., 2015).   J(f) = sum_l I(f;l) - 1/|S| sum_{s in S} [ I(f;s) - sum_l I(f;l|s) ]

Lin, Y., Hu, Q., Liu, J. & Duan, J. (2015). Multi-label feature selection based on
max-dependency and min-redundancy.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class MDMR(Criterion):
    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.mi_fs(s) - info.cmi_fL_given_s(s)

    def score(self, relevance, total, picked):
        return relevance - total / len(picked)


criterion = MDMR
