"""Pictures of selections, label structures and comparisons; they need the extra [plot].

A `Selection`, a fitted model or the `Results` of a comparison come in, by ``from_...``; out goes
a display as scikit-learn has them, which ``plot(ax=None)`` draws and which keeps ``ax_`` and
``figure_``. `selections` shows the terms of each pick, which label picked which feature, and the
parents of labels; `comparison` curves, ranks and times; `axes` has what they share.
The figures of comparisons are those of a report:
`mlfs.compare.report.charts` says what is in them, `figures` beside it draws them.
"""

from __future__ import annotations

from mlfs.plots.comparison import CostDisplay, CriticalDifferenceDisplay, CurveDisplay
from mlfs.plots.selections import (
    LabelFeatureMapDisplay,
    LabelStructureDisplay,
    SelectionPathDisplay,
)

__all__ = [
    "CostDisplay",
    "CriticalDifferenceDisplay",
    "CurveDisplay",
    "LabelFeatureMapDisplay",
    "LabelStructureDisplay",
    "SelectionPathDisplay",
]
