"""Classifiers of other libraries in a comparison: sparse answers, no tags, scores called odds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from mlfs.compare.classifiers import ComparedModel, classifier
from mlfs.compare.named import Named, named
from mlfs.errors import DataError, UsageError


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


class Delegating(Foreign):
    """Has ``predict_proba``, and its part has not."""

    def predict_proba(self, X: Any) -> Any:
        raise AttributeError("this part has no predict_proba")


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((4, 3), "predicted 4 rows, 5 expected"),
        ((5, 2), "predicted 2 labels, 3 expected"),
        ((15,), "predicted 15 rows, 5 expected"),
        ((5,), "predicted 1 dimensions, rows and labels expected"),
    ],
)
def test_a_prediction_of_the_wrong_shape_says_what_is_expected(
    shape: tuple[int, ...], message: str
) -> None:
    model = Foreign()
    model.predict = lambda X: np.zeros(shape)
    with pytest.raises(DataError, match=f"^{message}$"):
        ComparedModel(model).answers(np.zeros((5, 2)), np.zeros((5, 3), int))


def test_a_method_that_only_its_part_lacks_gives_no_scores() -> None:
    X, Y = np.eye(4), np.eye(4)[:, :2]
    model = classifier(Named(f"{__name__}.Delegating"), 0)
    model.fit(X, Y)
    assert model.answers(X, Y).scores is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sklearn.multioutput.ClassifierChain:estimator=sklearn.linear_model.RidgeClassifier",
         "ClassifierChain"),
        (MultiOutputClassifier(GaussianNB()), "MultiOutputClassifier"),
        ("sklearn.svm.LinearSVC:C=0.5", "StructuredClassifier"),
        (LinearSVC(C=0.5), "StructuredClassifier"),
        (f"{__name__}.Foreign", "Foreign"),
    ],
)  # fmt: skip
def test_classifiers_by_path_or_themselves(text: Any, kind: str) -> None:
    draw = np.random.default_rng(0)
    X, Y = draw.random((30, 3)), draw.integers(0, 2, (30, 3))
    model = classifier(named(text), 5)
    assert type(model.model).__name__ == kind
    model.fit(X, Y)
    assert model.answers(X, Y).predicted.shape == Y.shape
    seeds = {v for k, v in model.model.get_params().items() if k.endswith("random_state")}
    assert seeds <= {5}


def test_generators_of_the_process_are_seeded_and_restored() -> None:
    class Drawing(Foreign):
        def fit(self, X: Any, Y: Any) -> Any:
            self.drawn = np.random.random()
            return super().fit(X, Y)

    X, Y = np.eye(4), np.eye(4)[:, :2]
    before = np.random.get_state()[1].tolist()
    drawn = []
    for seed in (3, 3, 4):
        model = ComparedModel(Drawing(), seed)
        model.fit(X, Y)
        drawn.append(model.model.drawn)
    assert drawn[0] == drawn[1] != drawn[2]
    assert np.random.get_state()[1].tolist() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("os.getcwd", "is no model: it has no predict"),
        ("sklearn.svm.LinearSVC(C=1)", "give the estimator itself in Python"),
        ("sklearn.svm.LinearSVC:D=1", "the model sklearn.svm.LinearSVC refuses its parameters"),
        ("sklearn.feature_selection.SelectKBest:k=2", "is no model: it has no predict"),
    ],
)
def test_what_is_no_model_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        classifier(named(text), 0)
