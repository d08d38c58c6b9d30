"""Pictures of selections, label structures and comparisons by matplotlib, the extra [plot].

Each function draws into the current axes of pyplot, or into `ax`, and returns the Axes. A figure
that it has to open gets a size that fits. Rankings are in `selections`, labels and columns in
`maps`, label structures in `structures`, comparisons in `comparisons`; `axes` has what all need.
"""

from __future__ import annotations

from mlfs.plots.comparisons import costs, critical_differences, curves
from mlfs.plots.maps import label_feature_map, pair_map, similarity_map
from mlfs.plots.selections import selection_path, substitutes
from mlfs.plots.structures import label_structure

__all__ = [
    "costs",
    "critical_differences",
    "curves",
    "label_feature_map",
    "label_structure",
    "pair_map",
    "selection_path",
    "similarity_map",
    "substitutes",
]
