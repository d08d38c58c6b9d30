"""Single-label filters over many labels: chi-square, F, information gain and gain ratio.

A label that is constant says nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from mlfs.compare.data_sources import dense
from mlfs.compare.filters import Filter
from mlfs.compare.training_rows import TrainingRows
from mlfs.errors import DataError
from mlfs.information.for_search import table_of

__all__ = ["chi2", "f_ratio", "gain_ratio", "information_gain", "over_labels"]


def information_gain(train: TrainingRows) -> np.ndarray:
    """I(f;l) of each feature and label."""
    return train.prepared.info.mi_fl


def gain_ratio(train: TrainingRows) -> np.ndarray:
    """I(f;l) / H(f) of each feature and label; 0 of a constant feature."""
    info = train.prepared.info
    gain, entropy = info.mi_fl, info.h_f[:, None]
    return np.divide(gain, entropy, out=np.zeros_like(gain), where=entropy > 0)


def chi2(train: TrainingRows) -> np.ndarray:
    """Chi-square of the table of each binned feature and each label."""
    table = table_of(train.prepared.info)
    first = np.asarray(table.counts.offsets[:-1])
    scores = np.zeros((table.d, table.q))
    for label in range(table.q):
        n_fl = table.label(label).complete_table[:, : int(table.l_valid[label])].astype(float)
        n_f = n_fl.sum(axis=1)
        n_l = np.add.reduceat(n_fl, first, axis=0)  # of each feature, where values may be missing
        feature = np.repeat(np.arange(table.d), np.diff(table.counts.offsets))
        expected = n_f[:, None] * n_l[feature] / np.maximum(n_l.sum(axis=1), 1)[feature, None]
        off = (n_fl - expected) ** 2
        parts = np.divide(off, expected, out=np.zeros_like(off), where=expected > 0)
        scores[:, label] = np.add.reduceat(parts.sum(axis=1), first)
    return scores if table.positions is None else scores[table.positions]


def f_ratio(train: TrainingRows) -> np.ndarray:
    """F of two groups, from sums; 0 where a group is empty or nothing varies."""
    data = train.data
    X = sp.csr_array(data.X) if sp.issparse(data.X) else np.asarray(data.X, float)
    stored = X.data if sp.issparse(X) else X
    if np.isnan(stored).any():
        msg = "the F filter takes no missing values: take information gain or chi-square"
        raise DataError(msg)
    weights = np.ones(X.shape[0]) if data.weights is None else data.weights
    Y = dense(data.Y)
    scores = np.zeros((X.shape[1], Y.shape[1]))
    squares = X * X
    for label in range(Y.shape[1]):
        sides = [(Y[:, label] == value) * weights for value in (0, 1)]
        n = [side.sum() for side in sides]
        if min(n) <= 0 or sum(n) <= 2:
            continue
        sums = [side @ X for side in sides]
        total = (sides[0] + sides[1]) @ squares
        within = total - sums[0] ** 2 / n[0] - sums[1] ** 2 / n[1]
        between = (sums[0] / n[0] - sums[1] / n[1]) ** 2 * n[0] * n[1] / (n[0] + n[1])
        varies = within > 1e-12 * np.maximum(total, 1e-300)
        np.divide(between * (sum(n) - 2), within, out=scores[:, label], where=varies)
        perfect = ~varies & (between > 1e-12 * total)
        scores[perfect, label] = np.inf
    return np.where(np.isinf(scores), np.finfo(float).max / (2 * Y.shape[1]), scores)


def over_labels(statistic: str, label_scores: Callable[[TrainingRows], np.ndarray]) -> Filter:
    """The maximum or the mean over the labels as a filter."""
    combine = np.max if statistic == "max" else np.mean

    def scores(train: TrainingRows, _: int) -> np.ndarray:
        return np.asarray(combine(label_scores(train), axis=1))

    return Filter(scores, counts=label_scores is not f_ratio)
