"""Information of a Gaussian copula, from the definition: ranks, scores, and determinants.

A variable is a list of columns; nothing is rounded and nothing is carried over.
"""

from __future__ import annotations

from math import isnan

import numpy as np
from scipy.stats import norm


def scores(column):
    """Normal scores of the mid-ranks r among the n known values, Phi^-1(r / (n + 1)).

    A missing value has no rank: it stands at the mean, 0, and has a column of 0 and 1 of its own.
    """
    known = [value for value in column if not isnan(value)]

    def score(value):
        below, equal = sum(v < value for v in known), sum(v == value for v in known)
        return norm.ppf((below + (equal + 1) / 2) / (len(known) + 1))

    lost = [float(isnan(value)) for value in column]
    out = [0.0 if isnan(value) else score(value) for value in column]
    return [np.array(out), np.array(lost)] if any(lost) else [np.array(out)]


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
