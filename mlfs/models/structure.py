"""The structure of a chain: the parents of each label, their weights, and an order.

It is what a learner of structures finds, what a model is built on, and what can be looked at:
as text, as DOT, as JSON, or as a picture (`mlfs.models.draw`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mlfs.errors import DataError, UsageError
from mlfs.models.structure_checks import (
    FORMAT,
    VERSION,
    check_texts,
    checked_dict,
    is_number,
    label_number,
    shown,
)
from mlfs.search.networks import Network

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Edge", "Structure", "from_order", "parents_first"]

Edge = tuple[int, int]


@dataclass(frozen=True)
class Structure:
    """Which labels each label is told when it is predicted.

    Parameters
    ----------
    kind : str
        How it was made: ``independent``, ``chain``, ``tree``, ``forest``, ``polytree``, ``given``.
    names : tuple of str
        The labels.
    order : tuple of int
        The labels by number, parents before their children.
    parents : tuple of tuple of int
        The parents of each label, ascending.
    weights : mapping from (parent, child) to float
        What the learner measured; ``(label, label)`` weighs a label that stands on its own.
        Empty where nothing was measured.
    note : str
        The choices behind it, in words.

    Examples
    --------
    >>> structure = Structure("chain", ("sad", "calm"), (1, 0), ((1,), ()), {(1, 0): 0.25})
    >>> structure.children, structure.roots, structure.is_forest
    (((), (0,)), (1,), True)
    >>> print(structure.to_text())
    chain: 2 labels, 1 edge
    place  label  parents
        1  calm   -
        2  sad    calm (0.25)
    """

    kind: str
    names: tuple[str, ...]
    order: tuple[int, ...]
    parents: tuple[tuple[int, ...], ...]
    weights: Mapping[Edge, float] = field(default_factory=dict, hash=False)
    note: str = ""

    def __post_init__(self) -> None:
        check_texts(self.kind, self.names, self.note)
        q = len(self.names)
        order = tuple(label_number(i, q, "the order") for i in self.order)
        if sorted(order) != list(range(q)):
            msg = f"the order names {len(set(order))} of {q} labels: name each label once"
            raise UsageError(msg)
        if len(self.parents) != q:
            msg = f"there are parents for {len(self.parents)} labels, but {q} labels"
            raise UsageError(msg)
        parents = tuple(
            tuple(sorted(label_number(p, q, f"the parents of {shown(name)}") for p in given))
            for name, given in zip(self.names, self.parents, strict=True)
        )
        self._check_parents(order, parents)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "weights", dict(self._checked_weights(parents)))

    def _check_parents(self, order: tuple[int, ...], parents: tuple[tuple[int, ...], ...]) -> None:
        place = {label: at for at, label in enumerate(order)}
        for label, given in enumerate(parents):
            if len(set(given)) < len(given):
                msg = f"the label {shown(self.names[label])} has the same parent twice"
                raise UsageError(msg)
            for parent in given:
                if place[parent] >= place[label]:
                    child, before = shown(self.names[label]), shown(self.names[parent])
                    msg = f"the label {child} comes before its parent {before} in the order"
                    raise UsageError(msg)

    def _checked_weights(
        self, parents: tuple[tuple[int, ...], ...]
    ) -> Iterator[tuple[Edge, float]]:
        q = len(parents)
        for key, weight in self.weights.items():
            if not isinstance(key, tuple) or len(key) != 2:
                msg = f"a weight belongs to a pair (parent, child), not to {shown(key)}"
                raise UsageError(msg)
            parent, child = (label_number(i, q, "the weights") for i in key)
            alone = parent == child and not parents[child]
            if parent not in parents[child] and not alone:
                names = f"{shown(self.names[parent])} to {shown(self.names[child])}"
                msg = f"there is a weight from {names}, but no such edge"
                raise UsageError(msg)
            if not is_number(weight):
                msg = f"the weights are finite numbers, not {shown(weight)}"
                raise UsageError(msg)
            yield (parent, child), float(weight)

    # ---- what it looks like -----------------------------------------------------------------

    @property
    def q(self) -> int:
        """How many labels there are."""
        return len(self.names)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each label, ascending."""
        of: list[list[int]] = [[] for _ in self.names]
        for child, parents in enumerate(self.parents):
            for parent in parents:
                of[parent].append(child)
        return tuple(map(tuple, of))

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All (parent, child), by child and then by parent."""
        return tuple((p, child) for child, parents in enumerate(self.parents) for p in parents)

    @property
    def roots(self) -> tuple[int, ...]:
        """The labels without parents, ascending."""
        return tuple(label for label, parents in enumerate(self.parents) if not parents)

    @property
    def most_parents(self) -> int:
        """The greatest number of parents that a label has."""
        return max(map(len, self.parents), default=0)

    @property
    def is_forest(self) -> bool:
        """Whether no label has more than one parent."""
        return self.most_parents <= 1

    @cached_property
    def is_polytree(self) -> bool:
        """Whether there is at most one way between two labels, directions aside."""
        if sum(map(len, self.parents)) >= max(self.q, 1):
            return False
        group = list(range(self.q))

        def leader(label: int) -> int:
            while group[label] != label:
                group[label] = group[group[label]]
                label = group[label]
            return label

        for parent, child in self.edges:
            a, b = leader(parent), leader(child)
            if a == b:
                return False
            group[a] = b
        return True

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """How many labels stand above each label on the longest way from a root."""
        level = [0] * self.q
        for label in self.order:
            level[label] = max((level[p] + 1 for p in self.parents[label]), default=0)
        return tuple(level)

    # ---- other forms ------------------------------------------------------------------------

    @classmethod
    def from_network(
        cls,
        network: Network,
        names: Sequence[str],
        weights: Mapping[Edge, float] | None = None,
    ) -> Structure:
        """The structure of a label network that was made from counts."""
        return cls(
            network.kind, tuple(names), network.order, network.parents, weights or {}, network.note
        )

    def to_network(self) -> Network:
        """The network that criteria such as ``mlfs_local`` take."""
        return Network(self.kind, self.order, self.parents, self.note)

    def renumbered(self, names: Sequence[str]) -> Structure:
        """The same structure over labels that stand in another order."""
        if tuple(names) == self.names:
            return self
        for name in (*self.names, *names):
            if name not in names or name not in self.names:
                where = "data" if name not in names else "structure"
                msg = f"the label {shown(name)} is not in the {where}: both need the same labels"
                raise UsageError(msg)
        to = [list(names).index(name) for name in self.names]
        parents: list[tuple[int, ...]] = [()] * self.q
        for label, given in enumerate(self.parents):
            parents[to[label]] = tuple(sorted(to[p] for p in given))
        weights = {(to[a], to[b]): weight for (a, b), weight in self.weights.items()}
        order = tuple(to[label] for label in self.order)
        return Structure(self.kind, tuple(names), order, tuple(parents), weights, self.note)

    def to_text(self) -> str:
        """A table for people: the labels in order, each with its parents and their weights."""
        from mlfs.models.showing import as_text

        return as_text(self)

    def to_dot(self) -> str:
        """A graph in the DOT language of Graphviz."""
        from mlfs.models.showing import as_dot

        return as_dot(self)

    def draw(self, ax: Any = None) -> Figure:
        """A picture; needs matplotlib, see `mlfs.models.draw.draw`."""
        from mlfs.models.draw import draw

        return draw(self, ax)

    def to_dict(self) -> dict[str, Any]:
        """What `from_dict` reads, ready for JSON."""
        weights = [[a, b, weight] for (a, b), weight in sorted(self.weights.items())]
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.kind,
            "names": list(self.names),
            "order": list(self.order),
            "parents": [list(given) for given in self.parents],
            "weights": weights,
            "note": self.note,
        }

    @classmethod
    def from_dict(cls, given: Any) -> Structure:
        """Read what `to_dict` wrote; anything else is refused in a sentence."""
        parts = checked_dict(given)
        pairs: dict[Edge, float] = {}
        for entry in parts["weights"]:
            if not isinstance(entry, list) or len(entry) != 3:
                msg = f"not a label structure: a weight is [parent, child, w], not {shown(entry)}"
                raise DataError(msg)
            if not all(isinstance(i, int) for i in entry[:2]) or tuple(entry[:2]) in pairs:
                msg = f"not a label structure: the weight {shown(entry)} is of no edge, or twice"
                raise DataError(msg)
            pairs[entry[0], entry[1]] = entry[2]
        try:
            return cls(
                parts["kind"],
                tuple(parts["names"]),
                tuple(parts["order"]),
                tuple(map(tuple, parts["parents"])),
                pairs,
                parts["note"],
            )
        except UsageError as error:
            msg = f"not a label structure: {error}"
            raise DataError(msg) from error


def parents_first(parents: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """An order in which parents come before their children: level by level, then by number.

    Examples
    --------
    >>> parents_first([(2,), (), (1,)])
    (1, 2, 0)
    """
    left = [len(set(given)) for given in parents]
    children: list[list[int]] = [[] for _ in parents]
    for child, given in enumerate(parents):
        for parent in set(given):
            children[parent].append(child)
    order: list[int] = []
    level = [label for label, count in enumerate(left) if count == 0]
    while level:
        order += level
        below = []
        for label in level:
            for child in children[label]:
                left[child] -= 1
                if left[child] == 0:
                    below.append(child)
        level = sorted(below)
    if len(order) < len(parents):
        raise UsageError("the parents of the labels go round in a circle")
    return tuple(order)


def from_order(order: Sequence[int], names: Sequence[str], note: str = "") -> Structure:
    """A chain in which all predecessors of a label are its parents."""
    parents: list[tuple[int, ...]] = [()] * len(order)
    for at, label in enumerate(order):
        parents[label] = tuple(sorted(order[:at]))
    return Structure("chain", tuple(names), tuple(order), tuple(parents), note=note)
