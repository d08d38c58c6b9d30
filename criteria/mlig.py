"""MLIG (Sun, Kudo & Kimura): for each label l   J(f) = I(f;l), keep the share
alpha_l = 2r (e^b - 1)/(e^b + 1) + r,   b = IR / (IR(l) (CVIR + 1))

At least one feature is kept, and alpha_l = r for a label without positives. The paper takes
r = 0.15, and 0.05 for large data sets.

Sun, L., Kudo, M. & Kimura, K. (n.d.). Multi-label classification with polytree-augmented
classifier chains and label-dependent features, eq. (18), (19).
"""

from __future__ import annotations

import math

from mlfs import Criterion, Info, checked_number


class MLIG(Criterion):
    scope = "each label"

    def __init__(self, r: float = 0.15):
        self.r = checked_number("r", r, high=1 / 3)

    def relevance(self, info: Info):
        return info.mi_fL

    def size(self, info: Info):
        of_label, ir, cvir = info.imbalance
        b = ir / (of_label[0] * (cvir + 1)) if of_label[0] > 0 else 0.0
        alpha = 2 * self.r * math.tanh(b / 2) + self.r
        return max(1, round(alpha * info.d))


criterion = MLIG
