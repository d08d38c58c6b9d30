"""The classes that a model file may name; a name that is not here is never imported.

To store one more class: if it holds numbers, texts, arrays, lists, dicts and other classes of
this list, write its name down here and its attributes in the table of `invariants`; what compiled
code holds also needs a part of `native`.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

import scipy.sparse as sp

__all__ = [
    "DEEPEST",
    "LEARNERS",
    "MOST_NESTED",
    "SPARSE",
    "class_named",
    "is_key",
    "is_model",
    "listed_learners",
    "name_of",
]

MODELS: dict[str, tuple[str, ...]] = {
    "mlfs.models.baselines.appended": ("CHF", "IBLR"),
    "mlfs.models.baselines.calibrated_ranking": ("CalibratedLabelRanking",),
    "mlfs.models.baselines.homer": ("HOMER",),
    "mlfs.models.baselines.llsf": ("LLSF",),
    "mlfs.models.baselines.nearest": ("BRkNN", "MLkNN"),
    "mlfs.models.baselines.powerset": ("LabelPowerset",),
    "mlfs.models.baselines.rakel": ("RAkEL",),
    "mlfs.models.chain": ("StructuredClassifier",),
    "mlfs.models.ensemble": ("StructuredEnsemble",),
    "mlfs.models.mixture": ("MixtureOfTrees",),
    "mlfs.models.monte_carlo_chain": ("MonteCarloChain",),
    "mlfs.models.thresholds": ("ThresholdedClassifier",),
}
PARTS: dict[str, tuple[str, ...]] = {
    "mlfs.binning.record": ("Binning",),
    "mlfs.search.picks": ("Picks",),
    "mlfs.models.baselines.homer": ("HomerNode",),
    "mlfs.models.baselines.llsf": ("LLSFFeatures",),
    "mlfs.models.baselines.neighbours": ("Neighbours",),
    "mlfs.models.baselines.powerset": ("SetClassifiers",),
    "mlfs.models.classes": ("Classes",),
    "mlfs.models.conditionals": ("FittedConditionals",),
    "mlfs.models.em": ("Mixture",),
    "mlfs.models.features": ("AllFeatures", "Columns", "LDF", "Selected"),
    "mlfs.models.fields": ("Field",),
    "mlfs.models.inference": (
        "Annealing", "Beam", "BestFirst", "Exhaustive", "Greedy", "MaxSum", "MonteCarlo",
    ),
    "mlfs.models.learners": ("Learner",),
    "mlfs.models.monte_carlo_chain": ("BestSample", "SwappedOrder"),
    "mlfs.models.structure": ("Structure",),
    "mlfs.models.structures": (
        "Arborescence", "Chain", "Given", "Independent", "KParents", "OneParent", "Polytree",
    ),
    "mlfs.models.table": ("TrainingTable",),
    "mlfs.selection": ("Ranking", "Selection"),
    "mlfs.selector": ("FeatureSelector",),
}  # fmt: skip
LEARNERS: dict[str, tuple[str, ...]] = {
    "sklearn.linear_model": (
        "LogisticRegression", "LogisticRegressionCV", "Perceptron", "RidgeClassifier",
        "RidgeClassifierCV", "SGDClassifier",
    ),
    "mlfs.models.baselines.lift": ("Lift",),
    "mlfs.models.switching": ("Switching",),
    "mlfs.models.tuned": ("TunedLogistic",),
    "sklearn.svm": ("LinearSVC", "NuSVC", "SVC"),
    "sklearn.naive_bayes": (
        "BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB",
    ),
    "sklearn.tree": ("DecisionTreeClassifier", "ExtraTreeClassifier"),
    "sklearn.neighbors": (
        "KNeighborsClassifier", "NearestCentroid", "RadiusNeighborsClassifier",
    ),
    "sklearn.ensemble": (
        "AdaBoostClassifier", "BaggingClassifier", "ExtraTreesClassifier",
        "RandomForestClassifier", "StackingClassifier", "VotingClassifier",
    ),
    "sklearn.discriminant_analysis": (
        "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis",
    ),
    "sklearn.calibration": ("CalibratedClassifierCV",),
    "sklearn.neural_network": ("MLPClassifier",),
    "sklearn.dummy": ("DummyClassifier",),
    "sklearn.pipeline": ("Pipeline",),
}  # fmt: skip
HELPERS: dict[str, tuple[str, ...]] = {
    "sklearn.calibration": ("_CalibratedClassifier", "_SigmoidCalibration"),
    "sklearn.impute": ("SimpleImputer",),
    "sklearn.preprocessing": (
        "Binarizer", "LabelBinarizer", "LabelEncoder", "MaxAbsScaler", "MinMaxScaler",
        "Normalizer", "RobustScaler", "StandardScaler",
    ),
}  # fmt: skip
# The names in files stay; the module in which a class of ours is found may be another one by now.
MODULES = {
    "mlfs.binning.record": "mlfs.discretize.binning",
    "mlfs.models.fields": "mlfs.models.training_table",
    "mlfs.models.learners": "mlfs.models.base_learners",
    "mlfs.models.structure": "mlfs.search.label_parents",
    "mlfs.models.table": "mlfs.models.training_table",
    "mlfs.selection": "mlfs.api.selection",
    "mlfs.selector": "mlfs.api.selector",
}


@cache
def _by_name() -> dict[str, tuple[str, str]]:
    tables = (MODELS, PARTS, LEARNERS, HELPERS)
    return {
        f"{module}.{name}": (MODULES.get(module, module), name)
        for table in tables
        for module, names in table.items()
        for name in names
    }


def class_named(name: str) -> type | None:
    """The class of that name, or None if a file may not name it.

    Examples
    --------
    >>> class_named("sklearn.svm.LinearSVC"), class_named("os.system")
    (<class 'sklearn.svm._classes.LinearSVC'>, None)
    """
    place = _by_name().get(name)
    if place is None:
        return None
    cls: Any = getattr(importlib.import_module(place[0]), place[1], None)
    return cls if isinstance(cls, type) else None


def name_of(cls: type) -> str | None:
    """The name under which a file holds the objects of a class, or None if it cannot.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> name_of(LinearSVC), name_of(dict)
    ('sklearn.svm.LinearSVC', None)
    """
    top = cls.__module__.partition(".")[0]
    for name, (module, class_name) in _by_name().items():
        if class_name == cls.__name__ and module.startswith(top) and class_named(name) is cls:
            return name
    return None


def is_model(name: str) -> bool:
    """Whether that name is one of our models, which alone may be the whole of a file."""
    module, _, class_name = name.rpartition(".")
    return class_name in MODELS.get(module, ())


def listed_learners() -> str:
    """The base learners that can be stored, in words."""
    return ", ".join(sorted(name for names in LEARNERS.values() for name in names))


def is_key(value: Any) -> bool:
    """Whether a dict in a file may have that key: a text, a small whole number, or a pair of them.

    Others could be chosen so that a dict takes forever to build.
    """
    if type(value) is tuple:
        return len(value) == 2 and all(type(number) is int and is_key(number) for number in value)
    return type(value) is str or (type(value) is int and abs(value) < LARGEST_KEY)


DEEPEST = 64
MOST_NESTED = 8  # classifiers in each other: scikit-learn asks each what the next can, three times
LARGEST_KEY = 1 << 31
SPARSE = {
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc_array": sp.csc_array,
    "csc_matrix": sp.csc_matrix,
}
