"""FIMF (Lee & Kim, 2015).   J(f) = sum_l I(f;l) - sum_{l < l' in Q} I(f;l;l')

Q are the labels of greatest entropy, 10 by default. I(f;l;l') = I(f;l) - I(f;l|l') is the
interaction.

Lee, J. & Kim, D.-W. (2015). Fast multi-label feature selection based on information-theoretic
feature ranking.
"""

from __future__ import annotations

import numpy as np

from mlfs import Criterion, Info, checked_number


class FIMF(Criterion):
    def __init__(self, labels: int = 10):
        self.labels = int(checked_number("labels", labels))

    def relevance(self, info: Info):
        by_entropy = np.argsort(-np.round(info.h_l, 12), kind="stable")  # ties: the first label
        labels = np.sort(info.labels[by_entropy[: self.labels]])
        return info.mi_fL - info.for_labels(labels).interaction_fLL


criterion = FIMF
