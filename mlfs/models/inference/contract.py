"""The contract of an inference, and of the model that it asks: P(label | x, parents) for any rows.

Label vectors by number, and the tables of a model over them, for blocks of rows. Along the order of
the labels, side by side for many rows: greedy decisions, beams, the probability of label vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from mlfs.errors import UsageError, printable
from mlfs.models.parameters import parameters
from mlfs.search.label_parents import Structure

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Labels = npt.NDArray[np.int8]


class Conditionals(Protocol):
    """A model applied to rows; `mlfs.models.conditionals.AppliedConditionals` is one.

    Anything that has these members can be predicted with. Log-probabilities must be finite:
    a probability of 0 is given as a very small one (1e-12, say), one of 1 as its complement.
    """

    @property
    def structure(self) -> Structure:
        """The parents of each label."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    @property
    def q(self) -> int:
        """How many labels there are."""

    @property
    def probabilistic(self) -> bool:
        """Whether `log_proba` can be used."""

    def log_proba(self, label: int, rows: Any, parents: Any) -> Any:
        """Logarithms of P(label = 0 or 1 | x, parents), shape (len(rows), 2).

        Rows is a slice, or an array of int in which a row may come more than once; parents has
        the values (int8) of the label's parents, in ascending order of the parents.
        """

    def decide(self, label: int, rows: Any, parents: Any) -> Any:
        """The base learner's own decision for each of the rows, int8."""


MOST_PARENTS = 12  # of a label whose table of all their values is made
TIE = 1e-10  # log-probabilities that differ by no more are equal: that is rounding


class Inference(BaseEstimator):  # type: ignore[misc]  # sklearn has no types
    """From the conditional probabilities of a model to label vectors.

    A subclass is a parameter object: it has `predict` and changes nothing of itself, so that one
    may serve many models at the same time.
    """

    needs_probabilities = True

    def check(self) -> None:
        """Refuse parameters that cannot be, before anything is trained."""

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        raise NotImplementedError


def refuse_without_probabilities(conditionals: Conditionals, what: str) -> None:
    """Refuse an inference that needs probabilities where the base learner has none."""
    if not conditionals.probabilistic:
        msg = (
            f"{what} needs probabilities, and a base learner here has no predict_proba: use "
            "Greedy(), or a base learner with probabilities such as LogisticRegression"
        )
        raise UsageError(msg)


def whole(value: Any, name: str, least: int = 1) -> int:
    """A parameter that counts something.

    Examples
    --------
    >>> whole(3, "width")
    3
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        msg = f"{name} is a whole number from {least} on, not {printable(repr(value))}"
        raise UsageError(msg)
    return int(value)


def real(value: Any, what: str, fine: Callable[[float], bool]) -> float:
    """A parameter that is a number in some range; `what` says which.

    Examples
    --------
    >>> real(0.5, "ratio is a number above 0", lambda x: x > 0)
    0.5
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not fine(float(value)):
        raise UsageError(f"{what}, not {printable(repr(value))}")
    return float(value)


def parents_in(conditionals: Conditionals, label: int, labels: Labels) -> Labels:
    """The columns of a label's parents, from all columns."""
    return labels.take(np.array(conditionals.structure.parents[label], dtype=np.intp), axis=1)


def blocks(n_rows: int, cells: int, budget: int) -> list[Ints]:
    """The rows in blocks, so that a block times `cells` stays within a budget.

    Examples
    --------
    >>> [block.tolist() for block in blocks(5, 10, 20)]
    [[0, 1], [2, 3], [4]]
    """
    step = max(1, budget // max(1, cells))
    return [np.arange(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def configurations(k: int) -> Labels:
    """All values of k labels; the j-th is bit j of the row's number.

    Examples
    --------
    >>> configurations(2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    return (np.arange(1 << k)[:, None] >> np.arange(k) & 1).astype(np.int8)


def numbered(values: Labels) -> Ints:
    """The number of each configuration: the j-th column is bit j.

    Examples
    --------
    >>> numbered(np.array([[0, 1], [1, 1]], np.int8)).tolist()
    [2, 3]
    """
    return values.astype(np.intp) @ (1 << np.arange(values.shape[1], dtype=np.intp))


def table_of(conditionals: Conditionals, label: int, rows: Ints) -> Floats:
    """Log-probabilities of a label for all values of its parents, (len(rows), 2**k, 2)."""
    k = len(conditionals.structure.parents[label])
    values = configurations(k)
    repeated = np.tile(values, (len(rows), 1))
    flat = conditionals.log_proba(label, np.repeat(rows, len(values)), repeated)
    return np.asarray(flat).reshape(len(rows), len(values), 2)


def every_vector(q: int) -> Labels:
    """All label vectors, the lowest first.

    Examples
    --------
    >>> every_vector(2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return (np.arange(1 << q)[:, None] >> np.arange(q - 1, -1, -1) & 1).astype(np.int8)


def joint_table(conditionals: Conditionals, rows: Ints) -> Floats:
    """Logarithms of P(Y | x) of all vectors, in the order of `every_vector`, (len(rows), 2**q)."""
    structure, q = conditionals.structure, conditionals.q
    vectors = every_vector(q)
    scores = np.zeros((len(rows), 1))
    place: dict[int, int] = {}
    for depth, label in enumerate(structure.order):
        before = vectors[: 1 << depth, q - depth :]  # the first label of the order is the highest
        values = np.zeros(1 << depth, dtype=np.intp)
        for bit, parent in enumerate(structure.parents[label]):
            values |= before[:, place[parent]].astype(np.intp) << bit
        table = table_of(conditionals, label, rows)
        scores = (scores[:, :, None] + table[:, values]).reshape(len(rows), -1)
        place[label] = depth
    if tuple(structure.order) == tuple(range(q)):
        return scores
    weights = 1 << (q - 1 - np.arange(q))
    return scores[:, vectors[:, list(structure.order)] @ weights]


@dataclass(frozen=True)
class Nodes:
    """Partial label vectors: the first `depth` labels of the order are decided.

    Parameters
    ----------
    depth : int
    rows : ndarray of int
        The row that each node belongs to.
    labels : ndarray of int8, shape (len(rows), q)
        The decided labels; 0 elsewhere.
    scores : ndarray of float64
        The logarithm of the product of the conditional probabilities so far.
    """

    depth: int
    rows: Ints
    labels: Labels
    scores: Floats

    @classmethod
    def roots(cls, rows: Ints, q: int) -> Nodes:
        """One tree for each row."""
        return cls(0, rows, np.zeros((len(rows), q), dtype=np.int8), np.zeros(len(rows)))

    @classmethod
    def join(cls, parts: Iterable[Nodes]) -> Nodes:
        """Nodes of one depth together."""
        parts = list(parts)
        return cls(
            parts[0].depth,
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.labels for part in parts]),
            np.concatenate([part.scores for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.rows)

    def some(self, indices: Ints | np.ndarray) -> Nodes:
        """The nodes at some positions, or under a mask."""
        return Nodes(self.depth, self.rows[indices], self.labels[indices], self.scores[indices])

    def child_scores(self, conditionals: Conditionals, rows: Ints) -> Floats:
        """The scores of both children of each node; `rows` maps the nodes' rows to the model's."""
        label = conditionals.structure.order[self.depth]
        parents = parents_in(conditionals, label, self.labels)
        log_probas = conditionals.log_proba(label, rows[self.rows], parents)
        return np.asarray(self.scores[:, None] + log_probas)

    def children(self, conditionals: Conditionals, scores: Floats, keep: np.ndarray) -> Nodes:
        """The children that a mask of the shape of their scores keeps."""
        parent, bits = np.nonzero(keep)
        labels = self.labels[parent]
        labels[:, conditionals.structure.order[self.depth]] = bits
        return Nodes(self.depth + 1, self.rows[parent], labels, scores[parent, bits])


def best_leaves(leaves: Nodes, tops: Floats | None = None) -> Nodes:
    """The best leaf of each row that has one, by row; of equals the lowest label vector.

    Scores that differ from the best by no more than `TIE` are equal to it. The lowest of two
    vectors has the 0 at the first label, as the labels are numbered, in which they differ. The
    best score of each row, if it is known to be higher, is in `tops`; rows without a leaf that
    reaches it are left out.
    """
    leaves = leaves.some(np.lexsort((-leaves.scores, leaves.rows)))
    first = np.flatnonzero(np.diff(leaves.rows, prepend=-1))
    sizes = np.diff(first, append=len(leaves))
    best = np.repeat(leaves.scores[first], sizes) if tops is None else tops[leaves.rows]
    tied = leaves.scores >= best - TIE
    leaves = leaves.some(tied)
    first = np.flatnonzero(np.diff(leaves.rows, prepend=-1))
    if len(first) == len(leaves):
        return leaves
    lowest = np.lexsort((*leaves.labels.T[::-1], leaves.rows))
    leaves = leaves.some(lowest)
    return leaves.some(np.flatnonzero(np.diff(leaves.rows, prepend=-1)))


def later(labels: Labels, others: Labels) -> np.ndarray:
    """A mask of the label vectors that are greater, in lexicographic order, than the others.

    Examples
    --------
    >>> later(np.array([[0, 1], [0, 1]], np.int8), np.array([[0, 0], [1, 0]], np.int8)).tolist()
    [True, False]
    """
    differ = labels != others
    first = differ.argmax(axis=1)
    rows = np.arange(len(labels))
    return differ[rows, first] & (labels[rows, first] > others[rows, first])


CELLS = 1 << 24


class Greedy(Inference):
    """Decide label after label, each given the decisions about its parents.

    Algorithm 1 of Dembczynski, Waegeman & Huellermeier (2012), and the prediction of classifier
    chains ever since: one decision per label, by the base learner's own rule, so that it needs
    no probabilities.

    Examples
    --------
    >>> from mlfs.models.inference import Greedy
    >>> Greedy()
    Greedy()
    """

    needs_probabilities = False

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        # a label is a row while it is decided, so that its values are contiguous
        decided = np.zeros((conditionals.q, conditionals.n_rows), dtype=np.int8)
        all_rows = slice(None)
        for label in conditionals.structure.order:
            parents = decided[list(conditionals.structure.parents[label])].T
            decided[label] = conditionals.decide(label, all_rows, parents)
        return np.ascontiguousarray(decided.T)


def walk(
    conditionals: Conditionals, rows: Ints, labels: Labels, scores: Floats, depth: int = 0
) -> None:
    """Go down from nodes at one depth, always to the likelier child (on a tie, to 0), in place."""
    for label in conditionals.structure.order[depth:]:
        parents = parents_in(conditionals, label, labels)
        log_probas = conditionals.log_proba(label, rows, parents)
        ones = log_probas[:, 1] > log_probas[:, 0]
        labels[:, label] = ones
        scores += np.where(ones, log_probas[:, 1], log_probas[:, 0])


@parameters
class Beam(Inference):
    """Keep the `width` most probable partial label vectors of each row, label after label.

    Width 1 follows the likelier value of each label. With ``width >= 2**q`` it is exhaustive.

    Parameters
    ----------
    width : int, default=10
        How many are kept.

    Examples
    --------
    >>> from mlfs.models.inference import Beam
    >>> Beam(width=3)
    Beam(width=3)
    """

    width: int = 10

    def check(self) -> None:
        """Refuse parameters that cannot be, before anything is trained."""
        whole(self.width, "width")

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        refuse_without_probabilities(conditionals, "beam search")
        width = whole(self.width, "width")
        out = np.zeros((conditionals.n_rows, conditionals.q), dtype=np.int8)
        cells = min(width, 1 << min(conditionals.q, 40)) * conditionals.q
        for rows in blocks(conditionals.n_rows, cells, CELLS):
            out[rows] = fan(conditionals, rows, width).labels
        return out


def fan(conditionals: Conditionals, rows: Ints, width: int) -> Nodes:
    """The best leaf that a beam of some width finds for each of the rows."""
    n = len(rows)
    nodes = Nodes.roots(np.arange(n), conditionals.q)
    n_nodes = 1  # all rows have the same number of nodes at all times
    for _ in range(conditionals.q):
        scores = nodes.child_scores(conditionals, rows).reshape(n, 2 * n_nodes)
        keep = np.ones((n, 2 * n_nodes), dtype=bool)
        if 2 * n_nodes > width:
            ranked = np.argsort(-scores, axis=1, kind="stable")
            np.put_along_axis(keep, ranked[:, width:], values=False, axis=1)
        nodes = nodes.children(conditionals, scores.reshape(-1, 2), keep.reshape(-1, 2))
        n_nodes = min(2 * n_nodes, width)
    return best_leaves(nodes)


def joint_log_proba(conditionals: Conditionals, Y: Any) -> Floats:
    """Logarithm of P(Y | x) of one label vector for each row, by the chain rule.

    Parameters
    ----------
    conditionals : Conditionals
        A model applied to rows.
    Y : array of 0 and 1, shape (n_rows, q)
        The label vectors.

    Returns
    -------
    ndarray of float64, shape (n_rows,)
    """
    refuse_without_probabilities(conditionals, "the probability of a label vector")
    labels = _checked(Y, conditionals.n_rows, conditionals.q)
    return log_proba_of(conditionals, np.arange(len(labels)), labels)


def log_proba_of(conditionals: Conditionals, rows: Ints, labels: Labels) -> Floats:
    """Log P of label vectors of some rows; a row may come more than once."""
    total = np.zeros(len(rows))
    indices = np.arange(len(rows))
    for label in conditionals.structure.order:
        log_probas = conditionals.log_proba(label, rows, parents_in(conditionals, label, labels))
        total += log_probas[indices, labels[:, label].astype(np.intp)]
    return total


def _checked(Y: Any, n_rows: int, q: int) -> Labels:
    values = np.asarray(Y)
    if values.shape != (n_rows, q):
        msg = f"the label vectors have shape {values.shape}, not ({n_rows}, {q}): one for each row"
        raise UsageError(msg)
    if not ((values == 0) | (values == 1)).all():
        msg = "the label vectors hold values other than 0 and 1: give every label of every row"
        raise UsageError(msg)
    return values.astype(np.int8)
