"""Compute what is missing, one data set after another; what is finished is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.reference.config import FOLDS, Entry, entries, protocol
from mlfs.compare import run
from mlfs.compare.resampling import stored_folds
from mlfs.compare.results import Results

__all__ = ["Stop", "compute", "compute_all"]


class Stop(KeyboardInterrupt):
    """The time is over."""


def compute_all(cells: Path, minutes: float, only: list[str]) -> None:
    """Compute until the time is over; turn after turn."""
    end = time.monotonic() + 60 * minutes
    known = {one.name: one for one in entries()}
    for turn in protocol()["turns"]:
        chosen = [known[name] for name in turn["data"] if not only or name in only]
        if not chosen:
            continue
        began = time.monotonic()
        results = compute(chosen, turn["models"], cells, _until(end))
        spent = time.monotonic() - began
        print(*turn["data"], *turn["models"], repr(results), f"{spent:.0f} s", flush=True)
        if results.interrupted:
            return


def compute(
    chosen: Sequence[Entry],
    models: list[str],
    cells: Path,
    on_cell: Callable[[int, int, Mapping[str, Any] | None], None] | None = None,
) -> Results:
    """The results of data sets on which the same criteria are run."""
    data = {entry.name: entry.load()[0] for entry in chosen}
    used = {one.name: one.used for one in entries()}
    return run(
        data,
        chosen[0].criteria,
        models,
        list(protocol()["n"]),
        split=stored_folds(FOLDS, used),
        metrics=list(protocol()["metrics"]),
        seed=protocol()["seed"],
        folder=cells,
        predictions=False,
        budget=protocol()["budget"],
        on_cell=on_cell,
    )


def _until(end: float) -> Callable[[int, int, Mapping[str, Any] | None], None]:
    def tell(*_: Any) -> None:
        if time.monotonic() > end:
            raise Stop

    return tell
