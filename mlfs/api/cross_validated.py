"""The number of features by cross-validation, as ``n="cv"`` asks for it.

Scores come from folds, models and metrics, which lie in layers above this one
(`mlfs/compare/number_of_features.py`). This module has the rule that chooses, and its record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.errors import plural


@dataclass(frozen=True)
class CrossValidation:
    """The scores of a model on the first features of a ranking, and the number they chose.

    Parameters
    ----------
    sizes : ndarray of int
        The numbers of features that were tried, rising.
    scores : ndarray of float, shape (folds, sizes)
        The score of each fold on its test rows.
    number : int
        The smallest number whose mean score is within one standard error of the best mean.
    best : int
        The number with the best mean score.
    model, metric : str
        The model and the metric.
    """

    sizes: np.ndarray
    scores: np.ndarray
    number: int
    best: int
    model: str
    metric: str

    @property
    def means(self) -> np.ndarray:
        """The mean score of each size over the folds where it is defined."""
        return np.nanmean(self.scores, axis=0)

    @property
    def errors(self) -> np.ndarray:
        """The standard error of each mean."""
        return _errors(self.scores)

    def to_dict(self) -> dict[str, Any]:
        """The record for JSON."""
        return {
            "number": self.number,
            "best": self.best,
            "model": self.model,
            "metric": self.metric,
            "folds": len(self.scores),
            "sizes": [
                {"n": n, "mean": mean, "standard_error": error, "scores": scores}
                for n, mean, error, scores in zip(
                    self.sizes.tolist(),
                    self.means.tolist(),
                    self.errors.tolist(),
                    [[None if np.isnan(v) else float(v) for v in row] for row in self.scores.T],
                    strict=True,
                )
            ],
        }

    @property
    def note(self) -> str:
        """The choice in a sentence."""
        mean = dict(zip(self.sizes.tolist(), self.means.tolist(), strict=True))
        error = float(self.errors[self.sizes == self.best][0])
        return (
            f"n=cv: {plural(self.number, 'feature')}, the fewest with a {self.metric} of "
            f"{self.model} within one standard error of the best ({mean[self.number]:.3f}; "
            f"the best is {mean[self.best]:.3f} with {self.best}, standard error {error:.3f})"
        )


def one_standard_error(
    sizes: np.ndarray, scores: np.ndarray, *, higher_is_better: bool
) -> tuple[int, int]:
    """The smallest size within one standard error of the best mean, and the best size.

    Of equal means the smaller size is the best one.

    Examples
    --------
    >>> scores = np.array([[0.5, 0.7, 0.8], [0.5, 0.75, 0.7]])
    >>> one_standard_error(np.array([1, 2, 4]), scores, higher_is_better=True)
    (2, 4)
    """
    means = np.nanmean(scores, axis=0) * (1 if higher_is_better else -1)
    best = int(np.argmax(means))
    reached = means >= means[best] - _errors(scores)[best]
    return int(sizes[int(np.argmax(reached))]), int(sizes[best])


def _errors(scores: np.ndarray) -> np.ndarray:
    n_scores = (~np.isnan(scores)).sum(axis=0)
    spread = np.nansum((scores - np.nanmean(scores, axis=0)) ** 2, axis=0)
    return np.sqrt(spread / np.maximum(1, n_scores - 1) / np.maximum(1, n_scores))
