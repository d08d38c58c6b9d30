"""Simulated annealing: a search for the mode of any joint probability by flips of one label."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mlfs.api.options import seed_of
from mlfs.errors import UsageError
from mlfs.models.inference.along_order import joint_log_proba, walk
from mlfs.models.inference.contract import (
    Conditionals,
    Floats,
    Inference,
    Labels,
    real,
    refuse_without_probabilities,
    whole,
)
from mlfs.models.storage.storable import storable


@storable
class Annealing(Inference):
    """Search the most probable label vector by flips of one label, from the greedy solution on.

    The result is never less probable than the start. For a single chain `BestFirst` is exact and
    mostly faster; annealing asks for nothing but the probability of whole vectors.

    Parameters
    ----------
    n_steps : int, default=150
        One flip is proposed in each step.
    hot, cold : float, default=1.0 and 0.05
        The temperature falls from one to the other by a fixed factor.
    random_state : int or RandomState, default=0
        The seed; None is another one each time.

    Examples
    --------
    >>> from mlfs.models.inference import Annealing
    >>> Annealing(n_steps=500)
    Annealing(n_steps=500)
    """

    def __init__(
        self, n_steps: int = 150, hot: float = 1.0, cold: float = 0.05, random_state: Any = 0
    ) -> None:
        self.n_steps = n_steps
        self.hot = hot
        self.cold = cold
        self.random_state = random_state

    def check(self) -> None:
        """Refuse parameters that cannot be, before anything is trained."""
        whole(self.n_steps, "n_steps", 0)
        _temperature(self.hot, "hot")
        _temperature(self.cold, "cold")

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        refuse_without_probabilities(conditionals, "annealing")
        start = np.zeros((conditionals.n_rows, conditionals.q), dtype=np.int8)
        walk(conditionals, np.arange(len(start)), start, np.zeros(len(start)))
        return anneal(
            lambda Y: joint_log_proba(conditionals, Y),
            start[None],
            seed=self.random_state,
            n_steps=self.n_steps,
            hot=self.hot,
            cold=self.cold,
        )


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
    current, score = _best_start(joint, starts)
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


def _best_start(joint: Callable[[Labels], Floats], starts: Labels) -> tuple[Labels, Floats]:
    best, top = starts[0].copy(), np.asarray(joint(starts[0]), dtype=np.float64).copy()
    for start in starts[1:]:
        score = np.asarray(joint(start))
        better = score > top
        best[better], top[better] = start[better], score[better]
    return best, top


def _temperature(value: Any, name: str) -> float:
    what = f"the temperature {name} is a number above 0"
    return real(value, what, lambda x: 0 < x < math.inf)
