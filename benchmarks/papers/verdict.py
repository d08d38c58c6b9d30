"""Ours beside the published: how far apart, and whether within two standard deviations."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from benchmarks.papers.published import Printed, printed

__all__ = ["READINGS", "SUSPECT", "Verdict", "verdicts"]

SUSPECT = {("000", "EBCC")}  # its +- is .001 nearly everywhere: not used
ROUNDING = 0.0005
READINGS = ("", ", program", ", text")  # behind a method that was run by a second reading as well


@dataclass(frozen=True)
class Verdict:
    """A published cell and our own measurement of it.

    Parameters
    ----------
    cell : Printed
        As published.
    mean : float
        Ours.
    own : float or None
        The standard deviation over our folds; None with a single split.
    folds, of : int
        How many of the folds were run.
    note : str
        How it was set up.
    allowed : float
        Two standard deviations: the published ones, else our own.
    """

    cell: Printed
    mean: float
    own: float | None
    folds: int
    of: int
    note: str
    allowed: float

    @property
    def within(self) -> bool:
        """No further off than two standard deviations, and the rounding of what is printed."""
        return abs(self.mean - self.cell.mean) <= self.allowed + self._digit

    @property
    def _digit(self) -> float:
        return 0.05 if self.cell.metric == "cll_loss" else ROUNDING


def verdicts(number: str, cells: Mapping[str, Any]) -> Iterator[Verdict]:
    """Every published cell of a paper that has been measured, once for each reading."""
    for one, reading in product(printed(number), READINGS):
        cell = replace(one, method=one.method + reading)
        found = cells.get(f"{cell.data}/{cell.method}")
        if not found or not found["folds"]:
            continue
        values = [fold[cell.metric] for fold in found["folds"]]
        own = statistics.stdev(values) if len(values) > 1 else None
        spread = None if (number, one.method) in SUSPECT else cell.spread
        spread = own if spread is None else spread
        yield Verdict(
            cell,
            statistics.fmean(values),
            own,
            len(values),
            found["of"],
            found.get("note", ""),
            2 * (spread or 0.0),
        )
