"""Simple filters extended to many labels, the baselines of comparisons.

============================ ================================================================
name                         worth of a feature f
============================ ================================================================
chi2-max, chi2-mean          chi-square of the table of (binned) f and each label
f-max, f-mean                the F of an analysis of variance of f by each label
information-gain-max, -mean  I(f;l)
gain-ratio-max, -mean        I(f;l) / H(f)
============================ ================================================================

max and mean run over the labels; a label that is constant says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.value_kinds import Number, checked_count
from mlfs.compare.data_sources import dense
from mlfs.compare.training_rows import TrainingRows
from mlfs.errors import DataError, UsageError, printable
from mlfs.information.for_search import table_of
from mlfs.models.training_table import TrainingTable


def table_of_rows(train: TrainingRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The values as models get them, the labels, and the feature of each column."""
    table = TrainingTable.learn(train.data)
    X, _ = table.matrix(train.data)
    Y = dense(train.data.Y)
    if (Y < 0).any():
        msg = "this baseline takes no missing labels: leave such rows out, or take another one"
        raise DataError(msg)
    feature = np.repeat(np.arange(len(table.fields)), [len(f.names) for f in table.fields])
    return np.asarray(X.toarray() if sp.issparse(X) else X, np.float64), Y, feature


@dataclass(frozen=True)
class Filter:
    """A way to score each feature on its own; one of a module is named by its import path.

    Parameters
    ----------
    scores : callable
        ``scores(train, seed, **parameters)`` gives the worth of each feature.
    counts : bool
        Whether it uses the rows binned and counted, not the values themselves.
    parameters : mapping
        The parameters, with their defaults.
    """

    scores: Callable[..., np.ndarray]
    counts: bool = False
    parameters: Mapping[str, float] = field(default_factory=dict)

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters with their values; one that this filter does not have is refused."""
        for name, value in values.items():
            if name not in self.parameters:
                takes = ", ".join(self.parameters) or "none"
                msg = f"there is no parameter {printable(name)!r} here; known are: {takes}"
                raise UsageError(msg)
            if isinstance(self.parameters[name], int):
                checked_count(value, name)
            else:
                Number().read(name, value)
        return {**self.parameters, **values}


def _information_gain(train: TrainingRows) -> np.ndarray:
    return train.prepared.info.mi_fl


def _gain_ratio(train: TrainingRows) -> np.ndarray:
    info = train.prepared.info
    gain, entropy = info.mi_fl, info.h_f[:, None]
    return np.divide(gain, entropy, out=np.zeros_like(gain), where=entropy > 0)


def _chi2(train: TrainingRows) -> np.ndarray:
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


def _f(train: TrainingRows) -> np.ndarray:
    """F of two groups, from sums; 0 where a group is empty or nothing varies."""
    data = train.data
    X = sp.csr_array(data.X) if sp.issparse(data.X) else np.asarray(data.X, float)
    stored = X.data if sp.issparse(X) else X
    if np.isnan(stored).any():
        msg = "the F filter takes no missing values: use information-gain or chi2"
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


def _over_labels(statistic: str, label_scores: Callable[[TrainingRows], np.ndarray]) -> Filter:
    combine = np.max if statistic == "max" else np.mean

    def scores(train: TrainingRows, _: int) -> np.ndarray:
        return np.asarray(combine(label_scores(train), axis=1))

    return Filter(scores, counts=label_scores is not _f)


FILTERS: dict[str, Filter] = {
    **{
        f"{name}-{way}": _over_labels(way, scores)
        for name, scores in (
            ("chi2", _chi2),
            ("f", _f),
            ("information-gain", _information_gain),
            ("gain-ratio", _gain_ratio),
        )
        for way in ("max", "mean")
    },
}
