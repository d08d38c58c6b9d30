"""Inference by chance: label vectors drawn from the model, and simulated annealing.

Ancestral sampling evaluates the same prefix once; the loss of the drawn vectors decides. Annealing
searches for the mode of any joint probability by flips of one label.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mlfs.api.options import seed_of
from mlfs.errors import UsageError
from mlfs.models.inference import decisions
from mlfs.models.inference.contract import (
    Conditionals,
    Floats,
    Greedy,
    Inference,
    Ints,
    Labels,
    Nodes,
    best_leaves,
    blocks,
    log_proba_of,
    parents_in,
    real,
    refuse_without_probabilities,
    whole,
)
from mlfs.models.inference.decisions import Support, best_of_sample
from mlfs.models.parameters import parameters

PAIRS = 1 << 17  # at once, so that they fit in the caches
CELLS = 1 << 26
MOMENTS = 1 << 24


def sample(conditionals: Conditionals, seed: Any = 0, n: int = 1) -> Labels:
    """Draw label vectors of each row from P(Y | x), independently.

    Parameters
    ----------
    conditionals : Conditionals
        A model applied to rows.
    seed : int or RandomState, default=0
        The same seed and the same rows give the same vectors.
    n : int, default=1
        How many for each row.

    Returns
    -------
    ndarray of int8, shape (n, n_rows, q)
    """
    refuse_without_probabilities(conditionals, "sampling")
    generator = np.random.default_rng(seed_of(seed))
    n = whole(n, "the number of samples")
    q = conditionals.q
    out = np.zeros((n, conditionals.n_rows, q), dtype=np.int8)
    for rows in row_blocks(conditionals, n):
        uniforms = generator.random((len(rows), n, q))
        support, leaf, _ = draw_samples(conditionals, rows, uniforms)
        out[:, rows] = support.labels[leaf].transpose(1, 0, 2)
    return out


def row_blocks(conditionals: Conditionals, n_samples: int, moments: int = 0) -> list[Ints]:
    """The rows in blocks that can be sampled at once, `moments` numbers being kept for each."""
    step = min(PAIRS, CELLS // conditionals.q) // n_samples
    if moments:
        step = min(step, MOMENTS // moments)
    return blocks(conditionals.n_rows, 1, step)


def draw_samples(
    conditionals: Conditionals, rows: Ints, uniforms: Floats
) -> tuple[Support, Ints, Floats]:
    """Sample by given numbers from [0, 1): label l of a sample is 1 if u < P(l = 1 | parents).

    Parameters
    ----------
    conditionals : Conditionals
        A model applied to rows.
    rows : ndarray of int
        Which rows.
    uniforms : ndarray, shape (1 or len(rows), n_samples, q)
        With one set of numbers for all rows, what is drawn for a row does not depend on the
        other rows.

    Returns
    -------
    Support
        The distinct vectors of each row and how often each came.
    ndarray of int, shape (len(rows), n_samples)
        The vector of each sample.
    ndarray, shape (len(rows), q)
        The mean of P(l = 1 | the sampled parents): a marginal with less noise than the share.
    """
    n, n_samples = len(rows), uniforms.shape[1]
    nodes = Nodes.roots(np.arange(n), conditionals.q)
    node_of_sample = np.repeat(np.arange(n), n_samples).reshape(n, n_samples)
    marginals = np.empty((n, conditionals.q))
    for label in conditionals.structure.order:
        parents = parents_in(conditionals, label, nodes.labels)
        ones = np.exp(conditionals.log_proba(label, rows[nodes.rows], parents)[:, 1])
        chances = ones[node_of_sample]
        marginals[:, label] = chances.mean(axis=1)
        node_of_sample = 2 * node_of_sample + (uniforms[:, :, label] < chances)
        seen = np.zeros(2 * len(nodes), dtype=bool)
        seen[node_of_sample.ravel()] = True
        node_of_sample = (np.cumsum(seen) - 1)[node_of_sample]
        scores = np.zeros((len(nodes), 2))
        nodes = nodes.children(conditionals, scores, seen.reshape(-1, 2))
    counts = np.bincount(node_of_sample.ravel(), minlength=len(nodes)).astype(np.float64)
    return Support(n, nodes.rows, nodes.labels, counts), node_of_sample, marginals


@parameters
class MonteCarlo(Inference):
    """The decision of least loss over a sample of label vectors (Dembczynski et al., 2012, (11)).

    Every row is sampled by the same random numbers, so that what is predicted for it does not
    depend on the other rows.

    Parameters
    ----------
    n_samples : int, default=1000
        How many vectors are drawn for each row.
    loss : {"subset", "hamming", "f1", "ranking", "jaccard"} or callable, default="hamming"
        The vector drawn most often; the labels in more than half of the vectors; the vector of
        greatest mean F1 (exact, by the general F-maximiser); that of least mean ranking loss.
        For Jaccard (1 less the share of common labels), and a callable, which is given true and
        predicted label vectors, two arrays of shape (m, q), and returns m losses: the best of
        the 100 vectors drawn most often and of the most likely labels, up to any number of them.
    random_state : int or RandomState, default=0
        The seed; None is another one each time.

    Examples
    --------
    >>> from mlfs.models.inference import MonteCarlo
    >>> MonteCarlo(loss="f1")
    MonteCarlo(loss='f1')
    """

    n_samples: int = 1000
    loss: Any = "hamming"
    random_state: Any = 0

    def check(self) -> None:
        """Refuse parameters that cannot be, before anything is trained."""
        decisions.checked_loss(self.loss)
        whole(self.n_samples, "n_samples")

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        refuse_without_probabilities(conditionals, "Monte Carlo inference")
        loss = decisions.checked_loss(self.loss)
        n_samples = whole(self.n_samples, "n_samples")
        generator = np.random.default_rng(seed_of(self.random_state))
        q = conditionals.q
        uniforms = generator.random((1, n_samples, q))
        out = np.zeros((conditionals.n_rows, q), dtype=np.int8)
        for rows in row_blocks(conditionals, n_samples, q * q if loss == "f1" else 0):
            support, _, _ = draw_samples(conditionals, rows, uniforms)
            out[rows] = _decide(support, loss)
        return out


def _decide(support: Support, loss: Any) -> Labels:
    if callable(loss) or loss == "jaccard":
        return best_of_sample(support, loss)
    if loss == "subset":
        return decisions.subset(support)
    if loss == "f1":
        return decisions.f1(*support.sizes())
    if loss == "hamming":
        return decisions.hamming(support.marginals())
    return decisions.ranking(support.marginals())


@parameters
class BestSample(Inference):
    """The most probable of the label vectors drawn from the model, and of the greedy one.

    All rows are sampled by the same random numbers, so that what is predicted for a row does not
    depend on the other rows.

    Parameters
    ----------
    n_samples : int, default=100
        How many vectors are drawn for each row.
    random_state : int or RandomState, default=0
        The seed; None is another one each time.

    Examples
    --------
    >>> from mlfs.models.inference.monte_carlo import BestSample
    >>> BestSample(n_samples=10)
    BestSample(n_samples=10)
    """

    n_samples: int = 100
    random_state: Any = 0

    def check(self) -> None:
        """Refuse parameters that cannot be, before anything is trained."""
        whole(self.n_samples, "n_samples")

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        refuse_without_probabilities(conditionals, "Monte Carlo inference")
        n_samples = whole(self.n_samples, "n_samples")
        draw = np.random.default_rng(seed_of(self.random_state))
        uniforms = draw.random((1, n_samples, conditionals.q))
        greedy = Greedy().predict(conditionals)
        out = np.empty_like(greedy)
        for rows in row_blocks(conditionals, n_samples + 1):
            samples, _, _ = draw_samples(conditionals, rows, uniforms)
            positions = np.concatenate([samples.rows, np.arange(len(rows))])
            labels = np.concatenate([samples.labels, greedy[rows]])
            scores = log_proba_of(conditionals, rows[positions], labels)
            out[rows] = best_leaves(Nodes(conditionals.q, positions, labels, scores)).labels
        return out


def anneal(
    joint: Callable[[Labels], Floats],
    starts: Labels,
    *,
    seed: Any = 0,
    n_steps: int = 150,
    hot: float = 1.0,
    cold: float = 0.05,
) -> Labels:
    """The best label vector of each row in an annealed random walk.

    The walk of a row begins at the best of its starts. In each step, one label is proposed to be
    flipped (the same for all rows; each label once in every q steps, in random order); what is
    better is taken, and what is worse with probability ``exp(change / temperature)``.
    The random numbers are the same for all rows, so that a row's result does not depend on the
    others.

    Parameters
    ----------
    joint : callable
        From label vectors (n, q), one for each row, to their log-probabilities (n,); they need
        not be normalised.
    starts : ndarray of int8, shape (k, n, q)
        k candidates for each row.
    seed : int or RandomState, default=0
    n_steps : int, default=150
        How many flips are proposed.
    hot, cold : float, default=1.0 and 0.05
        The first and the last temperature.

    Returns
    -------
    ndarray of int8, shape (n, q)
        Nowhere worse than the best start.

    Examples
    --------
    >>> wanted = np.array([[1, 0, 1]], np.int8)
    >>> def joint(Y):
    ...     return -np.abs(Y - wanted).sum(axis=1).astype(float)
    >>> anneal(joint, np.zeros((1, 1, 3), np.int8), n_steps=60).tolist()
    [[1, 0, 1]]
    """
    starts = np.asarray(starts, dtype=np.int8)
    if starts.ndim != 3 or not len(starts):
        msg = f"the starts have shape {starts.shape}, not (how many, rows, labels)"
        raise UsageError(msg)
    n_steps = whole(n_steps, "n_steps", 0)
    hot, cold = _temperature(hot, "hot"), _temperature(cold, "cold")
    generator = np.random.default_rng(seed_of(seed))
    q = starts.shape[2]
    scores = np.array([joint(start) for start in starts], dtype=np.float64)
    first = scores.argmax(axis=0), np.arange(starts.shape[1])
    current, score = starts[first], scores[first]
    best, best_score = current.copy(), score.copy()
    sweeps = -(-n_steps // q)
    flips = [int(label) for _ in range(sweeps) for label in generator.permutation(q)]
    chances = np.log1p(-generator.random(n_steps))  # log u, u from (0, 1]
    for step in range(n_steps):
        label = flips[step]
        heat = hot * math.exp(math.log(cold / hot) * step / max(1, n_steps - 1))
        current[:, label] ^= 1
        new_score = np.asarray(joint(current))
        rejected = new_score - score < heat * chances[step]
        current[rejected, label] ^= 1
        score = np.where(rejected, score, new_score)
        better = score > best_score
        best[better], best_score[better] = current[better], score[better]
    return best


def _temperature(value: Any, name: str) -> float:
    what = f"the temperature {name} is a number above 0"
    return real(value, what, lambda x: 0 < x < math.inf)
