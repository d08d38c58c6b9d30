"""Compare criteria and models on data sets, with cross-validation, statistics and a report.

Data sets, criteria, models and numbers of features come in (`run` in running.py, settings.py);
worker processes (pool.py, worker.py) select, train and measure on the splits of resampling.py
(work.py with rankers.py, filters.py, relief.py, classifiers.py, naive_bayes.py, nearest.py), and
cell_folder.py keeps what is finished. Out goes `Results`, a tidy table (results.py); contest.py,
ranks.py and pairs.py test it, overlap.py and stability.py compare the selections, and report/
writes the files. metrics.py names every metric: label_metrics.py, auc.py, ranking_metrics.py.

Names are imported when they are first used, because metrics need no models.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlfs.compare.loading import load
    from mlfs.compare.metrics import METRICS, Metric, evaluate
    from mlfs.compare.report import write_report
    from mlfs.compare.results import Results
    from mlfs.compare.running import run

__all__ = ["METRICS", "Metric", "Results", "evaluate", "load", "run", "write_report"]

_HOME = {
    "METRICS": "metrics",
    "Metric": "metrics",
    "evaluate": "metrics",
    "Results": "results",
    "load": "loading",
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
