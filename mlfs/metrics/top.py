"""The metrics of the first k labels of each row's ranking: precision, nDCG, propensity scores.

In a tie the labels that the row does not have come first, as in the metrics of whole rankings, so
the order of the columns does not matter. Rows without a known positive label are left out: no
ranking of theirs is better than another. Where a row has fewer than k known labels, k is their
number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mlfs.errors import DataError, UsageError, printable
from mlfs.metrics.ranking import sorted_rows
from mlfs.metrics.truth import mean, scores_of, shared, truth_of

CELLS = 1 << 20
MOST = 5
FEWEST = 2  # rows that are too few for propensities: log n - 1 is negative


class First(NamedTuple):
    """Some rows: the worth of their first k labels, of the best k, and how many labels count."""

    gains: np.ndarray
    best: np.ndarray
    places: np.ndarray


def first(Y: Any, scores: Any, k: int, worth: np.ndarray | None = None) -> Iterator[First]:
    """The first k labels of the rows with a positive label, in blocks."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise UsageError(f"k is a number of labels from 1 on, not {printable(repr(k))}")
    for gains, best, known in (
        _first(Y, scores, worth) if k <= MOST else _first_k(k, Y, scores, worth)
    ):
        yield First(gains[:, :k], best[:, :k], np.minimum(known, k))


@shared
def _first(Y: Any, scores: Any, worth: np.ndarray | None) -> list[First]:
    """The first `MOST` labels, which all metrics with a k in their names share."""
    return _first_k(MOST, Y, scores, worth)


def _first_k(k: int, Y: Any, scores: Any, worth: np.ndarray | None) -> list[First]:
    """The first k labels; the last field is how many labels are known."""
    truth = truth_of(Y)
    score = scores_of(scores, truth)
    rows = np.flatnonzero((truth.relevant & truth.known).any(axis=1))
    q = score.shape[1]
    gain = np.ones(q) if worth is None else worth
    step = max(1, CELLS // max(1, q))
    blocks = []
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        known = truth.known[block]
        gains = np.where(truth.relevant[block] & known, gain, 0.0)
        values = np.where(known, -score[block], np.inf)
        if np.isposinf(values[known]).any():
            order = np.lexsort((gains, -score[block], ~known), axis=1)[:, :k]
        else:
            order = sorted_rows(values, gains)[:, :k]
        best_gains = -np.sort(-gains, axis=1)[:, :k]
        first_gains = np.take_along_axis(gains, order, axis=1)
        blocks.append(First(first_gains, best_gains, known.sum(axis=1)))
    return blocks


def _sums(
    Y: Any, scores: Any, k: int, worth: np.ndarray | None = None, *, discounted: bool = False
) -> tuple[np.ndarray, ...]:
    """The worth of the first k labels of each row, that of the best k, and their places.

    Discounted, place i counts 1 / log2(i + 1), and only places for true labels do.
    """
    parts = []
    for rows in first(Y, scores, k, worth):
        weights = 1 / np.log2(np.arange(rows.gains.shape[1]) + 2)
        weights = weights if discounted else np.ones_like(weights)
        places = ((rows.best > 0) * weights).sum(axis=1) if discounted else rows.places
        gained, best = ((part * weights).sum(axis=1) for part in (rows.gains, rows.best))
        parts.append((gained, best, places))
    return tuple(map(np.concatenate, zip(*parts, strict=True))) or (np.empty(0),) * 3


def precision_at(Y: Any, scores: Any, k: int = 5) -> float:
    """The share of true labels among the k with the highest scores, mean over the rows.

    Parameters
    ----------
    Y : array, shape (n, q)
        The true labels.
    scores : array, shape (n, q)
        A score for each label.
    k : int, default=5
        How many labels of each row are looked at.

    Examples
    --------
    >>> precision_at([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.6], [0.1, 0.8, 0.3]], k=2)
    0.75
    """
    gained, _, places = _sums(Y, scores, k)
    return mean(gained / places)


def precision_at_1(Y: Any, scores: Any) -> float:
    """The share of rows whose label with the highest score is true."""
    return precision_at(Y, scores, 1)


def precision_at_3(Y: Any, scores: Any) -> float:
    """The share of true labels among the three with the highest scores."""
    return precision_at(Y, scores, 3)


def precision_at_5(Y: Any, scores: Any) -> float:
    """The share of true labels among the five with the highest scores."""
    return precision_at(Y, scores, 5)


def ndcg_at(Y: Any, scores: Any, k: int = 5) -> float:
    """The normalised discounted cumulative gain of the first k labels, mean over the rows.

    A true label at place i gains 1 / log2(i + 1); the sum is divided by that of the best ranking.

    Parameters
    ----------
    Y : array, shape (n, q)
        The true labels.
    scores : array, shape (n, q)
        A score for each label.
    k : int, default=5
        How many labels of each row are looked at.

    Examples
    --------
    >>> ndcg_at([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.6], [0.1, 0.8, 0.3]], k=2)
    1.0
    """
    gained, best, _ = _sums(Y, scores, k, discounted=True)
    return mean(gained / best)


def ndcg_at_3(Y: Any, scores: Any) -> float:
    """The normalised discounted cumulative gain of the first three labels."""
    return ndcg_at(Y, scores, 3)


def ndcg_at_5(Y: Any, scores: Any) -> float:
    """The normalised discounted cumulative gain of the first five labels."""
    return ndcg_at(Y, scores, 5)


def propensities(Y: Any, a: float = 0.55, b: float = 1.5) -> np.ndarray:
    """How likely it is that a true label was annotated, from its frequency in training.

    1 / (1 + c exp(-a log(n_l + b))) with c = (log n - 1) (b + 1)**a, of Jain, Prabhu & Varma
    (2016): n rows, of which n_l have the label.

    Parameters
    ----------
    Y : array, shape (n, q)
        The labels of the training rows.
    a, b : float, default=0.55, 1.5
        The constants of the paper; it has others for Wikipedia (0.5, 0.4) and Amazon (0.6, 2.6).

    Examples
    --------
    >>> propensities(np.eye(4)[:, :2].repeat(5, axis=0)).round(3).tolist()
    [0.459, 0.459]
    """
    truth = truth_of(Y)
    n = len(truth.known)
    if n <= FEWEST:
        raise DataError(f"propensities need three rows or more, not {n}")
    rows = (truth.relevant & truth.known).sum(axis=0)
    c = (np.log(n) - 1) * (b + 1) ** a
    return np.asarray(1 / (1 + c * (rows + b) ** -a))


def propensity_precision_at(
    Y: Any, scores: Any, shares: Any, k: int = 5, normalised: bool = True
) -> float:
    """Precision of the first k labels in which a rare label counts more, as a share of the best.

    A true label is worth 1 over its propensity. The worth of the first k labels, divided by k, is
    averaged over the rows, and then divided by the same of the best ranking of each row, as in
    the tables of the extreme classification repository.

    Parameters
    ----------
    Y : array, shape (n, q)
        The true labels.
    scores : array, shape (n, q)
        A score for each label.
    shares : array, shape (q,)
        The propensity of each label: `propensities` of the training labels.
    k : int, default=5
        How many labels of each row are looked at.
    normalised : bool, default=True
        Whether it is a share of the best, and not an estimate of the precision in terms of all
        labels that are true, which may be above 1.

    Examples
    --------
    >>> Y, scores = [[1, 1, 0]], [[0.9, 0.5, 0.1]]
    >>> propensity_precision_at(Y, scores, [0.5, 0.25, 1.0], k=1)
    0.5
    >>> propensity_precision_at(Y, scores, [0.5, 0.25, 1.0], k=1, normalised=False)
    2.0
    """
    return _share_of_best(_sums(Y, scores, k, worth_of(Y, shares)), normalised)


def propensity_ndcg_at(
    Y: Any, scores: Any, shares: Any, k: int = 5, normalised: bool = True
) -> float:
    """The nDCG of the first k labels in which a rare label counts more, as a share of the best.

    A true label at place i gains 1 over its propensity and over log2(i + 1). The sum is divided by
    that of 1 / log2(i + 1) over as many places as the row has true labels, at most k, and averaged
    over the rows; then it is divided by the same of the best ranking of each row, as in the
    program of the extreme classification repository.

    Parameters
    ----------
    Y, scores, shares, k, normalised
        As for `propensity_precision_at`.

    Examples
    --------
    >>> Y, scores = [[1, 1, 0]], [[0.9, 0.5, 0.1]]
    >>> round(propensity_ndcg_at(Y, scores, [0.5, 0.25, 1.0], k=2), 3)
    0.86
    """
    return _share_of_best(_sums(Y, scores, k, worth_of(Y, shares), discounted=True), normalised)


def _share_of_best(sums: tuple[np.ndarray, ...], normalised: bool) -> float:
    """The mean over the rows of gains / places; normalised: as a share of the best ranking."""
    gained, best, places = sums
    value = mean(gained / places)
    return float(value / mean(best / places)) if normalised and gained.size else value


@shared
def worth_of(Y: Any, shares: Any) -> np.ndarray:
    """The weight of each true label: 1 over its propensity."""
    weights = np.asarray(shares, dtype=np.float64)
    q = truth_of(Y).known.shape[1]
    if weights.shape != (q,) or not ((weights > 0) & (weights <= 1)).all():
        raise DataError(f"the propensities are a number in (0, 1] for each of the {q} labels")
    return np.asarray(1 / weights)


def propensity_precision_at_1(Y: Any, pair: tuple[Any, Any]) -> float:
    """Precision of the first label in which a rare label counts more."""
    return propensity_precision_at(Y, *pair, k=1)


def propensity_precision_at_3(Y: Any, pair: tuple[Any, Any]) -> float:
    """Precision of the first three labels in which a rare label counts more."""
    return propensity_precision_at(Y, *pair, k=3)


def propensity_precision_at_5(Y: Any, pair: tuple[Any, Any]) -> float:
    """Precision of the first five labels in which a rare label counts more."""
    return propensity_precision_at(Y, *pair, k=5)


def propensity_ndcg_at_3(Y: Any, pair: tuple[Any, Any]) -> float:
    """The nDCG of the first three labels in which a rare label counts more."""
    return propensity_ndcg_at(Y, *pair, k=3)


def propensity_ndcg_at_5(Y: Any, pair: tuple[Any, Any]) -> float:
    """The nDCG of the first five labels in which a rare label counts more."""
    return propensity_ndcg_at(Y, *pair, k=5)
