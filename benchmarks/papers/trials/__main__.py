"""Try other readings of the papers: ``python -m benchmarks.papers.trials pacc --data emotions``.

Finished folds are stored in benchmarks/papers/results/trials-STUDY.json and are not run again;
``python -m benchmarks.papers.page`` writes the tables from them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.papers.run import RESULTS, run
from benchmarks.papers.trials.studies import STUDIES

__all__ = ["main"]


def main(given: list[str]) -> int:
    """Run what is asked for and is not stored yet."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.papers.trials",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("study", choices=STUDIES, help="which cells")
    parser.add_argument("--data", action="append", default=[], help="a data set; repeatable")
    parser.add_argument("--reading", action="append", default=[], help="a reading; repeatable")
    parser.add_argument("--list", action="store_true", help="list data sets and readings")
    parser.add_argument("--limit", type=float, default=10, help="minutes a cell may take (10)")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    asked = parser.parse_args(given)
    study = STUDIES[asked.study]
    if asked.list:
        print("data sets:", ", ".join(study.folds))
        print("readings:", ", ".join(study.recipes))
        return 0
    for kind, names, known in (
        ("data set", asked.data, study.folds),
        ("reading", asked.reading, study.recipes),
    ):
        for name in names:
            if name not in known:
                parser.error(f"no {kind} {name!r}: known are {', '.join(known)}")
    run(
        study,
        only_data=asked.data,
        only=asked.reading,
        limit=60 * asked.limit,
        folder=asked.output,
        say=lambda line: print(line, flush=True),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
