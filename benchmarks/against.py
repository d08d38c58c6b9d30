"""Two checkouts against each other: every case runs in both, in turns, on the same machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, Self

from benchmarks.cases import Case, reduced
from benchmarks.inputs import load

__all__ = ["Checkout", "compare", "markdown", "row"]

ROOT = Path(__file__).resolve().parents[1]
# mlfs comes from the one folder and the benchmarks from the other, whatever else is installed.
PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); import mlfs; "
    "sys.path.insert(0, sys.argv[2]); from benchmarks.turns import serve; serve()"
)
TURN = 0.05  # seconds; short cases repeat this long before the other checkout has its turn
LEAST = 3  # turns of each checkout
LONG = 2.0  # seconds; a case that takes longer has two turns
NOT_COMPARED = {"growth"}
THREADED = {"select"}
HEAD = (
    *("case", "threads", "least before", "after", "ratio", "median before", "after", "ratio"),
    *("processor: ratio", "MB before", "after"),
)


class Checkout:
    """A process that runs cases with the mlfs of one folder.

    Parameters
    ----------
    folder : Path
        The checkout: it holds the package ``mlfs``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(self.folder), str(ROOT)],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        found = Path(self._answer()["mlfs"])
        assert found.is_relative_to(self.folder), found

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and return the answer; a failed case raises `RuntimeError`."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "failed" in answer:
            raise RuntimeError(answer["failed"])
        return answer

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process of {self.folder} ended with {self._process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def compare(
    folder: Path, cases: list[Case], inputs: Path, *, quick: bool, budget: float
) -> Iterator[dict[str, Any]]:
    """Measure each case in `folder` (before) and in this checkout (after), one after the other."""
    for case in cases:
        if case.kind in NOT_COMPARED:
            continue
        shape = (reduced(case) if quick else case).shape
        if shape is not None:
            load(shape, inputs)  # made once, by neither of the two
        with Checkout(folder) as before, Checkout(ROOT) as after:
            for threads in (1, 2) if case.kind in THREADED else (1,):
                asked = {"case": case.name, "quick": quick, "threads": threads}
                asked["inputs"] = str(inputs.resolve())
                record = {"case": case.name, "threads": threads}
                try:
                    yield {**record, **_measured((before, after), asked, budget)}
                except RuntimeError as why:
                    yield {**record, "failed": str(why)}


def _measured(pair: tuple[Checkout, Checkout], asked: dict[str, Any], budget: float) -> Any:
    first = [one.ask(**asked) for one in pair]
    times = _alternate(pair, max(one["seconds"] for one in first), budget)
    wall = [[seconds for seconds, _ in one] for one in times]
    return {
        "least": [min(one) for one in wall],
        "median": [median(one) for one in wall],
        "processor": [min(used for _, used in one) for one in times],
        "mb": [one["mb"] if asked["threads"] == 1 else None for one in first],
        "runs": len(times[0]),
        "same": first[0]["picks"] == first[1]["picks"],
    }


def _alternate(pair: tuple[Checkout, ...], expected: float, budget: float) -> list[list[Any]]:
    """Return the times of each checkout; which of them begins changes from turn to turn."""
    times: list[list[Any]] = [[] for _ in pair]
    repeat = max(1, int(TURN / max(expected, 1e-4)))
    stop, turns, order = time.perf_counter() + 2 * budget, 0, list(range(len(pair)))
    while turns < (2 if expected > LONG else LEAST) or time.perf_counter() < stop:
        for side in order:
            times[side] += pair[side].ask(repeat=repeat)["times"]
        order.reverse()
        turns += 1
    return times


def _cells(record: dict[str, Any]) -> list[str]:
    name = record["case"]
    if "failed" in record:
        return [name, str(record["threads"]), record["failed"], *[""] * (len(HEAD) - 3)]
    cells = [name if record["same"] else f"{name} (other picks!)", str(record["threads"])]
    for before, after in (record["least"], record["median"]):
        cells += [f"{before * 1e3:.4g}", f"{after * 1e3:.4g}", f"{after / before:.2f}"]
    before, after = record["processor"]
    cells.append(f"{after / before:.2f}" if before else "")
    return cells + ["" if mb is None else f"{mb:.0f}" for mb in record["mb"]]


def row(record: dict[str, Any]) -> str:
    """Return one line of the Markdown table: milliseconds, ratios and MB."""
    return f"| {' | '.join(_cells(record))} |"


def markdown(records: list[dict[str, Any]]) -> str:
    """Return the table: least and median milliseconds before and after, ratios, peak memory."""
    lines = ["Milliseconds: the least of all runs, then their median; the ratio of the least", ""]
    lines.insert(1, "processor time, all threads together; MB at the peak of the first run.")
    lines += [f"| {' | '.join(HEAD)} |", "|---|" + "---:|" * (len(HEAD) - 1)]
    return "\n".join([*lines, *map(row, records)]) + "\n"
