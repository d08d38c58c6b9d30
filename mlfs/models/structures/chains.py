"""Structures with an order: none, all predecessors, the k best of them; and given ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs.data.first_component import first_component, in_three_levels
from mlfs.errors import UnknownName, UsageError, printable
from mlfs.models.structures.structure_learner import LabelPairs, StructureLearner
from mlfs.search.label_parents import Structure, from_order
from mlfs.search.networks import chain_order_cheap, chain_order_full, k_parents
from mlfs.search.requested_network import given_network

if TYPE_CHECKING:
    from mlfs.models.problem import Problem

__all__ = ["Chain", "Given", "Independent", "KParents"]

ORDERS = {
    "given": "labels in the order of their columns",
    "random": "labels in random order",
    "cheap": "labels ordered by Algorithm 2 on the first principal component in three levels",
    "full": "labels ordered by Algorithm 2 on all features",
}
STREAM = 1  # of the random numbers of a problem


class Independent(StructureLearner):
    """No label has parents: binary relevance.

    Examples
    --------
    >>> from mlfs.models.problem import Problem
    >>> Independent().learn(Problem(np.eye(2), np.eye(2, dtype=np.int8), ("a", "b"))).parents
    ((), ())
    """

    def learn(self, problem: Problem) -> Structure:
        """The labels, without edges."""
        q = problem.q
        return Structure("independent", problem.names, tuple(range(q)), ((),) * q)


class Chain(StructureLearner):
    """All labels that come before a label are its parents.

    Parameters
    ----------
    order : {"random", "given", "cheap", "full"} or sequence of label
        ``given``: the order of the columns. ``cheap`` and ``full``: Algorithm 2 of Sun & Kudo,
        on the first principal component in three levels without the second term of (47), as in
        their experiments, or in full. Or the labels themselves, by name or number.

    Examples
    --------
    >>> from mlfs.models.problem import Problem
    >>> problem = Problem(np.eye(2), np.eye(2, dtype=np.int8), ("a", "b"))
    >>> Chain(["b", "a"]).learn(problem).parents
    ((1,), ())
    """

    def __init__(self, order: str | Sequence[Any] = "random") -> None:
        self.order = order

    def learn(self, problem: Problem) -> Structure:
        """The order, with all predecessors."""
        order, note = ordered(problem, self.order)
        return from_order(order, problem.names, note)


class KParents(StructureLearner):
    """A label has the k best of its predecessors, picked one after another by eq. (33).

    Parameters
    ----------
    k : int, optional
        The greatest number of parents; ceil(0.8 q) by default, as in the paper.
    order : {"cheap", "full", "random", "given"} or sequence of label
        As for `Chain`.

    Notes
    -----
    The weights of the structure are I(p;l) / min(H(p), H(l)).
    """

    def __init__(self, k: int | None = None, order: str | Sequence[Any] = "cheap") -> None:
        self.k, self.order = k, order

    def learn(self, problem: Problem) -> Structure:
        """The order, with k predecessors of each label."""
        k = self.k
        if k is not None and (isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 0):
            msg = f"k is the greatest number of parents of a label, not {printable(repr(k))}"
            raise UsageError(msg)
        order, note = ordered(problem, self.order)
        pairs = LabelPairs.of(problem)
        found = k_parents(pairs.info, order, None if k is None else int(k), problem.names)
        return replace(found, weights=pairs.weights(found), note=f"{note}; {found.note}")


class Given(StructureLearner):
    """What the user says.

    Parameters
    ----------
    structure : Structure or mapping from label to its parents
        A structure is matched with the labels by name; a mapping names labels or numbers them.
    """

    def __init__(self, structure: Any) -> None:
        self.structure = structure

    def learn(self, problem: Problem) -> Structure:
        """The structure, checked against the labels of the problem."""
        given = self.structure
        if isinstance(given, Structure):
            return given.renumbered(problem.names)
        if not isinstance(given, Mapping):
            msg = (
                "a given structure is a Structure, or a mapping from labels to their "
                f"parents, not {printable(repr(given))}"
            )
            raise UsageError(msg)
        return given_network(given, problem.names)


def ordered(problem: Problem, order: Any) -> tuple[tuple[int, ...], str]:
    """The labels in the order that is wanted, and how that is called."""
    if not isinstance(order, str):
        return _sequence(order, problem.names), "labels in the order that was given"
    if order not in ORDERS:
        raise UnknownName("order of labels", order, ORDERS)
    if order == "given" or problem.q == 1:
        found = tuple(range(problem.q))
    elif order == "random":
        found = tuple(problem.generator(STREAM).permutation(problem.q).tolist())
    else:
        ready = problem.prepared()
        if order == "full":
            found = chain_order_full(ready.info)
        else:
            component = first_component(ready.dataset, ready.weights)
            found = chain_order_cheap(ready.info, in_three_levels(component, ready.weights))
    return found, ORDERS[order]


def _sequence(order: Any, names: tuple[str, ...]) -> tuple[int, ...]:
    if not isinstance(order, (Sequence, np.ndarray)):
        known = ", ".join(ORDERS)
        msg = f"order is one of {known}, or the labels in order, not {printable(repr(order))}"
        raise UsageError(msg)
    where = {name: i for i, name in enumerate(names)}
    found = []
    for label in order:
        if isinstance(label, str) and label in where:
            found.append(where[label])
        elif not isinstance(label, (str, bool)) and label in range(len(names)):
            found.append(int(label))
        else:
            raise UnknownName("label in the order", str(label), names)
    if sorted(found) != list(range(len(names))):
        missing = [name for name in names if where[name] not in found]
        what = f"{printable(missing[0])!r} is not in it" if missing else "one stands there twice"
        msg = f"the order names each of the {len(names)} labels once, but {what}"
        raise UsageError(msg)
    return tuple(found)
