"""Run the published tables again: ``python -m benchmarks.papers occ --data emotions``."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from benchmarks.papers.run import RESULTS, run

__all__ = ["PAPERS", "main"]

PAPERS = ("occ", "pacc", "mixture", "pcc")


def main(given: list[str]) -> int:
    """Run what is asked for and is not stored yet."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("--data", action="append", default=[], help="a data set; repeatable")
    parser.add_argument("--model", action="append", default=[], help="a model; repeatable")
    parser.add_argument("--limit", type=float, default=15, help="minutes a cell may take (15)")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    asked = parser.parse_args(given)
    paper = importlib.import_module(f"benchmarks.papers.{asked.paper}").PAPER
    for kind, names, known in (
        ("data set", asked.data, paper.folds),
        ("model", asked.model, paper.recipes),
    ):
        for name in names:
            if name not in known:
                parser.error(f"no {kind} {name!r}: known are {', '.join(known)}")
    run(
        paper,
        only_data=asked.data,
        only=asked.model,
        limit=60 * asked.limit,
        folder=asked.output,
        say=lambda line: print(line, flush=True),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
