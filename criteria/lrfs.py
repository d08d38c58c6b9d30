"""LRFS (Zhang, Liu & Gao, 2019).
J(f) = sum_{l != l'} I(f;l|l') - 1/|S| sum_{s in S} I(f;s)

The first pick is by the first sum.

Zhang, P., Liu, G. & Gao, W. (2019). Distinguishing two types of labels for multi-label feature
selection.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class LRFS(Criterion):
    falls = True
    least_labels = 2

    def relevance(self, info: Info):
        return info.cmi_fL_given_L

    def term(self, info: Info, s: int):
        return info.mi_fs(s)

    def score(self, relevance, total, picked):
        return relevance - total / len(picked)


criterion = LRFS
