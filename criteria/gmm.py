"""GMM (Gonzalez-Lopez, Ventura & Cano, 2020), q labels.   J(f) = ( prod_l I(f;l) )^(1/q)

Gonzalez-Lopez, J., Ventura, S. & Cano, A. (2020). Distributed multi-label feature selection using
individual mutual information measures.
"""

from __future__ import annotations

import math

import numpy as np

from mlfs import Criterion, Info, LabelBlock

ROUNDING = 1e-12  # an information that differs from 0 by less is 0


class GMM(Criterion):
    def relevance(self, info: Info):
        product = np.ones(info.d)  # without its powers of two, so that no product is too small

        def exponent(block: LabelBlock):
            information = np.where(block.mi_fl > ROUNDING, block.mi_fl, 0.0)
            powers = np.zeros(information.shape)
            for i, values in enumerate(information.T):
                product[:], powers[:, i] = np.frexp(product * values)
            return powers

        powers = info.sum_over_labels(exponent) / info.q
        pairs = zip(product.tolist(), powers.tolist(), strict=True)
        return np.array([value ** (1 / info.q) * math.pow(2.0, power) for value, power in pairs])


criterion = GMM
