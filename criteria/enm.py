"""ENM (Gonzalez-Lopez, Ventura & Cano, 2020).   J(f) = sqrt( sum_l I(f;l)^2 )

Gonzalez-Lopez, J., Ventura, S. & Cano, A. (2020). Distributed multi-label feature selection using
individual mutual information measures.
"""

from __future__ import annotations

import numpy as np

from mlfs import Criterion, Info


class ENM(Criterion):
    def relevance(self, info: Info):
        return np.sqrt(info.sum_over_labels(lambda block: block.mi_fl**2))


criterion = ENM
