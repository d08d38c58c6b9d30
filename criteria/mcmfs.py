"""MCMFS (Zhang et al., 2020).   J(f) = max_l I(f;l) - 1/|S| sum_{s in S} I(f;s)

Zhang, P., Gao, W., Hu, J. & Li, Y. (2020). Multi-label feature selection based on high-order label
correlation assumption.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class MCMFS(Criterion):
    falls = True

    def relevance(self, info: Info):
        return info.mi_fl.max(axis=1)

    def term(self, info: Info, s: int):
        return info.mi_fs(s)

    def score(self, relevance, total, picked):
        return relevance - total / len(picked)


criterion = MCMFS
