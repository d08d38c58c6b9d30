"""A criterion or a model of a comparison: its name with its parameters, or its import path.

Estimators given as text are parsed, never evaluated.
"""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlfs.api.value_kinds import literal
from mlfs.compare.filters import table_of_rows
from mlfs.compare.training_rows import TrainingRows
from mlfs.errors import DataError, UsageError, printable


@dataclass(frozen=True)
class Named:
    """A criterion or model, as it is written: ``jmi``, or ``mlfs_local:beta=0.5,gamma=0``.

    Parameters
    ----------
    name : str
        A name that is known, or the import path of a classifier, or of a selector with its
        parameters in brackets.
    parameters : mapping
        Keyword arguments, plain values.

    Examples
    --------
    >>> str(named("occ:k=5,features=mlfs_local"))
    'occ:features=mlfs_local,k=5'
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

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
    if isinstance(value, Mapping):
        value = (value.get("name"), value.get("parameters", {}))
    if isinstance(value, str):
        split = max(value.rfind(")"), 0)  # what stands in brackets belongs to the name
        name, _, rest = value[split:].partition(":")
        name = value[:split] + name
        value = (name.strip(), dict(_pair(text, value) for text in rest.split(",") if rest))
    if isinstance(value, (tuple, list)) and len(value) == 2:
        name, parameters = value
        if isinstance(name, str) and name and isinstance(parameters, Mapping):
            return Named(name, dict(parameters))
    msg = f"{printable(repr(value))} is no name, and no name with a mapping of parameters"
    raise UsageError(msg)


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
    """Import a criterion or a model that is known by its import path only."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        msg = f"the {kind} {printable(path)!r} cannot be imported: {printable(error, 200)}"
        raise UsageError(msg) from error


SIZES = ("k", "n_features_to_select", "max_features")  # parameters that say how many


def is_foreign(name: str) -> bool:
    """Whether a name is that of a selector with ``fit`` and not of a criterion.

    Examples
    --------
    >>> is_foreign("sklearn.feature_selection.SelectKBest(k=3)"), is_foreign("jmi")
    (True, False)
    """
    if "(" in name:
        return True
    if "." not in name:
        return False
    return hasattr(import_path(name, "criterion"), "fit")


def make_from_text(text: str, kind: str = "selector", needs: str = "fit") -> Any:
    """Make a selector or a model of its import path and its parameters.

    Values are numbers, text, True, False, None, lists and dicts of them, import paths, and other
    estimators with parameters. Nothing but estimators is called.

    Examples
    --------
    >>> make_from_text("sklearn.feature_selection.SelectKBest(k=3)")
    SelectKBest(k=3)
    >>> make_from_text("os.getcwd()")
    Traceback (most recent call last):
    mlfs.errors.UsageError: 'os.getcwd' in 'os.getcwd()' is no estimator: only estimators are made
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        msg = f"{printable(text)!r} is no {kind}: write package.Class(parameter=value)"
        raise UsageError(msg) from None
    estimator = _value(tree, text, kind)
    estimator = _make_estimator(estimator, text) if isinstance(estimator, type) else estimator
    if not hasattr(estimator, needs):
        msg = f"{printable(text)!r} is no {kind}: it has no {needs}"
        raise UsageError(msg)
    return estimator


def _value(node: ast.expr, text: str, kind: str) -> Any:
    if isinstance(node, ast.Call):
        if node.args or any(keyword.arg is None for keyword in node.keywords):
            msg = f"{printable(text)!r}: parameters are given by name, as in Class(k=3)"
            raise UsageError(msg)
        parameters = {
            str(keyword.arg): _value(keyword.value, text, kind) for keyword in node.keywords
        }
        return _make_estimator(_value(node.func, text, kind), text, **parameters)
    if isinstance(node, (ast.Attribute, ast.Name)):
        return import_path(ast.unparse(node), kind)
    if isinstance(node, (ast.List, ast.Tuple)):
        values = [_value(element, text, kind) for element in node.elts]
        return values if isinstance(node, ast.List) else tuple(values)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        shown = printable(ast.unparse(node))
        msg = f"{shown!r} in {printable(text)!r} is no value: give numbers, text or import paths"
        raise UsageError(msg) from None


def _make_estimator(kind: Any, text: str, **parameters: Any) -> Any:
    from sklearn.base import BaseEstimator

    if not (isinstance(kind, type) and issubclass(kind, BaseEstimator)):
        module, name = getattr(kind, "__module__", ""), getattr(kind, "__name__", repr(kind))
        shown = text.partition("(")[0] if "(" in text else f"{module}.{name}"
        msg = f"{printable(shown)!r} in {printable(text)!r} is no estimator: only estimators are "
        raise UsageError(f"{msg}made")
    try:
        return kind(**parameters)
    except TypeError as error:
        msg = f"{printable(text)!r} cannot be made: {printable(error, 200)}"
        raise UsageError(msg) from None


def foreign_scores(
    text: str, parameters: Mapping[str, Any], train: TrainingRows, n: int, seed: int
) -> np.ndarray:
    """Score every feature by a selector; the greater, the better.

    A selector that takes one label only is fitted for each label, and the scores are combined.

    Parameters
    ----------
    text : str
        The selector, see `make_from_text`.
    parameters : mapping
        ``over``: ``mean`` or ``max``, how the scores of labels are combined.
    train : TrainingRows
        The training rows.
    n : int
        How many features are wanted, for selectors that must know.
    seed : int
        Their random_state, if they have one.
    """
    X, Y, feature = table_of_rows(train)
    selector = make_from_text(text)
    accepted = selector.get_params()
    settings = {name: min(n, X.shape[1]) for name in SIZES if name in accepted}
    settings |= {"random_state": seed} if "random_state" in accepted else {}
    selector.set_params(**settings)
    columns = _column_scores(selector, X, Y, parameters.get("over", "mean"))
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
