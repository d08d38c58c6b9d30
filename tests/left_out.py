"""Information of features whose missing values are left out, as labels among labels are counted."""

from __future__ import annotations

from typing import Any

from mlfs import Info
from mlfs.information.exact import ExactInfo
from mlfs.information.for_search import table_of
from mlfs.information.table import Table


def info_of_codes(X: Any, Y: Any, *, ignore_missing: bool, **options: Any) -> Info:
    """`Info.from_codes`, perhaps with the rows in which a feature is missing left out."""
    info = Info.from_codes(X, Y, **options)
    if not ignore_missing:
        return info
    full = table_of(info)
    table = Table(full.counts, full.q, full.mask_of, ignore_missing=True, positions=full.positions)
    return ExactInfo(table, parents=options.get("parents"))
