"""Compare computed cells with the published ones."""

from __future__ import annotations

import math
from pathlib import Path

from benchmarks.reference.config import HERE
from benchmarks.reference.publishing import gathered
from mlfs.compare.reference import DIGITS, read_reference

__all__ = ["check"]


def check(cells: Path) -> int:
    """Print which cells differ, and give their number."""
    known = {tuple(one["cell"].values()): one for one in read_reference(HERE).records}
    results, _, _ = gathered(cells)
    same, other = 0, 0
    for record in results.records:
        published = known.get(tuple(record["cell"].values()))
        if published is None or record["status"] != "ok" or published["status"] != "ok":
            continue
        differ = [
            name
            for name, value in published["metrics"].items()
            if not math.isclose(record["metrics"][name], value, rel_tol=10 ** (1 - DIGITS))
        ]
        same += not differ
        other += bool(differ)
        if differ:
            print(*record["cell"].values(), "differs in", *differ)
    print(f"{same} cells are equal to {DIGITS} digits, {other} differ")
    return other
