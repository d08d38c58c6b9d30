"""Exhaustive inference: the probability of every label vector, and the best decision for a loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.errors import UsageError
from mlfs.models.inference import any_loss, decisions
from mlfs.models.inference.contract import (
    TIE,
    Conditionals,
    Floats,
    Inference,
    Ints,
    Labels,
    refuse_without_probabilities,
    whole,
)
from mlfs.models.inference.decisions import marginals_of_table, sizes_of_table
from mlfs.models.inference.vectors import blocks, every_vector, joint_table
from mlfs.models.storage.storable import storable

__all__ = ["Exhaustive"]

CELLS = 1 << 17


@storable
class Exhaustive(Inference):
    """Weigh all ``2**q`` label vectors.

    Parameters
    ----------
    limit : int, default=15
        More labels than this are refused.
    loss : {"subset", "hamming", "f1", "ranking", "jaccard"} or callable, default="subset"
        The loss whose expectation is minimised: the most probable vector, the labels more likely
        than not, the vector of greatest expected F1, or that of least expected ranking loss.
        Jaccard (1 less the share of common labels), and a callable, which is given true and
        predicted label vectors, two arrays of shape (m, q), and returns m losses, are weighed
        for all pairs of vectors, up to 11 labels.

    Examples
    --------
    >>> from mlfs.models.inference import Exhaustive
    >>> Exhaustive(loss="f1")
    Exhaustive(loss='f1')
    """

    def __init__(self, limit: int = 15, loss: Any = "subset") -> None:
        self.limit = limit
        self.loss = loss

    def check(self) -> None:
        """Refuse parameters that cannot be, before anything is trained."""
        decisions.checked_loss(self.loss)
        whole(self.limit, "limit")

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        refuse_without_probabilities(conditionals, "exhaustive inference")
        loss, q = decisions.checked_loss(self.loss), conditionals.q
        if q > whole(self.limit, "limit"):
            alternative = "BestFirst()" if loss == "subset" else f"MonteCarlo(loss={loss!r})"
            msg = (
                f"exhaustive inference weighs 2**{q} label vectors for each row, and is refused "
                f"for more than {self.limit} labels: use {alternative}, or raise limit"
            )
            raise UsageError(msg)
        losses = _all_losses(loss, q) if callable(loss) or loss == "jaccard" else None
        out = np.zeros((conditionals.n_rows, q), dtype=np.int8)
        for rows in blocks(conditionals.n_rows, 1 << q, CELLS):
            out[rows] = _decide(conditionals, rows, loss, losses)
        return out


def _all_losses(loss: Any, q: int) -> Floats:
    if q > any_loss.MOST_LABELS:
        name = "the Jaccard loss" if loss == "jaccard" else "a callable loss"
        msg = (
            f"exhaustive inference weighs {name} for all pairs of label vectors, which is refused "
            f"for more than {any_loss.MOST_LABELS} labels (here {q}): use MonteCarlo(loss=...)"
        )
        raise UsageError(msg)
    vectors = every_vector(q)
    return any_loss.loss_table(loss, vectors, vectors)


def _decide(conditionals: Conditionals, rows: Ints, loss: Any, losses: Floats | None) -> Labels:
    q = conditionals.q
    scores = joint_table(conditionals, rows)
    if losses is not None:
        return any_loss.best_of_table(np.exp(scores), losses, q)
    if loss == "subset":
        tied = scores >= scores.max(axis=1, keepdims=True) - TIE
        return every_vector(q)[tied.argmax(axis=1)]
    joint = np.exp(scores)
    if loss == "f1":
        return decisions.f1(*sizes_of_table(joint, q))
    marginals = marginals_of_table(joint, q)
    return decisions.hamming(marginals) if loss == "hamming" else decisions.ranking(marginals)
