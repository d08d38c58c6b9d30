"""The base of models that compute the log odds of each label."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from mlfs.models.label_model import LabelModel

__all__ = ["LogOddsModel"]


class LogOddsModel(LabelModel):
    """A model whose probabilities and predictions follow from the log odds of each label."""

    base_estimator = None
    random_state = 0

    @abstractmethod
    def predict_log_odds(self, X: Any) -> np.ndarray:
        """The log odds: log P(l=1|x) - log P(l=0|x) of each row and label.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d)
            The rows.
        """

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(l=1|x) of each row and label.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d)
            The rows.
        """
        odds = np.clip(self.predict_log_odds(X), -700, 700)
        shares: np.ndarray = 1 / (1 + np.exp(-odds))
        return self._shares(shares)

    def predict(self, X: Any) -> np.ndarray:
        """The labels whose probability is greater than one half.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d)
            The rows.
        """
        return self._given((self.predict_log_odds(X) > 0).astype(np.int8))
