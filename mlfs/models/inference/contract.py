"""The contract of an inference, and of the model that it asks: P(label | x, parents) for any rows.

Label vectors by number, and the tables of a model over them, for blocks of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from numbers import Real
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from mlfs.errors import UsageError, printable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Labels = npt.NDArray[np.int8]


class Shape(Protocol):
    """The structure of a model; `mlfs.models.Structure` is one."""

    @property
    def names(self) -> tuple[str, ...]:
        """The labels."""

    @property
    def order(self) -> tuple[int, ...]:
        """The labels by number, parents before their children."""

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """The parents of each label, ascending."""


class Conditionals(Protocol):
    """A model applied to rows; `mlfs.models.conditionals.Conditionals` is one.

    Anything that has these members can be predicted with. Log-probabilities must be finite:
    a probability of 0 is given as a very small one (1e-12, say), one of 1 as its complement.
    """

    @property
    def structure(self) -> Shape:
        """The parents of each label."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    @property
    def q(self) -> int:
        """How many labels there are."""

    @property
    def probabilistic(self) -> bool:
        """Whether `log_proba` and `table` can be used."""

    def log_proba(self, label: int, rows: Any, parents: Any) -> Any:
        """Logarithms of P(label = 0 or 1 | x, parents), shape (len(rows), 2).

        Rows is a slice, or an array of int in which a row may come more than once; parents has
        the values (int8) of the label's parents, in ascending order of the parents.
        """

    def decide(self, label: int, rows: Any, parents: Any) -> Any:
        """The base learner's own decision for each of the rows, int8."""

    def table(self, label: int) -> Any:
        """Logarithms of P for all values of the parents, shape (n_rows, 2**n_parents, 2).

        The k-th parent, ascending, is bit k of the middle index.
        """


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


LARGE_TABLE = 8


def parents_in(conditionals: Conditionals, label: int, labels: Labels) -> Labels:
    """The columns of a label's parents, from all columns."""
    return labels.take(_columns(conditionals.structure.parents[label]), axis=1)


@lru_cache(maxsize=4096)
def _columns(labels: tuple[int, ...]) -> Ints:
    return np.array(labels, dtype=np.intp)


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
    if len(rows) == conditionals.n_rows and k <= LARGE_TABLE:
        return np.asarray(conditionals.table(label))
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
