"""Messages on trees and polytrees: the joint mode, in time linear in the number of labels.

One factor for each label, of its parents. P(label | x) is exact where it can be had, else by Monte
Carlo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlfs.api.options import seed_of
from mlfs.errors import UsageError, check_name, printable
from mlfs.models.inference.contract import (
    MOST_PARENTS,
    TIE,
    Conditionals,
    Floats,
    Inference,
    Ints,
    Labels,
    blocks,
    configurations,
    every_vector,
    numbered,
    refuse_without_probabilities,
    table_of,
    whole,
)
from mlfs.models.inference.monte_carlo import draw_samples, row_blocks
from mlfs.search.label_parents import Structure, closing_edge

Visit = tuple[bool, int, int]  # whether the node is a factor, its number, and the node before it


def _visits(scopes: list[tuple[int, ...]], factors_of: list[list[int]]) -> list[Visit]:
    """Labels and factors, from one label of each connected part outwards."""
    visits: list[Visit] = []
    reached: set[int] = set()
    for root in range(len(scopes)):
        waiting: list[Visit] = [] if root in reached else [(False, root, -1)]
        while waiting:
            is_factor, node, origin = waiting.pop()
            visits.append((is_factor, node, origin))
            if not is_factor:
                reached.add(node)
            after = scopes[node] if is_factor else factors_of[node]
            waiting += [(not is_factor, other, node) for other in after if other != origin]
    return visits


@dataclass
class Factors:
    """The factors of some rows, and what is known about their labels.

    Parameters
    ----------
    scopes : list of tuple of int
        The labels of each factor: the parents from the last to the first, and the label itself.
    factors_of : list of list of int
        The factors of each label: its own and those of its children.
    visits : list of Visit
        The order in which labels and factors are visited, each after the one that leads to it.
    values : list of ndarray
        The logarithm of each factor, one axis for the rows and one for each label of its scope.
    evidence : ndarray, shape (q, n_rows, 2)
        0 where a value of a label is possible, -inf where it is not.
    """

    scopes: list[tuple[int, ...]]
    factors_of: list[list[int]]
    visits: list[Visit]
    values: list[Floats]
    evidence: Floats

    @classmethod
    def of(cls, conditionals: Conditionals, rows: Ints) -> Factors:
        """The tables of a model whose structure has no cycles, for some of its rows."""
        parents = conditionals.structure.parents
        scopes = [(*parents[label][::-1], label) for label in range(len(parents))]
        factors_of = [
            [k for k, scope in enumerate(scopes) if l in scope] for l in range(len(scopes))
        ]
        values = [
            table_of(conditionals, label, rows).reshape(len(rows), *[2] * len(scope))
            for label, scope in enumerate(scopes)
        ]
        evidence = np.zeros((len(scopes), len(rows), 2))
        return cls(scopes, factors_of, _visits(scopes, factors_of), values, evidence)

    def some(self, rows: Ints) -> Factors:
        """The factors of some of the rows."""
        values = [value[rows] for value in self.values]
        return replace(self, values=values, evidence=self.evidence[:, rows])

    def max_marginals(self) -> Floats:
        """The score of the best vector with each value of each label, (q, n_rows, 2)."""
        up: dict[tuple[int, int], Floats] = {}  # (factor, label): from a factor to a label
        down: dict[tuple[int, int], Floats] = {}  # (factor, label): from a label to a factor
        for is_factor, node, origin in reversed(self.visits):
            if is_factor:
                up[node, origin] = self._from_factor(node, origin, down)
            elif origin >= 0:
                down[origin, node] = self._from_label(node, origin, up)
        out = np.empty_like(self.evidence)
        for is_factor, node, origin in self.visits:
            if is_factor:
                for label in self.scopes[node]:
                    if label != origin:
                        up[node, label] = self._from_factor(node, label, down)
            else:
                out[node] = self._send_to_others(node, origin, up, down)
        return out

    def _from_factor(self, factor: int, label: int, down: dict[tuple[int, int], Floats]) -> Floats:
        scope = self.scopes[factor]
        total = self.values[factor]
        for axis, neighbour in enumerate(scope, start=1):
            if neighbour != label:
                shape = [-1] + [2 if axis == i else 1 for i in range(1, len(scope) + 1)]
                total = total + down[factor, neighbour].reshape(shape)
        axes = tuple(axis for axis, neighbour in enumerate(scope, start=1) if neighbour != label)
        return np.asarray(total.max(axis=axes)) if axes else total

    def _from_label(self, label: int, factor: int, up: dict[tuple[int, int], Floats]) -> Floats:
        total = self.evidence[label]
        for neighbour in self.factors_of[label]:
            if neighbour != factor:
                total = total + up[neighbour, label]
        return total

    def _send_to_others(
        self,
        label: int,
        origin: int,
        up: dict[tuple[int, int], Floats],
        down: dict[tuple[int, int], Floats],
    ) -> Floats:
        """Send messages to all factors except the origin; return the sum of all incoming ones.

        Each is the sum of the messages before and after it: -inf cannot be subtracted again.
        """
        factors = self.factors_of[label]
        after = [np.zeros_like(self.evidence[label])]
        for factor in reversed(factors[1:]):
            after.append(after[-1] + up[factor, label])
        before = self.evidence[label]
        for factor, behind in zip(factors, reversed(after), strict=True):
            if factor != origin:
                down[factor, label] = before + behind
            before = before + up[factor, label]
        return before


CELLS = 1 << 22


class MaxSum(Inference):
    """The most probable label vector, by messages between the labels of a tree or polytree.

    Exact; refused for structures with a cycle (directions forgotten) and for labels of more than
    12 parents. Of equally probable vectors the lowest is returned, as by `BestFirst`.

    Examples
    --------
    >>> from mlfs.models.inference import MaxSum
    >>> MaxSum()
    MaxSum()
    """

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        refuse_without_probabilities(conditionals, "max-sum")
        _refuse_unless_polytree(conditionals)
        cells = conditionals.q << (most_parents(conditionals.structure.parents) + 1)
        out = np.zeros((conditionals.n_rows, conditionals.q), dtype=np.int8)
        for rows in blocks(conditionals.n_rows, cells, CELLS):
            out[rows] = _mode(Factors.of(conditionals, rows))
        return out


def _mode(factors: Factors) -> Labels:
    """Each label takes its better value; of tied ones the first takes 0, and all is redone."""
    scores = factors.max_marginals()
    best = scores.max(axis=2)  # of the connected part that a label belongs to
    labels = np.empty(best.shape, dtype=np.int8)
    rows = np.arange(best.shape[1])
    while True:
        labels[:, rows] = scores[:, :, 1] > scores[:, :, 0]
        tied = (scores >= best[:, :, None] - TIE).all(axis=2)
        open_rows = np.flatnonzero(tied.any(axis=0))
        if not open_rows.size:
            return labels.T
        factors, best, rows = factors.some(open_rows), best[:, open_rows], rows[open_rows]
        factors.evidence[tied[:, open_rows].argmax(axis=0), np.arange(len(rows)), 1] = -np.inf
        scores = factors.max_marginals()


def is_small_polytree(parents: Sequence[Sequence[int]]) -> bool:
    """Whether there is no cycle, directions ignored, and no label has too many parents.

    Examples
    --------
    >>> is_small_polytree([(), (), (0, 1)]), is_small_polytree([(), (0,), (0, 1)])
    (True, False)
    """
    return closing_edge(parents) is None and most_parents(parents) <= MOST_PARENTS


def most_parents(parents: Sequence[Sequence[int]]) -> int:
    """The greatest number of parents of a label."""
    return max(map(len, parents), default=0)


def _refuse_unless_polytree(conditionals: Conditionals) -> None:
    """Refuse a structure that max-sum does not solve exactly."""
    structure = conditionals.structure
    closing = closing_edge(structure.parents)
    if closing is not None:
        first, second = (printable(repr(structure.names[label])) for label in closing)
        msg = (
            f"max-sum is exact on trees and polytrees only, and the edge between {first} and "
            f"{second} closes a cycle: use BestFirst()"
        )
        raise UsageError(msg)
    most = most_parents(structure.parents)
    if most > MOST_PARENTS:
        label = [len(parents) for parents in structure.parents].index(most)
        name = printable(repr(structure.names[label]))
        msg = f"max-sum takes at most {MOST_PARENTS} parents for a label, and {name} has {most}: "
        raise UsageError(f"{msg}use BestFirst()")


MOST_OPEN = 12
MARGINAL_CELLS = 1 << 17
METHODS = ("auto", "exact", "sample")


def marginals(
    conditionals: Conditionals, method: str = "auto", n_samples: int = 1000, seed: Any = 0
) -> Floats:
    """P(label = 1 | x) of each row and label.

    Exact on trees and polytrees in which no label has more than 12 parents (sum-product), and
    wherever no more than 12 labels are open at a time (any structure of up to 12 labels, and
    longer chains of which each label is needed for a short while only). Elsewhere estimated: the
    mean of P(label = 1 | parents) over sampled parents, with a standard error of at most
    ``0.5 / sqrt(n_samples)`` (0.016 for 1000). All rows are sampled by the same random numbers,
    so that the estimate of a row does not depend on the other rows.

    Parameters
    ----------
    conditionals : Conditionals
        A model applied to rows.
    method : {"auto", "exact", "sample"}, default="auto"
        "exact" refuses where exact probabilities cannot be had, "sample" always samples.
    n_samples : int, default=1000
        How many label vectors are drawn for each row, if any.
    seed : int or RandomState, default=0
        The seed of the sampling.

    Returns
    -------
    ndarray of float64, shape (n_rows, q)
    """
    refuse_without_probabilities(conditionals, "a marginal probability")
    check_name(method, "method", METHODS)
    n_samples, seed = whole(n_samples, "n_samples"), seed_of(seed)
    structure = conditionals.structure
    exact = has_exact_marginals(structure)
    if method == "exact" and not exact:
        msg = (
            f"exact marginals of {conditionals.q} labels need a tree or polytree of at most "
            f"{MOST_PARENTS} parents per label, or at most {MOST_OPEN} labels that are open at a "
            f"time: use method='sample'"
        )
        raise UsageError(msg)
    if method == "sample" or not exact:
        probabilities = _sample_marginals(conditionals, n_samples, seed)
    elif is_small_polytree(structure.parents):
        probabilities = _along_polytree(conditionals)
    else:
        probabilities = _along_chain(conditionals)
    return np.clip(probabilities, 0.0, 1.0)


def has_exact_marginals(structure: Structure) -> bool:
    """Whether `marginals` is exact for a structure."""
    return is_small_polytree(structure.parents) or _most_open(structure) <= MOST_OPEN


def _along_polytree(conditionals: Conditionals) -> Floats:
    """Forward sum-product: without evidence below, the parents of a label are independent."""
    structure = conditionals.structure
    out = np.zeros((conditionals.n_rows, conditionals.q))
    for rows in blocks(conditionals.n_rows, 1 << most_parents(structure.parents), MARGINAL_CELLS):
        for label in structure.order:
            ones = np.exp(table_of(conditionals, label, rows)[:, :, 1])
            parents = structure.parents[label]
            values = configurations(len(parents))
            for bit, parent in enumerate(parents):
                chance = out[rows, parent][:, None]
                ones *= np.where(values[:, bit] == 1, chance, 1 - chance)
            out[rows, label] = ones.sum(axis=1)
    return out


def _most_open(structure: Structure) -> int:
    """The most labels in play at a place: decided, and parents of a label to come."""
    return max(len(before) + 1 for before, _ in _windows(structure))


def _windows(structure: Structure) -> list[tuple[list[int], list[int]]]:
    """At each place of the order: the labels in play before it, and those in play after it."""
    last_place: dict[int, int] = {}
    for place, label in enumerate(structure.order):
        last_place.update(dict.fromkeys(structure.parents[label], place))
    windows: list[tuple[list[int], list[int]]] = []
    before: list[int] = []
    for place, label in enumerate(structure.order):
        after = [earlier for earlier in (*before, label) if last_place.get(earlier, -1) > place]
        windows.append((before, after))
        before = after
    return windows


def _along_chain(conditionals: Conditionals) -> Floats:
    """The joint probability of the labels in play, carried along the order."""
    structure = conditionals.structure
    out = np.zeros((conditionals.n_rows, conditionals.q))
    for rows in blocks(conditionals.n_rows, 1 << _most_open(structure), MARGINAL_CELLS):
        joint = np.ones((len(rows), 1))
        for label, (before, after) in zip(structure.order, _windows(structure), strict=True):
            joint = _extend(conditionals, label, rows, joint, before)
            out[rows, label] = joint[:, 1::2].sum(axis=1)
            members = [*before, label]
            for below, member in zip(range(len(before), -1, -1), members, strict=True):
                if member not in after:
                    joint = _sum_out(joint, below)
    return out


def _extend(
    conditionals: Conditionals, label: int, rows: Ints, joint: Floats, before: Sequence[int]
) -> Floats:
    """The joint with one label more, as its last and lowest digit."""
    vectors = every_vector(len(before))
    positions = [before.index(parent) for parent in conditionals.structure.parents[label]]
    table = np.exp(table_of(conditionals, label, rows))[:, numbered(vectors[:, positions])]
    return (joint[:, :, None] * table).reshape(len(rows), -1)


def _sum_out(joint: Floats, below: int) -> Floats:
    """The joint with one label summed out, which has some number of digits below it."""
    n = len(joint)
    return joint.reshape(n, -1, 2, 1 << below).sum(axis=2).reshape(n, -1)


def _sample_marginals(conditionals: Conditionals, n_samples: int, seed: int) -> Floats:
    uniforms = np.random.default_rng(seed).random((1, n_samples, conditionals.q))
    out = np.zeros((conditionals.n_rows, conditionals.q))
    for rows in row_blocks(conditionals, n_samples):
        _, _, out[rows] = draw_samples(conditionals, rows, uniforms)
    return out
