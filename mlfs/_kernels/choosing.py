"""Compare the scores of all candidates: the best, the next best, and those that might be best."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled, inner

TIE = 1e-12  # differences of this relative size are rounding


@inner
def _tolerance(relevance: float, total: float, with_total: bool) -> float:
    scale = abs(relevance)
    if with_total and abs(total) < np.inf:
        scale += abs(total)
    return TIE * (scale if scale > 1.0 else 1.0)  # noqa: FURB136  # max is slow to compile


@compiled
def leaders(
    scores: Any,
    is_open: Any,
    features: Any,
    relevance: Any,
    total: Any,
    with_total: bool,
    forced: int,
) -> tuple[int, int, int, float]:
    """Find the pick, the runner-up, the number of other tied candidates, and the least tied score.

    Both are positions, or -1 if there is none. Of tied candidates the lowest column is the pick.
    """
    best = -1
    second = -1
    top = -np.inf
    next_to = -np.inf
    for f in range(scores.size):
        score = scores[f]
        if score > next_to and is_open[f] and f != forced:
            if score > top:
                second = best
                next_to = top
                best = f
                top = score
            else:
                second = f
                next_to = score
    if forced >= 0:
        return forced, best, 0, np.inf
    if best < 0:
        return -1, -1, 0, np.inf
    limit = top - _tolerance(relevance[best], total[best], with_total)
    if next_to < limit or second < 0:
        return best, second, 0, limit
    pick = -1
    second = -1
    tied = -1
    for f in range(scores.size):
        if scores[f] >= limit and is_open[f]:
            tied += 1
            if pick < 0 or features[f] < features[pick]:
                second = pick
                pick = f
            elif second < 0 or features[f] < features[second]:
                second = f
    return pick, second, tied, limit


@compiled
def leaders_of(
    candidates: Any, scores: Any, is_open: Any, relevance: Any, total: Any, forced: int
) -> tuple[float, float]:
    """Find the score of the second best of some candidates, and the tolerance of the best.

    A forced pick does not compete, and the best of the others counts as second.
    """
    best = -1
    second = -np.inf
    top = -np.inf
    for i in range(candidates.size):
        f = candidates[i]
        if is_open[f] and f != forced:
            score = scores[f]
            if score > top:
                second = top
                top = score
                best = f
            elif score > second:
                second = score
    if best < 0:
        return -np.inf, 0.0
    if forced >= 0:
        second = top
    return second, _tolerance(relevance[best], total[best], True)


@compiled
def stale_ones(
    bounds: Any, is_open: Any, folded: Any, n_picked: int, least: float, out: Any
) -> int:
    """Collect the open candidates that lack terms and whose bound reaches `least`."""
    n = 0
    for f in range(bounds.size):
        if bounds[f] >= least and bounds[f] > -np.inf and is_open[f] and folded[f] < n_picked:
            out[n] = f
            n += 1
    return n
