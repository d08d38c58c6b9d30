"""Pictures of selections, label structures and comparisons; they need the extra [plot].

├── selection_path.py  why each pick was made: the terms of its score
├── label_map.py       which label picked which feature, and when
├── label_structure.py who is told of whom
├── comparison.py      quality by number of features; ranks with their critical difference
└── axes.py            where to draw

Each is a Display as scikit-learn has them: made by ``from_...``, drawn by ``plot(ax=None)``,
which keeps ``ax_`` and ``figure_``.
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
