"""Feature selection for data whose rows carry several labels.

The public names are resolved when they are first used, so that ``mlfs select`` starts without
importing what it does not need.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlfs.criteria import Criterion
    from mlfs.data import Dataset, read, write
    from mlfs.errors import (
        CriterionError,
        DataError,
        MissingExtra,
        MlfsError,
        ParseError,
        UnknownName,
        UsageError,
    )
    from mlfs.info import Info
    from mlfs.select import select
    from mlfs.selection import Selection
    from mlfs.selector import FeatureSelector

__version__ = "0.1.0"
__all__ = [
    "Criterion",
    "CriterionError",
    "DataError",
    "Dataset",
    "FeatureSelector",
    "Info",
    "MissingExtra",
    "MlfsError",
    "ParseError",
    "Selection",
    "UnknownName",
    "UsageError",
    "__version__",
    "read",
    "select",
    "write",
]

_HOME = {
    "Criterion": "mlfs.criteria",
    "Dataset": "mlfs.data",
    "read": "mlfs.data",
    "write": "mlfs.data",
    "CriterionError": "mlfs.errors",
    "DataError": "mlfs.errors",
    "MissingExtra": "mlfs.errors",
    "MlfsError": "mlfs.errors",
    "ParseError": "mlfs.errors",
    "UnknownName": "mlfs.errors",
    "UsageError": "mlfs.errors",
    "Info": "mlfs.info",
    "select": "mlfs.select",
    "Selection": "mlfs.selection",
    "FeatureSelector": "mlfs.selector",
}
_PARTS = {"checks", "compare", "criteria", "data", "discretize", "errors", "models", "plots"}


class _Package(ModuleType):
    """Keeps ``mlfs.select`` the function when its module of the same name is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "select" and isinstance(value, ModuleType):
            value = value.select
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    if name in _PARTS:
        return importlib.import_module(f"mlfs.{name}")
    msg = f"module 'mlfs' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
