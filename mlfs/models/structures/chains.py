"""Structures with an order: none, all predecessors, the k best of them; and given ones.

What all learners of label structures share, and mutual information of pairs of labels. An order is
drawn, given, found by Algorithm 2, or by random swaps: Read, Martino & Luengo, Efficient Monte
Carlo methods for multi-dimensional learning with classifier chains (Pattern Recognition, 2014).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from sklearn.base import BaseEstimator

from mlfs.api.options import threads
from mlfs.counting.weights import on_grid
from mlfs.data.first_component import first_component, in_three_levels
from mlfs.errors import UnknownName, UsageError, check_name, printable
from mlfs.information.for_search import label_pair
from mlfs.information.info import Info
from mlfs.models.base_learners import Learner, fit_learner, with_one_thread
from mlfs.models.conditionals import FittedConditionals
from mlfs.models.inference.contract import whole
from mlfs.models.parameters import parameters
from mlfs.models.problem import Stream, split_aside
from mlfs.models.progress_reports import report_each
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
        """I(a;b), the diagonal 0, and min(H(a), H(b))."""
        q = self.info.q
        mi, least = np.zeros((q, q)), np.zeros((q, q))
        for label in range(q):
            mi[label], h_f, h_l = label_pair(self.info, label)
            least[label] = np.minimum(h_f, h_l)
        np.fill_diagonal(mi, 0.0)
        return mi, least

    @cached_property
    def normalised(self) -> np.ndarray:
        """I(a;b) / min(H(a), H(b)), eq. (25) of the PACC paper; 0 with a constant label."""
        mi, least = self._parts
        return np.divide(mi, least, out=np.zeros_like(mi), where=least > 0)

    @cached_property
    def g(self) -> np.ndarray:
        """The statistic of the G-test of each pair, 2 N I(a;b)."""
        return 2.0 * self.n_rows * self._parts[0]

    def weights(self, structure: Structure) -> dict[Edge, float]:
        """The normalised information of each edge."""
        return {edge: float(self.normalised[edge]) for edge in structure.edges}


ORDERS = {
    "given": "labels in the order of their columns",
    "random": "labels in random order",
    "cheap": "labels ordered by Algorithm 2 on the first principal component in three levels",
    "full": "labels ordered by Algorithm 2 on all features",
}


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


NO_GAIN = 1e-9  # nats that an order must gain to be better than another


@parameters
class SwappedOrder(StructureLearner):
    """The order of a chain by random swaps: two labels change places if the payoff rises.

    The payoff of an order is the log-likelihood of the labels, sum_n log P(y_n | x_n), under the
    chain that is trained in that order. It is the sum over the labels of what each says given its
    predecessors, so a swap fits anew only the labels from the first place to the second, and a
    label with the same set of predecessors is never fitted twice.

    Parameters
    ----------
    n_swaps : int, default=50
        How many swaps are tried, one after another.
    validation : float, optional
        The share of the rows that the payoff is measured on, kept aside in training; by default
        the training rows themselves, as in the paper.
    """

    n_swaps: int = 50
    validation: float | None = None

    def learn(self, problem: Problem) -> Structure:
        """The chain of the best order that was tried."""
        n_swaps = whole(self.n_swaps, "n_swaps", 0)
        payoffs = _Payoffs(*self._split_rows(problem))
        order = problem.generator(Stream.FIRST_ORDER).permutation(problem.q).tolist()
        best = first = payoffs.payoff(order)
        draw = problem.generator(Stream.SWAPS)
        n_taken = 0
        for _ in report_each("order of labels: swaps", range(n_swaps if problem.q > 1 else 0)):
            a, b = draw.choice(problem.q, size=2, replace=False).tolist()
            candidate = list(order)
            candidate[a], candidate[b] = candidate[b], candidate[a]
            payoff = payoffs.payoff(candidate)
            if payoff > best + NO_GAIN:
                order, best, n_taken = candidate, payoff, n_taken + 1
        note = (
            f"a random order after {n_swaps} swaps of two labels, of which {n_taken} were taken: "
            f"mean log-likelihood {first:.4g} before and {best:.4g} after"
        )
        return from_order(order, problem.names, note)

    def _split_rows(self, problem: Problem) -> tuple[Problem, Problem]:
        share = self.validation
        if share is None:
            return problem, problem
        valid = isinstance(share, (float, np.floating)) and 0 < share < 1
        if not valid:
            msg = f"validation is a share of the rows between 0 and 1, not {printable(repr(share))}"
            raise UsageError(msg)
        return split_aside(problem, float(share), Stream.PAYOFF)


class _Payoffs:
    """The payoffs of orders: the mean log-likelihood of a row, label by label, kept for reuse."""

    def __init__(self, train: Problem, test: Problem) -> None:
        self.train, self.test = train, test
        self.payoffs: dict[tuple[int, tuple[int, ...]], float] = {}

    def payoff(self, order: list[int]) -> float:
        fits = [(label, tuple(sorted(order[:i]))) for i, label in enumerate(order)]
        new = [fit for fit in fits if fit not in self.payoffs]
        run = joblib.Parallel(max(1, min(threads(self.train.n_jobs), len(new))))
        tasks = ((_payoff, self.train, self.test, *fit) for fit in new)
        payoffs = run(joblib.delayed(with_one_thread)(*task) for task in tasks)
        self.payoffs.update(zip(new, payoffs, strict=True))
        return float(sum(self.payoffs[fit] for fit in sorted(fits)))


def _payoff(train: Problem, test: Problem, label: int, parents: tuple[int, ...]) -> float:
    """The mean of log P(label | x, parents) over the rows in which all of them are known."""
    rows = test.observed(label, *parents)
    if not rows.size:
        return 0.0
    learner = fit_learner(train, label, parents, train.weights)
    constant = Learner(None, 0, None, ())
    learners = tuple(learner if node == label else constant for node in range(train.q))
    node_parents = tuple(parents if node == label else () for node in range(train.q))
    order = (*parents, *(node for node in range(train.q) if node not in parents))
    structure = Structure("given", train.names, order, node_parents)
    conditionals = FittedConditionals(structure, learners, train.X.shape[1]).on(test.X)
    log_probas = conditionals.log_proba(label, rows, test.Y[rows][:, list(parents)])
    logs = log_probas[np.arange(rows.size), test.Y[rows, label]]
    weights = None if test.weights is None else test.weights[rows]
    return float(np.average(logs, weights=weights))
