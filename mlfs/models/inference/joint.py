"""The probability of whole label vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.errors import UsageError
from mlfs.models.inference.base import parents_in, refuse_without_probabilities
from mlfs.models.inference.protocol import Conditionals, Floats, Labels

__all__ = ["joint_log_proba"]


def joint_log_proba(conditionals: Conditionals, Y: Any) -> Floats:
    """Logarithm of P(Y | x) of one label vector for each row, by the chain rule.

    Parameters
    ----------
    conditionals : Conditionals
        A model held against rows.
    Y : array of 0 and 1, shape (n_rows, q)
        The label vectors.

    Returns
    -------
    ndarray of float64, shape (n_rows,)
    """
    refuse_without_probabilities(conditionals, "the probability of a label vector")
    labels = _checked(Y, conditionals.n_rows, conditionals.q)
    total = np.zeros(len(labels))
    rows = np.arange(len(labels))
    for label in conditionals.structure.order:
        parents = parents_in(conditionals, label, labels)
        both = conditionals.log_proba(label, rows, parents)
        total += both[rows, labels[:, label].astype(np.intp)]
    return total


def _checked(Y: Any, n_rows: int, q: int) -> Labels:
    values = np.asarray(Y)
    if values.shape != (n_rows, q):
        msg = f"the label vectors have shape {values.shape}, not ({n_rows}, {q}): one for each row"
        raise UsageError(msg)
    if not ((values == 0) | (values == 1)).all():
        msg = "the label vectors hold values other than 0 and 1: give every label of every row"
        raise UsageError(msg)
    return values.astype(np.int8)
