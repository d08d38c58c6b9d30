"""MIM (Lewis, 1992).   J(f) = sum_l I(f;l)

Lewis, D. D. (1992). Feature selection and feature extraction for text categorization.
"""

from __future__ import annotations

from mlfs import Criterion, Info


class MIM(Criterion):
    def relevance(self, info: Info):
        return info.mi_fL


criterion = MIM
