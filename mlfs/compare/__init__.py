"""Benchmark comparisons: how good predictions are, and whether one way is better than another.

├── running.py     `run`: the one function behind the command
├── settings.py    what is compared; data.py, named.py, sizes.py, protocol.py its parts
├── work.py        one piece of work: rankers.py choose, classifiers.py learn, measure.py measures
├── crew.py        the processes that work; worker.py is what they run; store.py keeps cells
├── results.py     the tidy table; contest.py, overlap.py and report/ are made of it
├── ranks.py       Friedman, Nemenyi, Bonferroni-Dunn; pairs.py and stability.py beside it
├── filters.py     simple filters (relief.py); naive_bayes.py and nearest.py, simple models
└── metrics.py     every metric by its name (agreement.py, ordering.py, areas.py, truth.py)

The names are resolved when they are first used: metrics need no models.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlfs.compare.metrics import METRICS, Metric, evaluate
    from mlfs.compare.report import write_report
    from mlfs.compare.results import Results
    from mlfs.compare.running import run

__all__ = ["METRICS", "Metric", "Results", "evaluate", "run", "write_report"]

_HOME = {
    "METRICS": "metrics",
    "Metric": "metrics",
    "evaluate": "metrics",
    "Results": "results",
    "run": "running",
    "write_report": "report",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"mlfs.compare.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    msg = f"module 'mlfs.compare' has no attribute {name!r}"
    raise AttributeError(msg)
