"""Pictures of selections, label structures and comparisons; they need the extra [plot].

A `Selection`, a fitted model or the `Results` of a comparison come in, by ``from_...``; out goes
a display as scikit-learn has them, which ``plot(ax=None)`` draws and which keeps ``ax_`` and
``figure_``. selection_path.py shows the terms of each pick, label_map.py which label picked which
feature, label_structure.py the parents of labels, comparison.py curves and ranks; axes.py has
what they share.
"""

from __future__ import annotations

from mlfs.plots.comparison import CriticalDifferenceDisplay, CurveDisplay
from mlfs.plots.label_map import LabelFeatureMapDisplay
from mlfs.plots.label_structure import LabelStructureDisplay
from mlfs.plots.selection_path import SelectionPathDisplay

__all__ = [
    "CriticalDifferenceDisplay",
    "CurveDisplay",
    "LabelFeatureMapDisplay",
    "LabelStructureDisplay",
    "SelectionPathDisplay",
]
