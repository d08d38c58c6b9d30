"""Check the attributes of an object against a table, because its own code trusts them.

Each class has a line for what `fit` leaves: ``name:kind``, and for arrays their shape. A letter
in a shape is a length that is the same wherever the letter occurs in one object. An attribute
that the table does not name is refused; one behind a minus sign is only of use to further
training and is not stored.

============  ====================================================================
``d``         a whole number, the length called d; ``1`` is the number one
``classes``   the classes 0 and 1 in this order; their number is the length k
``f[1,d]``    an array of finite floats; ``F`` may hold infinity and NaN
``i[n]``      an array of whole numbers; ``b`` of truth values
``x[n,d]``    finite floats, dense or sparse
``num``       a finite number; ``whole``, ``bool``, ``text``, ``none`` as they say
``counts``    a whole number or an array of them
``names``     an array of texts, one for each feature
``one``       a fitted classifier or a part of one; ``ones[m]`` is a list of m of them
``list(...)`` a list whose items are of that kind
============  ====================================================================

Kinds with a bar between them are alternatives. What the parts of trees, kernel machines and
neighbours have to do with each other is in `native`, what parts of mlfs have in `parts`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.errors import DataError, printable

__all__ = [
    "DamagedError",
    "check_attributes",
    "demand",
    "parameter_names",
    "storable_names",
    "stored_names",
]

MOST_STEPS = 100
SMALL = 1 << 31  # lengths and positions of anything that a file can hold
CLASSIFIER = "classes_:classes n_features_in_:d feature_names_in_?:names "
LINEAR = CLASSIFIER + "coef_:x[1,d] intercept_:f[1]|num n_iter_:counts|none "
SGD = LINEAR + (
    "t_:num -_expanded_class_weight -_loss_function_ -_average_coef -_average_intercept "
    "-_standard_coef -_standard_intercept -standard_coef_ -standard_intercept_ -average_coef_ "
    "-average_intercept_ -validation_scores_ "
)
COUNTED = CLASSIFIER + "class_count_:F[k] class_log_prior_:F[k] feature_log_prob_:F[k,d] "
TREE = CLASSIFIER + "n_classes_:k n_outputs_:1 max_features_:whole tree_:one "
MEMBERS = "estimator_:one estimators_:ones[m] n_classes_:k "
FOREST = (
    CLASSIFIER
    + MEMBERS
    + (
        "n_outputs_:1 -_n_samples -_n_samples_bootstrap -_sample_weight -oob_score_ "
        "-oob_decision_function_ -estimators_samples_ "
    )
)
KERNEL = CLASSIFIER + (
    "_sparse:bool class_weight_:f[k] support_:i[n] support_vectors_:x[n,d] _n_support:i[k] "
    "_dual_coef_:x[1,n] dual_coef_:x[1,n] _intercept_:f[1] intercept_:f[1] _probA:f[p] _probB:f[p] "
    "_gamma:num fit_status_:whole shape_fit_:shape _num_iter:i[1] n_iter_:i[1] "
    "_effective_probability:bool "
)
NEIGHBOURS = CLASSIFIER + (
    "_fit_X:rows _fit_method:text _tree:one|none _y:i[n] n_samples_fit_:n outputs_2d_:bool "
    "effective_metric_:text effective_metric_params_:metric "
)
SCALER = "n_features_in_:d feature_names_in_?:names "
MODEL = (
    "_labels:one label_names_:any n_features_in_:d feature_names_in_?:names "
    "_data_names?:names|none "
)
ON_COLUMNS = MODEL + "columns_:i[c]|none "
TABLE = {
    "LabelPowerset": ON_COLUMNS + "_sets:one",
    "RAkEL": ON_COLUMNS + "labelsets_:list(i) _members:ones[m]",
    "MLkNN": ON_COLUMNS + "_near:one _has:i[n,q] _log_odds:f[q,e]",
    "BRkNN": ON_COLUMNS + "_near:one _has:f[n,q]",
    "IBLR": ON_COLUMNS + "_near:one _has:f[n,q] _fitted:one",
    "CHF": ON_COLUMNS + "_first:one _fitted:one",
    "HOMER": ON_COLUMNS + "_nodes:ones[m]",
    "LLSF": ON_COLUMNS + "coef_:f[q,w] intercept_:f[q] n_iter_:whole",
    "CalibratedLabelRanking": ON_COLUMNS + "_fitted:one pairs_:i[m,2]",
    "Lift": CLASSIFIER + "centres_:f[m,d] ranges_:f[d]|none estimator_:one",
    "StructuredClassifier": MODEL + "_fitted:one features_:any n_?:num|text n_scores_?:list(num)",
    "MonteCarloChain": MODEL + "_fitted:one features_:any _seed:whole "
    "n_?:num|text n_scores_?:list(num)",
    "StructuredEnsemble": MODEL
    + "estimators_:ones[m] estimators_features_:list(i) estimators_samples_:list(i) "
    "_seen?:whole",
    "ThresholdedClassifier": MODEL + "model_:one thresholds_:F[q]",
    "MixtureOfTrees": MODEL
    + "_mixture:one _seed:whole weights_:f[m] structures_:ones[m] features_:any estimators_:any "
    "held_out_:list(num) log_likelihood_:list(num) n_iter_:whole",
    "Switching": CLASSIFIER
    + "n_parents_:p configurations_:i[c,p] estimators_:any shares_:F[c] rest_:one|none "
    "rest_share_:num|none",
    "TunedLogistic": LINEAR + "C_:num",
    "LogisticRegression": LINEAR,
    "LogisticRegressionCV": LINEAR
    + "C_:f[1]|num l1_ratio_:any -Cs_ -l1_ratios_ -scores_ -coefs_paths_",
    "Perceptron": SGD,
    "SGDClassifier": SGD,
    "RidgeClassifier": LINEAR.replace("x[1,d]", "x[1,d]|x[d]")
    + "_label_binarizer:one -solver_",
    "RidgeClassifierCV": LINEAR.replace("x[1,d]", "x[1,d]|x[d]").replace("n_iter_:", "n_iter_?:")
    + "_label_binarizer:one alpha_:num best_score_:num -cv_results_",
    "LinearSVC": LINEAR,
    "SVC": KERNEL,
    "NuSVC": KERNEL,
    "BernoulliNB": COUNTED + "feature_count_:f[k,d]",
    "MultinomialNB": COUNTED + "feature_count_:f[k,d]",
    "ComplementNB": COUNTED + "feature_count_:f[k,d] feature_all_:f[d]",
    "CategoricalNB": COUNTED.replace("F[k,d]", "list(F)")
    + "category_count_:list(F) n_categories_:i[d]",
    "GaussianNB": CLASSIFIER
    + "class_count_:f[k] class_prior_:f[k] epsilon_:num theta_:f[k,d] var_:f[k,d]",
    "DecisionTreeClassifier": TREE,
    "ExtraTreeClassifier": TREE,
    "RandomForestClassifier": FOREST,
    "ExtraTreesClassifier": FOREST,
    "AdaBoostClassifier": CLASSIFIER + MEMBERS + "estimator_weights_:f[w] estimator_errors_:f[w]",
    "BaggingClassifier": CLASSIFIER
    + MEMBERS
    + "estimators_features_:list(i) _max_features:whole -_max_samples -_n_samples -_sample_weight "
    "-_seeds -oob_score_ -oob_decision_function_",
    "VotingClassifier": "classes_:classes estimators_:ones[m] le_:one named_estimators_:any",
    "StackingClassifier": "classes_:classes estimators_:ones[m] named_estimators_:any "
    "_label_encoder:one final_estimator_:one stack_method_:list(method) _n_feature_outs?:any",
    "KNeighborsClassifier": NEIGHBOURS,
    "RadiusNeighborsClassifier": NEIGHBOURS + "outlier_label_:none|list(whole)",
    "NearestCentroid": CLASSIFIER
    + "centroids_:f[k,d] class_prior_:f[k] deviations_:F[k,d] within_class_std_dev_:F[d] "
    "true_classes_?:any",
    "LinearDiscriminantAnalysis": CLASSIFIER
    + "coef_:f[1,d] intercept_:f[1] priors_:f[k] means_:f[k,d] scalings_?:f[d,r] xbar_?:f[d] "
    "covariance_?:f[d,d] explained_variance_ratio_?:F[e] -_max_components -_n_features_out",
    "QuadraticDiscriminantAnalysis": CLASSIFIER
    + "priors_:f[k] means_:f[k,d] rotations_:list(F) scalings_:list(F) covariance_?:list(F)",
    "CalibratedClassifierCV": CLASSIFIER + "calibrated_classifiers_:ones[m]",
    "_CalibratedClassifier": "",
    "_SigmoidCalibration": "a_:num b_:num",
    "MLPClassifier": CLASSIFIER
    + "coefs_:list(f) intercepts_:list(f) n_layers_:whole n_outputs_:1 _label_binarizer:one "
    "out_activation_:text n_iter_:whole loss_:num best_loss_?:num|none t_:whole "
    "-_best_coefs -_best_intercepts -_no_improvement_count -_optimizer -_random_state -loss_curve_ "
    "-best_validation_score_ -validation_scores_ -_coef_indptr -_intercept_indptr -_coef_shapes",
    "DummyClassifier": CLASSIFIER.replace("n_features_in_:", "n_features_in_?:")
    + "_strategy:text class_prior_:f[k] n_classes_:k n_outputs_:1 sparse_output_:bool "
    "constant_?:any",
    "Pipeline": "",
    "SimpleImputer": SCALER
    + "statistics_:F[s]|i[s] indicator_:none _fit_dtype:any _fill_dtype?:any -_missing_indicator",
    "Binarizer": SCALER,
    "Normalizer": SCALER,
    "LabelBinarizer": "classes_:classes y_type_:text sparse_input_:bool",
    "LabelEncoder": "classes_:classes",
    "MaxAbsScaler": SCALER + "scale_:f[d] max_abs_:f[d] n_samples_seen_:counts|num|F",
    "MinMaxScaler": SCALER + "scale_:f[d] min_:f[d] data_min_:f[d] data_max_:f[d] data_range_:f[d] "
    "n_samples_seen_:counts|num|F",
    "RobustScaler": SCALER + "scale_:f[d]|none center_:f[d]|none",
    "StandardScaler": SCALER + "scale_:f[d]|none mean_:f[d]|none var_:f[d]|none "
    "n_samples_seen_:counts|num|F",
}  # fmt: skip
METHODS = ("predict_proba", "decision_function", "predict")


class DamagedError(DataError):
    """A part of a model file that is not what mlfs writes."""


def demand(condition: Any, complaint: str) -> None:
    """Refuse a file unless the condition holds."""
    if not condition:
        raise DamagedError(complaint)


@cache
def parameter_names(cls: Any) -> tuple[str, ...]:
    """The parameters of the constructor of a class."""
    return tuple(name for name in inspect.signature(cls).parameters if name != "self")


@cache
def _attributes(name: str) -> dict[str, tuple[str, bool]]:
    """The kind of each attribute, '' if it is not stored, and whether it is required."""
    attributes: dict[str, tuple[str, bool]] = {}
    for part in TABLE.get(name, "").split():
        attribute, _, kind = part.partition(":")
        attributes[attribute.strip("-?")] = kind, not attribute.endswith("?")
    return attributes


def storable_names(cls: type) -> dict[str, bool]:
    """Whether each attribute that a file may hold of a class is kept."""
    return {name: bool(kind) for name, (kind, _) in _attributes(cls.__name__).items()}


def stored_names(value: Any) -> list[str]:
    """The attributes of an object that a file is to hold; an unknown one is refused.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> stored_names(StandardScaler().fit([[1.0], [2.0]]))[-4:]
    ['n_samples_seen_', 'mean_', 'var_', 'scale_']
    """
    cls: Any = type(value)
    parameters = parameter_names(cls)
    attributes = _attributes(cls.__name__)
    names = [name for name in parameters if name in vars(value)]
    fresh = None
    for name in vars(value):
        if name in parameters:
            continue
        if name in attributes:
            names += [name] if attributes[name][0] else []
            continue
        if fresh is None:
            fresh = vars(cls(**{parameter: getattr(value, parameter) for parameter in parameters}))
        if name not in fresh:
            raise DamagedError(f"the attribute {printable(name)!r} is unknown to model files")
    return names


def check_attributes(value: Any) -> None:
    """Check the parameters of an object, and what `fit` left, against the table."""
    cls = type(value)
    state, attributes = vars(value), _attributes(cls.__name__)
    for name in ("estimators", "steps"):
        if name in state:
            _check_steps(state[name])
    present = [name for name in attributes if name in state]
    if not present:
        return
    if cls.__module__.startswith("sklearn") and hasattr(cls, "_parameter_constraints"):
        value._validate_params()  # noqa: SLF001  # what each fit of scikit-learn does first
    lengths: dict[str, int] = {}
    for name, (kind, required) in attributes.items():
        if not kind:
            continue
        demand(name in state or not required, f"a {cls.__name__} lacks {name}")
        if name in state:
            fits = any(_fits(state[name], alternative, lengths) for alternative in kind.split("|"))
            demand(fits, f"{name} of a {cls.__name__} is wrong")


def _check_steps(steps: Any) -> None:
    short = isinstance(steps, list) and len(steps) <= MOST_STEPS
    demand(short, "the steps of a pipeline are no list, or too many")
    for step in steps:
        pair = isinstance(step, (tuple, list)) and len(step) == 2 and isinstance(step[0], str)
        valid = pair and (step[1] is None or isinstance(step[1], str) or hasattr(step[1], "fit"))
        demand(valid, "a step of a pipeline is none")


def _fits(value: Any, kind: str, lengths: dict[str, int]) -> bool:
    """Whether a value is of a kind of the table; its lengths are added to `lengths`."""
    if kind.startswith("list("):
        return isinstance(value, list) and all(_fits(v, kind[5:-1], lengths) for v in value)
    base, _, shape = kind.rstrip("]").partition("[")
    if base == "ones":
        is_list = isinstance(value, list) and len(value) > 0 and all(map(_is_object, value))
        return is_list and _same_length(len(value), shape, lengths)
    if len(base) == 1 and base in "fFibx":
        return _is_array(value, base) and (not shape or _has_shape(value, shape, lengths))
    if base in PLAIN:
        return bool(PLAIN[base](value))
    if base == "classes":
        two = isinstance(value, np.ndarray) and value.ndim == 1 and 0 < len(value) <= 2
        fits = two and value.dtype.kind in "if" and bool(np.isin(value, (0, 1)).all())
        return fits and bool((np.diff(value) > 0).all()) and _same_length(len(value), "k", lengths)
    if base == "names":
        texts = isinstance(value, np.ndarray) and all(isinstance(v, str) for v in value.ravel())
        return texts and _has_shape(value, "d", lengths)
    return _is_whole(value) and _same_length(int(value), base, lengths)


def _is_whole(value: Any) -> bool:
    integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return integer and abs(int(value)) < 1 << 53


def _is_number(value: Any) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating))
    return number and not isinstance(value, bool) and math.isfinite(value)


def _is_object(value: Any) -> bool:
    """Whether it is an object of a listed class, not an array, a text or a list."""
    return type(value).__module__.startswith(("sklearn", "mlfs")) and not callable(value)


def _is_metric(value: Any) -> bool:
    """Whether they are parameters of a distance: numbers, or arrays that the distance checks."""
    return isinstance(value, dict) and all(
        parameter is None
        or (name == "p" and _is_number(parameter))
        or (name in ("V", "VI", "w") and _is_array(parameter, "f"))
        for name, parameter in value.items()
    )


def _is_array(value: Any, kind: str) -> bool:
    if kind == "x" and sp.issparse(value):
        return value.dtype.kind == "f" and bool(np.isfinite(value.data).all())
    if not isinstance(value, np.ndarray):
        return False
    if kind in "fx":
        return value.dtype.kind == "f" and bool(np.isfinite(value).all())
    return value.dtype.kind == {"F": "f", "i": "i", "b": "b"}[kind]


def _has_shape(value: Any, shape: str, lengths: dict[str, int]) -> bool:
    sizes = shape.split(",")
    return value.ndim == len(sizes) and all(
        _same_length(length, size, lengths) for length, size in zip(value.shape, sizes, strict=True)
    )


def _same_length(length: int, name: str, lengths: dict[str, int]) -> bool:
    if name.isdigit():
        return length == int(name)
    return 0 <= length < SMALL and lengths.setdefault(name, length) == length


PLAIN: dict[str, Callable[[Any], Any]] = {
    "num": _is_number,
    "whole": _is_whole,
    "bool": lambda value: isinstance(value, (bool, np.bool_)),
    "text": lambda value: isinstance(value, str),
    "none": lambda value: value is None,
    "method": lambda value: isinstance(value, str) and value in METHODS,
    "counts": lambda value: _is_whole(value) or _is_array(value, "i"),
    "metric": _is_metric,
    "one": _is_object,
    "rows": lambda value: sp.issparse(value) or _is_array(value, "F"),
    "shape": lambda value: isinstance(value, tuple) and all(map(_is_whole, value)),
    "any": lambda value: not callable(value),
}
