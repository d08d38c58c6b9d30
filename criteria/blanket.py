"""Markov blankets of labels (Aliferis et al., 2010; Wu et al., 2020).
J(f) = I(f;l) if f is in the Markov blanket of l, else -inf

The blanket of each label is found by tests of conditional independence at the level alpha, given
at most max_given variables: by HITON-MB, or by IAMB or inter-IAMB (Tsamardinos et al., 2003).

Aliferis, C. F., Statnikov, A., Tsamardinos, I., Mani, S. & Koutsoukos, X. D. (2010). Local causal
and Markov blanket induction for causal discovery and feature selection for classification.
Wu, X., Jiang, B., Yu, K., Miao, C. & Chen, H. (2020). Multi-label causal feature selection.
"""

from __future__ import annotations

from mlfs import Criterion, Info, checked_number

ALGORITHMS = ("hiton", "iamb", "inter-iamb")


class Blanket(Criterion):
    scope = "each label"
    search = "blanket"

    def __init__(self, alpha: float = 0.05, max_given: int = 3, algorithm: str = "hiton"):
        if algorithm not in ALGORITHMS:
            raise ValueError(f"algorithm is one of {', '.join(ALGORITHMS)}, not {algorithm!r}")
        self.alpha = checked_number("alpha", alpha, high=1.0)
        self.max_given = int(checked_number("max_given", max_given))
        self.algorithm = algorithm

    def relevance(self, info: Info):
        return info.mi_fL

    def size(self, info: Info):
        return info.d


criterion = Blanket
