"""Feature selection for data whose rows carry several labels.

The public names are resolved when they are first used, so that ``mlfs select`` starts without
importing what it does not need.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
import types
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mlfs.api import pictures_drawn_by as _pictures_drawn_by
from mlfs.api import sizes_scored_by as _sizes_scored_by
from mlfs.information import load_functions_by as _load_functions_by

if TYPE_CHECKING:
    from mlfs.api.explanation import Explanation, explain
    from mlfs.api.prepared import Prepared, prepare
    from mlfs.api.selecting import select
    from mlfs.api.selection import Selection
    from mlfs.api.selector import FeatureSelector
    from mlfs.api.stability_selector import StabilitySelector
    from mlfs.criteria import Criterion, PairCriterion, SetCriterion, checked_number
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
    from mlfs.information.info import Info
    from mlfs.information.label_block import LabelBlock

__version__ = "0.1.0"
__all__ = [
    "Criterion",
    "CriterionError",
    "DataError",
    "Dataset",
    "Explanation",
    "FeatureSelector",
    "Info",
    "LabelBlock",
    "MissingExtra",
    "MlfsError",
    "PairCriterion",
    "ParseError",
    "Prepared",
    "Selection",
    "SetCriterion",
    "StabilitySelector",
    "UnknownName",
    "UsageError",
    "__version__",
    "checked_number",
    "explain",
    "prepare",
    "read",
    "select",
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
    "ParseError": "mlfs.errors",
    "UnknownName": "mlfs.errors",
    "UsageError": "mlfs.errors",
    "Info": "mlfs.information.info",
    "LabelBlock": "mlfs.information.label_block",
    "Explanation": "mlfs.api.explanation",
    "explain": "mlfs.api.explanation",
    "Prepared": "mlfs.api.prepared",
    "prepare": "mlfs.api.prepared",
    "select": "mlfs.api.selecting",
    "Selection": "mlfs.api.selection",
    "FeatureSelector": "mlfs.api.selector",
    "StabilitySelector": "mlfs.api.stability_selector",
}
_PACKAGES = {
    "checks",
    "compare",
    "criteria",
    "data",
    "datasets",
    "discretize",
    "errors",
    "models",
    "plots",
}
_MOVED = {"mlfs.checks": "mlfs.criteria"}  # old names of modules, which still work for a while

# A process that forks while another thread imports would have a child that waits for that module
# for ever; so the fork waits until it is imported.
_importing = threading.RLock()


def _in_child() -> None:
    """Give the cached properties new locks: a thread that is not in the child may hold the old.

    In Python 3.11 a cached property has one lock for all instances; later versions have none.
    """
    _importing.release()
    modules = [module for name, module in sys.modules.items() if name.startswith("mlfs.")]
    for module in modules:
        for kind in [one for one in vars(module).values() if isinstance(one, type)]:
            for attribute in vars(kind).values():
                if isinstance(attribute, functools.cached_property) and hasattr(attribute, "lock"):
                    attribute.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_importing.acquire, after_in_parent=_importing.release, after_in_child=_in_child
    )


def __getattr__(name: str) -> Any:
    if name in _HOME:
        with _importing:
            value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    if name in _PACKAGES:
        with _importing:
            return importlib.import_module(f"mlfs.{name}")
    msg = f"module 'mlfs' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)


def _function_of(module: str) -> Callable[[str], Any]:
    return lambda name: getattr(importlib.import_module(module), name)


def _old_module(old: str, new: str) -> types.ModuleType:
    """A module that passes on the names of the one that took its place, with a warning."""

    def passed_on(name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)
        value = getattr(importlib.import_module(new), name)
        warnings.warn(
            f"{old}.{name} is now {new}.{name}; the old name will go in mlfs 0.3",
            DeprecationWarning,
            stacklevel=2,
        )
        return value

    module = types.ModuleType(old, f"The old name of `{new}`.")
    vars(module)["__getattr__"] = passed_on
    return module


for _old, _new in _MOVED.items():
    sys.modules[_old] = _old_module(_old, _new)

# These functions take data and are made in a layer above the package that has their names, which
# must not import it. This module is above all layers, and joins the two.
_load_functions_by(_function_of("mlfs.api.pairwise"))
_criterion_check = _function_of("mlfs.api.criterion_checks")

# Likewise, models are scored in a layer above the selection that asks for it with n="cv".
_sizes_scored_by(lambda: importlib.import_module("mlfs.compare.number_of_features").score_sizes)
_pictures_drawn_by(lambda: importlib.import_module("mlfs.plots"))
