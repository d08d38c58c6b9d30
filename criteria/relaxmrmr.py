"""RelaxMRMR (Vinh et al., 2016).
J(f) = sum_l [ I(f;l) - 1/|S| sum_{s in S} ( I(f;s) - I(f;s|l) )
- 1/(|S| (|S| - 1)) sum_{s, t in S, s != t} I(f;s|t) ]

Vinh, N. X., Zhou, S., Chan, J. & Bailey, J. (2016). Can high-order dependencies improve mutual
information based feature selection?
"""

from __future__ import annotations

from mlfs import Info, PairCriterion


class RelaxMRMR(PairCriterion):
    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.q * info.mi_fs(s) - info.cmi_fs_given_L(s)

    def pair_term(self, info: Info, s: int, t: int):
        return info.q * (info.cmi_fs_given_s(s, t) + info.cmi_fs_given_s(t, s))

    def pair_score(self, relevance, total, pairs, picked):
        n = len(picked)
        return relevance - total / n - pairs / max(1, n * (n - 1))


criterion = RelaxMRMR
