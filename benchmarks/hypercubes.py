"""Do criteria find what matters? Hypercube data, of which the answer is known; no files needed.

``python -m benchmarks.hypercubes`` prints, for each data set of the PACC-LDF paper's table 3 and
each criterion, what its first n picks are, n being the number of relevant features.

========== ==========================================================================
precision  the share of the picks that are relevant and no copy of another pick
recall     the share of the relevant features that are picked, themselves or a copy
irrelevant how many picks mean nothing
copies     how many picks repeat another one
========== ==========================================================================
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass

import numpy as np

import mlfs
from benchmarks.generated import PRESETS, preset
from mlfs.data import Dataset

__all__ = ["Found", "judged", "main"]

CRITERIA = (
    "mim",
    "jmi",
    "mrmr",
    "cmim",
    "scls",
    "ami",
    "mdmr",
    "d2f",
    "mlfs_global",
    "mlcfs_global",
)
BINS = {"bins": "frequency", "n_bins": 3}  # uniform values: tails by standard deviation are thin


@dataclass(frozen=True)
class Found:
    """What the first n picks of a criterion are.

    Parameters
    ----------
    precision, recall : float
        See above.
    irrelevant, copies : int
        See above.
    """

    precision: float
    recall: float
    irrelevant: int
    copies: int


def judged(data: Dataset, picks: list[str]) -> Found:
    """Judge picks by the names that the generator gave.

    Parameters
    ----------
    data : Dataset
        What `benchmarks.generated.hypercubes` made.
    picks : list of str
        The names of the picks.

    Examples
    --------
    >>> data = preset("data40-10")
    >>> judged(data, ["rel_1", "irr_1", "rel_2"]).precision.__round__(3)
    0.667
    """
    relevant = {name for name in data.feature_names if name.startswith("rel_")}
    seen: set[str] = set()
    irrelevant = copies = 0
    for name in picks:
        original = name.split("_of_")[-1]
        if original not in relevant:
            irrelevant += 1
        elif original in seen:
            copies += 1
        seen.add(original)
    found = len(seen & relevant)
    return Found(found / len(picks), found / len(relevant), irrelevant, copies)


def picked(data: Dataset, criterion: str, n: int | None = None) -> list[str]:
    """The first n picks; as many as there are relevant features by default."""
    relevant = sum(name.startswith("rel_") for name in data.feature_names)
    return list(mlfs.select(data, criterion, n or relevant, **BINS).names)


def main(given: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hypercubes")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--set", action="append", choices=list(PRESETS), dest="sets")
    parser.add_argument("-c", "--criterion", action="append", dest="criteria")
    options = parser.parse_args(given)
    print(f"{'data':<12}{'criterion':<14}{'precision':>10}{'recall':>8}{'irrelevant':>12}"
          f"{'copies':>8}{'ms':>8}   means over {options.seeds} seeds")  # fmt: skip
    for name in options.sets or PRESETS:
        made = [preset(name, seed=seed) for seed in range(options.seeds)]
        for criterion in options.criteria or CRITERIA:
            began = time.perf_counter()
            found = [judged(data, picked(data, criterion)) for data in made]
            spent = (time.perf_counter() - began) / len(made) * 1e3
            means = [
                float(np.mean([getattr(one, what) for one in found]))
                for what in ("precision", "recall", "irrelevant", "copies")
            ]
            print(f"{name:<12}{criterion:<14}{means[0]:>10.3f}{means[1]:>8.3f}{means[2]:>12.1f}"
                  f"{means[3]:>8.1f}{spent:>8.1f}", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
