"""The best decision for a loss: by a formula, or by the probability of every label vector.

Hamming, subset 0/1, F1 and ranking have formulas; Jaccard, and any callable, have none. Ties go to
the lowest label vector, or to fewer labels and the lowest of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.errors import UsageError, check_name, printable
from mlfs.models.inference.contract import (
    TIE,
    Conditionals,
    Floats,
    Inference,
    Ints,
    Labels,
    Nodes,
    best_leaves,
    blocks,
    every_vector,
    joint_table,
    refuse_without_probabilities,
    whole,
)
from mlfs.models.parameters import parameters

LOSSES = ("subset", "hamming", "f1", "ranking", "jaccard")
CELLS = 1 << 22


def checked_loss(loss: Any) -> Any:
    """One of the losses by its name, or a callable."""
    if callable(loss) and not isinstance(loss, type):
        return loss
    check_name(loss, "loss", LOSSES)
    return loss


def hamming(marginals: Floats) -> Labels:
    """The labels that are more likely than not.

    Examples
    --------
    >>> hamming(np.array([[0.6, 0.5, 0.1]])).tolist()
    [[1, 0, 0]]
    """
    return (marginals > 0.5 + TIE).astype(np.int8)


def subset(support: Support) -> Labels:
    """The heaviest label vector of each row."""
    with np.errstate(divide="ignore"):
        scores = np.log(support.weights)
    q = support.labels.shape[1]
    return best_leaves(Nodes(q, support.rows, support.labels, scores)).labels


def ranking(marginals: Floats) -> Labels:
    """The label vector of least expected ranking loss, counted in pairs of labels.

    A pair of a relevant and an irrelevant label costs 1 if the vector has only the irrelevant
    one, and 1/2 if it has both or none. The best vector has the labels of greatest marginal
    probability; how many of them is what is decided here.

    Examples
    --------
    >>> ranking(np.array([[0.9, 0.2, 0.1], [0.9, 0.8, 0.1]])).tolist()
    [[1, 0, 0], [1, 1, 0]]
    """
    q = marginals.shape[1]
    order = falling(marginals)
    head = np.cumsum(np.take_along_axis(marginals, order, axis=1), axis=1)
    total = head[:, -1:]
    sizes = np.arange(1, q + 1)
    gains = (q - sizes) * head - sizes * (total - head)
    return heads(order, _first_best(np.column_stack([np.zeros(len(gains)), gains])))


def f1(joint: Floats, empty: Floats) -> Labels:
    """The label vector of greatest expected F1: the general F-maximiser.

    Dembczynski, Waegeman, Cheng & Huellermeier (2011). F1 of two empty vectors is 1.

    Parameters
    ----------
    joint : ndarray, shape (n, q, q)
        P(label i, and s labels in all), s from 1.
    empty : ndarray, shape (n,)
        P(no label).

    Examples
    --------
    Two labels of which exactly one is right, each with probability 0.4, or else none: both
    labels have F1 2/3 with probability 0.8, one label has 1 with 0.4.

    >>> joint = np.array([[[0.4, 0.0], [0.4, 0.0]]])
    >>> f1(joint, np.array([0.2])).tolist()
    [[1, 1]]
    """
    n, q = empty.size, joint.shape[1]
    sizes = np.arange(1, q + 1)
    weights = 2.0 / (sizes[:, None] + sizes)
    out = np.zeros((n, q), dtype=np.int8)
    for rows in blocks(n, q * q, CELLS):
        gains = joint[rows] @ weights  # of label i, if k labels are chosen
        order = np.argsort(-_rounded(gains), axis=1, kind="stable")
        sorted_gains = np.take_along_axis(gains, order, axis=1)
        sums = np.cumsum(sorted_gains, axis=1)[:, sizes - 1, sizes - 1]
        best = _first_best(np.column_stack([empty[rows], sums]))
        labels = np.take_along_axis(order, np.maximum(best - 1, 0)[:, None, None], axis=2)
        out[rows] = heads(labels[:, :, 0], best)
    return out


def _rounded(values: Floats) -> Floats:
    """Rounded values, so that rounding errors do not order equal ones."""
    return np.round(values, 12)


def falling(marginals: Floats) -> Ints:
    """The labels of each row, the most likely first; of equals the first."""
    return np.argsort(-_rounded(marginals), axis=1, kind="stable")


def _first_best(values: Floats) -> Ints:
    """The first column of each row that is as good as the best."""
    return np.asarray(values >= values.max(axis=1, keepdims=True) - TIE).argmax(axis=1)


def heads(order: Ints, sizes: Ints) -> Labels:
    """The vectors that have the first `sizes` labels of each order."""
    out = np.zeros(order.shape, dtype=np.int8)
    mask = np.arange(order.shape[1]) < sizes[:, None]
    np.put_along_axis(out, order, mask.astype(np.int8), axis=1)
    return out


@dataclass(frozen=True)
class Support:
    """Label vectors with weights, for many rows side by side.

    Parameters
    ----------
    n_rows : int
        Every row has at least one vector.
    rows : ndarray of int
        The row that each vector belongs to, ascending.
    labels : ndarray of int8, shape (len(rows), q)
    weights : ndarray of float64
        How often each vector was drawn, or its probability; a row's need not have the sum 1.
    """

    n_rows: int
    rows: Ints
    labels: Labels
    weights: Floats

    @property
    def starts(self) -> Ints:
        """The position of each row's first vector."""
        return np.searchsorted(self.rows, np.arange(self.n_rows))

    def totals(self) -> Floats:
        """The sum of each row's weights."""
        return _weighted_counts(self.rows, self.weights, self.n_rows)

    def marginals(self) -> Floats:
        """The share of vectors with each label, (n_rows, q)."""
        weighted = self.labels * self.weights[:, None]
        return np.asarray(np.add.reduceat(weighted, self.starts) / self.totals()[:, None])

    def sizes(self) -> tuple[Floats, Floats]:
        """The share of vectors that have label i and s labels, (n_rows, q, q); of empty ones."""
        q = self.labels.shape[1]
        size = self.labels.sum(axis=1, dtype=np.intp)
        shares = self.weights / self.totals()[self.rows]
        vector, label = np.nonzero(self.labels)
        cell = (self.rows[vector] * q + label) * q + size[vector] - 1
        joint = _weighted_counts(cell, shares[vector], self.n_rows * q * q)
        empty = _weighted_counts(self.rows, shares * (size == 0), self.n_rows)
        return joint.reshape(self.n_rows, q, q), empty


def marginals_of_table(joint: Floats, q: int) -> Floats:
    """P(label) from the probabilities of all label vectors.

    Examples
    --------
    >>> marginals_of_table(np.array([[0.4, 0.3, 0.2, 0.1]]), 2).round(6).tolist()
    [[0.3, 0.4]]
    """
    n = len(joint)
    halves = [joint.reshape(n, 1 << l, 2, -1)[:, :, 1].sum(axis=(1, 2)) for l in range(q)]
    return np.stack(halves, axis=1) if halves else np.zeros((n, 0))


def sizes_of_table(joint: Floats, q: int) -> tuple[Floats, Floats]:
    """P(label i, s labels), (n, q, q), and P(no label), from those of all label vectors."""
    vectors = every_vector(q)
    size = vectors.sum(axis=1, dtype=np.intp)
    out = np.zeros((len(joint), q, q))
    for s in range(1, q + 1):
        these = size == s
        out[:, :, s - 1] = joint[:, these] @ vectors[these].astype(np.float64)
    return out, joint[:, 0].copy()


def _weighted_counts(cells: Ints, weights: Floats, size: int) -> Floats:
    """The sum of the weights of each cell."""
    return np.asarray(np.bincount(cells, weights, minlength=size), dtype=np.float64)


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


TABLE_CELLS = 1 << 17


@parameters
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

    limit: int = 15
    loss: Any = "subset"

    def check(self) -> None:
        """Refuse parameters that cannot be, before anything is trained."""
        checked_loss(self.loss)
        whole(self.limit, "limit")

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        refuse_without_probabilities(conditionals, "exhaustive inference")
        loss, q = checked_loss(self.loss), conditionals.q
        if q > whole(self.limit, "limit"):
            alternative = "BestFirst()" if loss == "subset" else f"MonteCarlo(loss={loss!r})"
            msg = (
                f"exhaustive inference weighs 2**{q} label vectors for each row, and is refused "
                f"for more than {self.limit} labels: use {alternative}, or raise limit"
            )
            raise UsageError(msg)
        losses = _all_losses(loss, q) if callable(loss) or loss == "jaccard" else None
        out = np.zeros((conditionals.n_rows, q), dtype=np.int8)
        for rows in blocks(conditionals.n_rows, 1 << q, TABLE_CELLS):
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
        return f1(*sizes_of_table(joint, q))
    marginals = marginals_of_table(joint, q)
    return hamming(marginals) if loss == "hamming" else ranking(marginals)
