"""DISR (Meyer & Bontempi, 2006).   J(f) = sum_{s in S} sum_l I(f,s;l) / H(f,s,l)

I(f,s;l) = I(f;l) + I(s;l|f). The first pick is by sum_l I(f;l).

Meyer, P. E. & Bontempi, G. (2006). On the use of variable complementarity for feature
selection in cancer classification.
"""

from __future__ import annotations

import numpy as np

from mlfs import Criterion, Info, LabelBlock


class DISR(Criterion):
    unit = "ratio"

    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        def relevance_ratio(block: LabelBlock):
            joint, entropy = block.joint_fsl(s), block.h_fsl(s)
            return np.divide(joint, entropy, out=np.zeros(joint.shape), where=entropy > 0)

        return info.sum_over_labels(relevance_ratio)

    def score(self, relevance, total, picked):
        return total


criterion = DISR
