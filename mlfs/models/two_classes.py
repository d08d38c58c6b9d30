"""The target of a base learner: two classes, coded as 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from mlfs.errors import printable

__all__ = ["two_classes"]


def two_classes(y: np.ndarray) -> tuple[np.ndarray, Any]:
    """The two values of a target, and for each row which of them it is.

    Examples
    --------
    >>> values, codes = two_classes(np.array(["yes", "no", "yes"]))
    >>> values.tolist(), codes.tolist()
    (['no', 'yes'], [1, 0, 1])
    """
    check_classification_targets(y)
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind != "binary":
        msg = f"Only binary classification is supported. The type of the target is {kind}."
        raise ValueError(msg)
    values, codes = np.unique(y, return_inverse=True)
    if values.size < 2:
        msg = f"y needs two classes, and has only one class: {printable(values[0])}"
        raise ValueError(msg)
    return values, codes
