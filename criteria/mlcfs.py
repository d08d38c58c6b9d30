"""MLCFS (Sun, Kudo & Kimura): for each label l, Z = S and pa(l), n = |Z|
Merit(S) = n SU(l;Z) / sqrt(n + n (n - 1) SU(Z;Z))

SU(l;Z) is the mean symmetrical uncertainty of l with the members of Z, SU(Z;Z) the mean over
the pairs of members; the parents are members. The set of greatest merit is found by best-first
search from pa(l).

Sun, L., Kudo, M. & Kimura, K. (n.d.). Multi-label classification with polytree-augmented
classifier chains and label-dependent features, eq. (20), (21).
"""

from __future__ import annotations

import numpy as np

from mlfs import Info, SetCriterion


class MLCFS(SetCriterion):
    unit = "ratio"
    scope = "each label"
    network = "tree"

    def relevance(self, info: Info):
        return info.su_fl[:, 0]

    def merit(self, info: Info, picked: list[int]):
        inside = info.only(picked)
        with_label = info.su_pl.sum() + inside.su_fl.sum() + info.su_fl[:, 0]
        among = np.triu(info.su_pp, 1).sum() + inside.su_fp.sum() + info.su_fp.sum(axis=1)
        among = among + info.su_SS(picked) + info.su_fS(picked)
        return with_label / np.sqrt(len(info.su_pl) + len(picked) + 1 + 2 * among)

    def merit_of_nothing(self, info: Info):
        n = len(info.su_pl)
        return info.su_pl.sum() / np.sqrt(n + 2 * np.triu(info.su_pp, 1).sum()) if n else 0.0


criterion = MLCFS
