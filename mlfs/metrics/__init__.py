"""Metrics of multi-label predictions: labels and scores come in, numbers go out.

`registry` names them all; `labels`, `ranking` and `top` compute them, by what `truth` checks and
shares.
"""

from mlfs.metrics.labels import label_f1
from mlfs.metrics.ranking import label_auc, label_pr_auc
from mlfs.metrics.registry import METRICS, Metric, evaluate, tally

__all__ = ["METRICS", "Metric", "evaluate", "label_auc", "label_f1", "label_pr_auc", "tally"]
