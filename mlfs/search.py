"""One search as the user wants it: how many, what first, what never, and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.asked import Asked
from mlfs.candidates import columns_named
from mlfs.criteria import Criterion
from mlfs.engine import Path, Pick, best_first, greedy
from mlfs.errors import UsageError, printable
from mlfs.info import Info
from mlfs.prepare import Prepared
from mlfs.selection import SCHEMA, Selection
from mlfs.stopping import AutoStop

__all__ = ["Plan", "checked_count", "checked_seed", "checked_share", "n_of", "search"]


@dataclass(frozen=True)
class Plan:
    """What was asked for."""

    name: str
    criterion: Criterion
    n: int | float | str | None
    forced: list[int]
    excluded: list[int]
    start: Any
    prefilter: int | None
    alpha: float
    min_gain: float
    seed: int
    on_pick: Callable[[str, Pick], object] | None


def search(plan: Plan, ready: Prepared, info: Info, label: str = "") -> Path:
    """Search for all labels together, or for the one that the view is on.

    Parameters
    ----------
    plan : Plan
        What was asked for.
    ready : Prepared
        The data.
    info : Info
        The view that is searched.
    label : str
        Its label's name; empty for all labels.
    """
    names = ready.dataset.feature_names
    begun = columns_named(_start_of(plan.start, label), names, "start")
    clash = sorted({*begun, *plan.forced} & {*plan.excluded})
    if clash:
        msg = f"the column {printable(names[clash[0]])!r} is both included and excluded"
        raise UsageError(msg)
    forced = ready.grouping.candidates([*begun, *plan.forced])
    excluded = ready.grouping.candidates(plan.excluded)
    left = info.d - len(excluded)
    n = n_of(plan.n, left, len(ready.grouping.members))
    if n is not None and n < len(forced):
        msg = (
            f"n = {n} features are asked for, but {len(forced)} are included or started from: "
            "raise n, or name fewer"
        )
        raise UsageError(msg)
    if plan.prefilter is not None:
        order = np.lexsort((info.features, -_rounded(info.mi_fL)))
        kept = {*order[: plan.prefilter].tolist(), *forced}
        info = info.only(sorted(kept))
    closes = None
    if plan.n == "auto":
        auto = AutoStop(info, alpha=plan.alpha, min_gain=plan.min_gain, seed=plan.seed)
        excluded = sorted({*excluded, *auto.left_out.tolist()} - {*forced})
        closes, n = auto.closes, info.d
    told = plan.on_pick
    on_pick = None if told is None else (lambda pick: told(label, pick))
    common: dict[str, Any] = {
        "forced": forced,
        "excluded": excluded,
        "name": plan.name,
        "on_pick": on_pick,
    }
    if n is None and plan.criterion.search == "best first":
        return best_first(plan.criterion, info, **common)
    if n is None:
        n = Asked(plan.criterion, info, plan.name).size()
    if n is None:
        n = max(1, len(ready.grouping.members) // 2)
    n = min(max(n, len(forced)), left)
    return greedy(plan.criterion, info, n, closes=closes, **common)


def _rounded(values: np.ndarray) -> np.ndarray:
    """Relevances that differ by rounding only are made equal, so that columns decide."""
    return np.round(values / 1e-12)


def n_of(n: Any, candidates: int, features: int) -> int | None:
    """The number of features that is asked for; None where it is not a number.

    Examples
    --------
    >>> n_of(0.1, 1836, 1836)
    184
    """
    if n is None or (isinstance(n, str) and n == "auto"):
        return None
    if isinstance(n, (bool, np.bool_, str)) or not isinstance(
        n, (int, float, np.integer, np.floating)
    ):
        msg = (
            f"n is a number of features, a share of them in (0, 1], or 'auto', not {printable(n)!r}"
        )
        raise UsageError(msg)
    if isinstance(n, (float, np.floating)):
        if not 0 < n <= 1:
            msg = f"n = {n} is no share: a share of the features lies in (0, 1]"
            raise UsageError(msg)
        return min(candidates, max(1, int(np.floor(float(n) * features + 0.5))))
    if n < 1:
        msg = f"n = {n}: select at least one feature"
        raise UsageError(msg)
    if n > candidates:
        msg = f"n = {n} features are asked for, but there are {candidates} to choose from"
        raise UsageError(msg)
    return int(n)


def _start_of(start: Any, label: str) -> Any:
    """The columns of an earlier selection, for all labels or for one."""
    if start is None:
        return ()
    if isinstance(start, Selection):
        ranking = start.labels.get(label, start) if label else start
        return ranking.names
    if isinstance(start, Mapping):
        if start.get("schema") != SCHEMA:
            msg = (
                f"start is no selection of schema {SCHEMA}: "
                "give what mlfs select --format json wrote"
            )
            raise UsageError(msg)
        try:
            subsets = {one["name"]: one["selected"] for one in start.get("labels", ())}
            picked = subsets[label] if label in subsets else start["selected"]
            return [str(one["name"]) for one in picked]
        except (KeyError, TypeError, AttributeError) as error:
            msg = f"start is a damaged selection: {printable(repr(error))} is not as expected"
            raise UsageError(msg) from error
    return start


def checked_count(count: Any, what: str) -> int | None:
    """Refuse what is no whole number from 1 on; None stays None."""
    if count is None:
        return None
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        msg = f"{what} is a whole number from 1 on, not {printable(count)!r}"
        raise UsageError(msg)
    return int(count)


def checked_seed(seed: Any) -> int:
    """Refuse what is no whole number from 0 on."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        msg = f"seed is a whole number from 0 on, not {printable(repr(seed))}"
        raise UsageError(msg)
    return int(seed)


def checked_share(value: Any, what: str) -> float:
    """Refuse what does not lie between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        msg = f"{what} lies between 0 and 1, not {printable(value)!r}"
        raise UsageError(msg)
    return float(value)
