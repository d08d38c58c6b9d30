"""Pictures of selections, label structures and comparisons; they need the extra [plot].

A `Selection`, a fitted model or the `Results` of a comparison come in, by ``from_...``; out goes
a display as scikit-learn has them, which ``plot(ax=None)`` draws and which keeps ``ax_`` and
``figure_``. The figures of comparisons are those of a report: `mlfs.compare.report.charts` says
what is in them, `figures` beside it draws them. Maps are
in `maps`, label structures in `structures`, the others in `displays`.
"""

from __future__ import annotations

from mlfs.plots.displays import (
    CostDisplay,
    CriticalDifferenceDisplay,
    CurveDisplay,
    SelectionPathDisplay,
    SubstitutesDisplay,
)
from mlfs.plots.maps import LabelFeatureMapDisplay, SimilarityMapDisplay
from mlfs.plots.structures import LabelStructureDisplay

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
