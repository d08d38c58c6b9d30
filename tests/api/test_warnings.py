"""Warnings come once for each place, as Python has it, whatever filters do meanwhile."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import mlfs

RNG = np.random.default_rng(0)
X = pd.DataFrame({f"x{j}": RNG.normal(size=90) for j in range(4)})
X["day"] = pd.date_range("2020-01-01", periods=90)
Y = (X["x0"] > 0).astype(int)


def warned(action: str, call: object) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)  # type: ignore[arg-type]
        call()
    return [str(one.message) for one in caught if issubclass(one.category, mlfs.MlfsWarning)]


@pytest.mark.parametrize(("action", "times"), [("default", 2), ("once", 1), ("always", 6)])
def test_a_place_is_warned_as_the_filters_say(action: str, times: int) -> None:
    def call() -> None:
        for _ in range(3):
            mlfs.select((X, Y), "mim", 2)
        for _ in range(3):
            mlfs.select((X, Y), "mim", 2)

    assert len(warned(action, call)) == times


def test_a_search_of_scikit_learn_warns_once_a_place() -> None:
    model = make_pipeline(mlfs.FeatureSelector("mim"), LogisticRegression())
    search = GridSearchCV(model, {"featureselector__n_features_to_select": [1, 2, 3]}, cv=4)
    texts = warned("default", lambda: search.fit(X, Y))
    assert 1 <= len(texts) <= 2  # of thirteen fits: in the folds, and of the best setting
