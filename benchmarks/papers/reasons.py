"""Why a cell lies further off than two standard deviations, as far as it was found out."""

from __future__ import annotations

from fnmatch import fnmatch

from benchmarks.papers.verdict import Verdict

__all__ = ["REASONS", "reason"]

# paper, data, method, metric (patterns; the first that fits): the cause
REASONS: list[tuple[str, str, str, str, str]] = []


def reason(paper: str, one: Verdict) -> str:
    """The cause that is known, or nothing."""
    place = (paper, one.cell.data, one.cell.method, one.cell.metric)
    for *patterns, cause in REASONS:
        if all(_fits(given, pattern) for given, pattern in zip(place, patterns, strict=True)):
            return cause
    return ""


def _fits(given: str, pattern: str) -> bool:
    return any(fnmatch(given, one) for one in pattern.split("|"))
