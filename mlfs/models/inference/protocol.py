"""What inference asks of a model: P(label | x, parents) for any rows and any parents."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Conditionals", "Floats", "Ints", "Labels", "Shape"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Labels = npt.NDArray[np.int8]


class Shape(Protocol):
    """The structure of a model; `mlfs.models.structure.Structure` is one."""

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
    """A model held against rows; `mlfs.models.conditionals.Conditionals` is one.

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
        """Whether `log_proba` and `table` can be asked."""

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
