"""MLSMFS (Zhang, Liu, Gao & Song, 2021).
J(f) = sum_l I(f;l) + max_{l != l'} max( 0, I(f;l|l') - I(f;l) ) - sum_{s in S} I(f;s)

Zhang, P., Liu, G., Gao, W. & Song, J. (2021). Multi-label feature selection considering label
supplementation.
"""

from __future__ import annotations

import numpy as np

from mlfs import Info
from mlfs.criteria.lsmfs import LSMFS, supplements


class MLSMFS(LSMFS):
    def label_correlation(self, info: Info):
        greatest = 0.0
        for supplement in supplements(info):
            greatest = np.maximum(greatest, supplement)
        return greatest


criterion = MLSMFS
