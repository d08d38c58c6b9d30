"""How good predictions are, and whether one way is better than another.

├── metrics.py    every metric by its name, and `evaluate`: all of them at once
├── agreement.py  the metrics of predicted labels
├── ordering.py   the metrics of a ranking of the labels, row by row
├── areas.py      the areas under ROC curves
└── truth.py      what the metrics take: labels with gaps, predictions, scores
"""

from __future__ import annotations

from mlfs.compare.metrics import METRICS, Metric, evaluate

__all__ = ["METRICS", "Metric", "evaluate"]
