"""A study: one method of a paper, read in several ways, on some data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.papers.data import Part
from benchmarks.papers.run import Paper, Recipe

__all__ = ["Study", "readings"]


def readings(made: Mapping[str, Callable[[str, Part], Any]]) -> dict[str, Recipe]:
    """A recipe for each reading, of what makes its model."""
    return {name: Recipe(one, {name: {}}, "") for name, one in made.items()}


@dataclass(frozen=True)
class Study(Paper):
    """What is run, and what its table on the page of trials says.

    Parameters
    ----------
    most : mapping from data to int
        How many of the folds are run, where it is not all.
    method : str
        The method of the paper whose published cell is printed beside the readings.
    metrics : tuple of str
        The columns of the table.
    found : str
        What the trials say, in Markdown; printed below the table.
    """

    most: Mapping[str, int] = field(default_factory=dict)
    method: str = ""
    metrics: tuple[str, ...] = ("exact_match", "macro_f1", "micro_f1")
    found: str = ""

    def runs(self, data: str) -> int:
        """How many trainings a cell takes."""
        whole = super().runs(data)
        return min(whole, self.most.get(data, whole))
