"""Greedy forward selection, the loop that all criteria share; and best-first search for a set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from mlfs._kernels.choosing import TIE
from mlfs.criteria import Criterion, PairCriterion, SetCriterion
from mlfs.information.for_search import most_sweep_cost, terms_only_add
from mlfs.information.info import Info
from mlfs.search.checked import CheckedCriterion
from mlfs.search.panel import Constraints
from mlfs.search.picks import Pick, SearchResult
from mlfs.search.scores import (
    PRICE,
    CandidateScores,
    FixedScores,
    LazyScores,
    PairScores,
    SetScores,
)


def greedy(
    criterion: Criterion,
    info: Info,
    n: int,
    *,
    forced: Sequence[int] = (),
    excluded: Sequence[int] = (),
    name: str = "criterion",
    on_pick: Callable[[Pick], object] | None = None,
    closes: Callable[[int], np.ndarray] | None = None,
    accepts: Callable[[int], bool] | None = None,
    lazy: bool | str = "auto",
    time_is_up: Callable[[], bool] | None = None,
    panel: Constraints | None = None,
) -> SearchResult:
    """Pick features one after the other, each with the best score by the criterion.

    Parameters
    ----------
    criterion : Criterion
        Scores the candidates.
    info : Info
        The view of the data: its candidates and its labels.
    n : int
        The number of picks; there are fewer when no candidate is left.
    forced : sequence of int
        Columns that are picked first, in this order.
    excluded : sequence of int
        Columns that are never picked.
    name : str
        The name of the criterion in errors.
    on_pick : callable, optional
        Called with every pick as soon as it is made.
    closes : callable, optional
        With a panel: called with every picked column; returns a mask of the candidates that are no
        longer worth picking.
    accepts : callable, optional
        Called with the best candidate; where it returns False, the candidate is never picked. It is
        called with forced columns, too, which are picked in any case.
    lazy : bool or "auto"
        Whether terms that cannot change the picks are left uncounted, for a criterion whose
        scores fall; "auto" does so where it is faster. The picks are the same.
    time_is_up : callable, optional
        Called after every pick; the search ends when it returns True.
    panel : Constraints, optional
        Constraints that the picks obey.

    Returns
    -------
    SearchResult
        The picks; those made so far if a KeyboardInterrupt ended the search.
    """
    result = SearchResult()
    scores: CandidateScores | None = None
    try:
        if panel is not None and panel.demands.by_cost:
            lazy = False  # what is best for its cost may be far behind in score
        scores = candidate_scores(CheckedCriterion(criterion, info, name), lazy)
        is_open = np.ones(info.d, bool)
        result.open_until = np.full(info.d, n)
        if len(excluded):
            is_open[np.isin(info.features, np.asarray(excluded, np.int64))] = False
            result.open_until[~is_open] = 0
        for rank in range(n):
            required = _position(info.features, forced[rank]) if rank < len(forced) else -1
            simple = accepts is None and panel is None
            if required < 0 and simple and isinstance(scores, FixedScores):
                scores.pick_rest(is_open, n - rank, on_pick)
                break
            if panel is None:
                position = scores.pick(is_open, required)
                while position >= 0 and accepts is not None:
                    if accepts(int(info.features[position])) or required >= 0:
                        break
                    is_open[position] = False
                    result.open_until[position] = rank
                    scores.undo()
                    position = scores.pick(is_open, required, again=True)
            else:
                position = panel.pick(scores, is_open, required)
            if position < 0:
                break
            is_open[position] = False
            column = int(info.features[position])
            if closes is not None and panel is not None:
                panel.close(closes(column))
            if on_pick is not None:
                on_pick(scores.picks(rank)[0])
            if rank + 1 < n and time_is_up is not None and time_is_up():
                result.timed_out = True
                break
            if rank + 1 < n:
                scores.take(column)
    except KeyboardInterrupt:
        result.interrupted = True
    if scores is not None:
        result.picks, result.counted, result.eager = scores.picks(), scores.counted, scores.eager
        order = np.argsort(info.features)
        places = np.searchsorted(info.features, result.picks.columns, sorter=order)
        result.open_until[order[places]] = np.arange(1, len(result.picks) + 1)
    stopped = result.interrupted or result.timed_out
    result.exhausted = len(result.picks) < n and not stopped
    return result


def candidate_scores(checked: CheckedCriterion, lazy: bool | str) -> CandidateScores:
    """Choose how candidates are scored: by the kind of criterion, lazily where it pays."""
    kind = type(checked.criterion)
    if checked.criterion.search == "best first" or isinstance(checked.criterion, SetCriterion):
        return SetScores(checked)
    if isinstance(checked.criterion, PairCriterion):
        return PairScores(checked)
    if all(getattr(kind, name) is getattr(Criterion, name) for name in ("start", "term", "score")):
        return FixedScores(checked)
    is_lazy = lazy is True or (lazy == "auto" and most_sweep_cost(checked.info) >= PRICE)
    if checked.criterion.falls and is_lazy and terms_only_add(checked.info):
        return LazyScores(checked, insist=lazy is True)
    return CandidateScores(checked)


def _position(features: np.ndarray, column: int) -> int:
    if column < features.size and features[column] == column:  # all columns are candidates
        return column
    return int(np.flatnonzero(features == column)[0])


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
    result.open_until = grown.open_until
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
