"""The command that runs cells of published tables, or trials on them."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.papers.run import RESULTS, Paper, run

__all__ = ["PAPERS", "command", "paper_of"]

PAPERS = ("occ", "pacc", "mixture", "pcc")


def paper_of(name: str) -> Paper:
    """The tables of a paper."""
    found: Paper = importlib.import_module(f"benchmarks.papers.{name}").PAPER
    return found


def command(
    given: Sequence[str],
    doc: str | None,
    names: Sequence[str],
    load: Callable[[str], Paper],
    *,
    prog: str,
    what: str,
    part: str,
    limit: int,
) -> int:
    """Run what is asked for and is not stored yet.

    Parameters
    ----------
    given : sequence of str
        The words of the command line.
    doc : str
        What the command does.
    names : sequence of str
        What can be run.
    load : callable
        Gives what a name stands for.
    prog : str
        The module.
    what, part : str
        What a name and a recipe are called.
    limit : int
        How many minutes a cell may take.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m {prog}",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(what, choices=names)
    parser.add_argument("--data", action="append", default=[], help="a data set; repeatable")
    parser.add_argument(f"--{part}", action="append", default=[], help=f"a {part}; repeatable")
    parser.add_argument("--list", action="store_true", help=f"list data sets and {part}s")
    parser.add_argument("--limit", type=float, default=limit, help=f"minutes of a cell ({limit})")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    asked = vars(parser.parse_args(given))
    paper = load(asked[what])
    if asked["list"]:
        print("data sets:", ", ".join(paper.folds))
        print(f"{part}s:", ", ".join(paper.recipes))
        return 0
    for kind, wanted, known in (
        ("data set", asked["data"], paper.folds),
        (part, asked[part], paper.recipes),
    ):
        for name in wanted:
            if name not in known:
                parser.error(f"no {kind} {name!r}: known are {', '.join(known)}")
    run(
        paper,
        only_data=asked["data"],
        only=asked[part],
        limit=60 * asked["limit"],
        folder=asked["output"],
        say=lambda line: print(line, flush=True),
    )
    return 0
