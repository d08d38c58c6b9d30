"""Structures with an order: none, all predecessors, the k best of them; and given ones.

What all learners of label structures share, and mutual information of pairs of labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from mlfs.counting.weights import on_grid
from mlfs.data.first_component import first_component, in_three_levels
from mlfs.errors import UnknownName, UsageError, check_name, printable
from mlfs.information.for_search import label_pair
from mlfs.information.info import Info
from mlfs.models.problem import Stream
from mlfs.models.storage.storable import parameters, storable
from mlfs.search.label_parents import Edge, Structure, from_order
from mlfs.search.networks import (
    chain_order_cheap,
    chain_order_full,
    check_most_parents,
    given_network,
    k_parents,
)

if TYPE_CHECKING:
    from mlfs.models.problem import Problem


class StructureLearner(BaseEstimator):  # type: ignore[misc]  # sklearn has no types
    """Learns the parents of each label from data.

    To write your own, keep the parameters of ``__init__`` under their names and write `learn`.
    """

    def learn(self, problem: Problem) -> Structure:
        """The structure of the labels of a problem."""
        raise NotImplementedError


def labels_alone(problem: Problem) -> Info:
    """The counts of the labels beside no features: enough where only labels are compared."""
    nothing = np.zeros((problem.n_rows, 1), np.int32)
    weights = None if problem.weights is None else on_grid(problem.weights)
    return Info.from_codes(nothing, problem.Y.astype(np.int32), weights=weights)


@dataclass(frozen=True)
class LabelInformation:
    """Entropy and mutual information of all pairs of labels, on the rows where both are known.

    Parameters
    ----------
    info : Info
        The counts.
    n_rows : ndarray of float, shape (q, q)
        How many rows, or what weight of rows, each pair is known on.
    """

    info: Info
    n_rows: np.ndarray

    @classmethod
    def of(cls, problem: Problem) -> LabelInformation:
        """Count the pairs of labels of a problem."""
        known = (problem.Y >= 0).astype(np.float64)
        weights = np.ones(problem.n_rows) if problem.weights is None else problem.weights
        info = problem.shared[0].info if problem.shared else labels_alone(problem)
        return cls(info, (known * weights[:, None]).T @ known)

    @cached_property
    def _parts(self) -> tuple[np.ndarray, np.ndarray]:
        q = self.info.q
        mi, least = np.zeros((q, q)), np.zeros((q, q))
        for label in range(q):
            mi[label], h_f, h_l = label_pair(self.info, label)
            least[label] = np.minimum(h_f, h_l)
        np.fill_diagonal(mi, 0.0)
        return mi, least

    @property
    def information(self) -> np.ndarray:
        """I(a;b), the diagonal 0."""
        return self._parts[0]

    @cached_property
    def normalised(self) -> np.ndarray:
        """I(a;b) / min(H(a), H(b)), eq. (25) of the PACC paper; 0 with a constant label."""
        mi, least = self._parts
        return np.divide(mi, least, out=np.zeros_like(mi), where=least > 0)

    @cached_property
    def g(self) -> np.ndarray:
        """The statistic of the G-test of each pair, 2 N I(a;b)."""
        return 2.0 * self.n_rows * self.information

    @property
    def constant(self) -> np.ndarray:
        """Which labels have one value."""
        return self.info.h_l == 0

    def weights(self, structure: Structure) -> dict[Edge, float]:
        """The normalised information of each edge."""
        return {edge: float(self.normalised[edge]) for edge in structure.edges}


ORDERS = {
    "given": "labels in the order of their columns",
    "random": "labels in random order",
    "cheap": "labels ordered by Algorithm 2 on the first principal component in three levels",
    "full": "labels ordered by Algorithm 2 on all features",
}


@storable
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


@storable
@parameters
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

    order: str | Sequence[Any] = "random"

    def learn(self, problem: Problem) -> Structure:
        """The order, with all predecessors."""
        order, note = label_order(problem, self.order)
        return from_order(order, problem.names, note)


@storable
@parameters
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

    k: int | None = None
    order: str | Sequence[Any] = "cheap"

    def learn(self, problem: Problem) -> Structure:
        """The order, with k predecessors of each label."""
        check_most_parents(self.k)
        order, note = label_order(problem, self.order)
        pairs = LabelInformation.of(problem)
        structure = k_parents(pairs.info, order, self.k, problem.names)
        return replace(
            structure, weights=pairs.weights(structure), note=f"{note}; {structure.note}"
        )


@storable
@parameters
class Given(StructureLearner):
    """The structure that the user gives.

    Parameters
    ----------
    structure : Structure or mapping from label to its parents
        A structure is matched with the labels by name; a mapping names labels or numbers them.
    """

    structure: Any

    def learn(self, problem: Problem) -> Structure:
        """The structure, checked against the labels of the problem."""
        structure = self.structure
        if isinstance(structure, Structure):
            return structure.renumbered(problem.names)
        if not isinstance(structure, Mapping):
            msg = (
                "a given structure is a Structure, or a mapping from labels to their "
                f"parents, not {printable(repr(structure))}"
            )
            raise UsageError(msg)
        return given_network(structure, problem.names)


def label_order(problem: Problem, order: Any) -> tuple[tuple[int, ...], str]:
    """The labels in a named or given order, and a description of it."""
    if not isinstance(order, str):
        return _sequence(order, problem.names), "labels in the order that was given"
    check_name(order, "order of labels", ORDERS)
    if order == "given" or problem.q == 1:
        labels = tuple(range(problem.q))
    elif order == "random":
        labels = tuple(problem.generator(Stream.ORDER).permutation(problem.q).tolist())
    else:
        prepared = problem.prepared()
        if order == "full":
            labels = chain_order_full(prepared.info)
        else:
            component = first_component(prepared.dataset, prepared.weights)
            labels = chain_order_cheap(prepared.info, in_three_levels(component, prepared.weights))
    return labels, ORDERS[order]


def _sequence(order: Any, names: tuple[str, ...]) -> tuple[int, ...]:
    if not isinstance(order, (Sequence, np.ndarray)):
        orders = ", ".join(ORDERS)
        msg = f"order is one of {orders}, or the labels in order, not {printable(repr(order))}"
        raise UsageError(msg)
    where = {name: i for i, name in enumerate(names)}
    labels = []
    for label in order:
        if isinstance(label, str) and label in where:
            labels.append(where[label])
        elif not isinstance(label, (str, bool)) and label in range(len(names)):
            labels.append(int(label))
        else:
            raise UnknownName("label in the order", str(label), names)
    if sorted(labels) != list(range(len(names))):
        missing = [name for name in names if where[name] not in labels]
        fault = f"{printable(missing[0])!r} is not in it" if missing else "one stands there twice"
        msg = f"the order names each of the {len(names)} labels once, but {fault}"
        raise UsageError(msg)
    return tuple(labels)
