"""The greedy loop, once. Knows no criterion by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlfs.criteria import Criterion
from mlfs.information.info import Info
from mlfs.search.checked import Asked
from mlfs.search.lazy import Lazy
from mlfs.search.picks import Path, Pick
from mlfs.search.scores import Fixed, Merits, Standing

__all__ = ["Path", "Pick", "greedy"]


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
    lazy : bool or "auto"
        Leave terms uncounted that cannot matter, where the criterion says that its scores fall;
        "auto" does so where it is faster. The picks are the same.

    Returns
    -------
    Path
        The picks; marked when a KeyboardInterrupt cut it short.
    """
    asked = Asked(criterion, info, name)
    path = Path()
    is_open = np.ones(info.d, bool)
    if len(excluded):
        is_open[np.isin(info.features, np.asarray(excluded, np.int64))] = False
    queue = list(forced)
    try:
        standing = _standing(asked, lazy)
        while len(path.picks) < n:
            at = _position(info.features, queue.pop(0)) if queue else -1
            pick = standing.pick(is_open, at)
            if pick is None:
                path.exhausted = True
                break
            path.picks.append(pick)
            is_open[_position(info.features, pick.index)] = False
            if closes is not None:
                is_open &= ~closes(pick.index)
            if on_pick is not None:
                on_pick(pick)
            if len(path.picks) < n:
                standing.take(pick.index)
            path.counted, path.eager = standing.counted, standing.eager
    except KeyboardInterrupt:
        path.interrupted = True
    return path


def _standing(asked: Asked, lazy: Any) -> Standing:
    kind = type(asked.criterion)
    if asked.criterion.search == "best first":
        return Merits(asked)
    if kind.term is Criterion.term and kind.score is Criterion.score:
        return Fixed(asked)
    if asked.criterion.falls and lazy in {True, "auto"}:
        return Lazy(asked, insist=lazy is True)
    return Standing(asked)


def _position(features: np.ndarray, column: int) -> int:
    if column < features.size and features[column] == column:  # all candidates are there
        return column
    return int(np.flatnonzero(features == column)[0])
