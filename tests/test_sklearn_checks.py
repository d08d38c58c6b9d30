"""scikit-learn's own checks of an estimator, none of them expected to fail."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from mlfs import FeatureSelector, criteria

SELECTORS = [
    FeatureSelector(),
    *(FeatureSelector(name) for name in criteria.available()),
    FeatureSelector("jmi", per_label=True, n_features_to_select=0.3),
    FeatureSelector("jmi", missing="ignore", bins="frequency", n_bins=4),
    FeatureSelector("mim", bins="mdlp"),
    FeatureSelector("mim", bins="laim"),
]


@parametrize_with_checks(SELECTORS)
def test_check(estimator, check):
    check(estimator)
