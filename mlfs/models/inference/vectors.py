"""Label vectors by number, and the tables of a model over them, for blocks of rows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mlfs.models.inference.contract import Conditionals, Floats, Ints, Labels

__all__ = [
    "blocks",
    "configurations",
    "every_vector",
    "joint_table",
    "numbered",
    "parents_in",
    "table_of",
]

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
