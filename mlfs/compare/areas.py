"""The areas under ROC and precision-recall curves: of each label, their mean, of all together."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mlfs.compare.sharing import shared
from mlfs.compare.truth import mean, scores_of, truth_of

__all__ = ["label_auc", "label_pr_auc", "macro_auc", "macro_pr_auc", "micro_auc", "micro_pr_auc"]

Area = Callable[[np.ndarray, np.ndarray], float]  # of a curve, from who is positive and the scores


@shared
def label_auc(Y: Any, scores: Any) -> np.ndarray:
    """The area under the ROC curve of each label: how often a positive outscores a negative.

    Ties count one half. A label without positives, or without negatives, has NaN.

    Examples
    --------
    >>> label_auc([[1, 0], [0, 0], [1, 0]], [[0.9, 0.1], [0.2, 0.4], [0.2, 0.3]]).tolist()
    [0.75, nan]
    """
    return _label_areas(_roc, Y, scores)


def macro_auc(Y: Any, scores: Any) -> float:
    """The AUC of each label, mean over the labels that have positives and negatives.

    The others are left out (`mlfs.compare.metrics.tally` counts them); NaN if no label is left.

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
    return _pooled_area(_roc, Y, scores)


@shared
def label_pr_auc(Y: Any, scores: Any) -> np.ndarray:
    """The area under the precision-recall curve of each label, without interpolation.

    The mean over the positive rows of the precision among the rows that score at least as high
    (``average_precision_score`` of scikit-learn). A label without positives has NaN.

    Examples
    --------
    >>> Y, scores = [[1, 0], [0, 0], [1, 0]], [[0.9, 0.1], [0.2, 0.4], [0.2, 0.3]]
    >>> label_pr_auc(Y, scores).round(3).tolist()
    [0.833, nan]
    """
    return _label_areas(_precision_recall, Y, scores)


def macro_pr_auc(Y: Any, scores: Any) -> float:
    """The area under the precision-recall curve of each label, mean over labels with positives.

    NaN if no label has any.

    Examples
    --------
    >>> macro_pr_auc([[1, 1], [0, 0], [1, 0]], [[0.9, 0.8], [0.2, 0.4], [0.6, 0.3]])
    1.0
    """
    areas = label_pr_auc(Y, scores)
    return mean(areas[~np.isnan(areas)])


def micro_pr_auc(Y: Any, scores: Any) -> float:
    """The area under the precision-recall curve of all rows and labels together.

    NaN if there is no positive.

    Examples
    --------
    >>> micro_pr_auc([[1, 0], [0, 1]], [[0.9, 0.3], [0.4, 0.8]])
    1.0
    """
    return _pooled_area(_precision_recall, Y, scores)


def _label_areas(area: Area, Y: Any, scores: Any) -> np.ndarray:
    truth = truth_of(Y)
    score = scores_of(scores, truth)
    columns = zip(truth.relevant.T, truth.known.T, score.T, strict=True)
    return np.array([area(relevant[k], values[k]) for relevant, k, values in columns])


def _pooled_area(area: Area, Y: Any, scores: Any) -> float:
    truth = truth_of(Y)
    score = scores_of(scores, truth)
    return area(truth.relevant[truth.known], score[truth.known])


def _roc(relevant: np.ndarray, score: np.ndarray) -> float:
    """How often a positive outscores a negative, ties one half; NaN without either."""
    positive, negative = score[relevant], np.sort(score[~relevant])
    if not positive.size or not negative.size:
        return math.nan
    below = int(np.searchsorted(negative, positive, side="left").sum())
    level = int(np.searchsorted(negative, positive, side="right").sum())
    return (below + level) / (2 * positive.size * negative.size)


def _precision_recall(relevant: np.ndarray, score: np.ndarray) -> float:
    """The mean precision at the positives, equal scores being one step; NaN without positives."""
    if not relevant.any():
        return math.nan
    order = np.argsort(-score)  # only the ends of ties are looked at
    falling = score[order]
    ends = np.flatnonzero(np.append(falling[:-1] != falling[1:], True))
    hits = np.cumsum(relevant[order])[ends]
    gained = np.diff(hits, prepend=0)
    return math.fsum((gained * hits / (ends + 1)).tolist()) / int(hits[-1])
