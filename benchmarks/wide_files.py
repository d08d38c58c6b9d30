"""What a selection from a file with very many columns takes, beside its frame and parsing.

    python -m benchmarks.wide_files [columns]

Prints processor seconds of 200 rows: of the frame of pandas in memory, of parsing each file (by
pandas, numpy or scipy), and of `mlfs.select` with the file. The last should be at most one and a
half times the sum of the others.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mlfs

ROWS, PICKS, RUNS = 200, 10, 3


def seconds(call: Callable[[], Any]) -> float:
    """The least processor time of some runs."""
    best = np.inf
    for _ in range(RUNS):
        gc.collect()
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def files(folder: Path, columns: int) -> tuple[Any, dict[str, Path]]:
    """A frame of numbers with one label, and the files that hold it."""
    import pandas as pd

    draw = np.random.default_rng(0)
    X = draw.normal(size=(ROWS, columns)).round(4)
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(columns)])
    frame["y"] = draw.integers(0, 2, ROWS)
    paths = {form: folder / f"wide.{form}" for form in ("csv", "parquet", "npz", "arff")}
    frame.to_csv(paths["csv"], index=False)
    frame.to_parquet(paths["parquet"])
    np.savez(paths["npz"], X=X, Y=frame["y"].to_numpy())
    mlfs.write(mlfs.read(paths["csv"], labels="y"), paths["arff"])
    return frame, paths


def main() -> None:
    """Print the table."""
    import pandas as pd

    columns = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as scratch:
        frame, paths = files(Path(scratch), columns)
        of_frame = seconds(lambda: mlfs.select(frame, "mim", PICKS, labels="y"))
        print(f"{ROWS} x {columns + 1:,}: frame {of_frame:.2f} s")
        parse: dict[str, Callable[[Path], Any]] = {
            "csv": pd.read_csv,
            "parquet": pd.read_parquet,
            "npz": lambda path: [np.load(path)[key] for key in "XY"],
            "arff": mlfs.read,  # scipy takes minutes
        }
        for form, path in paths.items():
            parsing = seconds(lambda form=form, path=path: parse[form](path))  # type: ignore[misc]
            labels = "y" if form in ("csv", "parquet") else None
            whole = seconds(
                lambda path=path, labels=labels: mlfs.select(path, "mim", PICKS, labels=labels)  # type: ignore[misc]
            )
            share = whole / (of_frame + parsing)
            print(f"{form:8} parsing {parsing:5.2f} s, select {whole:5.2f} s: {share:.2f} times")


if __name__ == "__main__":
    main()
