"""Run the published tables again: ``python -m benchmarks.papers occ --data emotions``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.papers.command import PAPERS, command, paper_of

__all__ = ["main"]


def main(given: Sequence[str]) -> int:
    """Run what is asked for and is not stored yet."""
    return command(
        given,
        __doc__,
        PAPERS,
        paper_of,
        prog="benchmarks.papers",
        what="paper",
        part="model",
        limit=15,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
