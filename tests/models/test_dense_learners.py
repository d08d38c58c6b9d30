"""Learners that take no sparse rows get dense ones, of the columns that they look at."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mlfs import DataError, FeatureSelector
from mlfs.models import StructuredClassifier, Switching, base_learners, make


def words(n: int = 60, d: int = 40) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    X = draw.poisson(0.3, (n, d)).astype(float)
    return X, (X[:, :3] + draw.random((n, 3)) > 0.8).astype(int)


LEARNERS = [
    GaussianNB(),
    LinearDiscriminantAnalysis(),
    Switching(GaussianNB()),
    make_pipeline(StandardScaler(), GaussianNB()),
    make_pipeline(StandardScaler(with_mean=False), GaussianNB()),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_sparse_rows_give_what_dense_ones_give(learner) -> None:
    X, Y = words()
    for features, structure in ((None, None), (FeatureSelector("mim", 5), {2: [0, 1]})):
        model = StructuredClassifier(structure, features, base_estimator=learner)
        wanted = model.fit(X, Y).predict_proba(X)
        model.fit(sp.csr_array(X), Y)
        assert np.allclose(model.predict_proba(sp.csr_array(X)), wanted)
        assert np.allclose(model.predict_proba(X), wanted)


def test_prediction_makes_few_dense_rows_at_a_time(monkeypatch) -> None:
    X, Y = words()
    model = make("cc", base_estimator=LinearDiscriminantAnalysis()).fit(sp.csr_array(X), Y)
    wanted = model.predict(X), model.predict_proba(X)
    monkeypatch.setattr("mlfs.models.conditionals.ROWS_AT_ONCE", 7 * X.shape[1])
    assert (model.predict(sp.csr_array(X)) == wanted[0]).all()
    assert np.allclose(model.predict_proba(sp.csr_array(X)), wanted[1])


def test_too_many_columns_are_refused_with_a_remedy(monkeypatch) -> None:
    X, Y = words()
    monkeypatch.setattr(base_learners, "bytes_of", lambda _: 60 * 20 * 8)
    told = r"GaussianNB takes no sparse data, and 60 rows of 40 columns .*; select fewer features"
    with pytest.raises(DataError, match=told):
        make("br", base_estimator=GaussianNB()).fit(sp.csr_array(X), Y)
    few = make("br", base_estimator=GaussianNB(), features="mim", n=9)
    assert few.fit(sp.csr_array(X), Y).predict(X).shape == Y.shape
    narrowed = make_pipeline(TruncatedSVD(3, random_state=0), GaussianNB())
    model = make("br", base_estimator=narrowed)
    assert model.fit(sp.csr_array(X), Y).predict(sp.csr_array(X)).shape == Y.shape


@pytest.mark.parametrize("name", ["ctbn", "mcc", "ecc"])
def test_models_that_fit_often_take_them_too(name: str) -> None:
    X, Y = words()
    model = make(name, base_estimator=GaussianNB()).fit(sp.csr_array(X[:, :9]), Y)
    assert model.predict(sp.csr_array(X[:, :9])).shape == Y.shape
