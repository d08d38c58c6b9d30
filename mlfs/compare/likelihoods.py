"""The metrics of probabilities: of single labels, and of the label vector of a row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlfs.compare.truth import mean, refuse_other_than, scores_of, truth_of
from mlfs.errors import DataError

__all__ = ["cll_loss", "log_loss"]

LEAST = float(np.finfo(np.float64).eps)  # as in scikit-learn


def log_loss(Y: Any, probabilities: Any) -> float:
    """The mean of -log P(the true value) over all rows and labels that are known; lower is better.

    Probabilities are taken as at least 2**-52 and at most 1 - 2**-52, so that a label of
    which the model was wrongly certain costs 36 and not infinitely much.

    Parameters
    ----------
    Y : array, shape (n, q)
        The true labels.
    probabilities : array, shape (n, q)
        P(label) of each row: ``model.predict_proba(X)``.

    Examples
    --------
    >>> round(log_loss([[1, 0], [0, 1]], [[0.5, 0.5], [0.5, 0.25]]), 12)
    0.8664339757
    """
    truth = truth_of(Y)
    shares = scores_of(probabilities, truth)
    valid = (shares >= 0) & (shares <= 1)
    refuse_other_than(shares, valid, "probabilities", "a number from 0 to 1")
    true_shares = np.where(truth.relevant, shares, 1 - shares)[truth.known]
    return mean(-np.log(np.clip(true_shares, LEAST, 1 - LEAST)))


def cll_loss(Y: Any, joint: Any) -> float:
    """The sum over the rows of -log P(y|x), the conditional log-likelihood loss; lower is better.

    Rows that miss a label are left out.

    Parameters
    ----------
    Y : array, shape (n, q)
        The true labels.
    joint : array, shape (n,)
        The natural logarithm of the probability that the model gives to the true labels of each
        row: ``model.joint_log_proba(X, Y)``.

    Examples
    --------
    >>> round(cll_loss([[1, 0], [0, 1]], np.log([0.5, 0.25])), 12)
    2.07944154168
    """
    truth = truth_of(Y)
    values = np.asarray(joint, dtype=np.float64)
    if values.shape != truth.complete.shape:
        msg = f"joint has the shape {values.shape}, but Y has {len(truth.complete)} rows"
        raise DataError(msg)
    counted = values[truth.complete]
    if not (counted <= 1e-9).all():
        row = int(np.flatnonzero(truth.complete)[~(counted <= 1e-9)][0])
        msg = f"joint holds {values[row]} in row {row + 1}, which is no logarithm of a probability"
        raise DataError(msg)
    return abs(math.fsum(counted.tolist()))
