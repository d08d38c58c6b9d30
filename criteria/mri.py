"""MRI (Wang et al., 2017).   J(f) = sum_l [ I(f;l) - 2/(|S| + 1) sum_{s in S} I(f;s;l) ]

I(f;s;l) = I(f;s) - I(f;s|l) is the interaction.

Wang, J., Wei, J.-M., Yang, Z. & Wang, S.-Q. (2017). Feature selection by maximizing independent
classification information.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class MRI(Criterion):
    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.interaction_fsL(s)

    def score(self, relevance, total, picked):
        return relevance - 2 / (len(picked) + 1) * total


criterion = MRI
