"""Whether the edges of a structure form a cycle when their directions are forgotten."""

from __future__ import annotations

from collections.abc import Sequence

from mlfs.errors import UsageError, printable
from mlfs.models.inference.protocol import Conditionals

__all__ = ["MOST_PARENTS", "in_degree", "is_polytree", "refuse_unless_polytree"]

MOST_PARENTS = 12


def is_polytree(parents: Sequence[Sequence[int]]) -> bool:
    """No cycle, directions forgotten; trees and forests are polytrees too.

    Examples
    --------
    >>> is_polytree([(), (), (0, 1)]), is_polytree([(), (0,), (0, 1)])
    (True, False)
    """
    return _closing(parents) is None


def in_degree(parents: Sequence[Sequence[int]]) -> int:
    """The greatest number of parents."""
    return max(map(len, parents), default=0)


def refuse_unless_polytree(conditionals: Conditionals, what: str, remedy: str) -> None:
    """Say which edge closes a cycle, or which label has too many parents."""
    structure = conditionals.structure
    closing = _closing(structure.parents)
    if closing is not None:
        first, second = (printable(repr(structure.names[label])) for label in closing)
        msg = (
            f"{what} is exact on trees and polytrees only, and the edge between {first} and "
            f"{second} closes a cycle: {remedy}"
        )
        raise UsageError(msg)
    most = in_degree(structure.parents)
    if most > MOST_PARENTS:
        label = [len(given) for given in structure.parents].index(most)
        name = printable(repr(structure.names[label]))
        msg = (
            f"{what} takes at most {MOST_PARENTS} parents for a label, and {name} has {most}: "
            f"{remedy}"
        )
        raise UsageError(msg)


def _closing(parents: Sequence[Sequence[int]]) -> tuple[int, int] | None:
    """The first edge between labels that are connected already."""
    leader = list(range(len(parents)))

    def find(label: int) -> int:
        while leader[label] != label:
            leader[label] = leader[leader[label]]
            label = leader[label]
        return label

    for child, given in enumerate(parents):
        for parent in given:
            one, other = find(parent), find(child)
            if one == other:
                return parent, child
            leader[one] = other
    return None
