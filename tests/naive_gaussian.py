"""Information of a Gaussian copula, from the definition: ranks, scores, and determinants.

A variable is a list of columns; nothing is rounded and nothing is carried over.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm, rankdata


def scores(column):
    """Normal scores of mid-ranks; a missing value scores 0 and has a column of its own."""
    column = np.asarray(column, float)
    lost = np.isnan(column)
    out = np.zeros(column.size)
    out[~lost] = norm.ppf(rankdata(column[~lost]) / (column.size + 1))
    return [out, lost.astype(float)] if lost.any() else [out]


def indicators(column):
    """A column of 0 and 1 for each value but the first."""
    return [(np.asarray(column) == value).astype(float) for value in sorted(set(column))[1:]]


def log_det(*variables):
    columns = [column for variable in variables for column in variable]
    if not columns:
        return 0.0
    return np.linalg.slogdet(np.atleast_2d(np.corrcoef(columns)))[1]


def I(a, b, *given):  # noqa: E743
    """I(a;b|given) = 1/2 log (det R_az det R_bz / (det R_abz det R_z))."""
    both = log_det(a, *given) + log_det(b, *given)
    return (both - log_det(a, b, *given) - log_det(*given)) / 2
