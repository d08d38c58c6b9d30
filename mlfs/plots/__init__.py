"""Pictures of selections, label structures and comparisons; they need the extra [plot].

A `Selection`, a fitted model or the `Results` of a comparison come in, by ``from_...``; out goes
a display as scikit-learn has them, which ``plot(ax=None)`` draws and which keeps ``ax_`` and
``figure_``. The figures of comparisons are those of a report: `mlfs.compare.report.charts` says
what is in them, `figures` beside it draws them. `displays` has all of
them but the map of similar columns, which is in `similarity_map`.
"""

from __future__ import annotations

from mlfs.plots.displays import (
    CostDisplay,
    CriticalDifferenceDisplay,
    CurveDisplay,
    LabelFeatureMapDisplay,
    LabelStructureDisplay,
    SelectionPathDisplay,
    SubstitutesDisplay,
)
from mlfs.plots.similarity_map import SimilarityMapDisplay

__all__ = [
    "CostDisplay",
    "CriticalDifferenceDisplay",
    "CurveDisplay",
    "LabelFeatureMapDisplay",
    "LabelStructureDisplay",
    "SelectionPathDisplay",
    "SimilarityMapDisplay",
    "SubstitutesDisplay",
]
