"""From the picks of a search to the columns of the user: rankings, and the union of subsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from mlfs.api.candidates import Grouping
from mlfs.api.selection import TERMS, Ranking
from mlfs.search.picks import Picks, SearchResult

__all__ = ["ranking_of", "scaled", "union_of"]


def ranking_of(
    result: SearchResult, grouping: Grouping, names: Sequence[str], label: str = ""
) -> Ranking:
    """Name the columns of each pick; the columns of a group share its rank and its score."""
    picks = result.picks
    ranks = np.arange(1, len(picks) + 1)
    groups: tuple[str, ...] = ()
    if not grouping.trivial:
        members, candidates = grouping.members, picks.columns.tolist()
        rows = np.repeat(np.arange(len(picks)), [len(members[one]) for one in candidates])
        first = np.array([columns[0] for columns in members])
        columns = np.array([j for one in candidates for j in members[one]], np.int64)
        groups = tuple(grouping.names[one] for one in candidates for _ in members[one])
        others = np.where(picks.runners_up < 0, -1, first[picks.runners_up])
        picks = replace(picks, runners_up=others, tied=first[picks.tied])
        picks, ranks = replace(picks.taken(rows), columns=columns), ranks[rows]
    named = tuple(map(names.__getitem__, picks.columns.tolist()))
    tested = result.significance
    if tested is not None and not grouping.trivial:
        tested = replace(tested, columns=np.array([m[0] for m in grouping.members]))
    return Ranking(
        picks,
        ranks,
        named,
        groups,
        label=label,
        interrupted=result.interrupted,
        timed_out=result.timed_out,
        significance=tested,
    )


def union_of(by_label: Mapping[str, Ranking]) -> Ranking:
    """Unite the picks of all labels: by best rank, then by how many picked it, then by column.

    Score and terms are those of the label that ranked a column best; of several such labels, of
    the one with the highest score, so that the order of the labels does not matter.
    """
    parts = list(by_label.values())
    if not parts:
        return Ranking(Picks.none(), np.zeros(0, np.int64), ())
    picks = Picks.joined([part.picks for part in parts])
    rank = np.concatenate([part.ranks for part in parts])
    worth = (-picks.margins, picks.redundancy, -picks.relevance, -picks.scores)
    order = np.lexsort((*worth, rank, picks.columns))
    _, first, times = np.unique(picks.columns[order], return_index=True, return_counts=True)
    best = order[first]
    order = np.lexsort((picks.columns[best], -times, rank[best]))
    best, times = best[order], times[order]
    names = [name for part in parts for name in part.names]
    groups = [group for part in parts for group in part.groups]
    return Ranking(
        picks.taken(best),
        np.arange(1, best.size + 1),
        tuple(names[i] for i in best),
        tuple(groups[i] for i in best) if groups else (),
        times,
    )


def scaled(ranking: Ranking, factor: float) -> Ranking:
    """Express scores and terms in another unit."""
    if factor == 1.0:
        return ranking
    changed = ("scores", "margins", *TERMS)
    values = {name: getattr(ranking.picks, name) * factor for name in changed}
    tested = ranking.significance
    if tested is not None:
        parts = ("relevance", "chance_mean", "chance_sd")
        tested = replace(tested, **{name: getattr(tested, name) * factor for name in parts})
    return replace(ranking, picks=replace(ranking.picks, **values), significance=tested)
