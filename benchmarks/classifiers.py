"""The classifiers that are timed: those of mlfs, and what other programs have of the same kind."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier

import mlfs

__all__ = ["CLASSIFIERS", "MLFS", "Classifier"]

MLFS, SCIKIT_LEARN = "mlfs-toolkit", "scikit-learn"
MULTILEARN, BOOMER = "scikit-multilearn-ng", "mlrl-boomer"
TREES, NEIGHBOURS, SET = 100, 10, 3


@dataclass(frozen=True)
class Classifier:
    """One classifier of one program.

    Parameters
    ----------
    method : str
        What is compared: as mlfs calls it, or its own name where mlfs has none of the kind.
    program : str
        Its name on PyPI.
    name : str
        What the program calls it.
    make : callable
        Takes whether X is sparse and the number of labels, gives the classifier.
    """

    method: str
    program: str
    name: str
    make: Callable[[bool, int], Any]

    @property
    def key(self) -> str:
        """As the command line takes it."""
        return f"{self.program}:{self.name}"


def _logistic() -> LogisticRegression:
    """The base learner of all: that of mlfs."""
    return LogisticRegression(C=5.0, solver="liblinear")


def _forest() -> RandomForestClassifier:
    return RandomForestClassifier(TREES, min_samples_leaf=2, random_state=0)


def _mlfs(name: str) -> Classifier:
    return Classifier(name, MLFS, name, lambda *_: mlfs.models.make(name))


def _scikit_learn(method: str, name: str, make: Callable[[], Any]) -> Classifier:
    return Classifier(method, SCIKIT_LEARN, name, lambda *_: make())


def _transformed(method: str, module: str, name: str) -> Classifier:
    """A classifier of scikit-multilearn around a base learner."""

    def make(sparse: bool, labels: int) -> Any:
        base = _logistic() if method in {"br", "cc"} else OneVsRestClassifier(_logistic())
        kind = getattr(importlib.import_module(f"skmultilearn.{module}"), name)
        if module == "ensemble":
            inside = {"base_classifier": base, "base_classifier_require_dense": [not sparse, True]}
            if name == "RakelO":  # as many as mlfs takes by default
                inside["model_count"] = min(2 * labels, math.comb(labels, SET))
            return kind(labelset_size=SET, **inside)
        return kind(classifier=base, require_dense=[not sparse, True])

    return Classifier(method, MULTILEARN, name, make)


def _neighbours(method: str, name: str) -> Classifier:
    def make(*_: Any) -> Any:
        return getattr(importlib.import_module("skmultilearn.adapt"), name)(k=NEIGHBOURS)

    return Classifier(method, MULTILEARN, name, make)


def _boomer(*_: Any) -> Any:
    from mlrl.boosting import BoomerClassifier

    return BoomerClassifier(random_state=1)


CLASSIFIERS = (
    _mlfs("br"),
    _scikit_learn("br", "MultiOutputClassifier", lambda: MultiOutputClassifier(_logistic())),
    _transformed("br", "problem_transform", "BinaryRelevance"),
    _mlfs("cc"),
    _scikit_learn("cc", "ClassifierChain", lambda: ClassifierChain(_logistic(), order="random")),
    _transformed("cc", "problem_transform", "ClassifierChain"),
    _mlfs("lp"),
    _transformed("lp", "problem_transform", "LabelPowerset"),
    _mlfs("rakeld"),
    _transformed("rakeld", "ensemble", "RakelD"),
    _mlfs("rakel"),
    _transformed("rakel", "ensemble", "RakelO"),
    _mlfs("mlknn"),
    _neighbours("mlknn", "MLkNN"),
    _mlfs("brknn"),
    _scikit_learn(
        "brknn", "KNeighborsClassifier", lambda: KNeighborsClassifier(NEIGHBOURS, algorithm="brute")
    ),
    _neighbours("brknn", "BRkNNaClassifier"),
    _mlfs("br-forest"),
    _scikit_learn(
        "br-forest", "MultiOutputClassifier of forests", lambda: MultiOutputClassifier(_forest())
    ),
    Classifier("boosted rules", BOOMER, "BoomerClassifier", _boomer),
    *(_mlfs(name) for name in ("kcc", "bcc", "pacc", "ctbn", "ecc", "clr", "homer", "lift")),
)
