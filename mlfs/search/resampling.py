"""Resampling: what each pick would have been on halves of the rows, earlier picks held.

The halves are drawn without replacement and come in complementary pairs (Shah & Samworth, 2013). An
estimate of half of the rows differs from that of all, to first order, as that of all differs from
the truth: with the same variance as the bootstrap, and with the same bias of counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlfs._kernels.choosing import leaders
from mlfs.criteria import Criterion
from mlfs.information.for_search import shared_uncertainty
from mlfs.information.info import Info
from mlfs.search.certainty import Certainty, Substitute
from mlfs.search.checked import CheckedCriterion
from mlfs.search.greedy import candidate_scores, greedy
from mlfs.search.panel import PanelRun
from mlfs.search.picks import SearchResult
from mlfs.search.scores import WIDE, by_cost

COVERED = 0.95  # the share of the resamples in which the pick or a substitute wins
TAIL = 0.025  # on either side of an interval
ROUNDING = 1e-9


def halves(rows: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """Masks of halves of the rows, in complementary pairs; of an odd number one row is in neither.

    Examples
    --------
    >>> first, second = halves(5, 2, seed=0)
    >>> int(first.sum()), int(second.sum()), bool((first & second).any())
    (2, 2, False)
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    order = np.zeros(0, np.int64)
    for i in range(resamples):
        if i % 2 == 0:
            order = generator.permutation(rows)
        mask = np.zeros(rows, bool)
        start = (i % 2) * (rows // 2)
        mask[order[start : start + rows // 2]] = True
        yield mask


@dataclass
class Replay:
    """One resample.

    Parameters
    ----------
    winners : list of ndarray of int
        The columns with the best score for each place, earlier picks held.
    scores : list of float
        The score of each pick.
    ranks : list of int
        The rank of each pick where all are made anew; the number of picks + 1 if it is not there.
    """

    winners: list[np.ndarray]
    scores: list[float]
    ranks: list[int]


def replay(criterion: Criterion, info: Info, result: SearchResult, name: str) -> Replay:
    """Make every pick of a search again on other rows, earlier picks held, and all anew.

    Parameters
    ----------
    criterion : Criterion
        Scores the candidates.
    info : Info
        The other rows, with all candidates.
    result : SearchResult
        The picks, and how long each candidate was open.
    name : str
        The name of the criterion in errors.
    """
    panel: PanelRun | None = result.panel
    lazy: Any = "auto" if info.d >= WIDE and panel is None else False
    scores = candidate_scores(CheckedCriterion(criterion, info, name), lazy)
    columns = result.picks.columns.tolist()
    ratios = None if panel is None else panel.constraints(scores.features).ratios
    winners, own = [], []
    for rank, column in enumerate(columns):
        allowed = None if panel is None else panel.allowed[rank]
        is_open = result.open_until > rank if allowed is None else allowed
        values = scores.scores(is_open, column)
        compared = values if ratios is None else by_cost(values, ratios)
        best, _, tied, least = leaders(
            compared, is_open, scores.features, scores.relevance, scores.total, rank > 0, -1
        )
        group = np.flatnonzero((compared >= least) & is_open) if tied else np.array([best])
        winners.append(group[group >= 0])
        own.append(float(values[column]))
        if rank + 1 < len(columns):
            scores.take(column)
    forced = [column for column, asked in zip(columns, result.picks.forced, strict=True) if asked]
    closed = np.flatnonzero(result.open_until == 0).tolist()
    anew = greedy(
        criterion,
        info,
        len(columns),
        forced=forced,
        excluded=closed,
        name=name,
        lazy=lazy,
        panel=None if panel is None else panel.constraints(scores.features),
    )
    if anew.interrupted:
        raise KeyboardInterrupt
    place = {column: i + 1 for i, column in enumerate(anew.picks.columns.tolist())}
    return Replay(winners, own, [place.get(column, len(columns) + 1) for column in columns])


def certainties(
    result: SearchResult, replays: Sequence[Replay], info: Info
) -> tuple[Certainty | None, ...]:
    """Sum up the resamples for each pick; None for one that was asked for, not chosen.

    The interval of a score is the score less the quantiles of what resamples deviate by: so the
    bias of counts, which resamples have twice, is taken off.
    """
    columns, picks = result.picks.columns.tolist(), result.picks
    out: list[Certainty | None] = []
    for i, column in enumerate(columns):
        if picks.forced[i]:
            out.append(None)
            continue
        before = result.certainty[i] if result.certainty else None
        shares = _shares(run.winners[i] for run in replays)
        others = [j for j in _smallest_set(shares) if j != column]
        shared = shared_uncertainty(info, column, others)
        score = float(picks.scores[i])
        low, high = _quantiles([run.scores[i] for run in replays])
        first, last = _quantiles([run.ranks[i] for run in replays])
        out.append(
            replace(
                before or Certainty(),
                kept=shares.get(column, 0.0),
                substitutes=tuple(
                    Substitute(j, "", shares[j], float(value))
                    for j, value in zip(others, shared, strict=True)
                ),
                score_interval=(2 * score - high, 2 * score - low),
                rank_interval=(_rank(first, len(columns)), _rank(last, len(columns))),
            )
        )
    return tuple(out)


def _shares(groups: Iterable[np.ndarray]) -> dict[int, float]:
    """The share of the resamples that each column wins; a tie is shared."""
    votes: dict[int, float] = {}
    n = 0
    for group in groups:
        n += 1
        for column in group.tolist():
            votes[column] = votes.get(column, 0.0) + 1 / group.size
    return {column: vote / n for column, vote in votes.items()}


def _smallest_set(shares: dict[int, float]) -> list[int]:
    """The fewest columns that win in 95 %, most first, and all that win as often as the last.

    Examples
    --------
    >>> _smallest_set({4: 0.3, 7: 0.66, 2: 0.03, 1: 0.01})
    [7, 4]
    """
    order = sorted(shares, key=lambda column: (-shares[column], column))
    covered = np.cumsum([shares[column] for column in order])
    n = int(np.searchsorted(covered, COVERED - ROUNDING)) + 1
    least = shares[order[min(n, len(order)) - 1]] - ROUNDING if order else 0.0
    return [column for column in order if shares[column] >= least]


def _quantiles(values: Sequence[float]) -> tuple[float, float]:
    low, high = np.quantile(values, [TAIL, 1 - TAIL], method="inverted_cdf")
    return float(low), float(high)


def _rank(rank: float, n: int) -> int | None:
    return int(rank) if rank <= n else None
