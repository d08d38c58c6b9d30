"""Compare criteria and models on data sets, with cross-validation, statistics and a report.

In: data sets (`data_sources`), methods by name (`named`) and `settings`.
`running` has `run`: it gives cells to worker processes (`processes`; `cluster_cells` on a
cluster), and `cell_folder` keeps what is finished.
A cell (`work`) takes a split (`resampling`, `training_rows`, which limits and measures), selects
(`rankers`, `filters`) and trains (`classifiers`, `naive_bayes`).
Out: `results`, a tidy table; `contest` tests it by `ranks` and `pairs`, `overlap` compares the
selections, `pareto` has the front of quality and number of features, and `report` writes the
files, which `reference` reads again, as it does published results.
`cross_validated` has `number_of_features`: how many features a model needs, by cross-validation.

Names are imported when they are first used, because metrics need no models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlfs.lazy import lazily

if TYPE_CHECKING:
    from mlfs.compare.cross_validated import CrossValidation, number_of_features
    from mlfs.compare.reference import load
    from mlfs.compare.report import write_report
    from mlfs.compare.results import Results
    from mlfs.compare.running import run
    from mlfs.metrics import METRICS, Metric, evaluate

__all__ = [
    "METRICS",
    "CrossValidation",
    "Metric",
    "Results",
    "evaluate",
    "load",
    "number_of_features",
    "run",
    "write_report",
]

_HOME = {
    "mlfs.compare.cross_validated": ("CrossValidation", "number_of_features"),
    "mlfs.compare.reference": ("load",),
    "mlfs.compare.report": ("write_report",),
    "mlfs.compare.results": ("Results",),
    "mlfs.compare.running": ("run",),
    "mlfs.metrics": ("METRICS", "Metric", "evaluate"),
}
__getattr__ = lazily(__name__, _HOME)
