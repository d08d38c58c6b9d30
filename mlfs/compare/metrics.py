"""Every metric of multi-label predictions by its name, and all of them at once.

In all of them a true label that is not known (-1 or NaN) is left out: the metrics over cells and
labels leave out the cell, those over rows judge a row by its known labels, and what needs the
whole row (exact match, CLL-loss) leaves out the row. A metric of nothing is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from mlfs.compare.auc import label_auc, macro_auc, micro_auc
from mlfs.compare.label_metrics import (
    accuracy,
    exact_match,
    hamming_loss,
    hamming_score,
    label_f1,
    macro_f1,
    macro_precision,
    macro_recall,
    micro_f1,
    micro_precision,
    micro_recall,
    sample_f1,
    sample_precision,
    sample_recall,
)
from mlfs.compare.likelihoods import cll_loss, log_loss
from mlfs.compare.precision_recall import label_pr_auc, macro_pr_auc, micro_pr_auc
from mlfs.compare.ranking_metrics import (
    average_precision,
    coverage,
    normalised_coverage,
    one_error,
    ranking_loss,
)
from mlfs.compare.sharing import sharing
from mlfs.compare.top_metrics import (
    ndcg_at_3,
    ndcg_at_5,
    precision_at_1,
    precision_at_3,
    precision_at_5,
    propensity_ndcg_at_3,
    propensity_ndcg_at_5,
    propensity_precision_at_1,
    propensity_precision_at_3,
    propensity_precision_at_5,
)
from mlfs.compare.truth import truth_of
from mlfs.errors import UnknownName, UsageError

__all__ = [
    "METRICS",
    "Metric",
    "cll_loss",
    "evaluate",
    "label_auc",
    "label_f1",
    "label_pr_auc",
    "tally",
]


@dataclass(frozen=True)
class Metric:
    """A metric: its name, the function, what it takes besides Y, and which way is better.

    Parameters
    ----------
    name : str
        As in `METRICS`, in tables and in JSON.
    function : callable
        ``function(Y, what it needs) -> float``.
    needs : {"labels", "scores", "propensities", "probabilities", "joint"}
        Predicted labels, a score for each label, the same and the propensity of each label (a
        pair), a probability for each label, or log P(y|x) for each row.
    higher_is_better : bool
        Whether greater values are better ones.
    """

    name: str
    function: Callable[[Any, Any], float]
    needs: Literal["labels", "scores", "propensities", "probabilities", "joint"]
    higher_is_better: bool

    @property
    def summary(self) -> str:
        """What it measures, in a line."""
        return (self.function.__doc__ or "").split("\n", 1)[0].rstrip(".")


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            Metric("exact_match", exact_match, "labels", higher_is_better=True),
            Metric("hamming_score", hamming_score, "labels", higher_is_better=True),
            Metric("hamming_loss", hamming_loss, "labels", higher_is_better=False),
            Metric("accuracy", accuracy, "labels", higher_is_better=True),
            Metric("sample_f1", sample_f1, "labels", higher_is_better=True),
            Metric("macro_f1", macro_f1, "labels", higher_is_better=True),
            Metric("micro_f1", micro_f1, "labels", higher_is_better=True),
            Metric("sample_precision", sample_precision, "labels", higher_is_better=True),
            Metric("sample_recall", sample_recall, "labels", higher_is_better=True),
            Metric("macro_precision", macro_precision, "labels", higher_is_better=True),
            Metric("macro_recall", macro_recall, "labels", higher_is_better=True),
            Metric("micro_precision", micro_precision, "labels", higher_is_better=True),
            Metric("micro_recall", micro_recall, "labels", higher_is_better=True),
            Metric("macro_auc", macro_auc, "scores", higher_is_better=True),
            Metric("micro_auc", micro_auc, "scores", higher_is_better=True),
            Metric("macro_pr_auc", macro_pr_auc, "scores", higher_is_better=True),
            Metric("micro_pr_auc", micro_pr_auc, "scores", higher_is_better=True),
            Metric("ranking_loss", ranking_loss, "scores", higher_is_better=False),
            Metric("coverage", coverage, "scores", higher_is_better=False),
            Metric("normalised_coverage", normalised_coverage, "scores", higher_is_better=False),
            Metric("one_error", one_error, "scores", higher_is_better=False),
            Metric("average_precision", average_precision, "scores", higher_is_better=True),
            Metric("precision_at_1", precision_at_1, "scores", higher_is_better=True),
            Metric("precision_at_3", precision_at_3, "scores", higher_is_better=True),
            Metric("precision_at_5", precision_at_5, "scores", higher_is_better=True),
            Metric("ndcg_at_3", ndcg_at_3, "scores", higher_is_better=True),
            Metric("ndcg_at_5", ndcg_at_5, "scores", higher_is_better=True),
            *(
                Metric(one.__name__, one, "propensities", higher_is_better=True)
                for one in (
                    propensity_precision_at_1,
                    propensity_precision_at_3,
                    propensity_precision_at_5,
                    propensity_ndcg_at_3,
                    propensity_ndcg_at_5,
                )
            ),
            Metric("log_loss", log_loss, "probabilities", higher_is_better=False),
            Metric("cll_loss", cll_loss, "joint", higher_is_better=False),
        )
    }
)


def evaluate(
    Y: Any,
    predicted: Any = None,
    scores: Any = None,
    joint: Any = None,
    *,
    probabilities: Any = None,
    propensities: Any = None,
    metrics: Iterable[str] | None = None,
) -> dict[str, float]:
    """Every metric for which there is what it needs, by name; NaN where one is undefined.

    Parameters
    ----------
    Y : array, shape (n, q)
        The true labels: 0 and 1; -1 or NaN where one is not known.
    predicted : array, shape (n, q), optional
        The predicted labels: ``model.predict(X)``.
    scores : array, shape (n, q), optional
        A score for each label: ``model.predict_proba(X)`` or ``model.decision_function(X)``.
    joint : array, shape (n,), optional
        log P(y|x) of each row: ``model.joint_log_proba(X, Y)``.
    probabilities : array, shape (n, q), optional
        P(label) of each row, for `log_loss`; they are the scores too if none are given.
    propensities : array, shape (q,), optional
        The propensity of each label, for the metrics that are named after them:
        `mlfs.compare.top_metrics.propensities` of the labels of the training rows.
    metrics : iterable of str, optional
        Only these; one that lacks what it needs is refused then.

    Examples
    --------
    >>> evaluate([[1, 0], [0, 1]], [[1, 0], [1, 1]], metrics=["exact_match", "hamming_loss"])
    {'exact_match': 0.5, 'hamming_loss': 0.25}
    """
    scores = probabilities if scores is None else scores
    given = {
        "labels": predicted,
        "scores": scores,
        "propensities": None if scores is None or propensities is None else (scores, propensities),
        "probabilities": probabilities,
        "joint": joint,
    }
    wanted = list(METRICS if metrics is None else metrics)
    for name in wanted:
        if name not in METRICS:
            raise UnknownName("metric", name, METRICS)
        if metrics is not None and given[METRICS[name].needs] is None:
            argument = {"labels": "predicted"}.get(METRICS[name].needs, METRICS[name].needs)
            msg = f"the metric {name} needs {argument}=, which is not given"
            raise UsageError(msg)
    chosen = [METRICS[name] for name in wanted if given[METRICS[name].needs] is not None]
    with sharing():
        return {metric.name: metric.function(Y, given[metric.needs]) for metric in chosen}


def tally(Y: Any) -> dict[str, int]:
    """How many rows and labels there are, and how many of them metrics treat as special.

    Examples
    --------
    >>> tally([[1, 0, 0], [1, 0, -1], [1, 0, 1]])  # doctest: +NORMALIZE_WHITESPACE
    {'rows': 3, 'labels': 3, 'missing': 1, 'rows_with_missing': 1, 'rows_without_labels': 0,
     'labels_without_positives': 1, 'labels_without_negatives': 1}
    """
    relevant, known = truth = truth_of(Y)
    return {
        "rows": len(known),
        "labels": known.shape[1],
        "missing": int(np.count_nonzero(~known)),
        "rows_with_missing": int(np.count_nonzero(~truth.complete)),
        "rows_without_labels": int(np.count_nonzero(~(relevant & known).any(axis=1))),
        "labels_without_positives": int(np.count_nonzero(~(relevant & known).any(axis=0))),
        "labels_without_negatives": int(np.count_nonzero(~(known & ~relevant).any(axis=0))),
    }
