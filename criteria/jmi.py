"""JMI (Yang & Moody, 1999).   J(f) = sum_l [ I(f;l) + 1/|S| sum_{s in S} I(s;l|f) ]

Yang, H. & Moody, J. (1999). Data visualization and feature selection.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class JMI(Criterion):
    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.cmi_sL_given_f(s)

    def score(self, relevance, total, picked):
        return relevance + total / len(picked)


criterion = JMI
