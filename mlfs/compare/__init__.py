"""Compare criteria and models on data sets, with cross-validation, statistics and a report.

In: data sets (`data_sources`), methods by name (`named`, `foreign`), `sizes` and
`settings`.
`running` has `run`: it gives jobs to worker processes (`pool`, `processes`, `worker`;
`cluster_cells` on a cluster), and `cell_folder` and `details` keep what is finished.
A job (`work`) takes a split (`resampling`, `stored_folds`, `training_rows`), selects (`rankers`,
`filters`, `value_filters`, `relief`, `qpfs`), trains (`classifiers`, `naive_bayes`, `tuning`) and
is measured and limited (`measure`).
Metrics: `metrics` names them all; `label_metrics`, `ranking_metrics`, `top_metrics`, `likelihoods`
and `areas` compute them, by what `truth` and `sharing` check and share.
Out: `results`, a tidy table (`results_html`, `per_label`); `contest` tests it by `ranks`, `pairs`
and `posteriors`, `overlap` compares the selections, and `report` writes the files,
which `loading` reads again. `reference` and `against` are for published results.
`number_of_features` scores models for ``mlfs.select(..., n="cv")``.

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
