"""NJMIM (Bennasar, Hicks & Setchi, 2015).   J(f) = min_{s in S} sum_l I(f,s;l) / H(f,s,l)

I(f,s;l) = I(f;l) + I(s;l|f). The first pick is by sum_l I(f;l).

Bennasar, M., Hicks, Y. & Setchi, R. (2015). Feature selection using joint mutual information
maximisation.
"""

from __future__ import annotations

import numpy as np

from mlfs import Criterion, Info, LabelBlock


class NJMIM(Criterion):
    unit = "ratio"
    fold = np.minimum
    falls = True

    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        def relevance_ratio(block: LabelBlock):
            joint, entropy = block.joint_fsl(s), block.h_fsl(s)
            return np.divide(joint, entropy, out=np.zeros(joint.shape), where=entropy > 0)

        return info.sum_over_labels(relevance_ratio)

    def score(self, relevance, total, picked):
        return total


criterion = NJMIM
