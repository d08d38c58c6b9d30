"""ICAP (Jakulin, 2005).   J(f) = sum_l [ I(f;l) - sum_{s in S} max(0, I(f;s;l)) ]

I(f;s;l) = I(f;l) - I(f;l|s) is the interaction.

Jakulin, A. (2005). Machine learning based on attribute interactions.
"""

from __future__ import annotations

import numpy as np

from mlfs import Criterion, Info


class ICAP(Criterion):
    falls = True

    def relevance(self, info: Info):
        return info.mi_fL

    def term(self, info: Info, s: int):
        return info.sum_over_labels(lambda block: np.maximum(0, block.interaction_fsl(s)))

    def score(self, relevance, total, picked):
        return relevance - total


criterion = ICAP
