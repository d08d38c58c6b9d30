"""Try other readings of the papers: ``python -m benchmarks.papers.trials pacc --data emotions``.

Finished folds are stored in benchmarks/papers/results/trials-STUDY.json and are not run again;
``python -m benchmarks.papers.page`` writes the tables from them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.papers.command import command
from benchmarks.papers.trials.studies import STUDIES

__all__ = ["main"]


def main(given: Sequence[str]) -> int:
    """Run what is asked for and is not stored yet."""
    return command(
        given,
        __doc__,
        list(STUDIES),
        STUDIES.__getitem__,
        prog="benchmarks.papers.trials",
        what="study",
        part="reading",
        limit=10,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
