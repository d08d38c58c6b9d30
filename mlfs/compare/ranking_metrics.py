"""The metrics of a ranking of the labels by their scores, row by row.

Tied labels share the worst of their ranks: a tie between a label of the row and another one is an
error, as for Lee & Kim and in scikit-learn. So the metrics are independent of the order of the
columns. A row that has no label, or all of them, leaves nothing to rank and counts as ranked
without error. Unknown labels are left out of the ranking of their row; a row without known labels
is left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlfs.compare.sharing import shared
from mlfs.compare.truth import Truth, mean, scores_of, truth_of

__all__ = ["average_precision", "coverage", "normalised_coverage", "one_error", "ranking_loss"]

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
