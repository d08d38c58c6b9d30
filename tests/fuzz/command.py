"""`python -m tests fuzz`: the options, and the report."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from pathlib import Path

from tests.fuzz import runner
from tests.fuzz.cases import seeded, store, stored
from tests.fuzz.targets import TARGETS, target


def _parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, help="how long (10, unless --cases is given)")
    parser.add_argument("--cases", type=int, help="how many cases for each target")
    parser.add_argument("--seed", type=int, default=0, help="the first seed; another run, others")
    parser.add_argument("--only", default="", help="targets: " + ",".join(TARGETS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-found"), help="where files go")
    parser.add_argument("--show", metavar="TARGET:SEED", help="write one case out, run it here")
    parser.add_argument("--file", type=Path, help="with --only: run one file here")
    return parser.parse_args(arguments)


def _here(name: str, path: Path) -> int:
    """Run one case in this process, with its traceback."""
    accepted = target(name).run(stored(path))
    sys.stdout.write(f"{name} {path}: {'accepted' if accepted else 'refused'}\n")
    return 0


def _told(report: runner.Report, keep: Path, seconds: float) -> int:
    """Print what was tried and what was found; keep the files."""
    write = sys.stdout.write
    write(f"\n{'target':12}{'files':>10}{'accepted':>10}{'refused':>10}{'a second':>10}\n")
    total = 0
    for name, tally in report.tallies.items():
        total += tally.tried
        rate = tally.tried / max(tally.seconds, 1e-9)
        row = f"{tally.tried:>10,}{tally.accepted:>10,}{tally.refused:>10,}{rate:>10,.0f}"
        write(f"{name:12}{row}\n")
    write(f"{total:,} files in {seconds:.0f} s, {len(report.found)} kinds of faults\n")
    for k, found in enumerate(report.found.values()):
        name, colon, seed = found.case.partition(":")
        where = found.case
        if colon and seed.lstrip("-").isdigit():
            one = target(name)
            path = keep / name / f"{seed}{one.suffix}"
            with contextlib.suppress(Exception):  # it may be the making of the case that failed
                store(seeded(one, int(seed)), path)
            where = f"--show {found.case} ({path})"
        write(f"\n{k + 1}. {found.target}: {found.kind}, {found.count} times; {where}\n")
        write("   " + found.story.strip().replace("\n", "\n   ") + "\n")
    return 1 if report.found else 0


def main(arguments: list[str]) -> int:
    """Fuzz; 0 if nothing was found."""
    options = _parsed(arguments)
    names = [name for name in options.only.split(",") if name] or list(TARGETS)
    unknown = [name for name in names if name not in TARGETS]
    if unknown:
        sys.stderr.write(f"unknown target {unknown[0]!r}: known are {', '.join(TARGETS)}\n")
        return 2
    if options.file is not None:
        return _here(names[0], options.file)
    if options.show:
        name, _, seed = options.show.partition(":")
        path = options.keep / name / f"{seed}{target(name).suffix}"
        store(seeded(target(name), int(seed)), path)
        return _here(name, path)
    minutes = options.minutes
    if minutes is None and options.cases is None:
        minutes = 10.0
    start = time.monotonic()
    said = [start]
    shown: set[tuple[str, str]] = set()

    def heard(report: runner.Report) -> None:
        with report.lock:
            new = [found for key, found in report.found.items() if key not in shown]
            shown.update(report.found)
            tried = sum(tally.tried for tally in report.tallies.values())
        for found in new:  # now, and not only at the end of a long run
            sys.stderr.write(f"{found.case}: {found.kind}\n   {found.story[-500:].strip()}\n")
        if new or time.monotonic() - said[0] > 30:
            said[0] = time.monotonic()
            sys.stderr.write(f"{tried:,} files, {len(shown)} kinds of faults\n")

    report = runner.run(
        names, start=options.seed, cases=options.cases, minutes=minutes, jobs=options.jobs,
        heard=heard,
    )  # fmt: skip
    return _told(report, options.keep, time.monotonic() - start)
