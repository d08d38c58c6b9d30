"""LSMFS (Zhang, Liu, Gao & Song, 2021).
J(f) = sum_l I(f;l) + sum_{l != l'} max( 0, I(f;l|l') - I(f;l) ) - sum_{s in S} I(f;s)

The middle terms are what labels supplement: what f says about l only where l' is known.

Zhang, P., Liu, G., Gao, W. & Song, J. (2021). Multi-label feature selection considering label
supplementation.
"""

from __future__ import annotations

import numpy as np

from mlfs import Criterion, Info


class LSMFS(Criterion):
    falls = True
    least_labels = 2

    def relevance(self, info: Info):
        return info.mi_fL + self.label_correlation(info)

    def label_correlation(self, info: Info):
        return 2 * sum(supplements(info))  # l' supplements l as l supplements l'

    def term(self, info: Info, s: int):
        return info.mi_fs(s)

    def score(self, relevance, total, picked):
        return relevance - total


def supplements(info: Info):
    """The supplement of two labels in each feature, for one pair of labels after another."""
    labels = info.labels.tolist()
    for i, label in enumerate(labels):
        for other in labels[i + 1 :]:
            yield np.maximum(-info.for_labels([label, other]).interaction_fLL, 0.0)


criterion = LSMFS
