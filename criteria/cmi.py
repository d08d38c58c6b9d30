"""CMI, all picks jointly (Brown et al., 2012).   J(f) = sum_l I(f;l|S)

A feature that adds nothing to the picks is never picked, and the search ends when none is left.

Brown, G., Pocock, A., Zhao, M.-J. & Lujan, M. (2012). Conditional likelihood maximisation: a
unifying framework for information theoretic feature selection.
"""

from __future__ import annotations

import numpy as np

from mlfs import Info, SetCriterion

ROUNDING = 1e-12


class CMI(SetCriterion):
    search = "greedy"

    def relevance(self, info: Info):
        return info.mi_fL

    def merit(self, info: Info, picked: list[int]):
        added = info.cmi_fL_given_S(picked)
        return np.where((added > ROUNDING) | (not picked), added, -np.inf)


criterion = CMI
