"""The base learners that `mlfs train` knows: short names, and all that a model file can hold."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from mlfs.errors import UnknownName, UsageError, printable

__all__ = ["SHORT", "learner_named"]

SHORT = {
    "logistic": "sklearn.linear_model.LogisticRegression",
    "svm": "sklearn.svm.LinearSVC",
    "kernel-svm": "sklearn.svm.SVC",
    "sgd": "sklearn.linear_model.SGDClassifier",
    "ridge": "sklearn.linear_model.RidgeClassifier",
    "naive-bayes": "sklearn.naive_bayes.BernoulliNB",
    "gaussian": "sklearn.naive_bayes.GaussianNB",
    "neighbors": "sklearn.neighbors.KNeighborsClassifier",
    "tree": "sklearn.tree.DecisionTreeClassifier",
    "forest": "sklearn.ensemble.RandomForestClassifier",
    "mlp": "sklearn.neural_network.MLPClassifier",
}


def learner_named(name: str, parameters: Mapping[str, Any]) -> Any:
    """Make a base learner from its name: short, of its class, or with its module.

    Only what a model file can hold is imported.

    Examples
    --------
    >>> learner_named("svm", {"C": 0.5})
    LinearSVC(C=0.5)
    """
    from mlfs.models.storage.allowed import LEARNERS, class_named

    paths = {own: f"{module}.{own}" for module, owns in LEARNERS.items() for own in owns}
    path = SHORT.get(name) or paths.get(name) or name.replace(":", ".")
    cls = class_named(path) if path in paths.values() else None
    if cls is None and ("." in name or ":" in name):
        raise UsageError(
            f"the learner {printable(name)!r} is none that a model file can hold: take "
            f"{', '.join(SHORT)}, or another classifier that docs/model-files.md lists; the rest "
            "can be used from Python"
        )
    if cls is None:
        raise UnknownName("learner", name, [*SHORT, *paths])
    wanted = inspect.signature(cls).parameters
    for key in parameters:
        if key not in wanted:
            raise UnknownName(f"parameter of {cls.__name__}", key, wanted)
    lacking = [key for key, one in wanted.items() if one.default is one.empty]
    if set(lacking) - set(parameters):
        raise UsageError(
            f"{cls.__name__} is made of other learners: such a model is made from Python"
        )
    return cls(**parameters)
