"""Feature selection for data whose rows carry several labels.

The public names are resolved when they are first used, so that ``mlfs select`` starts without
importing what it does not need.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlfs.api.explanation import Explanation, explain
    from mlfs.api.prepared import Prepared, prepare
    from mlfs.api.selecting import select
    from mlfs.api.selection import Selection
    from mlfs.api.selector import FeatureSelector
    from mlfs.api.similar import Similar, similar
    from mlfs.api.stability_selector import StabilitySelector
    from mlfs.auditing.auditor import audit
    from mlfs.auditing.findings import Audit
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
    from mlfs.information.info import Info
    from mlfs.information.label_block import LabelBlock

__version__ = "0.2.0"
__all__ = [
    "Audit",
    "Criterion",
    "CriterionError",
    "DataError",
    "Dataset",
    "Explanation",
    "FeatureSelector",
    "Info",
    "Interrupted",
    "LabelBlock",
    "MissingExtra",
    "MlfsError",
    "MlfsWarning",
    "PairCriterion",
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
    "checked_number",
    "explain",
    "prepare",
    "read",
    "select",
    "similar",
    "write",
]

_HOME = {
    "Criterion": "mlfs.criteria",
    "PairCriterion": "mlfs.criteria",
    "SetCriterion": "mlfs.criteria",
    "checked_number": "mlfs.criteria",
    "Dataset": "mlfs.data",
    "read": "mlfs.data",
    "write": "mlfs.data",
    "CriterionError": "mlfs.errors",
    "DataError": "mlfs.errors",
    "MissingExtra": "mlfs.errors",
    "MlfsError": "mlfs.errors",
    "MlfsWarning": "mlfs.errors",
    "ParseError": "mlfs.errors",
    "UnknownName": "mlfs.errors",
    "UsageError": "mlfs.errors",
    "Interrupted": "mlfs.errors",
    "Info": "mlfs.information.info",
    "LabelBlock": "mlfs.information.label_block",
    "Explanation": "mlfs.api.explanation",
    "explain": "mlfs.api.explanation",
    "Prepared": "mlfs.api.prepared",
    "prepare": "mlfs.api.prepared",
    "select": "mlfs.api.selecting",
    "audit": "mlfs.auditing.auditor",
    "Audit": "mlfs.auditing.findings",
    "Selection": "mlfs.api.selection",
    "Similar": "mlfs.api.similar",
    "similar": "mlfs.api.similar",
    "FeatureSelector": "mlfs.api.selector",
    "StabilitySelector": "mlfs.api.stability_selector",
}
_PACKAGES = {
    "compare",
    "criteria",
    "data",
    "datasets",
    "discretize",
    "errors",
    "information",
    "metrics",
    "models",
    "plots",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = globals()[name] = getattr(importlib.import_module(_HOME[name]), name)
        return value
    if name in _PACKAGES:
        return importlib.import_module(f"mlfs.{name}")
    msg = f"module 'mlfs' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
