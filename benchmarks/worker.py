"""One case in a process of its own: ``python -m benchmarks.worker NAME OPTIONS``, JSON out."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

from benchmarks.cases import CASES, Case, reduced
from benchmarks.inputs import load
from benchmarks.limits import Limits

__all__ = ["measure", "run"]


def measure(
    case: Case, limits: Limits, folder: Path | None, *, budget: float, peers: bool, slow: bool
) -> dict[str, Any]:
    """Run one case here and now; a skipped one tells why."""
    from benchmarks import files, growing, ordering, rivals, selecting

    try:
        if case.kind == "growth":
            return growing.growth_case(case, folder, budget)
        if case.kind == "file":
            return files.file_case(case, limits, budget)
        if case.kind == "compare":
            return files.compare_case(case, budget)
        if case.kind == "shell":
            return files.shell_case(case, budget)
        assert case.shape is not None
        data = load(case.shape, folder)
        if case.kind == "read":
            return files.read_case(data, case, limits, budget)
        if case.kind == "order":
            return ordering.order_case(data, budget)
        record = selecting.select_case(data, case, limits, budget)
        if peers:
            record["peers"] = rivals.compare(data, case, record, slow=slow)
        return record
    except files.SkipCase as why:
        return {"skipped": str(why)}


def run(arguments: list[str]) -> int:
    """Take the options as JSON, give the record as JSON."""
    options = json.loads(arguments[0])
    case = next(one for one in CASES if one.name == options["case"])
    if options["quick"]:
        case = reduced(case)
    warnings.simplefilter("ignore")
    record = measure(
        case,
        Limits(**options["limits"]),
        Path(options["folder"]) if options["folder"] else None,
        budget=options["budget"],
        peers=options["peers"],
        slow=not options["quick"],
    )
    sys.stdout.write("\n" + json.dumps(record) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
