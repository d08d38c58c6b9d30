"""The commands of the reference benchmark."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__all__ = ["main"]


def main(given: list[str]) -> int:
    """Make folds, run, check, compute the tables of factors, or publish."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reference")
    parser.add_argument("what", choices=["folds", "run", "check", "factors", "publish"])
    parser.add_argument("--cells", type=Path, default=Path("benchmark-results/reference"))
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--only", nargs="*", default=[])
    asked = parser.parse_args(given)
    if asked.what == "folds":
        from benchmarks.reference.making_folds import write_folds

        write_folds()
    elif asked.what == "run":
        from benchmarks.reference.running_all import compute_all

        compute_all(asked.cells, asked.minutes, asked.only)
    elif asked.what == "factors":
        from benchmarks.reference.factors import compute_factors

        compute_factors(asked.cells)
    elif asked.what == "check":
        from benchmarks.reference.checking import check

        return int(check(asked.cells) > 0)
    else:
        from benchmarks.reference.publishing import publish

        publish(asked.cells)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
