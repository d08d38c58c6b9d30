"""scikit-learn's own checks of an estimator, none of them expected to fail.

They look at the interface: parameters, shapes, kinds of input. So each kind of estimator is checked
once, and not each criterion and each recipe; what these compute is tested with them.
"""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

from mlfs import FeatureSelector
from mlfs.models import (
    StructuredClassifier,
    StructuredEnsemble,
    ThresholdedClassifier,
    available,
    make,
)
from mlfs.models.label_model import default_learner
from tests.models.baselines.test_baselines_of_papers import CHECKED

SELECTORS = {
    "default": FeatureSelector(),
    "network": FeatureSelector("mlfs_global"),
    "sets": FeatureSelector("mlcfs"),
    "per label": FeatureSelector("jmi", per_label=True, n_features_to_select=0.3),
    "frequency": FeatureSelector("jmi", bins="frequency", n_bins=4),
    "mdlp": FeatureSelector("mim", bins="mdlp"),
    "laim": FeatureSelector("mim", bins="laim"),
    "numbers": FeatureSelector("mrmr", target_bins="frequency"),
}
SMALL = {name: {"n_estimators": 2} for name in ("ecc", "ebcc", "eocc")} | {
    "mc": {"n_trees": 2, "max_iter": 1, "n_steps": 3, "base_estimator": default_learner()},
    "mcc": {"n_swaps": 3},
}
OFTEN = ["br", "pacc-ldf", "mc", "mcc", "eocc"]
OTHERS = ["pcc", "ctbn", "ebcc-ldf"]


def small(name: str) -> Any:
    return make(name, **SMALL.get(name.removesuffix("-ldf"), {}))


def parts(model: Any) -> set[type]:
    """The classes of a model and of its parts; features are named by a text or by a part."""
    return {type(model)} | {type(one) for one in model.get_params().values()}


def checks(estimators: dict[str, Any]) -> pytest.MarkDecorator:
    """All checks of all of them: as `parametrize_with_checks`, but each is named by hand.

    There the name is the estimator's text, and to make that takes longer than many a check.
    """
    return pytest.mark.parametrize(
        ("estimator", "check"),
        [
            pytest.param(estimator, check, id=f"{name}-{check.func.__name__}-{at}")
            for name, one in estimators.items()
            for at, (estimator, check) in enumerate(estimator_checks_generator(one))
        ],
    )


@checks(SELECTORS)
def test_check(estimator, check):
    check(estimator)


@checks({"default": StructuredClassifier(), **{name: small(name) for name in OFTEN}})
def test_check_of_models(estimator, check):
    check(estimator)


@pytest.mark.slow
@checks({"thresholds": ThresholdedClassifier(folds=2), **{name: small(name) for name in OTHERS}})
def test_check_of_more_models(estimator, check):
    check(estimator)


def test_every_part_of_every_model_is_in_one_that_is_checked() -> None:
    checked = set().union(*(parts(make(name)) for name in (*OFTEN, *OTHERS)))
    assert {StructuredClassifier, StructuredEnsemble} <= checked
    checked |= {type(one) for one in (*CHECKED, RandomForestClassifier())}
    assert set().union(*(parts(make(name)) for name in available())) <= checked
