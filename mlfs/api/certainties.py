"""How sure picks are, and why they are in a blanket, with the names of columns and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mlfs.api.candidates import Grouping
from mlfs.data.dataset import Dataset
from mlfs.search.blankets import SPOUSE, THROUGH
from mlfs.search.certainty import Certainty
from mlfs.search.picks import SearchResult


def with_reasons(
    result: SearchResult, grouping: Grouping, data: Dataset, label: str
) -> tuple[Certainty | None, ...]:
    """Why each pick is in a Markov blanket, and its p-value if there is no other."""
    if not result.members:
        return result.certainty
    candidates = [group or data.names[m[0]] for group, m in zip(
        grouping.names, grouping.members, strict=True
    )]  # fmt: skip
    variables = [*candidates, *data.label_names]
    known = result.certainty or (None,) * len(result.picks)
    out: list[Certainty | None] = []
    for column, certainty in zip(result.picks.columns.tolist(), known, strict=True):
        member = result.members.get(column)
        if member is not None:
            via = "" if member.via < 0 else variables[member.via]
            by = {SPOUSE: f" of {label}, by {via}", THROUGH: f" {via}"}.get(member.kind, "")
            known_so_far = certainty or Certainty()
            p = member.p if known_so_far.p is None else known_so_far.p
            certainty = replace(known_so_far, p=p, reason=member.kind + by)
        out.append(certainty)
    return tuple(out)


def named(
    certainty: tuple[Certainty | None, ...], grouping: Grouping, data: Dataset, names: Sequence[str]
) -> tuple[Certainty | None, ...]:
    """Name the substitutes by columns of the table that was given, or by their groups."""
    if not certainty:
        return ()
    first = [columns[0] for columns in grouping.members]
    shown = [group or names[column] for group, column in zip(grouping.names, first, strict=True)]
    numbers = np.array(first) if data.places is None else data.given[first]
    return tuple(entry and entry.renumbered(numbers, shown) for entry in certainty)
