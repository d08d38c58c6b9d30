"""The areas under precision-recall curves: of each label, their mean, and of all together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlfs.compare.sharing import shared
from mlfs.compare.truth import mean, scores_of, truth_of

__all__ = ["label_pr_auc", "macro_pr_auc", "micro_pr_auc"]


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
    truth = truth_of(Y)
    score = scores_of(scores, truth)
    columns = zip(truth.relevant.T, truth.known.T, score.T, strict=True)
    return np.array([_area(relevant[k], values[k]) for relevant, k, values in columns])


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
    truth = truth_of(Y)
    score = scores_of(scores, truth)
    return _area(truth.relevant[truth.known], score[truth.known])


def _area(relevant: np.ndarray, score: np.ndarray) -> float:
    """The mean precision at the positives, equal scores being one step; NaN without positives."""
    if not relevant.any():
        return math.nan
    order = np.argsort(-score)  # only the ends of ties are looked at
    falling = score[order]
    ends = np.flatnonzero(np.append(falling[:-1] != falling[1:], True))
    hits = np.cumsum(relevant[order])[ends]
    gained = np.diff(hits, prepend=0)
    return math.fsum((gained * hits / (ends + 1)).tolist()) / int(hits[-1])
