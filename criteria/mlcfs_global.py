"""MLCFS, one set for all labels (Jungjit et al., 2013), n = |S|
Merit(S) = n SU(L;S) / sqrt(n + n (n - 1) SU(S;S))

SU(L;S) is the symmetrical uncertainty of features and labels, averaged over both, SU(S;S) the
mean over the pairs of features. Greedy when n is given, else by best-first search.

Jungjit, S., Michaelis, M., Freitas, A. A. & Cinatl, J. (2013). Two extensions to multi-label
correlation-based feature selection: a case study in bioinformatics.
"""

from __future__ import annotations

import numpy as np

from mlfs import Info, SetCriterion


class MLCFSGlobal(SetCriterion):
    unit = "ratio"

    def relevance(self, info: Info):
        return info.su_fl.mean(axis=1)

    def merit(self, info: Info, picked: list[int]):
        with_labels = info.only(picked).su_fl.mean(axis=1).sum() + info.su_fl.mean(axis=1)
        among = info.su_SS(picked) + info.su_fS(picked)
        return with_labels / np.sqrt(len(picked) + 1 + 2 * among)


criterion = MLCFSGlobal
