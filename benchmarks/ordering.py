"""The order of a chain by Algorithm 2 in full: every feature with all label pairs."""

from __future__ import annotations

from typing import Any

from benchmarks import clock
from benchmarks.inputs import Input
from mlfs.api.prepared import prepare
from mlfs.information.info import Info
from mlfs.search.networks import chain_order_full

__all__ = ["order_case"]


def order_case(data: Input, budget: float) -> dict[str, Any]:
    """From arrays to the order, and from ready counts."""

    def ready(part: Input = data) -> Info:
        return prepare((part.X, part.Y)).info

    chain_order_full(ready(data.cut(300, 40)))
    before = clock.memory_now()
    clock.reset_peak()
    run = clock.best_of(lambda _: chain_order_full(ready()), budget=budget)
    peak = clock.peak_memory()
    return {
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "labels": data.Y.shape[1],
        **run,
        "ready": clock.best_of(chain_order_full, ready, budget=budget / 2)["seconds"],
        "peak_mb": (peak - before) / 2**20,
    }
