"""Check what the parts of mlfs in a model file have to do with each other."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, Union

import numpy as np

from mlfs.models.inference import make
from mlfs.models.inference.contract import MOST_PARENTS
from mlfs.models.storage import baseline_parts
from mlfs.models.storage.invariants import demand

__all__ = ["check_fields", "check_part"]

LONGEST_NAMES = 64 << 20
# Limits of the parameters that decide how long one row takes, or how much memory.
MOST = {"n_samples": 10_000, "n_steps": 10_000, "width": 10_000, "max_nodes": 1_000_000}
MOST_LABELS = 24  # of an exhaustive inference, and of a search without a limit
MOST_CELLS = 1 << 28  # of the coefficients for all values of the parents
LONGEST_VALUE = 4096  # bytes


def check_part(part: Any) -> None:
    """Check an object of a class of mlfs, where it is fitted."""
    for name, most in () if dataclasses.is_dataclass(part) else MOST.items():
        value = vars(part).get(name)
        demand(not isinstance(value, int) or value <= most, f"{name} is above {most}")
    check = CHECKS.get(type(part).__name__)
    if check is not None:
        check(part)


# ---- dataclasses: each field is of the type that it is annotated with -------------------------


def check_fields(cls: Any, state: Mapping[str, Any]) -> None:
    """Check the values of the fields of a dataclass against their annotations."""
    hints = _hints(cls)
    for name, value in state.items():
        demand(name in hints, f"a {cls.__name__} has no field {name[:40]!r}")
        demand(_matches(value, hints[name]), f"{name} of a {cls.__name__} is wrong")


@cache
def _hints(cls: Any) -> dict[str, Any]:
    unknown: dict[str, Any] = {}  # names that only a type checker imports: files hold None there
    while True:
        try:
            hints = typing.get_type_hints(cls, localns=unknown)
            break
        except NameError as error:
            unknown[str(error.name)] = type(None)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls) if field.init}


def _matches(value: Any, hint: Any) -> bool:
    if hint is Any:
        return True
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_matches(value, part) for part in inner)
    if origin is Literal:
        return isinstance(value, (str, int)) and value in inner
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(inner) == 2 and inner[1] is Ellipsis:
            return all(_matches(part, inner[0]) for part in value)
        pairs = zip(value, inner, strict=False)
        return len(value) == len(inner) and all(_matches(*pair) for pair in pairs)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _matches(k, inner[0]) and _matches(v, inner[1]) for k, v in value.items()
        )
    if isinstance(origin, type) and issubclass(origin, Sequence):
        plain = isinstance(value, Sequence) and not isinstance(value, str)
        return plain and all(_matches(part, inner[0]) for part in value)
    kind = origin or hint
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return isinstance(value, kind) if isinstance(kind, type) else value is None


# ---- what belongs together ---------------------------------------------------------------------


def _positions(array: Any, end: int) -> bool:
    """Whether an array holds positions below an end."""
    flat = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind == "i"
    return flat and bool(((array >= 0) & (array < end)).all())


def _check_classes(classes: Any) -> None:
    demand(len(classes.names) == len(classes.values) > 0, "the labels have no values")
    demand(not classes.flat or len(classes.names) == 1, "several labels are not one column")
    for values in classes.values:
        demand(values.ndim == 1 and 0 < len(values) <= 2, "a label has no values")
        demand(values.dtype.kind in "biufUO", "the values of a label are of no known type")
        demand(values.dtype.itemsize <= LONGEST_VALUE, "a value of a label is too long")
        plain = (str, int, float, bool, np.generic)
        demand(all(isinstance(v, plain) for v in values.tolist()), "a value of a label is none")


def _check_field(field: Any) -> None:
    nominal = len(field.values)
    demand(len(set(field.values)) == nominal, "a column has a value twice")
    demand(not nominal or field.fill in range(nominal), "what fills a column is none of its values")
    size = (len(field.name) + 1) * nominal
    demand(size <= LONGEST_NAMES, "the names of the columns of a nominal one are too long")


def _check_conditionals(fitted: Any) -> None:
    structure, width = fitted.structure, fitted.width
    parents = [learner.parents for learner in fitted.learners]
    demand(parents == list(structure.parents), "the learners have other parents")
    demand(width > 0, "the learners have no columns")
    switched = [len(p) for p, learner in zip(parents, fitted.learners, strict=True)
                if type(learner.estimator).__name__ == "Switching"]  # fmt: skip
    cells = width * sum(1 << min(n, MOST_PARENTS) for n in switched)
    demand(cells <= MOST_CELLS, "the values of the parents are too many")
    for learner in fitted.learners:
        columns = learner.columns
        inside = columns is None or _positions(columns, width)
        demand(inside, "a column of a learner is not there")
        demand(columns is None or (np.diff(columns) > 0).all(), "columns of a learner are unsorted")
        demand(learner.constant in (0, 1), "the constant of a label is neither 0 nor 1")
        if learner.estimator is None:
            continue
        n_inputs = (width if columns is None else len(columns)) + len(learner.parents)
        n_features = getattr(learner.estimator, "n_features_in_", None)
        demand(n_features in (None, max(n_inputs, 1)), "a learner has other columns than its label")
        classes = np.asarray(getattr(learner.estimator, "classes_", ()))
        demand(np.array_equal(classes, (0, 1)), "a learner has other classes than 0 and 1")
        demand(callable(getattr(learner.estimator, "predict", None)), "a learner does not predict")


def _check_features(model: Any, features: Any) -> None:
    demand(isinstance(features, dict), "the features of the labels are not there")
    demand(set(features) == set(model.label_names_), "the features are of other labels")
    inside = all(_positions(columns, model.n_features_in_) for columns in features.values())
    demand(inside, "a feature of a label is not there")


def _check_classifier(model: Any) -> None:
    fitted = vars(model).get("_fitted")
    inference = vars(model).get("inference")
    inference = make(inference) if isinstance(inference, str) else inference
    demand(inference is None or hasattr(inference, "needs_probabilities"), "no such inference")
    endless = getattr(inference, "max_nodes", 0) is None
    most = math.inf if endless else getattr(inference, "limit", 0)
    if fitted is not None:
        demand(type(fitted).__name__ == "FittedConditionals", "a model has no learners")
        demand(fitted.width == model.n_features_in_, "the learners have other features")
        baseline_parts.check_labels(model, fitted.structure.names)
        _check_features(model, model.features_)
        demand(min(most, len(model.label_names_)) <= MOST_LABELS, "an inference would not end")


def _check_ensemble(ensemble: Any) -> None:
    members = vars(ensemble).get("estimators_")
    if members is None:
        return
    baseline_parts.check_labels(ensemble, ensemble.label_names_)
    same = len(members) == len(ensemble.estimators_features_) == len(ensemble.estimators_samples_)
    demand(same, "the members of an ensemble have no features")
    for member, columns in zip(members, ensemble.estimators_features_, strict=True):
        demand(type(member).__module__.startswith("mlfs.models."), "a member is no model")
        demand(_positions(columns, ensemble.n_features_in_), "a feature of a member is not there")
        demand(getattr(member, "n_features_in_", None) == len(columns), "a member is not fitted")
        demand(len(member.label_names_) == len(ensemble.label_names_), "a member has other labels")


def _check_thresholded(thresholded: Any) -> None:
    model = vars(thresholded).get("model_")
    if model is None:
        return
    baseline_parts.check_labels(thresholded, thresholded.label_names_)
    demand(type(model).__module__.startswith("mlfs.models."), "what has thresholds is no model")
    demand(
        getattr(model, "n_features_in_", None) == thresholded.n_features_in_,
        "it has other features",
    )
    demand(len(model.label_names_) == len(thresholded.label_names_), "it has other labels")
    demand(
        len(thresholded.thresholds_) == len(thresholded.label_names_), "a label has no threshold"
    )
    demand(not np.isnan(thresholded.thresholds_).any(), "a threshold is none")


def _check_mixture(mixture: Any) -> None:
    demand(
        mixture.shares.shape == (len(mixture.trees),) and mixture.trees, "the trees have no shares"
    )
    sums = mixture.shares.dtype.kind == "f" and (mixture.shares >= 0).all()
    demand(sums and abs(float(mixture.shares.sum()) - 1) < 1e-6, "the shares of trees are none")
    first = mixture.trees[0]
    for tree in mixture.trees:
        same = tree.structure.names == first.structure.names and tree.width == first.width
        demand(same and tree.structure.is_forest, "a tree of a mixture is none")


def _check_mixture_of_trees(model: Any) -> None:
    mixture = vars(model).get("_mixture")
    if mixture is None:
        return
    demand(type(mixture).__name__ == "Mixture", "a model has no mixture")
    trees = mixture.trees
    baseline_parts.check_labels(model, trees[0].structure.names)
    demand(trees[0].width == model.n_features_in_, "the trees have other features")
    demand(np.array_equal(model.weights_, mixture.shares), "the trees have other shares")
    for name, parts in (
        ("structures_", [tree.structure for tree in trees]),
        ("estimators_", [[learner.estimator for learner in tree.learners] for tree in trees]),
    ):
        demand(_is_same(getattr(model, name), parts), f"{name} are not those of the trees")
    demand(isinstance(model.features_, list), "the features of the trees are not there")
    demand(len(model.features_) == len(trees), "the features of the trees are not there")
    for features in model.features_:
        _check_features(model, features)


def _is_same(value: Any, expected: Any) -> bool:
    if not isinstance(expected, list):
        return value is expected
    is_list = isinstance(value, list) and len(value) == len(expected)
    return is_list and all(map(_is_same, value, expected))


def _check_switching(switching: Any) -> None:
    values = vars(switching).get("configurations_")
    if values is None:
        return
    demand(np.isin(values, (0, 1)).all(), "a value of a parent is neither 0 nor 1")
    demand(len(np.unique(values, axis=0)) == len(values), "the values of parents come twice")
    demand(
        isinstance(switching.estimators_, list), "there are no classifiers for values of parents"
    )
    demand(
        len(switching.estimators_) == len(values), "there are no classifiers for values of parents"
    )
    shares = switching.shares_[~np.isnan(switching.shares_)]
    demand(((shares > 0) & (shares < 1)).all(), "a share of ones is none")
    rest = switching.rest_ is not None or switching.rest_share_ is not None
    demand(rest or not switching._needs_rest(), "values of parents have no classifier")  # noqa: SLF001
    width = max(switching.n_features_in_ - switching.n_parents_, 1)
    for classifier in (*switching.estimators_, switching.rest_):
        n_features = getattr(classifier, "n_features_in_", None)
        demand(n_features in (None, width), "a classifier has other columns than its label")


CHECKS: dict[str, Callable[[Any], None]] = {
    **baseline_parts.CHECKS,
    "Classes": _check_classes,
    "Field": _check_field,
    "FittedConditionals": _check_conditionals,
    "Mixture": _check_mixture,
    "MixtureOfTrees": _check_mixture_of_trees,
    "MonteCarloChain": _check_classifier,
    "StructuredClassifier": _check_classifier,
    "StructuredEnsemble": _check_ensemble,
    "ThresholdedClassifier": _check_thresholded,
    "Switching": _check_switching,
}
