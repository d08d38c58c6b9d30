"""The greedy loop, once; and best-first search beside it. Knows no criterion by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mlfs.asked import Asked
from mlfs.criteria import Criterion
from mlfs.info import Info

__all__ = ["Path", "Pick", "best_first", "greedy"]

TIE = 1e-12  # rounding, not information: must not decide
PATIENCE = 5  # expansions without progress after which best-first search gives up


@dataclass(frozen=True)
class Pick:
    """One picked feature and why it was picked.

    Parameters
    ----------
    index : int
        The column.
    score : float
        J of the pick when it was picked; ``relevance + label_correlation - redundancy``.
    relevance, redundancy, label_correlation : float
        The parts; a negative redundancy is what the picked features add.
    ties : tuple of int
        Columns that were as good; the lowest wins.
    runner_up : int or None
        The best column that was not as good, or the next tied one.
    margin : float
        What the pick was ahead of the runner-up by.
    forced : bool
        It was not chosen but asked for.
    """

    index: int
    score: float
    relevance: float
    redundancy: float
    label_correlation: float
    ties: tuple[int, ...] = ()
    runner_up: int | None = None
    margin: float = float("nan")
    forced: bool = False


@dataclass
class Path:
    """Picks in order: what a search returns, and what it has so far when interrupted."""

    picks: list[Pick] = field(default_factory=list)
    interrupted: bool = False
    exhausted: bool = False


class _Search:
    """The state of one search: relevances, and the fold over what is picked so far."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.info = asked, asked.info
        self.relevance = asked.relevance()
        self.correlation = asked.label_correlation()
        self.total = asked.start()
        self.picked: list[int] = []

    def scores(self) -> np.ndarray:
        if not self.picked:
            return self.relevance
        return self.asked.score(self.relevance, self.total, self.picked)

    def take(self, s: int) -> None:
        self.picked.append(s)
        self.total = self.asked.fold(self.total, self.asked.term(s))

    def tolerance(self, at: int) -> float:
        total = abs(self.total[at]) if self.picked else 0.0
        scale = abs(self.relevance[at]) + (total if np.isfinite(total) else 0.0)
        return TIE * max(1.0, scale)


class _Merits(_Search):
    """A search whose scores are merits of whole sets."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.info = asked, asked.info
        self.picked = []
        self.total = self.correlation = np.zeros(asked.info.d)
        self.relevance = asked.relevance()

    def scores(self) -> np.ndarray:
        return self.asked.merit(self.picked)

    def take(self, s: int) -> None:
        self.picked.append(s)


class _Fixed(_Search):
    """A search whose scores no pick changes: sorted once, then read off."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self._order = np.lexsort((self.info.features, -self.relevance))
        self._first = 0

    def take(self, s: int) -> None:
        self.picked.append(s)

    def front(self, is_open: np.ndarray) -> np.ndarray:
        """The open candidates that are as good as the best, and the next one."""
        while self._first < self._order.size and not is_open[self._order[self._first]]:
            self._first += 1
        found: list[int] = []
        for at in self._order[self._first :]:
            if is_open[at]:
                found.append(int(at))
                top = found[0]
                if self.relevance[at] < self.relevance[top] - self.tolerance(top):
                    break
        return np.array(found, np.int64)


def _search_of(asked: Asked) -> _Search:
    kind = type(asked.criterion)
    if asked.criterion.search == "best first":
        return _Merits(asked)
    if kind.term is Criterion.term and kind.score is Criterion.score:
        return _Fixed(asked)
    return _Search(asked)


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
) -> Path:
    """Pick features one after the other, each the best in the eyes of the criterion.

    Parameters
    ----------
    criterion : Criterion
        What scores the candidates.
    info : Info
        What the criterion may ask.
    n : int
        How many to pick; fewer come back when no candidate is left.
    forced : sequence of int
        Columns that are picked first, in this order.
    excluded : sequence of int
        Columns that are never picked.
    name : str
        How errors call the criterion.
    on_pick : callable, optional
        Called with every pick as soon as it is made.
    closes : callable, optional
        Called with every pick; tells which candidates are no longer worth picking.

    Returns
    -------
    Path
        The picks; marked when a KeyboardInterrupt cut it short.
    """
    asked = Asked(criterion, info, name)
    path = Path()
    is_open = np.ones(info.d, bool)
    is_open[np.isin(info.features, np.asarray(excluded, np.int64))] = False
    queue = list(forced)
    try:
        search = _search_of(asked)
        while len(path.picks) < n:
            pick = _choose(search, is_open, queue.pop(0) if queue else None)
            if pick is None:
                path.exhausted = True
                break
            path.picks.append(pick)
            is_open[np.flatnonzero(info.features == pick.index)] = False
            if closes is not None:
                is_open &= ~closes(pick.index)
            if on_pick is not None:
                on_pick(pick)
            if len(path.picks) < n:
                search.take(pick.index)
    except KeyboardInterrupt:
        path.interrupted = True
    return path


def _choose(search: _Search, is_open: np.ndarray, forced: int | None) -> Pick | None:
    features = search.info.features
    if isinstance(search, _Fixed) and forced is None:
        among = search.front(is_open)
        scores = search.relevance[among]
    else:
        among = np.arange(features.size)
        scores = np.where(is_open, search.scores(), -np.inf)
    if forced is None:
        best = int(scores.argmax()) if scores.size else 0
        if not scores.size or scores[best] == -np.inf:
            return None
        near = np.flatnonzero(scores >= scores[best] - search.tolerance(int(among[best])))
        tied = near[np.argsort(features[among[near]], kind="stable")]
        here, rest = int(tied[0]), tied[1:]
    else:
        here, rest = int(np.flatnonzero(features == forced)[0]), np.zeros(0, np.int64)
    others = scores.copy()
    others[here] = -np.inf
    second = int(rest[0]) if rest.size else int(others.argmax())
    has_second = bool(np.isfinite(others[second]))
    at = int(among[here])
    score = float(scores[here])
    relevance = float(search.relevance[at] - search.correlation[at])
    correlation = float(search.correlation[at])
    finite = np.isfinite(score) and np.isfinite(relevance)
    return Pick(
        index=int(features[at]),
        score=score,
        relevance=relevance,
        redundancy=relevance + correlation - score if finite else 0.0,
        label_correlation=correlation,
        ties=tuple(int(features[among[j]]) for j in rest),
        runner_up=int(features[among[second]]) if has_second else None,
        margin=_margin(score, float(others[second]), forced) if has_second else float("nan"),
        forced=forced is not None,
    )


def _margin(score: float, second: float, forced: int | None) -> float:
    """How far ahead; of picks that are tied the lower column may be behind by rounding."""
    return score - second if forced is not None else max(0.0, score - second)


def best_first(
    criterion: Criterion,
    info: Info,
    *,
    forced: Sequence[int] = (),
    excluded: Sequence[int] = (),
    name: str = "criterion",
    on_pick: Callable[[Pick], object] | None = None,
) -> Path:
    """Search for the set of greatest merit, expanding the best set that is still open.

    The search gives up after five expansions in a row that found no better set. Sets whose
    merits differ by rounding count as equally good: the one found first stays, and of the
    sets of one expansion the lowest column goes first.

    Parameters
    ----------
    criterion, info, forced, excluded, name, on_pick
        As for `greedy`.

    Returns
    -------
    Path
        The best set, in the order in which it grew.
    """
    closed = np.isin(info.features, np.asarray(excluded, np.int64))
    path = Path()
    best = list(forced)
    seen: set[frozenset[int]] = set()
    fronts: list[_Front] = []
    current: list[int] | None = best
    stale = 0
    try:
        search = _Merits(Asked(criterion, info, name))
        best_merit = _merit_of_start(search, best)
        while current is not None and stale < PATIENCE:
            seen.add(frozenset(current))
            fronts.append(_Front(search, current, closed))
            found = fronts[-1].merit
            if found > best_merit + TIE:
                best, best_merit, stale = fronts[-1].best, found, 0
            else:
                stale += 1
            current = _next_open(fronts, seen)
    except KeyboardInterrupt:
        path.interrupted = True
    # Walk the set again as a greedy search would, so that every pick can be explained.
    grown = greedy(criterion, info, len(best), forced=best, excluded=excluded, name=name)
    path.interrupted |= grown.interrupted
    try:
        for pick in grown.picks:
            path.picks.append(replace(pick, forced=pick.index in forced))
            if on_pick is not None:
                on_pick(path.picks[-1])
    except KeyboardInterrupt:
        path.interrupted = True
    return path


def _merit_of_start(search: _Merits, start: list[int]) -> float:
    """The merit of the set that the search starts from, the parents of the label included."""
    if not start:
        return search.asked.merit_of_nothing()
    search.picked = start[:-1]
    at = np.flatnonzero(search.info.features == start[-1])[0]
    return float(search.scores()[at])


class _Front:
    """The sets that one expansion made, best first; of equally good ones the lowest column."""

    def __init__(self, search: _Merits, base: list[int], closed: np.ndarray) -> None:
        self.base = base
        search.picked = base
        features = search.info.features
        taken = closed | np.isin(features, np.asarray(base, np.int64))
        merits = np.where(taken, -np.inf, search.scores())
        order = np.argsort(-merits, kind="stable")
        order = order[: int(np.isfinite(merits).sum())]
        # neighbours in the order that differ by rounding belong together
        apart = np.concatenate([[0], np.cumsum(-np.diff(merits[order]) > TIE)])[: order.size]
        order = order[np.lexsort((features[order], apart))]
        self._columns, self._merits = features[order], merits[order]
        self._next = 0

    @property
    def merit(self) -> float:
        """The merit of the best set that is left."""
        left = self._next < self._columns.size
        return float(self._merits[self._next]) if left else -np.inf

    @property
    def best(self) -> list[int]:
        """The best set that is left."""
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
