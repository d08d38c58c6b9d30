"""One search as the user wants it: how many, what first, what never, and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.api.candidates import columns_named
from mlfs.api.prepared import Prepared
from mlfs.api.selection import SCHEMA, Selection
from mlfs.api.validate import n_of
from mlfs.criteria import Criterion
from mlfs.errors import UsageError, printable
from mlfs.information.info import Info
from mlfs.search.best_first import best_first
from mlfs.search.checked import Asked
from mlfs.search.greedy import greedy
from mlfs.search.picks import Path, Pick
from mlfs.search.stopping import AutoStop

__all__ = ["NOTHING_MORE", "Outcome", "Plan", "search"]

NOTHING_MORE = "nothing more"  # an n: the picks that are asked for by name, and no other


@dataclass(frozen=True)
class Plan:
    """What was asked for; see `mlfs.select` for the meaning of each."""

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
    lazy: bool | str = "auto"


@dataclass(frozen=True)
class Outcome:
    """The picks, and why there are fewer than were asked for, if there are."""

    path: Path
    note: str = ""


def search(plan: Plan, ready: Prepared, info: Info, label: str = "") -> Outcome:
    """Search for all labels together, or for the one that the view is on.

    Parameters
    ----------
    plan : Plan
        What was asked for.
    ready : Prepared
        The data.
    info : Info
        The view that is searched, on all candidates.
    label : str
        Its label's name; empty for all labels.
    """
    forced, excluded = _sides(plan, ready, label)
    n = _number(plan, info, len(forced), len(excluded))
    closes = None
    if plan.n == "auto":
        auto = AutoStop(info, alpha=plan.alpha, min_gain=plan.min_gain, seed=plan.seed)
        excluded = sorted({*excluded, *auto.left_out.tolist()} - {*forced})
    view = info
    if plan.prefilter is not None:
        order = np.lexsort((info.features, -_rounded(info.mi_fL)))
        kept = order[~np.isin(order, excluded)][: plan.prefilter]
        view = info.only(sorted({*kept.tolist(), *forced}))
    if plan.n == "auto":
        closes = _on_view(auto.closes, view)
        n = view.d
    told = plan.on_pick
    common: dict[str, Any] = {
        "forced": forced,
        "excluded": excluded,
        "name": plan.name,
        "on_pick": None if told is None else (lambda pick: told(label, pick)),
    }
    if n is None:
        path = best_first(plan.criterion, view, **common)
        return Outcome(path, "" if path.picks else "no feature makes the set better")
    path = greedy(plan.criterion, view, n, closes=closes, lazy=plan.lazy, **common)
    return Outcome(path, _why_fewer(plan, path, n, view.d < info.d))


def _sides(plan: Plan, ready: Prepared, label: str) -> tuple[list[int], list[int]]:
    """The candidates that are picked first, and those that never are."""
    names = ready.dataset.names
    begun = columns_named(_start_of(plan.start, label), names, "start")
    forced = ready.grouping.candidates([*begun, *plan.forced])
    excluded = ready.grouping.candidates(plan.excluded)
    clash = sorted({*forced} & {*excluded})
    if clash:
        column = ready.grouping.members[clash[0]][0]
        msg = f"the column {printable(names[column])!r} is both included and excluded"
        raise UsageError(msg)
    return forced, excluded


def _number(plan: Plan, info: Info, forced: int, excluded: int) -> int | None:
    """How many to pick; None leaves it to best-first search."""
    left = info.d - excluded
    if left == 0:
        msg = "every feature is excluded, and there is nothing to select from"
        raise UsageError(msg)
    if plan.n == NOTHING_MORE:
        return forced
    n = n_of(plan.n, left, info.d)
    if n is not None and n < forced:
        msg = (
            f"n = {n} features are asked for, but {forced} are included or started from: "
            "raise n, or name fewer"
        )
        raise UsageError(msg)
    if n is None and plan.criterion.search != "best first":
        n = Asked(plan.criterion, info, plan.name).size()
        n = max(1, info.d // 2) if n is None else n
    return None if n is None else min(max(n, forced), left)


def _on_view(closes: Callable[[int], np.ndarray], view: Info) -> Callable[[int], np.ndarray]:
    return lambda s: closes(s)[view.features]


def _why_fewer(plan: Plan, path: Path, n: int, filtered: bool) -> str:
    if path.interrupted or len(path.picks) >= n:
        return ""
    if plan.n == "auto":
        return "" if path.picks else "no feature tells more than chance would"
    if filtered:
        why = "prefilter leaves no more candidates"
    else:
        why = f"{plan.name} would never pick the others"
    return f"fewer features than asked for, {len(path.picks)} of {n}: {why}"


def _rounded(values: np.ndarray) -> np.ndarray:
    """Relevances that differ by rounding only are made equal, so that columns decide."""
    return np.round(values / 1e-12)


def _start_of(start: Any, label: str) -> Any:
    """The columns of an earlier selection, for all labels or for one."""
    if start is None:
        return ()
    if isinstance(start, Selection):
        ranking = start.labels.get(label) if label and start.labels else start
        return () if ranking is None else ranking.names
    if isinstance(start, Mapping):
        if start.get("schema") != SCHEMA:
            msg = (
                f"start is no selection of schema {SCHEMA}: "
                "give what mlfs select --format json wrote"
            )
            raise UsageError(msg)
        try:
            subsets = {one["name"]: one["selected"] for one in start.get("labels", ())}
            picked = subsets.get(label, ()) if label and subsets else start["selected"]
            return [str(one["name"]) for one in picked]
        except (KeyError, TypeError, AttributeError) as error:
            msg = f"start is a damaged selection: {printable(repr(error))} is not as expected"
            raise UsageError(msg) from error
    return start
