"""Exhaustive inference: the probability of every label vector, and the best decision for a loss.

The decision of least expected loss, for losses without a formula: Jaccard, and any callable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlfs.errors import UsageError, printable
from mlfs.models.inference import decisions
from mlfs.models.inference.contract import (
    TIE,
    Conditionals,
    Floats,
    Inference,
    Ints,
    Labels,
    blocks,
    every_vector,
    joint_table,
    refuse_without_probabilities,
    whole,
)
from mlfs.models.inference.decisions import (
    Support,
    falling,
    heads,
    marginals_of_table,
    sizes_of_table,
)
from mlfs.models.storage.storable import storable

Loss = str | Callable[[Any, Any], Any]
MOST_LABELS = 11  # of a table of the losses of all pairs of label vectors
MOST_DRAWN = 100  # vectors of a sample that are weighed as decisions
PAIRS = 1 << 18


def loss_table(loss: Loss, truths: Labels, answers: Labels) -> Floats:
    """The loss of each answer if each truth is true, (len(truths), len(answers)).

    Examples
    --------
    >>> truths, answers = np.array([[1, 1], [0, 0]], np.int8), np.array([[1, 0], [0, 0]], np.int8)
    >>> loss_table("jaccard", truths, answers).tolist()
    [[0.5, 1.0], [1.0, 0.0]]
    >>> loss_table(lambda Y, Z: (Y != Z).sum(axis=1), truths, answers).tolist()
    [[1.0, 2.0], [1.0, 0.0]]
    """
    if not callable(loss):
        return _jaccard(truths, answers)
    out = np.empty((len(truths), len(answers)))
    step = max(1, PAIRS // len(truths))
    for start in range(0, len(answers), step):
        part = answers[start : start + step]
        repeated, tiled = np.repeat(truths, len(part), axis=0), np.tile(part, (len(truths), 1))
        out[:, start : start + step] = _losses(loss, repeated, tiled).reshape(
            len(truths), len(part)
        )
    return out


def _jaccard(truths: Labels, answers: Labels) -> Floats:
    """1 less the share of common labels among those of either; 0 where both have none."""
    true, answered = truths.astype(np.float64), answers.astype(np.float64)
    common = true @ answered.T
    either = true.sum(axis=1)[:, None] + answered.sum(axis=1) - common
    return np.asarray(1 - np.divide(common, either, out=np.ones_like(common), where=either > 0))


def _losses(loss: Callable[[Any, Any], Any], truths: Labels, answers: Labels) -> Floats:
    name = printable(getattr(loss, "__name__", repr(loss)))
    losses = np.asarray(loss(truths, answers))
    if losses.shape != (len(truths),) or losses.dtype.kind not in "biuf":
        msg = (
            f"the loss {name} returns {losses.dtype} of shape {losses.shape}; it is given two "
            f"arrays of label vectors, true and predicted, of shape {truths.shape}, and returns "
            f"a number for each row, shape ({len(truths)},)"
        )
        raise UsageError(msg)
    if not np.isfinite(losses).all():
        raise UsageError(f"the loss {name} returns {losses[~np.isfinite(losses)][0]}: not finite")
    return losses.astype(np.float64)


def best_of_table(joint: Floats, losses: Floats, q: int) -> Labels:
    """The label vector of least expected loss, of all that there are; of equals the lowest.

    Parameters
    ----------
    joint : ndarray, shape (n, 2**q)
        The probability of each vector, in the order of `every_vector`.
    losses : ndarray, shape (2**q, 2**q)
        Of truths by answers, as `loss_table` makes it of all vectors.
    q : int
        How many labels.
    """
    expected = joint @ losses
    size = TIE * (1 + np.abs(losses).max())
    best = expected <= expected.min(axis=1, keepdims=True) + size
    return every_vector(q)[best.argmax(axis=1)]


def best_of_sample(support: Support, loss: Loss) -> Labels:
    """The label vector of least mean loss over the sample of each row.

    The vectors that are weighed: the 100 drawn most often, and the most likely labels, as many
    as any drawn vector has or fewer. Of equals the lowest.
    """
    marginals = support.marginals()
    order = falling(marginals)
    out = np.zeros(marginals.shape, dtype=np.int8)
    ends = np.append(support.starts, len(support.rows))
    for row in range(support.n_rows):
        entries = slice(ends[row], ends[row + 1])
        drawn, weights = support.labels[entries], support.weights[entries]
        frequent = drawn[np.argsort(-weights, kind="stable")[:MOST_DRAWN]]
        sizes = np.arange(int(drawn.sum(axis=1, dtype=np.intp).max()) + 1)
        likely = heads(np.repeat(order[row : row + 1], sizes.size, axis=0), sizes)
        answers = np.unique(np.concatenate([frequent, likely]), axis=0)  # the lowest first
        losses = loss_table(loss, drawn, answers)
        expected = weights @ losses / weights.sum()
        size = TIE * (1 + np.abs(losses).max())
        out[row] = answers[(expected <= expected.min() + size).argmax()]
    return out


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
    if q > MOST_LABELS:
        name = "the Jaccard loss" if loss == "jaccard" else "a callable loss"
        msg = (
            f"exhaustive inference weighs {name} for all pairs of label vectors, which is refused "
            f"for more than {MOST_LABELS} labels (here {q}): use MonteCarlo(loss=...)"
        )
        raise UsageError(msg)
    vectors = every_vector(q)
    return loss_table(loss, vectors, vectors)


def _decide(conditionals: Conditionals, rows: Ints, loss: Any, losses: Floats | None) -> Labels:
    q = conditionals.q
    scores = joint_table(conditionals, rows)
    if losses is not None:
        return best_of_table(np.exp(scores), losses, q)
    if loss == "subset":
        tied = scores >= scores.max(axis=1, keepdims=True) - TIE
        return every_vector(q)[tied.argmax(axis=1)]
    joint = np.exp(scores)
    if loss == "f1":
        return decisions.f1(*sizes_of_table(joint, q))
    marginals = marginals_of_table(joint, q)
    return decisions.hamming(marginals) if loss == "hamming" else decisions.ranking(marginals)
