"""Beam search: at each label, the few most probable vectors so far."""

from __future__ import annotations

import numpy as np

from mlfs.models.inference.contract import (
    Conditionals,
    Inference,
    Ints,
    Labels,
    refuse_without_probabilities,
    whole,
)
from mlfs.models.inference.nodes import Nodes, best_leaves
from mlfs.models.inference.vectors import blocks

__all__ = ["Beam", "fan"]

CELLS = 1 << 24


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

    def __init__(self, width: int = 10) -> None:
        self.width = width

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
