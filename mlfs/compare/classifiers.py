"""The models of a comparison: those of mlfs, MLNB, and classifiers by import path."""

from __future__ import annotations

import contextlib
import inspect
import random
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mlfs.compare.named import Named, make_estimator
from mlfs.errors import DataError, UnknownName, UsageError, printable
from mlfs.models.classes import as_written

LACKING = (AttributeError, NotImplementedError, TypeError)
TRIED = 60  # rows on which a foreign classifier shows what it takes
OWN = {"mlnb": "mlfs.compare.naive_bayes.MLNB"}


class Answers(NamedTuple):
    """The predictions of a fitted model for the test rows; None for what it cannot give."""

    predicted: np.ndarray
    scores: np.ndarray | None
    joint: np.ndarray | None
    probabilities: np.ndarray | None = None


class ComparedModel:
    """A model on the features that were selected for it.

    Parameters
    ----------
    model : classifier
        Of scikit-learn's kind, for indicator matrices.
    seed : int
        What numpy's and Python's own generators start from while it is fitted and asked: some
        libraries use them.
    """

    def __init__(self, model: Any, seed: int = 0) -> None:
        self.model = model
        self.seed = seed

    def fit(self, X: Any, Y: np.ndarray, sample_weight: np.ndarray | None = None) -> None:
        """Train; weights of rows are refused by a model that cannot use them."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if weights and "sample_weight" not in inspect.signature(self.model.fit).parameters:
            name = type(self.model).__name__
            msg = f"the data have weights of rows, which {printable(name)} cannot use"
            raise UsageError(msg)
        with _seeded_generators(self.seed):
            self.model.fit(X, as_written(Y), **weights)

    def answers(self, X: Any, truth: np.ndarray) -> Answers:
        """Predictions and scores of the test rows."""
        shape = truth.shape
        with _seeded_generators(self.seed):
            predicted = _shaped(self.model.predict(X), shape)
        joint = None
        if hasattr(self.model, "joint_log_proba"):
            complete = (truth >= 0).all(axis=1)
            joint = np.zeros(len(truth))
            if complete.any():
                joint[complete] = self.model.joint_log_proba(X[complete], truth[complete])
        scores, shares = self._scores(X, shape), None
        if hasattr(self.model, "predict_proba"):
            # a foreign classifier may have the method though an estimator in it does not
            foreign = not type(self.model).__module__.startswith("mlfs.")
            with contextlib.suppress(*(LACKING if foreign else ())):
                shares = self._ask("predict_proba", X, shape)
        scores = shares if scores is None else scores
        if shares is not None and ((shares < 0) | (shares > 1)).any():
            shares = None  # some libraries call scores so
        return Answers(predicted, scores, joint, shares)

    def _scores(self, X: Any, shape: tuple[int, ...]) -> np.ndarray | None:
        # log odds where there are any: probabilities round to 1, and then tie
        if hasattr(self.model, "predict_log_odds"):
            return self._ask("predict_log_odds", X, shape)
        if hasattr(self.model, "predict_proba") or not hasattr(self.model, "decision_function"):
            return None
        return self._ask("decision_function", X, shape)

    def _ask(self, method: str, X: Any, shape: tuple[int, ...]) -> np.ndarray:
        from mlfs.models.ensemble import ones_of

        proba = method == "predict_proba"
        scores = ones_of(self.model, X, shape[1]) if proba else getattr(self.model, method)(X)
        return _shaped(scores, shape, f"{method}: ").astype(float)


def known_models() -> list[str]:
    """The names of all models."""
    from mlfs.models import available

    return sorted({*OWN, *available()})


def check_classifier(spec: Named) -> None:
    """Refuse a model that cannot be made, before anything is computed.

    No classifier by import path is trained here, since it could end the process; a worker does.
    """
    if not _is_path(spec):
        _make_model(spec, 0, "own")
        return
    from mlfs.models.thresholds import checked_rule

    plain, threshold = _without_threshold(spec)
    make_estimator(plain, "model", "predict")
    if threshold is not None:
        checked_rule(threshold)


def _without_threshold(spec: Named) -> tuple[Named, Any]:
    parameters = dict(spec.parameters)
    threshold = parameters.pop("threshold", None)
    return replace(spec, parameters=parameters), threshold


def _is_path(spec: Named) -> bool:
    return spec.name not in OWN and spec.is_path


def selects(spec: Named) -> bool:
    """Whether a model selects features for itself.

    Examples
    --------
    >>> selects(Named("br")), selects(Named("br-ldf"))
    (False, True)
    """
    if _is_path(spec):
        return False
    parameters = _make_model(spec, 0, "own").get_params()
    if {"features", "n"} <= parameters.keys():
        return parameters["features"] not in (None, "all")
    return parameters.get("model__features") not in (None, "all")


def classifier(
    spec: Named, seed: int, features: Mapping[int, Sequence[int]] | str = "own"
) -> ComparedModel:
    """Make a model by name or import path.

    Parameters
    ----------
    spec : Named
        The model and its parameters. A classifier of one label is trained for each label
        (as ``br``).
    seed : int
        The random_state of a model that has one, unless a parameter sets it.
    features : mapping, "all" or "own"
        The columns of each label, for a model that supports label-specific features; or all
        columns; or the model's own selection.

    Examples
    --------
    >>> type(classifier(Named("mlnb"), 0).model).__name__
    'MLNB'
    """
    return ComparedModel(_make_model(spec, seed, features), seed)


@contextlib.contextmanager
def _seeded_generators(seed: int) -> Iterator[None]:
    """Let the generators that a whole process shares start from a seed, and restore them."""
    before = np.random.get_state(), random.getstate()  # noqa: NPY002 -- libraries use it
    np.random.seed(seed % 2**32)  # noqa: NPY002
    random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(before[0])  # noqa: NPY002
        random.setstate(before[1])


def of_learner(learner: Any, features: Mapping[int, Sequence[int]] | str = "all") -> ComparedModel:
    """A copy of a classifier object, trained for each label if it knows one label only.

    Examples
    --------
    >>> from sklearn.naive_bayes import BernoulliNB
    >>> type(of_learner(BernoulliNB()).model).__name__
    'StructuredClassifier'
    """
    from sklearn.base import clone

    from mlfs.models import make

    copy = clone(learner)
    names = copy.get_params().keys()
    if {"features", "n"} <= names or {"model__features", "model__n"} <= names:
        return ComparedModel(_set_features(copy, features))
    if isinstance(features, str) and _knows_many_labels(copy):
        return ComparedModel(copy)
    return ComparedModel(_set_features(make("br", base_estimator=copy), features))


def _make_model(spec: Named, seed: int, features: Mapping[int, Sequence[int]] | str) -> Any:
    from mlfs.models.recipes import with_threshold

    plain, threshold = _without_threshold(spec)
    model = _make_plain_model(plain, seed, features)
    return model if threshold is None else with_threshold(model, threshold)


def _make_plain_model(spec: Named, seed: int, features: Mapping[int, Sequence[int]] | str) -> Any:
    if spec.name in OWN:
        return make_estimator(replace(spec, name=OWN[spec.name]), "model", "predict")
    from mlfs.models import available, make

    if spec.name in available():
        model = _set_seeds(make(spec.name, **spec.parameters), spec, seed)
    elif _is_path(spec):
        learner = _set_seeds(make_estimator(spec, "model", "predict"), spec, seed)
        if _knows_many_labels(learner):
            return learner
        model = make("br", base_estimator=learner, random_state=seed)
    else:
        raise UnknownName("model", spec.name, known_models())
    return model if features == "own" else _set_features(model, features)


def _set_features(model: Any, features: Mapping[int, Sequence[int]] | str) -> Any:
    """Let a model use these features instead of its own selection."""
    parameters = model.get_params()
    columns = features if isinstance(features, str) else dict(features)
    if {"features", "n"} <= parameters.keys():
        return model.set_params(features=columns, n=None)
    if {"model__features", "model__n"} <= parameters.keys():  # an ensemble deals out columns itself
        return model.set_params(model__features="all", model__n=None)
    return model


def _set_seeds(model: Any, spec: Named, seed: int) -> Any:
    """Set the seed of a model, and of the estimators in it that have none."""
    given = spec.estimator is not None
    seeds = {
        name: seed
        for name, value in model.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state"
        and name not in spec.parameters
        and (value is None or (name == "random_state" and not given))
    }
    return model.set_params(**seeds) if seeds else model


def _knows_many_labels(model: Any) -> bool:
    """Whether a classifier takes an indicator matrix.

    Most of scikit-learn's say so. Others may not know that they should, so they are tried.
    """
    from sklearn.utils import get_tags

    with contextlib.suppress(AttributeError):
        if get_tags(model).classifier_tags.multi_label:
            return True
    draw = np.random.default_rng(0)
    X, Y = draw.random((TRIED, 5)), draw.integers(0, 2, (TRIED, 4))
    # if it takes neither, it is trained on all labels, and its own error says why
    return _can_be_trained(model, X, Y) or not _can_be_trained(model, X, Y[:, 0])


def _can_be_trained(model: Any, X: np.ndarray, Y: np.ndarray) -> bool:
    """Whether a classifier can be trained on these labels and predicts as many."""
    from sklearn.base import clone

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            predicted = clone(model).fit(X, Y).predict(X)
    except Exception:  # noqa: BLE001 -- whatever it says, it does not take them
        return False
    return getattr(predicted, "shape", ()) == Y.shape


def _shaped(predictions: Any, shape: tuple[int, ...], method: str = "") -> np.ndarray:
    """Predictions as an array, a row for each row; some libraries give sparse matrices."""
    array = np.asarray(predictions.toarray() if hasattr(predictions, "toarray") else predictions)
    array = array[:, None] if array.ndim == 1 and shape[1] == 1 else array
    for size, expected, unit in zip(array.shape, shape, ("rows", "labels"), strict=False):
        if size != expected:
            raise DataError(f"{method}predicted {size} {unit}, {expected} expected")
    if array.ndim != 2:
        raise DataError(f"{method}predicted {array.ndim} dimensions, rows and labels expected")
    return array
