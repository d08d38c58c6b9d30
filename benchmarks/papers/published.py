"""The numbers that the papers print, as printed; a copy of what the comparison needs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FILE", "Printed", "printed"]

FILE = Path(__file__).with_name("published.json")
METRICS = {
    "exact-match": "exact_match",
    "hamming-score": "hamming_score",
    "hamming-loss": "hamming_loss",
    "subset-01-loss": "subset_loss",
    "accuracy": "accuracy",
    "macro-f1": "macro_f1",
    "micro-f1": "micro_f1",
    "cll-loss": "cll_loss",
}


@dataclass(frozen=True)
class Printed:
    """A cell of a table: mean, and what stands behind its +-, if anything does."""

    table: str
    metric: str
    data: str
    method: str
    mean: float
    spread: float | None


def printed(paper: str) -> list[Printed]:
    """The cells of a paper, in the order of its tables."""
    return [
        Printed(table, METRICS[metric], data, method, mean, spread)
        for number, table, metric, data, method, mean, spread in json.loads(
            FILE.read_text(encoding="utf-8")
        )["cells"]
        if number == paper
    ]
