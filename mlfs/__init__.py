"""Feature selection for data whose rows carry several labels.

The public names are resolved when they are first used, so that ``mlfs select`` starts without
importing what it does not need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlfs.lazy import lazily

if TYPE_CHECKING:
    from mlfs.api.certainty import certainty
    from mlfs.api.explanation import Explanation, explain
    from mlfs.api.pairs import ColumnPair, Pairs, pairs
    from mlfs.api.panels import Panel
    from mlfs.api.prepared import Prepared, label_network, prepare
    from mlfs.api.selecting import select
    from mlfs.api.selection import Selection
    from mlfs.api.selector import FeatureSelector
    from mlfs.api.similar import Similar, similar
    from mlfs.api.stability_selector import StabilitySelector
    from mlfs.auditing.auditor import audit
    from mlfs.auditing.findings import Audit
    from mlfs.compare.pareto import pareto
    from mlfs.criteria import Criterion, PairCriterion, SetCriterion, checked_number
    from mlfs.data import Dataset, read, write
    from mlfs.errors import (
        CriterionError,
        DataError,
        Interrupted,
        MissingExtra,
        MlfsError,
        MlfsWarning,
        ParseError,
        UnknownName,
        UsageError,
    )
    from mlfs.explorer.exploring import Explorer, explore
    from mlfs.information.info import Info
    from mlfs.information.label_block import LabelBlock

__version__ = "0.2.0"
__all__ = [
    "Audit",
    "ColumnPair",
    "Criterion",
    "CriterionError",
    "DataError",
    "Dataset",
    "Explanation",
    "Explorer",
    "FeatureSelector",
    "Info",
    "Interrupted",
    "LabelBlock",
    "MissingExtra",
    "MlfsError",
    "MlfsWarning",
    "PairCriterion",
    "Pairs",
    "Panel",
    "ParseError",
    "Prepared",
    "Selection",
    "SetCriterion",
    "Similar",
    "StabilitySelector",
    "UnknownName",
    "UsageError",
    "__version__",
    "audit",
    "certainty",
    "checked_number",
    "explain",
    "explore",
    "label_network",
    "pairs",
    "pareto",
    "prepare",
    "read",
    "select",
    "similar",
    "write",
]

_HOME = {
    "mlfs.api.certainty": ("certainty",),
    "mlfs.api.explanation": ("Explanation", "explain"),
    "mlfs.api.pairs": ("ColumnPair", "Pairs", "pairs"),
    "mlfs.api.panels": ("Panel",),
    "mlfs.api.prepared": ("Prepared", "label_network", "prepare"),
    "mlfs.api.selecting": ("select",),
    "mlfs.api.selection": ("Selection",),
    "mlfs.api.selector": ("FeatureSelector",),
    "mlfs.api.similar": ("Similar", "similar"),
    "mlfs.api.stability_selector": ("StabilitySelector",),
    "mlfs.auditing.auditor": ("audit",),
    "mlfs.auditing.findings": ("Audit",),
    "mlfs.compare.pareto": ("pareto",),
    "mlfs.criteria": ("Criterion", "PairCriterion", "SetCriterion", "checked_number"),
    "mlfs.data": ("Dataset", "read", "write"),
    "mlfs.errors": (
        *("CriterionError", "DataError", "Interrupted", "MissingExtra", "MlfsError"),
        *("MlfsWarning", "ParseError", "UnknownName", "UsageError"),
    ),
    "mlfs.explorer.exploring": ("Explorer", "explore"),
    "mlfs.information.info": ("Info",),
    "mlfs.information.label_block": ("LabelBlock",),
}
_PACKAGES = (
    *("compare", "criteria", "data", "datasets", "discretize", "errors", "information"),
    *("metrics", "models", "plots"),
)
__getattr__ = lazily(__name__, _HOME, _PACKAGES)


def __dir__() -> list[str]:
    return sorted(__all__)
