"""The areas under ROC curves: of each label, their mean, and of all labels together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlfs.compare.sharing import shared
from mlfs.compare.truth import mean, scores_of, truth_of

__all__ = ["label_auc", "macro_auc", "micro_auc"]


@shared
def label_auc(Y: Any, scores: Any) -> np.ndarray:
    """The area under the ROC curve of each label: how often a positive outscores a negative.

    Ties count one half. A label without positives, or without negatives, has NaN.

    Examples
    --------
    >>> label_auc([[1, 0], [0, 0], [1, 0]], [[0.9, 0.1], [0.2, 0.4], [0.2, 0.3]]).tolist()
    [0.75, nan]
    """
    truth = truth_of(Y)
    score = scores_of(scores, truth)
    pairs = zip(truth.relevant.T, truth.known.T, score.T, strict=True)
    return np.array([auc(relevant[k], values[k]) for relevant, k, values in pairs])


def macro_auc(Y: Any, scores: Any) -> float:
    """The AUC of each label, mean over the labels that have positives and negatives.

    The others are left out (`tally` counts them); NaN if no label is left.

    Examples
    --------
    >>> macro_auc([[1, 0], [0, 0], [1, 0]], [[0.9, 0.1], [0.2, 0.4], [0.2, 0.3]])
    0.75
    """
    areas = label_auc(Y, scores)
    return mean(areas[~np.isnan(areas)])


def micro_auc(Y: Any, scores: Any) -> float:
    """The area under the ROC curve of all rows and labels together.

    Labels without positives take part with their negatives; NaN if there is no positive or no
    negative at all.

    Examples
    --------
    >>> micro_auc([[1, 0], [0, 0], [1, 0]], [[0.9, 0.1], [0.2, 0.4], [0.2, 0.3]])
    0.6875
    """
    truth = truth_of(Y)
    score = scores_of(scores, truth)
    return auc(truth.relevant[truth.known], score[truth.known])


def auc(relevant: np.ndarray, score: np.ndarray) -> float:
    """How often a positive outscores a negative, ties one half; NaN without either."""
    positive, negative = score[relevant], np.sort(score[~relevant])
    if not positive.size or not negative.size:
        return math.nan
    below = int(np.searchsorted(negative, positive, side="left").sum())
    level = int(np.searchsorted(negative, positive, side="right").sum())
    return (below + level) / (2 * positive.size * negative.size)
