"""Every metric of multi-label predictions by its name, and all of them at once.

In all of them a true label that is not known (-1 or NaN) is left out: the metrics over cells and
labels leave out the cell, those over rows judge a row by its known labels, and what needs the
whole row (exact match, CLL-loss) leaves out the row. A metric of nothing is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mlfs.errors import UsageError, check_name
from mlfs.metrics import labels, ranking, top
from mlfs.metrics.truth import sharing, truth_of

Function = Callable[[Any, Any], float]
Needs = Literal["labels", "scores", "propensities", "probabilities", "joint"]


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
    function: Function
    needs: Needs
    higher_is_better: bool

    @property
    def summary(self) -> str:
        """The quantity that it measures, in a line."""
        return (self.function.__doc__ or "").split("\n", 1)[0].rstrip(".")


FUNCTIONS: tuple[tuple[Function, Needs, bool], ...] = (  # what each takes; whether higher is better
    (labels.exact_match, "labels", True),
    (labels.hamming_score, "labels", True),
    (labels.hamming_loss, "labels", False),
    (labels.accuracy, "labels", True),
    (labels.sample_f1, "labels", True),
    (labels.macro_f1, "labels", True),
    (labels.micro_f1, "labels", True),
    (labels.sample_precision, "labels", True),
    (labels.sample_recall, "labels", True),
    (labels.macro_precision, "labels", True),
    (labels.macro_recall, "labels", True),
    (labels.micro_precision, "labels", True),
    (labels.micro_recall, "labels", True),
    (ranking.macro_auc, "scores", True),
    (ranking.micro_auc, "scores", True),
    (ranking.macro_pr_auc, "scores", True),
    (ranking.micro_pr_auc, "scores", True),
    (ranking.ranking_loss, "scores", False),
    (ranking.coverage, "scores", False),
    (ranking.normalised_coverage, "scores", False),
    (ranking.one_error, "scores", False),
    (ranking.average_precision, "scores", True),
    (top.precision_at_1, "scores", True),
    (top.precision_at_3, "scores", True),
    (top.precision_at_5, "scores", True),
    (top.ndcg_at_3, "scores", True),
    (top.ndcg_at_5, "scores", True),
    (top.propensity_precision_at_1, "propensities", True),
    (top.propensity_precision_at_3, "propensities", True),
    (top.propensity_precision_at_5, "propensities", True),
    (top.propensity_ndcg_at_3, "propensities", True),
    (top.propensity_ndcg_at_5, "propensities", True),
    (labels.log_loss, "probabilities", False),
    (labels.cll_loss, "joint", False),
)
METRICS: dict[str, Metric] = {
    function.__name__: Metric(function.__name__, function, needs, higher)
    for function, needs, higher in FUNCTIONS
}


def evaluate(
    Y: Any,
    predicted: Any = None,
    scores: Any = None,
    joint: Any = None,
    *,
    probabilities: Any = None,
    propensities: Any = None,
    metrics: str | Iterable[str] | None = None,
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
        `mlfs.metrics.top.propensities` of the labels of the training rows.
    metrics : str or iterable of str, optional
        Only these; one that lacks what it needs is refused then.

    Examples
    --------
    >>> evaluate([[1, 0], [0, 1]], [[1, 0], [1, 1]], metrics=["exact_match", "hamming_loss"])
    {'exact_match': 0.5, 'hamming_loss': 0.25}
    """
    scores = probabilities if scores is None else scores
    inputs = {
        "labels": predicted,
        "scores": scores,
        "propensities": None if scores is None or propensities is None else (scores, propensities),
        "probabilities": probabilities,
        "joint": joint,
    }
    metrics = [metrics] if isinstance(metrics, str) else metrics
    names = list(METRICS if metrics is None else metrics)
    for name in names:
        check_name(name, "metric", METRICS)
        if metrics is not None and inputs[METRICS[name].needs] is None:
            argument = {"labels": "predicted"}.get(METRICS[name].needs, METRICS[name].needs)
            msg = f"the metric {name} needs {argument}=, which is not given"
            raise UsageError(msg)
    possible = [METRICS[name] for name in names if inputs[METRICS[name].needs] is not None]
    with sharing():
        return {metric.name: metric.function(Y, inputs[metric.needs]) for metric in possible}


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
