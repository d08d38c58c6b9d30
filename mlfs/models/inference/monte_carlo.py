"""Monte Carlo inference: decide for a loss by label vectors drawn from the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.api.options import seed_of
from mlfs.models.inference import any_loss, decisions
from mlfs.models.inference.contract import (
    Conditionals,
    Inference,
    Labels,
    refuse_without_probabilities,
    whole,
)
from mlfs.models.inference.decisions import Support
from mlfs.models.inference.sampling import draw_samples, row_blocks
from mlfs.models.storage.storable import storable

__all__ = ["MonteCarlo"]


@storable
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

    def __init__(self, n_samples: int = 1000, loss: Any = "hamming", random_state: Any = 0) -> None:
        self.n_samples = n_samples
        self.loss = loss
        self.random_state = random_state

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
        return any_loss.best_of_sample(support, loss)
    if loss == "subset":
        return decisions.subset(support)
    if loss == "f1":
        return decisions.f1(*support.sizes())
    if loss == "hamming":
        return decisions.hamming(support.marginals())
    return decisions.ranking(support.marginals())
