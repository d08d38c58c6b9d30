"""Measure first answers: ``python -m benchmarks.first_answer --seeds 3``.

``--try criterion=jmi,n=auto,bins=mdlp`` adds options of our own; ``--table`` chooses tables.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.first_answer.contenders import RIVALS, SLOW, ours, transformer
from benchmarks.first_answer.correlated import HARDER
from benchmarks.first_answer.tables import TABLES, Table
from benchmarks.machine import version

Contender = Callable[[Table, int], list[int]]
ALL = {**TABLES, **HARDER}
WITH_N = ("mim", "mrmr", "jmi", "scls")


def _contenders(options: argparse.Namespace) -> dict[str, Contender]:
    out: dict[str, Contender] = {}
    if not options.only_tried:
        out = {"mlfs": ours(), "FeatureSelector": transformer}
        out |= {f"mlfs {name}, n": ours(criterion=name, n=True) for name in WITH_N}
    for text in options.tried:
        pairs = (part.split("=", 1) for part in text.split(","))
        out[text] = ours(**{key: _value(value) for key, value in pairs})
    if not options.no_rivals:
        for name, (package, run) in RIVALS.items():
            if version(package) is None:
                print(f"{name} is skipped: pip install {package}", file=sys.stderr)
            elif name not in SLOW or options.slow:
                out[name] = run
    return out


def _value(text: str) -> Any:
    """The value of an option: JSON if it is any, else text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _measured(run: Contender, table: Table) -> tuple[list[int], float, str]:
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            picks = run(table, len(table.truth))
    except Exception as error:  # noqa: BLE001  # a rival may fail in any way; the run goes on
        return [], time.perf_counter() - start, f"{type(error).__name__}: {error}"[:160]
    return [int(j) for j in picks], time.perf_counter() - start, ""


def _markdown(
    names: list[str],
    means: dict[str, dict[str, float]],
    false: dict[str, tuple[float, float]],
    seconds: dict[str, float],
) -> str:
    """A row for each table; the last rows have the means, the worst F and the seconds.

    The last two columns have the false picks of the first contender: proxies, and noise.
    """
    head = [*names, "proxies", "noise"]
    lines = ["| | " + " | ".join(head) + " |", "|---|" + "---:|" * len(head)]
    for table, row in means.items():
        best = max(row.values())
        cells = (f"**{row[n]:.2f}**" if row[n] >= best - 0.005 else f"{row[n]:.2f}" for n in names)
        counts = (f"{count:.1f}" for count in false[table])
        lines.append(f"| {table} | " + " | ".join([*cells, *counts]) + " |")
    for title, fold in (("mean", np.mean), ("worst", np.min)):
        cells = (f"{fold([row[n] for row in means.values()]):.3f}" for n in names)
        lines.append(f"| {title} | " + " | ".join(cells) + " | | |")
    lines.append("| seconds | " + " | ".join(f"{seconds[n]:.1f}" for n in names) + " | | |")
    return "\n".join(lines)


def main(given: list[str]) -> int:
    """Run all contenders on all tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_answer", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--table", action="append", default=[], choices=list(ALL))
    parser.add_argument("--try", dest="tried", action="append", default=[], metavar="KEY=VALUE,...")
    parser.add_argument("--only-tried", action="store_true")
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--slow", action="store_true", help="boruta and feature-engine: an hour")
    parser.add_argument("-o", "--output", type=Path, help="also write the scores as JSON")
    options = parser.parse_args(given)
    contenders = _contenders(options)
    names = list(contenders)
    means: dict[str, dict[str, float]] = {}
    false: dict[str, tuple[float, float]] = {}
    seconds = dict.fromkeys(names, 0.0)
    for name in options.table or ALL:
        scores: dict[str, list[float]] = {n: [] for n in names}
        wrong = []
        for seed in range(options.seeds):
            table = ALL[name](np.random.default_rng([seed, zlib.crc32(name.encode())]))
            for contender, run in contenders.items():
                picks, took, fault = _measured(run, table)
                scores[contender].append(table.score(picks))
                if contender == names[0]:
                    wrong.append(table.false_picks(picks))
                seconds[contender] += took / options.seeds
                if fault:
                    print(f"{contender} on {name}: {fault}", file=sys.stderr)
        means[name] = {n: float(np.mean(values)) for n, values in scores.items()}
        proxies, noise = np.mean(wrong, axis=0).tolist()
        false[name] = proxies, noise
        shown = ", ".join(f"{n} {means[name][n]:.2f}" for n in names)
        print(f"{name}: {shown}", file=sys.stderr, flush=True)
    print(_markdown(names, means, false, seconds))
    if options.output:
        text = json.dumps({"F": means, "false": false, "seconds": seconds}, indent=1) + "\n"
        options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
