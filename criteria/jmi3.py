"""JMI3 (Sechidis et al., 2019).   J(f) = 1/2 sum_{s, t in S, s != t} sum_l I(f,s,t;l)

The first pick is by sum_l I(f;l), the second by sum_l I(f,s;l).

Sechidis, K., Azzimonti, L., Pocock, A., Corani, G., Weatherall, J. & Brown, G. (2019). Efficient
feature selection using shrinkage estimators.
"""

from __future__ import annotations

from mlfs import Info, PairCriterion


class JMI3(PairCriterion):
    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.joint_fsL(s)

    def pair_term(self, info: Info, s: int, t: int):
        return info.joint_fssL(s, t)

    def pair_score(self, relevance, total, pairs, picked):
        return total if len(picked) == 1 else pairs


criterion = JMI3
