"""Compute what is missing, one data set after another; what is finished is kept."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.reference.config import FOLDS, Entry, entries, protocol
from mlfs.compare import run
from mlfs.compare.results import Results
from mlfs.compare.stored_folds import stored_folds

__all__ = ["Stop", "compute", "compute_all"]


class Stop(KeyboardInterrupt):
    """The time is over."""


def compute_all(cells: Path, minutes: float, only: list[str]) -> None:
    """Compute until the time is over; one model after another, so that whole parts get finished."""
    end = time.monotonic() + 60 * minutes
    known = {one.name: one for one in entries()}
    for turn in protocol()["turns"]:
        pairs = itertools.product(turn["data"], turn["models"])
        for entry, model in ((known[name], model) for name, model in pairs):
            if only and entry.name not in only:
                continue
            began = time.monotonic()
            results = compute(entry, [model], cells, _until(end))
            spent = time.monotonic() - began
            print(entry.name, model, repr(results), f"{spent:.0f} s", flush=True)
            if results.interrupted:
                return


def compute(
    entry: Entry,
    models: list[str],
    cells: Path,
    on_cell: Callable[[int, int, Mapping[str, Any] | None], None] | None = None,
) -> Results:
    """The results of one data set."""
    data, _ = entry.load()
    used = {one.name: one.used for one in entries()}
    return run(
        {entry.name: data},
        entry.criteria,
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
