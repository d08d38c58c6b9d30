"""Why published cells differ by more than two standard deviations, and why others were not run."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from benchmarks.papers.published import Printed

__all__ = ["FILE", "entries", "why_different", "why_not_run"]

FILE = Path(__file__).with_name("reasons.toml")


@cache
def entries(kind: str) -> list[dict[str, str]]:
    """The entries of the file: of cells that differ (``differs``) or are lacking (``not_run``)."""
    found: list[dict[str, str]] = tomllib.loads(FILE.read_text(encoding="utf-8"))[kind]
    return found


def why_different(paper: str, cell: Printed) -> str:
    """The cause that is known, or nothing."""
    return _why("differs", paper=paper, data=cell.data, method=cell.method, metric=cell.metric)


def why_not_run(paper: str, data: str, method: str) -> str:
    """Why a cell was not run, or nothing."""
    return _why("not_run", paper=paper, data=data, method=method)


def _why(kind: str, **place: str) -> str:
    for one in entries(kind):
        if all(_fits(name, one[field]) for field, name in place.items()):
            return one["why"]
    return ""


def _fits(name: str, patterns: str) -> bool:
    return any(fnmatch(name, one) for one in patterns.split("|"))
