"""The classes that a model file may hold, and the attributes that it keeps of each.

Our own classes say so with the decorator `storable`: of a dataclass its fields are kept, of an
estimator its parameters and what `fit` left. Of scikit-learn's classes those of `LEARNERS` and
`HELPERS` can be stored, with the attributes that predicting needs. Any other name in a file is
refused and never imported.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import re
from typing import Any, TypeVar, dataclass_transform

import numpy as np
import scipy.sparse as sp

from mlfs.errors import DataError

Kind = TypeVar("Kind", bound=type)
DEEPEST = 64
MOST_NESTED = 8  # classifiers in each other: scikit-learn asks each what the next can, three times
LARGEST_KEY = 1 << 31
SPARSE = {
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc_array": sp.csc_array,
    "csc_matrix": sp.csc_matrix,
}

FITTED = "classes_ n_features_in_ feature_names_in_ "
LINEAR = FITTED + "coef_ intercept_"
COUNTED = FITTED + "class_count_ class_log_prior_ feature_count_ feature_log_prob_ "
TREE = FITTED + "n_classes_ n_outputs_ max_features_ tree_"
FOREST = FITTED + "n_classes_ n_outputs_ estimator_ estimators_"
LEARNERS = {
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis": LINEAR,
    "sklearn.ensemble.ExtraTreesClassifier": FOREST,
    "sklearn.ensemble.RandomForestClassifier": FOREST,
    "sklearn.linear_model.LogisticRegression": LINEAR,
    "sklearn.linear_model.LogisticRegressionCV": LINEAR + " C_",
    "sklearn.linear_model.Perceptron": LINEAR + " t_",
    "sklearn.linear_model.RidgeClassifier": LINEAR,
    "sklearn.linear_model.SGDClassifier": LINEAR + " t_",
    "sklearn.naive_bayes.BernoulliNB": COUNTED,
    "sklearn.naive_bayes.CategoricalNB": COUNTED + "category_count_ n_categories_",
    "sklearn.naive_bayes.ComplementNB": COUNTED + "feature_all_",
    "sklearn.naive_bayes.GaussianNB": FITTED + "class_count_ class_prior_ epsilon_ theta_ var_",
    "sklearn.naive_bayes.MultinomialNB": COUNTED,
    "sklearn.neighbors.KNeighborsClassifier": "classes_ feature_names_in_ _fit_X _y",
    "sklearn.pipeline.Pipeline": "",
    "sklearn.svm.LinearSVC": LINEAR,
    "sklearn.tree.DecisionTreeClassifier": TREE,
    "sklearn.tree.ExtraTreeClassifier": TREE,
}
SCALER = "n_features_in_ feature_names_in_ "
HELPERS = {
    "sklearn.impute.SimpleImputer": SCALER + "statistics_ indicator_ _fit_dtype _fill_dtype",
    "sklearn.preprocessing.Binarizer": SCALER,
    "sklearn.preprocessing.MaxAbsScaler": SCALER + "scale_ max_abs_ n_samples_seen_",
    "sklearn.preprocessing.MinMaxScaler": SCALER
    + "scale_ min_ data_min_ data_max_ data_range_ n_samples_seen_",
    "sklearn.preprocessing.Normalizer": SCALER,
    "sklearn.preprocessing.RobustScaler": SCALER + "center_ scale_",
    "sklearn.preprocessing.StandardScaler": SCALER + "scale_ mean_ var_ n_samples_seen_",
}
SKLEARN = {**LEARNERS, **HELPERS}
BELOW = {  # classes of the packages below this one
    "mlfs.api.selection.Ranking",
    "mlfs.api.selection.Selection",
    "mlfs.api.selector.FeatureSelector",
    "mlfs.discretize.binning.Binning",
    "mlfs.search.label_parents.Structure",
    "mlfs.search.picks.Picks",
}
MOVED = {  # modules of version 0.2.0, whose files name them, and where their classes are now
    "baselines.appended": "baselines.nearest",
    "baselines.calibrated_ranking": "baselines.homer",
    "baselines.lift": "baselines.llsf",
    "em": "mixture",
    "inference.along_order": "inference.contract",
    "inference.annealing": "inference.monte_carlo",
    "inference.exhaustive": "inference.decisions",
    "monte_carlo_chain": "chain",  # which imports the other classes that were there
    "structures.spanning": "structures.polytree",
}
OWN_NAME = re.compile(r"mlfs\.models(\.[a-z_]+)+\.[A-Z]\w*")


class DamagedError(DataError):
    """A part of a model file that is not what mlfs writes."""


def demand(condition: Any, complaint: str) -> None:
    """Refuse a file unless the condition holds."""
    if not condition:
        raise DamagedError(complaint)


def storable(cls: Kind) -> Kind:
    """Let model files hold the objects of a class of `mlfs.models`: a decorator."""
    cls._storable = cls  # type: ignore[attr-defined]  # not inherited: it names the class
    return cls


@dataclass_transform(eq_default=False)
def parameters(cls: Kind) -> Kind:
    """Make the constructor of an estimator from its annotated parameters: a decorator."""
    dataclasses.dataclass(eq=False, repr=False)(cls)
    return cls


def is_record(thing: Any) -> bool:
    """Whether a file holds the fields of an object, which is then no estimator."""
    return dataclasses.is_dataclass(thing) and not hasattr(thing, "get_params")


def class_named(name: str) -> type | None:
    """The class of that name, or None if a file may not name it.

    Examples
    --------
    >>> class_named("sklearn.svm.LinearSVC"), class_named("os.system")
    (<class 'sklearn.svm._classes.LinearSVC'>, None)
    """
    listed = name in SKLEARN or name in BELOW
    if not listed and not OWN_NAME.fullmatch(name):
        return None
    module, _, class_name = name.rpartition(".")
    place = module.removeprefix("mlfs.models.")
    module = f"mlfs.models.{MOVED[place]}" if place in MOVED else module
    try:
        cls: Any = getattr(importlib.import_module(module), class_name, None)
    except ImportError:
        return None
    return cls if isinstance(cls, type) and (listed or _is_own(cls)) else None


@functools.cache
def name_of(cls: Any) -> str | None:
    """The name under which a file holds the objects of a class, or None if it cannot.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> name_of(LinearSVC), name_of(dict)
    ('sklearn.svm.LinearSVC', None)
    """
    full_name = f"{cls.__module__}.{cls.__qualname__}"
    if _is_own(cls) or full_name in BELOW:
        return full_name
    package = re.sub(r"\._\w+$", "", cls.__module__)
    name = f"{package}.{cls.__qualname__}"
    return name if name in SKLEARN and class_named(name) is cls else None


def _is_own(cls: type) -> bool:
    return vars(cls).get("_storable") is cls


def is_model(cls: type) -> bool:
    """Whether it is one of our models, which alone may be the whole of a file."""
    from mlfs.models.label_model import LabelModel

    return _is_own(cls) and issubclass(cls, LabelModel)


def listed_learners() -> str:
    """The base learners that can be stored, in words."""
    return ", ".join(sorted(name.rpartition(".")[2] for name in LEARNERS))


@functools.cache
def parameter_names(cls: Any) -> tuple[str, ...]:
    """The parameters of the constructor of a class."""
    return tuple(name for name in inspect.signature(cls).parameters if name != "self")


def kept_attributes(value: Any, name: str) -> dict[str, Any]:
    """The attributes that a file keeps of a fitted object beside its parameters."""
    if name in SKLEARN:
        return {key: vars(value)[key] for key in SKLEARN[name].split() if key in vars(value)}
    return {key: kept for key, kept in vars(value).items() if is_attribute(type(value), key, name)}


def is_attribute(cls: type, key: str, name: str) -> bool:
    """Whether a file may set that attribute: never one that the class itself defines."""
    if name in SKLEARN:
        return key in SKLEARN[name].split()
    if key in parameter_names(cls) or key == "_next_names" or not key.isidentifier():
        return False
    if key[:2] == "__":
        return False
    defined = inspect.getattr_static(cls, key, None)
    return defined is None or isinstance(defined, (str, int, float))


def is_key(value: Any) -> bool:
    """Whether a dict in a file may have that key: a text, a small whole number, or a pair of them.

    Others could be chosen so that a dict takes forever to build.
    """
    if type(value) is tuple:
        return len(value) == 2 and all(type(number) is int and is_key(number) for number in value)
    return type(value) is str or (type(value) is int and abs(value) < LARGEST_KEY)


def check_learner(learner: Any) -> None:
    """Check what any classifier of two classes must be: its classes are 0 and 1, numbers are."""
    classes = vars(learner).get("classes_")
    if classes is not None:
        two = isinstance(classes, np.ndarray) and classes.ndim == 1 and 0 < len(classes) <= 2
        demand(two and classes.dtype.kind in "if", "a learner has no classes")
        rising = np.isin(classes, (0, 1)).all() and (np.diff(classes) > 0).all()
        demand(rising, "a learner has other classes than 0 and 1")
    for key, value in vars(learner).items():
        if key.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind == "f":
            fits = not (np.isnan(value) | np.isposinf(value)).any()
            demand(fits, f"{key} of a {type(learner).__name__} is no number")
