"""The probability of every label vector, for few labels."""

from __future__ import annotations

import numpy as np

from mlfs.models.inference.base import table_of
from mlfs.models.inference.protocol import Conditionals, Floats, Ints, Labels

__all__ = ["every_vector", "joint_table"]


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
