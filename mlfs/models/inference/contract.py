"""What an inference is, and what it asks of a model: P(label | x, parents) for any rows."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from mlfs.errors import UsageError, printable

__all__ = [
    "MOST_PARENTS",
    "TIE",
    "Conditionals",
    "Floats",
    "Inference",
    "Ints",
    "Labels",
    "Shape",
    "real",
    "refuse_without_probabilities",
    "whole",
]

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
