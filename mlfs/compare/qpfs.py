"""QPFS: features weighted by a quadratic program (Rodriguez-Lujan et al., 2010)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mlfs.api.pairwise import mutual_information
from mlfs.errors import DataError

if TYPE_CHECKING:
    from mlfs.compare.training_rows import TrainingRows

__all__ = ["qpfs", "weights_of"]

MOST_FEATURES = 20_000  # all pairs of them are 3.2 GB
MOST_STEPS = 20_000
CLOSE = 1e-10  # of the scale of the program: how far from the minimum it may end


def qpfs(train: TrainingRows, _: int) -> np.ndarray:
    """The weights x that minimise (1 - a)/2 x'Qx - a F'x, with x >= 0 and sum x = 1.

    Q has I(i;j) of all pairs of features, its diagonal H(i); F has sum_l I(i;l); and
    a = q / (q + f), of the means q of Q and f of F. A feature of weight 0 is scored below 0, by
    what it lacks to get a weight.

    Parameters
    ----------
    train : TrainingRows
        The training rows.
    """
    prepared = train.prepared
    relevance = np.asarray(prepared.info.mi_fL, np.float64)
    if relevance.size > MOST_FEATURES:
        msg = (
            f"the baseline qpfs compares all pairs of features, and takes at most "
            f"{MOST_FEATURES:,} of them, not {relevance.size:,}: take another one"
        )
        raise DataError(msg)
    return weights_of(
        np.asarray(mutual_information(prepared.features, prepared.features)), relevance
    )


def weights_of(Q: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Solve the program, by accelerated projected gradient.

    Parameters
    ----------
    Q : ndarray of float64, shape (d, d)
        Redundancy of the features.
    F : ndarray of float64, shape (d,)
        Their relevance.

    Examples
    --------
    >>> weights_of(np.eye(2), np.array([1.0, 1.0])).tolist()
    [0.5, 0.5]
    """
    q, f = float(Q.mean()), float(F.mean())
    share = q / (q + f) if q + f > 0 else 0.5
    bound = (1 - share) * float(np.abs(Q).sum(axis=1).max())  # of the eigenvalues
    x = ahead = np.full(F.size, 1 / F.size)
    slope = (1 - share) * (Q @ x) - share * F
    if bound <= 0:
        return np.where(slope > slope.min(), slope.min() - slope, 1.0)
    t = 1.0
    for _ in range(MOST_STEPS):
        before = x
        x = _on_simplex(ahead - slope / bound)
        last, t = t, (1 + np.sqrt(4 * t * t + 1)) / 2
        if slope @ (x - before) > 0:  # it went too far: begin again from here
            t, last = 1.0, 1.0
        ahead = x + (last - 1) / t * (x - before)
        slope = (1 - share) * (Q @ ahead) - share * F
        if np.abs(ahead - x).max() <= CLOSE and slope @ ahead - slope.min() <= CLOSE * bound:
            break
    slope = (1 - share) * (Q @ x) - share * F
    lacking = np.minimum(float(slope[x > 0].min()) - slope, 0.0)
    return np.round(np.where(x > 0, x, lacking), 9)


def _on_simplex(x: np.ndarray) -> np.ndarray:
    """The nearest point whose entries are not below 0 and add up to 1.

    Examples
    --------
    >>> _on_simplex(np.array([1.5, 0.5, -1.0])).tolist()
    [1.0, 0.0, 0.0]
    """
    ordered = -np.sort(-x)
    over = (np.cumsum(ordered) - 1) / np.arange(1, x.size + 1)
    return np.maximum(x - over[int(np.flatnonzero(ordered > over)[-1])], 0.0)
