"""Greedy forward selection: the loop that all criteria share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mlfs.criteria import Criterion, PairCriterion, SetCriterion
from mlfs.information.for_search import most_sweep_cost, terms_only_add
from mlfs.information.info import Info
from mlfs.search.checked import CheckedCriterion
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
    lazy: bool | str = "auto",
    time_is_up: Callable[[], bool] | None = None,
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
        Called with every picked column; returns a mask of the candidates that are no longer worth
        picking.
    lazy : bool or "auto"
        Whether terms that cannot change the picks are left uncounted, for a criterion whose
        scores fall; "auto" does so where it is faster. The picks are the same.
    time_is_up : callable, optional
        Called after every pick; the search ends when it returns True.

    Returns
    -------
    SearchResult
        The picks; those made so far if a KeyboardInterrupt ended the search.
    """
    result = SearchResult()
    scores: CandidateScores | None = None
    try:
        scores = _candidate_scores(CheckedCriterion(criterion, info, name), lazy)
        is_open = np.ones(info.d, bool)
        if len(excluded):
            is_open[np.isin(info.features, np.asarray(excluded, np.int64))] = False
        for rank in range(n):
            required = _position(info.features, forced[rank]) if rank < len(forced) else -1
            if required < 0 and closes is None and isinstance(scores, FixedScores):
                scores.pick_rest(is_open, n - rank, on_pick)
                break
            position = scores.pick(is_open, required)
            if position < 0:
                break
            is_open[position] = False
            column = int(info.features[position])
            if closes is not None:
                is_open &= ~closes(column)
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
    stopped = result.interrupted or result.timed_out
    result.exhausted = len(result.picks) < n and not stopped
    return result


def _candidate_scores(checked: CheckedCriterion, lazy: bool | str) -> CandidateScores:
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
