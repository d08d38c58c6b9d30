"""From the picks of the engine to the columns of the user: rankings, and the union of subsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mlfs.api.candidates import Grouping
from mlfs.api.selection import Chosen, Ranking
from mlfs.search.picks import Path

__all__ = ["ranking_of", "scaled", "union_of"]


def ranking_of(path: Path, grouping: Grouping, names: Sequence[str], label: str = "") -> Ranking:
    """Name the columns of each pick; the columns of a group share its rank and its score."""
    members, group_names = grouping.members, grouping.names
    chosen = [
        Chosen(
            rank=rank,
            index=column,
            name=names[column],
            score=pick.score,
            relevance=pick.relevance,
            redundancy=pick.redundancy,
            label_correlation=pick.label_correlation,
            margin=pick.margin,
            runner_up=None if pick.runner_up is None else members[pick.runner_up][0],
            ties=tuple(members[tied][0] for tied in pick.ties),
            forced=pick.forced,
            group=group_names[pick.index],
        )
        for rank, pick in enumerate(path.picks, start=1)
        for column in members[pick.index]
    ]
    return Ranking(tuple(chosen), label, path.interrupted)


def union_of(by_label: Mapping[str, Ranking]) -> tuple[Chosen, ...]:
    """All that any label picked: by best rank, then by how many picked it, then by column.

    Score and terms are those of the label that ranked it best; of several such labels, that with
    the highest score, so that the order of the labels is no matter.
    """
    best: dict[int, Chosen] = {}
    times: dict[int, int] = {}
    for ranking in by_label.values():
        for one in ranking.chosen:
            times[one.index] = times.get(one.index, 0) + 1
            if one.index not in best or _standing(one) < _standing(best[one.index]):
                best[one.index] = one
    order = sorted(best, key=lambda j: (best[j].rank, -times[j], j))
    return tuple(
        replace(best[j], rank=place, labels=times[j]) for place, j in enumerate(order, start=1)
    )


def _standing(one: Chosen) -> tuple[float, ...]:
    return (one.rank, -one.score, -one.relevance, one.redundancy, -one.margin)


def scaled(chosen: tuple[Chosen, ...], factor: float) -> tuple[Chosen, ...]:
    """Scores and terms in another unit."""
    if factor == 1.0:
        return chosen
    return tuple(
        replace(
            one,
            score=one.score * factor,
            relevance=one.relevance * factor,
            redundancy=one.redundancy * factor,
            label_correlation=one.label_correlation * factor,
            margin=one.margin * factor,
        )
        for one in chosen
    )
