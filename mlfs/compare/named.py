"""A criterion or a model of a comparison: its name or import path with parameters, or itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlfs.api.value_kinds import literal
from mlfs.compare.filters import table_of_rows
from mlfs.compare.training_rows import TrainingRows
from mlfs.criteria._registry import module_here
from mlfs.errors import DataError, UsageError, printable


@dataclass(frozen=True)
class Named:
    """A criterion or model, as it is written: ``jmi``, or ``mlfs_local:beta=0.5,gamma=0``.

    Parameters
    ----------
    name : str
        A name that is known, or the import path of a classifier or a selector; what an estimator
        prints of itself.
    parameters : mapping
        Keyword arguments, plain values.
    estimator : classifier or selector, optional
        The estimator itself.

    Examples
    --------
    >>> str(named("occ:k=5,features=mlfs_local"))
    'occ:features=mlfs_local,k=5'
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    estimator: Any = field(default=None, compare=False, repr=False)

    @property
    def is_path(self) -> bool:
        """Whether it is an import path, or an estimator, and no name that mlfs knows."""
        return self.estimator is not None or "." in self.name

    def __str__(self) -> str:
        parameters = ",".join(
            f"{key}={_as_text(self.parameters[key])}" for key in sorted(self.parameters)
        )
        return f"{self.name}:{parameters}" if parameters else self.name

    def to_dict(self) -> dict[str, Any]:
        """Give the name and the parameters as plain data."""
        return {"name": self.name, "parameters": dict(self.parameters)}


def named(value: Any) -> Named:
    """Read a name with parameters: from text, a pair, or plain data.

    Examples
    --------
    >>> named(("jmi", {})), named("sgd:alpha=0.1").parameters
    (Named(name='jmi', parameters={}), {'alpha': 0.1})
    """
    if isinstance(value, Named):
        return value
    if isinstance(value, type):
        return Named(_path_of(value))
    if hasattr(value, "fit") and hasattr(value, "get_params"):
        return Named(_text_of(value), estimator=value)
    if isinstance(value, Mapping):
        value = (value.get("name"), value.get("parameters", {}))
    if isinstance(value, str):
        name, _, rest = value.partition(":")
        if "(" in name:
            msg = f"{printable(value)!r} is no name: give the estimator itself in Python, or its "
            raise UsageError(f"{msg}import path, such as mine.search of a file mine.py")
        value = (name.strip(), dict(_pair(text, value) for text in rest.split(",") if rest))
    if isinstance(value, (tuple, list)) and len(value) == 2:
        name, parameters = value
        if isinstance(name, str) and name and isinstance(parameters, Mapping):
            return Named(name, dict(parameters))
    msg = f"{printable(repr(value))} is no name, and no name with a mapping of parameters"
    raise UsageError(msg)


def _text_of(estimator: Any) -> str:
    """An estimator as text, another one for each other estimator: cells are kept under it."""
    import joblib
    from sklearn.base import BaseEstimator

    long = {"N_CHAR_MAX": 10**6} if isinstance(estimator, BaseEstimator) else {}
    text = re.sub(r" at 0x[0-9a-f]+", "", " ".join(estimator.__repr__(**long).split()))
    is_whole = "..." not in text and "<" not in text
    return text if is_whole else f"{text} {joblib.hash(estimator)[:8]}"


def _path_of(cls: type) -> str:
    """The import path of a class, by which other processes find it too."""
    path = f"{cls.__module__}.{cls.__qualname__}"
    if cls.__module__ == "__main__" or "<locals>" in path:
        msg = f"a comparison runs in processes of its own, which cannot import {printable(path)}: "
        raise UsageError(
            f"{msg}write the class into a file, and give its name, ./{cls.__name__}.py"
        )
    return path


def _pair(text: str, full_text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        msg = (
            f"{printable(text)!r} in {printable(full_text)!r} is no parameter: write name:key=value"
        )
        raise UsageError(msg)
    return key.strip(), literal(value.strip())


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=repr)


def import_path(path: str, kind: str) -> Any:
    """Import a criterion or a model by its import path; its module may lie in the folder."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(module_here(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        msg = f"the {kind} {printable(path)!r} cannot be imported: {printable(error, 200)}"
        raise UsageError(msg) from error


SIZES = ("k", "n_features_to_select", "max_features")  # parameters that say how many


def is_foreign(spec: Named) -> bool:
    """Whether this is a selector with ``fit`` and not a criterion.

    Examples
    --------
    >>> is_foreign(Named("sklearn.feature_selection.SelectKBest")), is_foreign(Named("jmi"))
    (True, False)
    """
    return spec.estimator is not None or (
        spec.is_path and hasattr(import_path(spec.name, "criterion"), "fit")
    )


def make_estimator(spec: Named, kind: str = "selector", needs: str = "fit") -> Any:
    """Make a selector or a model of its import path and its parameters, or copy the one given.

    The value of a parameter may be an import path, too: of a function, or of another estimator.

    Examples
    --------
    >>> make_estimator(named("sklearn.feature_selection.SelectKBest:k=3"))
    SelectKBest(k=3)
    >>> make_estimator(Named("os.getcwd"))
    Traceback (most recent call last):
    mlfs.errors.UsageError: 'os.getcwd' is no selector: it has no fit
    """
    from sklearn.base import clone

    source = spec.estimator if spec.estimator is not None else import_path(spec.name, kind)
    if not hasattr(source, needs):
        raise UsageError(f"{printable(spec.name)!r} is no {kind}: it has no {needs}")
    parameters = {name: _imported(value, kind) for name, value in spec.parameters.items()}
    try:
        if isinstance(source, type):
            return source(**parameters)
        return clone(source).set_params(**parameters)
    except (TypeError, ValueError) as error:
        msg = f"the {kind} {printable(spec.name)} refuses its parameters: {printable(error, 200)}"
        raise UsageError(msg) from error


def _imported(value: Any, kind: str) -> Any:
    """The value of a parameter; of an import path the function, or an estimator of the class."""
    if not (isinstance(value, str) and "." in value.strip(".")):
        return value
    found = import_path(value, f"parameter of the {kind}")
    return found() if isinstance(found, type) else found


def foreign_scores(spec: Named, over: str, train: TrainingRows, n: int, seed: int) -> np.ndarray:
    """Score every feature by a selector; the greater, the better.

    A selector that takes one label only is fitted for each label, and the scores are combined.

    Parameters
    ----------
    spec : Named
        The selector, see `make_estimator`.
    over : {"mean", "max"}
        How the scores of labels are combined.
    train : TrainingRows
        The training rows.
    n : int
        How many features are wanted, for selectors that must know.
    seed : int
        Their random_state, if they have one.
    """
    X, Y, feature = table_of_rows(train)
    selector = make_estimator(spec)
    accepted = selector.get_params()
    settings = {name: min(n, X.shape[1]) for name in SIZES if name in accepted}
    settings |= {"random_state": seed} if "random_state" in accepted else {}
    selector.set_params(**settings)
    columns = _column_scores(selector, X, Y, over)
    scores = np.full(train.data.shape[1], -np.inf)
    np.maximum.at(scores, feature, columns)
    return scores


def _column_scores(selector: Any, X: np.ndarray, Y: np.ndarray, over: str) -> np.ndarray:
    """The scores of the columns of X for all labels at once, or combined over the labels."""
    from sklearn.base import clone

    if _takes_many(selector):
        return _scores(clone(selector).fit(X, Y), X.shape[1])
    varies = [y for y in Y.T if (y != y[0]).any()]
    if not varies:
        return np.zeros(X.shape[1])
    scores = np.array([_scores(clone(selector).fit(X, y), X.shape[1]) for y in varies])
    scores[np.isnan(scores)] = 0.0
    return np.asarray(scores.max(axis=0) if over == "max" else scores.mean(axis=0))


def _takes_many(selector: Any) -> bool:
    """Whether a selector, or the estimator in it, says that it takes many labels at once."""
    from sklearn.utils import get_tags

    inner = getattr(selector, "estimator", None)
    return bool(get_tags(selector if inner is None else inner).target_tags.multi_output)


def _scores(fitted: Any, d: int) -> np.ndarray:
    """The scores of a fitted selector: the greater, the better; NaN counts 0."""
    inner = getattr(fitted, "estimator_", None)
    for owner, name in (
        (fitted, "scores_"),
        (fitted, "feature_importances_"),
        (fitted, "ranking_"),
        (inner, "feature_importances_"),
    ):
        values = getattr(owner, name, None)
        if values is not None and np.shape(values) == (d,):
            scores = np.asarray(values, np.float64)
            return -scores if name == "ranking_" else np.nan_to_num(scores, nan=0.0)
    if not hasattr(fitted, "get_support"):
        msg = f"{type(fitted).__name__} gives no scores and no support: it selects no features"
        raise DataError(msg)
    return np.asarray(fitted.get_support(), np.float64)
