"""Criteria: what scores the candidates, and how criteria are found by name.

A criterion is plain numpy: it asks `Info` for arrays and never sees rows.

`_contract` has the classes `Criterion` (greedy search) and `SetCriterion` (best-first search).
`_registry` finds criteria by name, and checks what they say of themselves. A built-in criterion is
a file in the top-level folder ``criteria/``, named after its file, that binds its class to
``criterion``. A third party declares an entry point in the group ``mlfs.criteria``.
`check_criterion` tests both; it needs a search, so it is written in `mlfs.api.criterion_checks`,
and `mlfs/__init__.py` says where.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mlfs.criteria._contract import (
    SCOPES,
    SEARCHES,
    Criterion,
    PairCriterion,
    SetCriterion,
    checked_number,
)
from mlfs.criteria._registry import (
    ALIASES,
    TIERS,
    Origin,
    available,
    documentation,
    get,
    origin_of,
    origins,
    tier_of,
    typed,
)
from mlfs.lazy import lazily

if TYPE_CHECKING:
    from mlfs.api.criterion_checks import check_criterion, yield_checks

FUNCTIONS = ("check_criterion", "yield_checks")
__all__ = [
    "ALIASES",
    "SCOPES",
    "SEARCHES",
    "TIERS",
    "Criterion",
    "Origin",
    "PairCriterion",
    "SetCriterion",
    "available",
    "check_criterion",
    "checked_number",
    "documentation",
    "get",
    "origin_of",
    "origins",
    "tier_of",
    "typed",
    "yield_checks",
]


_checkout = Path(__file__).resolve().parents[2] / "criteria"
if (_checkout.parent / "pyproject.toml").is_file() and _checkout.is_dir():
    __path__.append(str(_checkout))


__getattr__ = lazily(__name__, {"mlfs.api.criterion_checks": FUNCTIONS})  # above this package
