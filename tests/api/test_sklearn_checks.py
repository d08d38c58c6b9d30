"""scikit-learn's own checks of an estimator, none of them expected to fail."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlfs import FeatureSelector, criteria
from mlfs.models import StructuredClassifier, StructuredEnsemble, available, make
from mlfs.models.label_model import default_learner


def takes_one_label(name):
    """scikit-learn's checks have one target, and some criteria compare labels."""
    return criteria.get(name)[1].least_labels == 1


SELECTORS = [
    FeatureSelector(),
    *(FeatureSelector(name) for name in criteria.available() if takes_one_label(name)),
    FeatureSelector("jmi", per_label=True, n_features_to_select=0.3),
    FeatureSelector("jmi", missing="ignore", bins="frequency", n_bins=4),
    FeatureSelector("mim", bins="mdlp"),
    FeatureSelector("mim", bins="laim"),
    FeatureSelector("mrmr", target_bins="frequency"),
]
SMALL = {name: {"n_estimators": 2} for name in ("ecc", "ebcc", "eocc", "epcc")} | {
    "mc": {"n_trees": 2, "max_iter": 1, "n_steps": 3, "base_estimator": default_learner()},
    "mcc": {"n_swaps": 3},
}
OFTEN = ["pcc", "pacc-ldf", "mc", "mcc", "occ"]
NAMED = {name: make(name, **SMALL.get(name.removesuffix("-ldf"), {})) for name in available()}
MODELS = [StructuredClassifier(), StructuredEnsemble(n_estimators=2)]
MODELS += [NAMED[name] for name in OFTEN]
OTHERS = [model for name, model in NAMED.items() if name not in OFTEN]


@parametrize_with_checks(SELECTORS)
def test_check(estimator, check):
    check(estimator)


@parametrize_with_checks(MODELS)
def test_check_of_models(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(OTHERS)
def test_check_of_more_models(estimator, check):
    check(estimator)
