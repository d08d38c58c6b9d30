"""`Structure`: the parents of each label, an order in which they come first, and their weights.

Criteria that use the parents of labels call it their label network; models are built on it. It can
be shown as text, as DOT, as JSON and as a picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mlfs.errors import UsageError, printable

Edge = tuple[int, int]


@dataclass(frozen=True)
class Structure:
    """The parents of each label, and an order in which no label precedes its parents.

    Parameters
    ----------
    kind : str
        How it was made: ``independent``, ``chain``, ``tree``, ``forest``, ``polytree``, ``given``.
    names : tuple of str
        The names of the labels.
    order : tuple of int
        The labels by number, parents before their children.
    parents : tuple of tuple of int
        The parents of each label, ascending.
    weights : mapping from (parent, child) to float
        What the learner measured; ``(label, label)`` is the weight of a label without parents.
        Empty where nothing was measured.
    note : str
        How it was made, in words.

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
        self._check_texts()
        q = len(self.names)
        order = tuple(_number(i, q, "the order") for i in self.order)
        if sorted(order) != list(range(q)):
            msg = f"the order names {len(set(order))} of {q} labels: name each label once"
            raise UsageError(msg)
        if len(self.parents) != q:
            msg = f"there are parents for {len(self.parents)} labels, but {q} labels"
            raise UsageError(msg)
        parents = tuple(
            tuple(sorted(_number(p, q, "the parents of ", name) for p in label_parents))
            for name, label_parents in zip(self.names, self.parents, strict=True)
        )
        self._check_parents(order, parents)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "weights", dict(self._checked_weights(parents)))

    def _check_texts(self) -> None:
        for field_name, text in (("kind", self.kind), ("note", self.note)):
            if not isinstance(text, str):
                msg = f"the {field_name} of a structure is a text, not {shown(text)}"
                raise UsageError(msg)
        seen: set[str] = set()
        for name in self.names:
            if not isinstance(name, str):
                msg = f"the name of a label is a text, not {shown(name)}"
                raise UsageError(msg)
            if name in seen:
                msg = f"two labels are called {shown(name)}"
                raise UsageError(msg)
            seen.add(name)

    def _check_parents(self, order: tuple[int, ...], parents: tuple[tuple[int, ...], ...]) -> None:
        position = {label: i for i, label in enumerate(order)}
        for label, label_parents in enumerate(parents):
            if len(set(label_parents)) < len(label_parents):
                msg = f"the label {shown(self.names[label])} has the same parent twice"
                raise UsageError(msg)
            for parent in label_parents:
                if position[parent] >= position[label]:
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
            parent, child = (_number(i, q, "the weights") for i in key)
            alone = parent == child and not parents[child]
            if parent not in parents[child] and not alone:
                names = f"{shown(self.names[parent])} to {shown(self.names[child])}"
                msg = f"there is a weight from {names}, but no such edge"
                raise UsageError(msg)
            if not _is_finite(weight):
                msg = f"the weights are finite numbers, not {shown(weight)}"
                raise UsageError(msg)
            yield (parent, child), float(weight)

    def __getstate__(self) -> dict[str, Any]:
        """The fields as skops stores them: it takes no pairs as keys of a dict."""
        return {**vars(self), "weights": list(self.weights.items())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, weights=dict(state["weights"]))

    # ---- properties -------------------------------------------------------------------------

    @property
    def q(self) -> int:
        """The number of labels."""
        return len(self.names)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each label, ascending."""
        children: list[list[int]] = [[] for _ in self.names]
        for child, parents in enumerate(self.parents):
            for parent in parents:
                children[parent].append(child)
        return tuple(map(tuple, children))

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
        """Whether at most one path connects two labels, whatever the directions of its edges."""
        return closing_edge(self.parents) is None

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The length of the longest path from a root to each label."""
        level = [0] * self.q
        for label in self.order:
            level[label] = max((level[p] + 1 for p in self.parents[label]), default=0)
        return tuple(level)

    # ---- other forms ------------------------------------------------------------------------

    def renumbered(self, names: Sequence[str]) -> Structure:
        """Give the structure for its labels in another order."""
        if tuple(names) == self.names:
            return self
        for name in (*self.names, *names):
            if name not in names or name not in self.names:
                where = "data" if name not in names else "structure"
                msg = f"the label {shown(name)} is not in the {where}: both need the same labels"
                raise UsageError(msg)
        numbers = [list(names).index(name) for name in self.names]
        parents: list[tuple[int, ...]] = [()] * self.q
        for label, label_parents in enumerate(self.parents):
            parents[numbers[label]] = tuple(sorted(numbers[p] for p in label_parents))
        weights = {(numbers[a], numbers[b]): weight for (a, b), weight in self.weights.items()}
        order = tuple(numbers[label] for label in self.order)
        return Structure(self.kind, tuple(names), order, tuple(parents), weights, self.note)

    def _repr_html_(self) -> str:
        from mlfs.search.structure_forms import as_html

        return as_html(self)

    def to_text(self) -> str:
        """A table of text: the labels in order, each with its parents and their weights."""
        from mlfs.search.structure_forms import as_text

        return as_text(self)

    def to_dot(self) -> str:
        """A graph in the DOT language of Graphviz."""
        from mlfs.search.structure_forms import as_dot

        return as_dot(self)

    def to_dict(self) -> dict[str, Any]:
        """The structure as plain data for JSON, which `from_dict` reads."""
        from mlfs.search.structure_forms import as_dict

        return as_dict(self)

    @classmethod
    def from_dict(cls, given: Any) -> Structure:
        """Read what `to_dict` wrote; anything else is refused with one sentence."""
        from mlfs.search.structure_forms import from_dict

        return from_dict(given)


def shown(value: object) -> str:
    """A value of unknown type as it appears in an error message."""
    return repr(printable(value)) if isinstance(value, str) else printable(repr(value))


def _number(value: Any, q: int, where: str, name: str | None = None) -> int:
    """The number of a label, checked."""
    if type(value) is int and 0 <= value < q:
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 0 <= value < q:
        where = where if name is None else where + shown(name)
        msg = f"a label in {where} is a number from 0 to {q - 1}, not {shown(value)}"
        raise UsageError(msg)
    return int(value)


def _is_finite(value: Any) -> bool:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return False
    try:
        return math.isfinite(value)
    except (OverflowError, TypeError, ValueError):
        return False


def closing_edge(parents: Sequence[Sequence[int]]) -> Edge | None:
    """The first edge that closes a cycle when directions are ignored; None in a polytree.

    Examples
    --------
    >>> closing_edge([(), (), (0, 1)]), closing_edge([(), (0,), (0, 1)])
    (None, (1, 2))
    """
    leader = list(range(len(parents)))

    def find(label: int) -> int:
        while leader[label] != label:
            leader[label] = leader[leader[label]]
            label = leader[label]
        return label

    for child, label_parents in enumerate(parents):
        for parent in label_parents:
            parent_group, child_group = find(parent), find(child)
            if parent_group == child_group:
                return parent, child
            leader[parent_group] = child_group
    return None


def parents_first(parents: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """An order in which parents come before their children: level by level, then by number.

    Examples
    --------
    >>> parents_first([(2,), (), (1,)])
    (1, 2, 0)
    """
    remaining = [len(set(label_parents)) for label_parents in parents]
    children: list[list[int]] = [[] for _ in parents]
    for child, label_parents in enumerate(parents):
        for parent in set(label_parents):
            children[parent].append(child)
    order: list[int] = []
    level = [label for label, count in enumerate(remaining) if count == 0]
    while level:
        order += level
        below = []
        for label in level:
            for child in children[label]:
                remaining[child] -= 1
                if remaining[child] == 0:
                    below.append(child)
        level = sorted(below)
    if len(order) < len(parents):
        raise UsageError("the parents of the labels go round in a circle")
    return tuple(order)


def from_order(order: Sequence[int], names: Sequence[str], note: str = "") -> Structure:
    """A chain in which all predecessors of a label are its parents."""
    parents: list[tuple[int, ...]] = [()] * len(order)
    for position, label in enumerate(order):
        parents[label] = tuple(sorted(order[:position]))
    return Structure("chain", tuple(names), tuple(order), tuple(parents), note=note)


def numbered_names(q: int) -> tuple[str, ...]:
    """The names of labels that have none: ``y0, y1, ...``."""
    return tuple(f"y{label}" for label in range(q))
