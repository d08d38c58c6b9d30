"""Searches label by label on workers: each has all columns, and searches for one at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlfs.api.cluster.connection import Lost
from mlfs.api.cluster.held import Workers, alone
from mlfs.api.plan import Plan, search
from mlfs.information.columns_info import AdjustedColumnsInfo, ColumnsInfo
from mlfs.information.held_columns import HeldColumns
from mlfs.information.info import Info
from mlfs.search.picks import SearchResult

OWN_PACKAGES = ("mlfs", "criteria")  # packages of criteria that every worker has
Fixed = tuple[list[int], list[int]]


@alone
def _search(
    held: HeldColumns,
    plan: Plan,
    parents: Any,
    adjusted: bool,
    label: int,
    fixed: Fixed,
    seconds: float | None,
) -> SearchResult:
    """On a worker: search for a label, for so many seconds at the most."""
    info = held.view(np.array([label]), parents, adjusted=adjusted)
    plan = replace(plan, options=plan.options.but(max_seconds=seconds), began=time.perf_counter())
    return search(plan, fixed, info, "")


# options whose values stay with the client: the data, and what cannot be sent
OF_THE_CLIENT: dict[str, Any] = dict.fromkeys(
    ("start", "cluster", "sample_weight", "labels", "criterion", "network", "groups")
)


def search_on_workers(
    plan: Plan, info: Info, fixed: Sequence[Fixed], names: Sequence[str]
) -> tuple[dict[int, SearchResult], bool] | None:
    """The result for each label, and whether the search was interrupted.

    None where workers cannot search: they lack the room for all columns, or the criterion.

    Parameters
    ----------
    plan : Plan
        The options.
    info : Info
        All labels, with columns that workers hold.
    fixed : sequence of tuple
        For each label the candidates that are picked first, and those that are never picked.
    names : sequence of str
        The names of the labels.
    """
    if not isinstance(info, ColumnsInfo) or not isinstance(info.holders, Workers):
        return None
    if type(plan.criterion).__module__.partition(".")[0] not in OWN_PACKAGES:
        return None
    workers, results = info.holders, dict[int, SearchResult]()
    wholes, losses = workers.whole(), workers.losses
    while wholes is not None:
        try:
            for label, result in _results(plan, info, fixed, wholes, [*results]):
                results[label] = result
                if plan.on_pick is not None:
                    for pick in result.picks:
                        plan.on_pick(names[label], pick)
        except Lost:
            workers.note_loss(losses)
            wholes = workers.whole()
        except KeyboardInterrupt:
            return results, True
        else:
            return results, False
    return None


def _results(
    plan: Plan, info: ColumnsInfo, fixed: Sequence[Fixed], wholes: list[Any], found: list[int]
) -> Iterator[tuple[int, SearchResult]]:
    """The result for each label that has none yet, one on each worker at a time."""
    plain = replace(plan, on_pick=None, options=plan.options.but(**OF_THE_CLIENT))
    parents, adjusted = info._parents, isinstance(info, AdjustedColumnsInfo)  # noqa: SLF001
    connection = info.holders.connection  # type: ignore[attr-defined]
    waiting = [label for label in range(len(fixed)) if label not in found]
    running: dict[Any, tuple[int, Any]] = {}
    while True:
        busy = [id(whole) for _, whole in running.values()]
        for whole in [whole for whole in wholes if id(whole) not in busy]:
            seconds = plan.seconds_left()
            if waiting and not (waiting[0] and seconds == 0):
                label = waiting.pop(0)
                job = plain, parents, adjusted, label, fixed[label], seconds
                running[connection.submit(_search, whole, *job)] = label, whole
        if not running:
            return
        for future in connection.first_done(list(running)):
            label, _ = running.pop(future)
            yield label, connection.results([future])[0]
