"""How unequal the labels are: IR and CVIR as the PACC-LDF paper defines them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np


class Imbalance(NamedTuple):
    """The imbalance ratio of each label, their mean, and their coefficient of variation."""

    ir_l: np.ndarray
    ir: float
    cvir: float


def imbalance(counts: Any) -> Imbalance:
    r"""Equation (9) of Sun, Kudo and Kimura.

        IR(Y_j) = max_k n_k / n_j,    IR = mean_j IR(Y_j),
        CVIR = sqrt( sum_j (IR(Y_j) - IR)^2 / (L - 1) ) / IR

    with n_j the number of rows that have label j. Labels that no row has are left out: their
    ratio is NaN, and L counts the others. (This reading gives the published figures to the last
    digit.) With fewer than two labels left CVIR is 0, with none IR is NaN.

    Parameters
    ----------
    counts : array, shape (q,) or (q, K)
        The positives of each label; or the counts of its K classes, where a row has the label if
        it is in any class but the first.

    Examples
    --------
    >>> ir_l, ir, cvir = imbalance([40, 20, 0, 10])
    >>> ir_l.tolist()
    [1.0, 2.0, nan, 4.0]
    >>> round(ir, 3), round(cvir, 3)
    (2.333, 0.655)
    """
    table = np.asarray(counts, dtype=np.float64)
    positives = table[:, 1:].sum(axis=1) if table.ndim == 2 else table
    occurs = positives > 0
    ratios = np.full(positives.size, np.nan)
    if not occurs.any():
        return Imbalance(ratios, math.nan, 0.0)
    ratios[occurs] = positives.max() / positives[occurs]
    defined = ratios[occurs].tolist()
    mean = math.fsum(defined) / len(defined)
    if len(defined) < 2:
        return Imbalance(ratios, mean, 0.0)
    spread = math.fsum((ratio - mean) ** 2 for ratio in defined) / (len(defined) - 1)
    return Imbalance(ratios, mean, math.sqrt(spread) / mean)
