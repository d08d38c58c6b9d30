"""Pictures of selections, label structures and comparisons; they need the extra [plot].

A `Selection`, a fitted model or the `Results` of a comparison come in, by ``from_...``; out goes
a display as scikit-learn has them, which ``plot(ax=None)`` draws and which keeps ``ax_`` and
``figure_``. selection_path.py shows the terms of each pick, label_map.py which label picked which
feature, label_structure.py the parents of labels, comparison.py curves, ranks
and times; axes.py has what they share. The figures of comparisons are those of a report:
mlfs/compare/report/charts.py says what is in them, on_axes.py draws it.
"""

from __future__ import annotations

from mlfs.plots.comparison import CostDisplay, CriticalDifferenceDisplay, CurveDisplay
from mlfs.plots.label_map import LabelFeatureMapDisplay
from mlfs.plots.label_structure import LabelStructureDisplay
from mlfs.plots.selection_path import SelectionPathDisplay

__all__ = [
    "CostDisplay",
    "CriticalDifferenceDisplay",
    "CurveDisplay",
    "LabelFeatureMapDisplay",
    "LabelStructureDisplay",
    "SelectionPathDisplay",
]
