"""What all inferences share: the refusal without probabilities, ties, tables for some rows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from mlfs.errors import UsageError, printable
from mlfs.models.inference.protocol import Conditionals, Floats, Ints, Labels

__all__ = [
    "TIE",
    "Inference",
    "blocks",
    "configurations",
    "numbered",
    "parents_in",
    "refuse_without_probabilities",
    "table_of",
    "whole",
]

TIE = 1e-10  # log-probabilities that differ by no more are equal: that is rounding
LARGE_TABLE = 8


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
    """Say which inference needs what the base learner has not."""
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
    asked = np.tile(values, (len(rows), 1))
    flat = conditionals.log_proba(label, np.repeat(rows, len(values)), asked)
    return np.asarray(flat).reshape(len(rows), len(values), 2)
