"""Criteria: what scores the candidates, and how criteria are found by name.

A criterion is plain numpy: it asks `Info` for arrays and never sees rows.

`_contract` has the classes `Criterion` (greedy search) and `SetCriterion` (best-first search).
`_registry` finds criteria by name. A built-in criterion is a file in the top-level folder
``criteria/``, named after its file, that binds its class to ``criterion``. A third party declares
an entry point in the group ``mlfs.criteria``. `mlfs.checks.check_criterion` tests both.
"""

from __future__ import annotations

from pathlib import Path

from mlfs.criteria._contract import (
    SCOPES,
    SEARCHES,
    Criterion,
    PairCriterion,
    SetCriterion,
    checked_number,
)
from mlfs.criteria._registry import ALIASES, Origin, available, documentation, get, origins

__all__ = [
    "ALIASES",
    "SCOPES",
    "SEARCHES",
    "Criterion",
    "Origin",
    "PairCriterion",
    "SetCriterion",
    "available",
    "checked_number",
    "documentation",
    "get",
    "origins",
]

_checkout = Path(__file__).resolve().parents[2] / "criteria"
if (_checkout.parent / "pyproject.toml").is_file() and _checkout.is_dir():
    __path__.append(str(_checkout))
