"""One search with the options of a user: how many picks, which first, which never, when to stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlfs.api.candidates import columns_named
from mlfs.api.options import n_of
from mlfs.api.prepared import Prepared
from mlfs.api.selection import SCHEMA, Selection
from mlfs.criteria import Criterion
from mlfs.errors import Caution, UsageError, plural, printable
from mlfs.information.info import Info
from mlfs.search.best_first import best_first
from mlfs.search.checked import CheckedCriterion
from mlfs.search.greedy import greedy
from mlfs.search.picks import Pick, SearchResult
from mlfs.search.stopping import AutoStop

__all__ = ["NOTHING_MORE", "Plan", "search", "sides"]

NOTHING_MORE = "nothing more"  # a value of n: only the picks that are included or started from


@dataclass(frozen=True)
class Plan:
    """The options of a search; see `mlfs.select` for their meaning."""

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
    max_seconds: float | None = None
    began: float = field(default_factory=time.perf_counter)

    def time_is_up(self) -> bool:
        """Whether the time that was given is over."""
        spent = time.perf_counter() - self.began
        return self.max_seconds is not None and spent >= self.max_seconds


def search(plan: Plan, ready: Prepared, info: Info, label: str = "") -> SearchResult:
    """Search for all labels together, or for the one that the view is on.

    Parameters
    ----------
    plan : Plan
        The options.
    ready : Prepared
        The data.
    info : Info
        The view that is searched, on all candidates.
    label : str
        Its label's name; empty for all labels.
    """
    _refuse_few_labels(plan, info)
    forced, excluded = sides(plan, ready, label)
    n = _number(plan, info, len(forced), len(excluded))
    closes: Callable[[int], np.ndarray] | None = None
    auto: AutoStop | None = None
    if plan.n == "auto":
        auto = AutoStop(info, alpha=plan.alpha, min_gain=plan.min_gain, seed=plan.seed)
        excluded = sorted({*excluded, *auto.left_out.tolist()} - {*forced})
    view = info
    if plan.prefilter is not None:
        order = np.lexsort((info.features, -_rounded(info.mi_fL)))
        kept = order[~np.isin(order, excluded)][: plan.prefilter]
        view = info.only(sorted({*kept.tolist(), *forced}))
    if auto is not None:
        closes, n = (lambda s: auto.closes(s)[view.features]), view.d
    on_pick = plan.on_pick
    common: dict[str, Any] = {
        "forced": forced,
        "excluded": excluded,
        "name": plan.name,
        "on_pick": None if on_pick is None else (lambda pick: on_pick(label, pick)),
        "time_is_up": None if plan.max_seconds is None else plan.time_is_up,
    }
    if n is None:
        result = best_first(plan.criterion, view, **common)
        result.note = "" if len(result.picks) else "no feature makes the set better"
        result.note = _out_of_time(plan, result) or result.note
        return result
    result = greedy(plan.criterion, view, n, closes=closes, lazy=plan.lazy, **common)
    result.note = _out_of_time(plan, result) or _why_fewer(plan, result, n, view.d < info.d)
    result.significance = None if auto is None else auto.significance
    return result


def _refuse_few_labels(plan: Plan, info: Info) -> None:
    least = plan.criterion.least_labels
    if info.q < least:
        msg = f"the criterion {plan.name} compares labels with one another: it needs at least "
        msg += f"{plural(least, 'label')} together, and here is {info.q}"
        raise UsageError(msg, remedy="take another criterion, or all labels together")


def sides(plan: Plan, ready: Prepared, label: str) -> tuple[list[int], list[int]]:
    """Find the candidates that are picked first, and those that are never picked."""
    names = ready.dataset.names
    begun = columns_named(_start_of(plan.start, label), names, "start")
    forced = ready.grouping.candidates([*begun, *plan.forced])
    excluded = ready.grouping.candidates(plan.excluded)
    clash = sorted({*forced} & {*excluded})
    if clash:
        column = ready.grouping.members[clash[0]][0]
        msg = f"the column {printable(names[column])!r} is both included and excluded: "
        raise UsageError(msg + "leave it out of one of the two")
    return forced, excluded


def _number(plan: Plan, info: Info, forced: int, excluded: int) -> int | None:
    """Find the number of picks; None leaves it to best-first search."""
    left = info.d - excluded
    if left == 0:
        msg = "every feature is excluded, and there is nothing to select from"
        raise UsageError(msg)
    if plan.n == NOTHING_MORE:
        return forced
    n = n_of(plan.n, left, info.d)
    if n is not None and n < forced:
        msg = f"is {n}, but {forced} features are included or started from: raise it, or name fewer"
        raise UsageError(msg, option="n")
    if n is None and plan.criterion.search != "best first":
        n = CheckedCriterion(plan.criterion, info, plan.name).size()
        n = max(1, info.d // 2) if n is None else n
    return None if n is None else min(max(n, forced), left)


def _out_of_time(plan: Plan, result: SearchResult) -> str:
    if not result.timed_out:
        return ""
    made = plural(len(result.picks), "pick")
    return Caution(f"stopped after {made}: max_seconds={plan.max_seconds:g} was up")


def _why_fewer(plan: Plan, result: SearchResult, n: int, filtered: bool) -> str:
    made = len(result.picks)
    if result.interrupted or made >= n:
        return ""
    if plan.n == "auto":
        return "" if made else "no feature tells more than chance would"
    if filtered:
        why = "prefilter leaves no more candidates"
    else:
        why = f"{plan.name} would never pick the others"
    if plan.n is None:
        return f"{made} of {n} features: {why}"
    return f"fewer features than asked for, {made} of {n}: {why}"


def _rounded(values: np.ndarray) -> np.ndarray:
    """Make values equal that differ by rounding only, so that the lower column goes first."""
    return np.round(values / 1e-12)


def _start_of(start: Any, label: str) -> Any:
    """Give the columns of an earlier selection, for all labels or for one."""
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
