"""Run the benchmarks: ``python -m benchmarks --quick``, ``python -m benchmarks --case bibtex``."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import against, limits, machine, picture, table
from benchmarks.cases import CASES, Case, chosen, reduced

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[1]
QUICK = {"seconds": 0.2, "patience": 60.0}
FULL = {"seconds": 2.0, "patience": 900.0}


def _arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("benchmark-results"))
    parser.add_argument("--inputs", type=Path, help="where made inputs are kept (OUTPUT/inputs)")
    parser.add_argument("--case", action="append", default=[], help="part of a name; repeatable")
    parser.add_argument("--quick", action="store_true", help="small inputs, about a minute")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--light", action="store_true", help="leave out what takes gigabytes")
    parser.add_argument("--against", type=Path, help="measure this other checkout beside this one")
    parser.add_argument("--list", action="store_true", help="name the cases and stop")
    return parser.parse_args(given)


def main(given: list[str]) -> int:
    """Run what is asked for; 0 when every case ran or was skipped with a reason."""
    options = _arguments(given)
    cases = chosen(options.case, quick=options.quick, heavy=not options.light)
    if not cases:
        sys.stderr.write(f"no case is named like that: known are {_names()}\n")
        return 2
    if options.list:
        print(*(case.name for case in cases), sep="\n")
        return 0
    about = machine.describe()
    print(machine.line(about))
    if options.against is not None:
        return _against(cases, options)
    bounds = limits.measure(0.1 if options.quick else 0.5)
    print(table.limits_line(bounds.to_dict()))
    records = []
    for case in cases:
        record = _in_its_own_process(case, bounds, options)
        records.append({"case": case.name, **_facts(case, options.quick), **record})
        print(table.short(records[-1]), flush=True)
    document = {"machine": about, "limits": bounds.to_dict(), "quick": options.quick}
    write(options.output, {**document, "cases": records})
    print(f"written: {options.output}/benchmarks.md .json .csv .svg")
    return 1 if any("failed" in record for record in records) else 0


def _against(cases: list[Case], options: argparse.Namespace) -> int:
    """Print each case as it was in the other checkout and as it is in this one."""
    if not (options.against / "mlfs" / "__init__.py").is_file():
        sys.stderr.write(f"{options.against} is no checkout: it holds no mlfs/__init__.py\n")
        return 2
    inputs, records = options.inputs or options.output / "inputs", []
    budget = QUICK["seconds"] if options.quick else FULL["seconds"] / 2
    for record in against.compare(
        options.against, cases, inputs, quick=options.quick, budget=budget
    ):
        records.append(record)
        print(against.row(record), flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    for suffix, text in (
        ("md", against.markdown(records)),
        ("json", json.dumps(records, indent=1) + "\n"),
    ):
        (options.output / f"against.{suffix}").write_text(text, encoding="utf-8")
    print(f"written: {options.output}/against.md .json")
    return 1 if any("failed" in record for record in records) else 0


def write(folder: Path, document: dict[str, Any]) -> None:
    """The table in three forms, and the picture."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, text in (
        ("json", json.dumps(document, indent=1) + "\n"),
        ("csv", table.csv(document)),
        ("md", table.markdown(document)),
        ("svg", picture.svg(document)),
    ):
        (folder / f"benchmarks.{suffix}").write_text(text, encoding="utf-8")


def _in_its_own_process(
    case: Case, bounds: limits.Limits, options: argparse.Namespace
) -> dict[str, Any]:
    pace = QUICK if options.quick else FULL
    asked = {
        "case": case.name,
        "quick": options.quick,
        "limits": bounds.to_dict(),
        "folder": str((options.inputs or options.output / "inputs").resolve()),
        "budget": pace["seconds"],
        "peers": not options.no_peers,
    }
    start = time.perf_counter()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *_python_path()])}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.worker", json.dumps(asked)],
            env=env,
            capture_output=True,
            text=True,
            timeout=pace["patience"],
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {pace['patience']:.0f} s"}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        how = f"exit {done.returncode}: {last}" if done.returncode > 0 else "it was killed"
        return {"failed": how[:300]}
    record = json.loads(done.stdout.splitlines()[-1])
    return {**record, "elapsed": round(time.perf_counter() - start, 1)}


def _python_path() -> list[str]:
    return [path for path in [os.environ.get("PYTHONPATH")] if path]


def _facts(case: Case, quick: bool) -> dict[str, Any]:
    used = reduced(case) if quick else case
    shape = None if used.shape is None else asdict(used.shape)
    return {
        "kind": case.kind,
        "source": case.source,
        "what": case.what,
        "n": used.n,
        "goal": used.goal,
        "seed": shape["seed"] if shape else None,
    }


def _names() -> str:
    return ", ".join(case.name for case in CASES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
