"""IGMF (Li et al., 2014).   J(f) = sum_l SU(f,l),  SU(f,l) = 2 I(f;l) / (H(f) + H(l))

With the label set as one class (labels_as="sets") this is the method of the paper.

Li, L., Liu, H., Ma, Z., Mo, Y., Duan, Z., Zhou, J. & Zhao, J. (2014). Multi-label feature
selection via information gain.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class IGMF(Criterion):
    unit = "ratio"

    def relevance(self, info: Info):
        return info.su_fl.sum(axis=1)


criterion = IGMF
