"""Searches label by label on workers: each has all rows, and searches for some of the labels."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlfs.api import memory_estimate
from mlfs.api.cluster.part_reader import PartReader
from mlfs.api.cluster.shared_jobs import SharedJobs
from mlfs.api.estimators import info_of
from mlfs.api.plan import Plan, search
from mlfs.counting.counts import Counts
from mlfs.counting.memory import Budget
from mlfs.information.for_search import table_of, with_parents
from mlfs.information.info import Info
from mlfs.information.table import Table
from mlfs.search.picks import Pick, SearchResult

__all__ = ["LabelSearcher", "SearchSetup", "results_of", "search_on_workers"]

SHARE = 4  # a worker takes all rows if they need at most this part of its memory
OWN_PACKAGES = ("mlfs", "criteria")  # packages of criteria that every worker has


@dataclass(frozen=True)
class SearchSetup:
    """What a worker needs to search beside the columns.

    Parameters
    ----------
    kind : ndarray
        The kind of each column.
    per_cell : float
        What each count is corrected by.
    table_settings : dict
        The other parameters of the `Table`.
    correction : str
        How information is corrected.
    parents : tuple, optional
        The parents of the labels.
    plan : Plan
        The options of the search.
    """

    kind: np.ndarray
    per_cell: float
    table_settings: dict[str, Any]
    correction: str
    parents: Any
    plan: Plan

    @classmethod
    def of(cls, info: Info, plan: Plan, correction: str) -> SearchSetup:
        """What was set up here for a search with remote counts."""
        table, counts = table_of(info), table_of(info).counts
        kind = np.repeat(counts.kinds, [b - a for a, b in counts.edges])
        names = ("q", "mask_of", "ignore_missing", "positions", "budget")
        settings = {name: getattr(table, name) for name in names}
        plain_plan = replace(plan, on_pick=None, start=None)
        return cls(kind, counts.per_cell, settings, correction, info._parents, plain_plan)  # noqa: SLF001

    def info(self, block: Any) -> Info:
        """The information of the labels in a block that has all rows."""
        counts = Counts([block], self.kind, per_cell=self.per_cell)
        info = info_of(Table(counts, **self.table_settings), self.correction)
        return with_parents(info, self.parents)


class LabelSearcher:
    """Searches for one label at a time, on a worker.

    Parameters
    ----------
    piece : Piece or PartPiece
        All rows.
    setup : SearchSetup
        What to do.
    """

    def __init__(self, piece: Any, setup: SearchSetup) -> None:
        self._info, self._plan = setup.info(piece.block(PartReader(()))), setup.plan
        self._stopped = threading.Event()

    def search(
        self, label: int, fixed: tuple[list[int], list[int]], name: str, seconds: float | None
    ) -> SearchResult:
        """Search for a label, for so many seconds at the most."""
        began = time.perf_counter()
        plan = replace(self._plan, on_pick=self._check_stop, max_seconds=seconds, began=began)
        return search(plan, fixed, self._info.for_label(label), name)

    def stop(self) -> None:
        """Let the search end with the picks that it has."""
        self._stopped.set()

    def _check_stop(self, label: str, pick: Pick) -> None:
        del label, pick
        if self._stopped.is_set():
            raise KeyboardInterrupt


def search_on_workers(
    plan: Plan,
    info: Info,
    correction: str,
    fixed: Sequence[tuple[list[int], list[int]]],
    names: Sequence[str],
) -> SharedJobs | None:
    """Search for each label on some worker; the results as they are found.

    None where the workers cannot do that: they lack the rows or the room for all of them, or the
    criterion.

    Parameters
    ----------
    plan : Plan
        The options.
    info : Info
        All labels, with remote counts.
    correction : str
        How information is corrected.
    fixed : sequence of tuple
        For each label the candidates that are picked first, and those that are never picked.
    names : sequence of str
        The names of the labels.
    """
    (block,) = table_of(info).counts.blocks
    session = getattr(block, "session", None)
    if session is None or type(plan.criterion).__module__.partition(".")[0] not in OWN_PACKAGES:
        return None
    setup = SearchSetup.of(info, plan, correction)
    memory = session.room()
    needed = memory_estimate.packed(block.features, setup.kind)
    all_rows = None if memory is not None and SHARE * needed > memory else session.all_rows()
    if all_rows is None:
        return None
    if memory is not None:
        setup.table_settings["budget"] = Budget.of(memory // SHARE, needed)

    def job(label: int) -> tuple[Any, ...] | None:
        seconds = plan.seconds_left()
        if label and seconds == 0:
            return None
        return label, fixed[label], names[label], seconds

    return SharedJobs(session, (all_rows, setup), job, len(names))


def results_of(
    searches: SharedJobs, plan: Plan, labels: Sequence[str]
) -> tuple[dict[int, SearchResult], bool]:
    """What is found for each label, and whether the search was interrupted."""
    results: dict[int, SearchResult] = {}
    interrupted = False
    while True:
        try:
            label, result = next(searches)
            results[label] = result
            if plan.on_pick is not None:
                for pick in result.picks:
                    plan.on_pick(labels[label], pick)
        except StopIteration:
            break
        except KeyboardInterrupt:
            if interrupted:
                break
            interrupted = True
            searches.stop()
    return results, interrupted
