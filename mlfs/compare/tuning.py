"""Choose among values of parameters inside the training rows, by an inner cross-validation.

A parameter with several values, as in ``br:C=0.1|1|10`` or ``mlfs_local:beta=0|0.5|1``, is tuned:
for each split, number of features and model, every combination of the criterion's and the model's
values is tried on inner folds of the training rows, and the best in the mean is used on all of
them. The test rows take no part.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from mlfs.compare.metrics import METRICS
from mlfs.compare.named import Named
from mlfs.errors import DataError

__all__ = ["INNER", "best_of", "is_tuned"]

INNER = 3  # folds


def is_tuned(*methods: Named) -> bool:
    """Whether one of them has a parameter with several values.

    Examples
    --------
    >>> is_tuned(Named("br", {"C": "0.1|1"})), is_tuned(Named("br", {"C": 1}))
    (True, False)
    """
    return any(len(method.alternatives()) > 1 for method in methods)


def best_of(
    criterion: Named,
    model: Named,
    metric: str,
    score_of: Callable[[Named, Named, int], float | None],
) -> tuple[Named, Named]:
    """The combination that is best in the mean over the inner folds; the first one in a tie.

    Parameters
    ----------
    criterion, model : Named
        With the values that are tried.
    metric : str
        What is compared.
    score_of : callable
        The metric of a criterion and a model on an inner fold, None where it has no value.
    """
    sign = 1 if METRICS[metric].higher_is_better else -1
    best: tuple[float, tuple[Named, Named]] | None = None
    for pair in itertools.product(criterion.alternatives(), model.alternatives()):
        values = np.array([score_of(*pair, fold) for fold in range(INNER)], float)  # None is NaN
        worth = sign * float(values.mean())
        if not np.isnan(worth) and (best is None or worth > best[0] + 1e-12):
            best = worth, pair
    if best is None:
        msg = f"no combination of the parameters of {criterion} and {model} has a {metric} on the "
        raise DataError(f"{msg}inner folds: tune by another metric")
    return best[1]
