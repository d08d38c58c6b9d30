"""Metrics of how scores rank the labels of a row, or the rows of a label."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mlfs.metrics.truth import Truth, mean, scores_of, shared, truth_of

CELLS = 1 << 20


class RankedLabels(NamedTuple):
    """Some rows with their labels from the greatest score to the least; all of shape (rows, q).

    ``above`` and ``relevant_above`` count the known and the relevant labels of at least the same
    score, the label itself included.
    """

    relevant: np.ndarray
    above: np.ndarray
    relevant_above: np.ndarray

    @property
    def known(self) -> np.ndarray:
        """How many labels of each row are known."""
        return self.above[:, -1]

    @property
    def positives(self) -> np.ndarray:
        """How many labels each row has."""
        return self.relevant_above[:, -1]

    @property
    def open(self) -> np.ndarray:
        """The rows in which there is something to rank."""
        return (self.positives > 0) & (self.positives < self.known)


@shared
def ranked_blocks(Y: Any, scores: Any) -> list[RankedLabels]:
    """The rows of which some label is known, in blocks."""
    truth = truth_of(Y)
    score = scores_of(scores, truth)
    rows = np.flatnonzero(truth.known.any(axis=1))
    step = max(1, CELLS // max(1, score.shape[1]))
    blocks = [rows[start : start + step] for start in range(0, len(rows), step)]
    return [sort_labels(Truth(truth.relevant[b], truth.known[b]), score[b]) for b in blocks]


def sort_labels(truth: Truth, score: np.ndarray) -> RankedLabels:
    """Sort the labels of each row; in a tie the labels of the row come first."""
    score = np.where(truth.known, score, -np.inf)
    order = sorted_rows(-score, ~truth.relevant)
    score = np.take_along_axis(score, order, axis=1)
    relevant = np.take_along_axis(truth.relevant & truth.known, order, axis=1)
    known = np.take_along_axis(truth.known, order, axis=1)
    q = score.shape[1]
    positions = np.arange(q)
    ends = np.ones(score.shape, dtype=bool)
    ends[:, :-1] = score[:, :-1] != score[:, 1:]
    last = np.minimum.accumulate(np.where(ends, positions, q)[:, ::-1], axis=1)[:, ::-1]
    return RankedLabels(
        relevant,
        np.take_along_axis(np.cumsum(known, axis=1), last, axis=1),
        np.take_along_axis(np.cumsum(relevant, axis=1), last, axis=1),
    )


def sorted_rows(values: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The order of each row: by its values and, only where some are equal, by the second key.

    Examples
    --------
    >>> sorted_rows(np.array([[3, 1, 2], [1, 1, 0]]), np.array([[0, 0, 0], [1, 0, 0]])).tolist()
    [[1, 2, 0], [2, 1, 0]]
    """
    order = np.argsort(values, axis=1)
    arranged = np.take_along_axis(values, order, axis=1)
    tied = np.flatnonzero((arranged[:, 1:] == arranged[:, :-1]).any(axis=1))
    order[tied] = np.lexsort((second[tied], values[tied]), axis=1)
    return order


def mean_of_blocks(blocks: list[np.ndarray]) -> float:
    """The mean over the rows of all blocks."""
    return mean(np.concatenate(blocks) if blocks else np.empty(0))


def ranking_loss(Y: Any, scores: Any) -> float:
    """The share of pairs in the wrong order, mean over the rows; lower is better.

    A pair is a label of the row and another one; it is wrong if the score of the first is not
    greater than that of the second. A row without labels, or with all, counts 0.

    Examples
    --------
    >>> ranking_loss([[1, 0, 0], [0, 0, 0]], [[0.5, 0.9, 0.1], [0.3, 0.2, 0.1]])
    0.25
    """
    losses = []
    for rows in ranked_blocks(Y, scores):
        wrong = np.where(rows.relevant, rows.above - rows.relevant_above, 0).sum(axis=1)
        pairs = rows.positives * (rows.known - rows.positives)
        losses.append(wrong / np.maximum(pairs, 1))
    return mean_of_blocks(losses)


def steps(rows: RankedLabels) -> np.ndarray:
    """How far down the ranking all labels of a row lie; 0 where there is nothing to rank."""
    worst = np.where(rows.relevant, rows.above, 0).max(axis=1)
    return np.where(rows.open, worst - 1, 0)


def coverage(Y: Any, scores: Any) -> float:
    """How many steps down the ranking cover all labels of a row, in the mean; lower is better.

    The rank of the worst-ranked label that the row has, less one (scikit-learn's
    ``coverage_error`` does not take off the one). A row without labels, or with all, counts 0.

    Examples
    --------
    >>> coverage([[1, 0, 0], [0, 1, 0]], [[0.5, 0.9, 0.1], [0.3, 0.8, 0.1]])
    0.5
    """
    return mean_of_blocks([steps(rows) for rows in ranked_blocks(Y, scores)])


def normalised_coverage(Y: Any, scores: Any) -> float:
    """Coverage over the number of labels, as Lee & Kim report it; lower is better.

    The number of labels is that of the row's known labels.

    Examples
    --------
    >>> normalised_coverage([[1, 0, 0, 0]], [[0.5, 0.9, 0.1, 0.2]])
    0.25
    """
    return mean_of_blocks([steps(rows) / rows.known for rows in ranked_blocks(Y, scores)])


def one_error(Y: Any, scores: Any) -> float:
    """How often the first label of the ranking is not one of the row; lower is better.

    Where several share the greatest score, all of them must be right. A row without labels counts
    0.

    Examples
    --------
    >>> one_error([[1, 0, 0], [0, 1, 0]], [[0.5, 0.9, 0.1], [0.3, 0.8, 0.1]])
    0.5
    """
    errors = []
    for rows in ranked_blocks(Y, scores):
        right = rows.relevant_above[:, 0] == rows.above[:, 0]
        errors.append(rows.open & ~right)
    return mean_of_blocks(errors)


def average_precision(Y: Any, scores: Any) -> float:
    """The precision at each label of a row, mean over the labels, then the rows.

    At a label that the row has: of the labels that are scored at least as high, the share that
    the row has, too. A row without labels, or with all, counts 1 (as in scikit-learn's
    ``label_ranking_average_precision_score``).

    Examples
    --------
    >>> average_precision([[1, 0, 0], [0, 1, 0]], [[0.5, 0.9, 0.1], [0.3, 0.8, 0.1]])
    0.75
    """
    precisions = []
    for rows in ranked_blocks(Y, scores):
        precision = np.where(rows.relevant, rows.relevant_above / np.maximum(rows.above, 1), 0.0)
        total = precision.sum(axis=1) / np.maximum(rows.positives, 1)
        precisions.append(np.where(rows.open, total, 1.0))
    return mean_of_blocks(precisions)


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

    The others are left out (`mlfs.metrics.registry.tally` counts them); NaN if no label is left.

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
