"""Classifiers of other libraries in a comparison: sparse answers, no tags, scores called odds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin

from mlfs.compare.classifiers import classifier
from mlfs.compare.named import Named


class Foreign(ClassifierMixin, BaseEstimator):
    """Predicts the share of each label, as a sparse matrix; its tags do not say what it takes."""

    def fit(self, X: Any, Y: Any) -> Foreign:
        self.shares_ = np.asarray(Y, float).mean(axis=0)
        self.q_ = Y.shape[1]  # fails for a single column
        return self

    def predict(self, X: Any) -> Any:
        return sp.lil_matrix(np.tile(self.shares_ > 0.5, (X.shape[0], 1)).astype(int))

    def predict_proba(self, X: Any) -> Any:
        return sp.csr_matrix(np.tile(self.shares_, (X.shape[0], 1)))


class Shouting(Foreign):
    """Calls scores probabilities."""

    def predict_proba(self, X: Any) -> Any:
        return 3 * np.tile(self.shares_, (X.shape[0], 1))


@pytest.mark.parametrize("kind", [Foreign, Shouting])
def test_a_classifier_that_gives_sparse_matrices_is_asked_for_all_labels(kind: type) -> None:
    draw = np.random.default_rng(0)
    X, Y = draw.random((30, 3)), draw.integers(0, 2, (30, 4))
    model = classifier(Named(f"{__name__}.{kind.__name__}"), 0)
    model.fit(X, Y)
    answers = model.answers(X, Y)
    assert answers.predicted.tolist() == np.tile(Y.mean(axis=0) > 0.5, (30, 1)).tolist()
    assert answers.scores is not None
    assert answers.scores[0].argsort().tolist() == Y.mean(axis=0).argsort().tolist()
    assert (answers.probabilities is None) == (kind is Shouting)
