"""Metrics of predicted labels, and of their joint likelihood."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlfs.errors import DataError
from mlfs.metrics.truth import labels_of, mean, refuse_other_than, scores_of, shared, truth_of


def exact_match(Y: Any, predicted: Any) -> float:
    """The share of rows of which every label is right (subset accuracy).

    Rows that miss a label are left out.

    Examples
    --------
    >>> exact_match([[1, 0], [0, 1]], [[1, 0], [1, 1]])
    0.5
    """
    truth = truth_of(Y)
    right = (truth.relevant == labels_of(predicted, truth)).all(axis=1)
    return mean(right[truth.complete])


def hamming_score(Y: Any, predicted: Any) -> float:
    """The share of labels that are right, over all rows and labels that are known.

    Examples
    --------
    >>> hamming_score([[1, 0], [0, 1]], [[1, 0], [1, 1]])
    0.75
    """
    truth = truth_of(Y)
    right = truth.relevant == labels_of(predicted, truth)
    return share(right & truth.known, truth.known)


def hamming_loss(Y: Any, predicted: Any) -> float:
    """The share of labels that are wrong; lower is better.

    Examples
    --------
    >>> hamming_loss([[1, 0], [0, 1]], [[1, 0], [1, 1]])
    0.25
    """
    truth = truth_of(Y)
    wrong = truth.relevant != labels_of(predicted, truth)
    return share(wrong & truth.known, truth.known)


def accuracy(Y: Any, predicted: Any, *, empty: float = 1.0) -> float:
    """Of the labels that are true or predicted, the share that is both, mean over the rows.

    This is the Jaccard index of each row. A row without labels for which none is predicted is
    right, so it counts 1 and no row counts less here than in exact match.

    Parameters
    ----------
    Y, predicted : array, shape (n, q)
        The true and the predicted labels.
    empty : float, default=1.0
        What a row counts whose true and predicted labels are none; NaN leaves it out.

    Examples
    --------
    >>> accuracy([[1, 0], [0, 1]], [[1, 0], [1, 1]])
    0.75
    """
    hits, n_true, n_predicted = label_counts(Y, predicted, axis=1)
    return mean_ratio(hits, n_true + n_predicted - hits, empty)


def sample_f1(Y: Any, predicted: Any, *, empty: float = 1.0) -> float:
    """F1 of each row, mean over the rows.

    Parameters
    ----------
    Y, predicted : array, shape (n, q)
        The true and the predicted labels.
    empty : float, default=1.0
        What a row counts whose true and predicted labels are none; NaN leaves it out.

    Examples
    --------
    >>> sample_f1([[1, 0], [0, 0]], [[1, 1], [0, 0]])
    0.8333333333333333
    """
    hits, n_true, n_predicted = label_counts(Y, predicted, axis=1)
    return mean_ratio(2 * hits, n_true + n_predicted, empty)


@shared
def label_f1(Y: Any, predicted: Any, *, empty: float = 0.0) -> np.ndarray:
    """F1 of each label, 2 tp / (2 tp + fp + fn).

    Parameters
    ----------
    Y, predicted : array, shape (n, q)
        The true and the predicted labels.
    empty : float, default=0.0
        The F1 of a label that no row has and that is never predicted.

    Examples
    --------
    >>> label_f1([[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0]]).tolist()
    [0.6666666666666666, 1.0, 0.0]
    """
    hits, n_true, n_predicted = label_counts(Y, predicted, axis=0)
    return ratios(2 * hits, n_true + n_predicted, empty)


def macro_f1(Y: Any, predicted: Any, *, empty: float = 0.0) -> float:
    """F1 of each label, mean over the labels.

    A label without positives has F1 = 0 if it is ever predicted, and else the value of `empty`.

    Parameters
    ----------
    Y, predicted : array, shape (n, q)
        The true and the predicted labels.
    empty : float, default=0.0
        What a label counts that no row has and that is never predicted (0/0): 0 as in
        scikit-learn, 1 as in Mulan; NaN leaves it out.

    Examples
    --------
    >>> macro_f1([[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0]], empty=1)
    0.8888888888888888
    """
    hits, n_true, n_predicted = label_counts(Y, predicted, axis=0)
    return mean_ratio(2 * hits, n_true + n_predicted, empty)


def micro_f1(Y: Any, predicted: Any) -> float:
    """F1 over all rows and labels together; 0 if no label is true and none predicted.

    Examples
    --------
    >>> micro_f1([[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0]])
    0.8
    """
    hits, n_true, n_predicted = (int(part.sum()) for part in label_counts(Y, predicted, axis=0))
    return 2 * hits / (n_true + n_predicted) if n_true + n_predicted else 0.0


def sample_precision(Y: Any, predicted: Any, *, empty: float = 1.0) -> float:
    """The share of a row's predicted labels that are true, mean over the rows.

    A row with labels for which none is predicted counts 0.

    Parameters
    ----------
    Y, predicted : array, shape (n, q)
        The true and the predicted labels.
    empty : float, default=1.0
        What a row counts whose true and predicted labels are none; NaN leaves it out.

    Examples
    --------
    >>> sample_precision([[1, 0], [0, 1]], [[1, 1], [0, 1]])
    0.75
    """
    return _shares(label_counts(Y, predicted, axis=1), 2, empty)


def sample_recall(Y: Any, predicted: Any, *, empty: float = 1.0) -> float:
    """The share of a row's true labels that are predicted, mean over the rows.

    A row without labels for which some are predicted counts 0.

    Parameters
    ----------
    Y, predicted : array, shape (n, q)
        The true and the predicted labels.
    empty : float, default=1.0
        What a row counts whose true and predicted labels are none; NaN leaves it out.

    Examples
    --------
    >>> sample_recall([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.75
    """
    return _shares(label_counts(Y, predicted, axis=1), 1, empty)


def macro_precision(Y: Any, predicted: Any, *, empty: float = 0.0) -> float:
    """The share of rows predicted to have a label that have it, mean over the labels.

    A label that some rows have and that is never predicted counts 0.

    Parameters
    ----------
    Y, predicted : array, shape (n, q)
        The true and the predicted labels.
    empty : float, default=0.0
        What a label counts that no row has and that is never predicted; NaN leaves it out.

    Examples
    --------
    >>> macro_precision([[1, 0], [0, 1]], [[1, 0], [1, 1]])
    0.75
    """
    return _shares(label_counts(Y, predicted, axis=0), 2, empty)


def macro_recall(Y: Any, predicted: Any, *, empty: float = 0.0) -> float:
    """The share of rows with a label for which it is predicted, mean over the labels.

    A label that no row has and that is predicted counts 0.

    Parameters
    ----------
    Y, predicted : array, shape (n, q)
        The true and the predicted labels.
    empty : float, default=0.0
        What a label counts that no row has and that is never predicted; NaN leaves it out.

    Examples
    --------
    >>> macro_recall([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.75
    """
    return _shares(label_counts(Y, predicted, axis=0), 1, empty)


def micro_precision(Y: Any, predicted: Any) -> float:
    """The share of all predicted labels that are true; 0 if none is predicted.

    Examples
    --------
    >>> micro_precision([[1, 0], [0, 1]], [[1, 1], [1, 1]])
    0.5
    """
    hits, _, n_predicted = (int(part.sum()) for part in label_counts(Y, predicted, axis=0))
    return hits / n_predicted if n_predicted else 0.0


def micro_recall(Y: Any, predicted: Any) -> float:
    """The share of all true labels that are predicted; 0 if none is true.

    Examples
    --------
    >>> micro_recall([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.6666666666666666
    """
    hits, n_true, _ = (int(part.sum()) for part in label_counts(Y, predicted, axis=0))
    return hits / n_true if n_true else 0.0


def _shares(counts: tuple[np.ndarray, ...], divisor: int, empty: float) -> float:
    """The mean of hits / ``counts[divisor]``; `empty` where no label is true or predicted."""
    hits, n_true, n_predicted = counts
    values = np.where(n_true + n_predicted > 0, ratios(hits, counts[divisor], 0.0), empty)
    return mean(values[~np.isnan(values)])


@shared
def label_counts(Y: Any, predicted: Any, axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per row (axis 1) or label (axis 0): how many are true and predicted, true, predicted.

    Rows without a known label are left out.
    """
    truth = truth_of(Y)
    predicted_labels = labels_of(predicted, truth) & truth.known
    true_labels = truth.relevant & truth.known
    rows = truth.known.any(axis=1)
    parts = (true_labels & predicted_labels, true_labels, predicted_labels)
    hits, n_true, n_predicted = (np.count_nonzero(part[rows], axis=axis) for part in parts)
    return hits, n_true, n_predicted


def ratios(part: np.ndarray, total: np.ndarray, empty: float) -> np.ndarray:
    """Each part over its total; `empty` where the total is 0."""
    return np.where(total > 0, part / np.maximum(total, 1), empty)


def mean_ratio(part: np.ndarray, total: np.ndarray, empty: float) -> float:
    """The mean of the ratios that are not NaN."""
    values = ratios(part, total, empty)
    return mean(values[~np.isnan(values)])


def share(part: np.ndarray, total: np.ndarray) -> float:
    """The number of true entries of `part` over that of `total`; NaN if `total` has none."""
    count = int(np.count_nonzero(total))
    return int(np.count_nonzero(part)) / count if count else math.nan


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
