"""Best-first search: for the set of greatest merit, expanding the best set still open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from mlfs._kernels.choosing import TIE
from mlfs.criteria import Criterion
from mlfs.information.info import Info
from mlfs.search.checked import CheckedCriterion
from mlfs.search.greedy import greedy
from mlfs.search.picks import Pick, SearchResult

PATIENCE = 5  # expansions without progress after which the search gives up


def best_first(
    criterion: Criterion,
    info: Info,
    *,
    forced: Sequence[int] = (),
    excluded: Sequence[int] = (),
    name: str = "criterion",
    on_pick: Callable[[Pick], object] | None = None,
    time_is_up: Callable[[], bool] | None = None,
) -> SearchResult:
    """Search for the set of greatest merit, expanding the best set that is still open.

    The search gives up after five expansions in a row that found no better set. Sets whose
    merits differ by rounding count as equally good: the one found first stays, and of the
    sets of one expansion the lowest column goes first.

    Parameters
    ----------
    criterion, info, forced, excluded, name, on_pick
        As for `greedy`.
    time_is_up : callable, optional
        Called after every expansion; the search ends when it returns True.

    Returns
    -------
    SearchResult
        The best set, in the order in which it grew.
    """
    closed = np.isin(info.features, np.asarray(excluded, np.int64))
    result = SearchResult()
    best = list(forced)
    seen: set[frozenset[int]] = set()
    fronts: list[_Front] = []
    current: list[int] | None = best
    stale = 0
    try:
        checked = CheckedCriterion(criterion, info, name)
        best_merit = _merit_of_start(checked, best)
        while current is not None and stale < PATIENCE:
            seen.add(frozenset(current))
            fronts.append(_Front(checked, current, closed))
            merit = fronts[-1].merit
            if merit > best_merit + TIE:
                best, best_merit, stale = fronts[-1].best, merit, 0
            else:
                stale += 1
            current = _next_open(fronts, seen)
            if current is not None and time_is_up is not None and time_is_up():
                result.timed_out = True
                break
    except KeyboardInterrupt:
        result.interrupted = True
    # A greedy search repeats the picks, so that every one can be explained.
    grown = greedy(criterion, info, len(best), forced=best, excluded=excluded, name=name)
    picks = replace(grown.picks, forced=np.isin(grown.picks.columns, forced))
    result.picks, stopped = picks.report(on_pick)
    result.interrupted |= grown.interrupted | stopped
    return result


def _merit_of_start(checked: CheckedCriterion, start: list[int]) -> float:
    """The merit of the set that the search starts from, the parents of the label included."""
    if not start:
        return checked.merit_of_nothing()
    position = np.flatnonzero(checked.info.features == start[-1])[0]
    return float(checked.merit(start[:-1])[position])


class _Front:
    """The sets that one expansion made, best first; of equally good ones the lowest column."""

    def __init__(self, checked: CheckedCriterion, base: list[int], closed: np.ndarray) -> None:
        self.base = base
        features = checked.info.features
        taken = closed | np.isin(features, np.asarray(base, np.int64))
        merits = np.where(taken, -np.inf, checked.merit(base))
        order = np.argsort(-merits, kind="stable")
        order = order[: int(np.isfinite(merits).sum())]
        # neighbours in the order that differ by rounding belong together
        clusters = np.concatenate([[0], np.cumsum(-np.diff(merits[order]) > TIE)])[: order.size]
        order = order[np.lexsort((features[order], clusters))]
        self._columns, self._merits = features[order], merits[order]
        self._next = 0

    @property
    def merit(self) -> float:
        """The merit of the best remaining set."""
        if self._next == self._columns.size:
            return -np.inf
        return float(self._merits[self._next])

    @property
    def best(self) -> list[int]:
        """The best remaining set."""
        return [*self.base, int(self._columns[self._next])]

    def skip(self, seen: set[frozenset[int]]) -> None:
        """Pass over the sets that were expanded already."""
        while self.merit > -np.inf and frozenset(self.best) in seen:
            self._next += 1


def _next_open(fronts: list[_Front], seen: set[frozenset[int]]) -> list[int] | None:
    for front in fronts:
        front.skip(seen)
    top = max(front.merit for front in fronts)
    if top == -np.inf:
        return None
    return next(front.best for front in fronts if front.merit >= top - TIE)
