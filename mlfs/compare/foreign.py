"""Selectors of scikit-learn and others, given as text: parsed, never evaluated."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from mlfs.compare.named import import_path
from mlfs.compare.training_rows import TrainingRows
from mlfs.compare.value_filters import table_of_rows
from mlfs.errors import DataError, UsageError, printable

__all__ = ["foreign_scores", "is_foreign", "made_of_text"]

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


def made_of_text(text: str, what: str = "selector", needs: str = "fit") -> Any:
    """Make a selector or a model of its import path and its parameters.

    Values are numbers, text, True, False, None, lists and dicts of them, import paths, and other
    estimators with parameters. Nothing but estimators is called.

    Examples
    --------
    >>> made_of_text("sklearn.feature_selection.SelectKBest(k=3)")
    SelectKBest(k=3)
    >>> made_of_text("os.getcwd()")
    Traceback (most recent call last):
    mlfs.errors.UsageError: 'os.getcwd' in 'os.getcwd()' is no estimator: only estimators are made
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        msg = f"{printable(text)!r} is no {what}: write package.Class(parameter=value)"
        raise UsageError(msg) from None
    made = _value(tree, text, what)
    made = _estimator(made, text) if isinstance(made, type) else made
    if not hasattr(made, needs):
        msg = f"{printable(text)!r} is no {what}: it has no {needs}"
        raise UsageError(msg)
    return made


def _value(node: ast.expr, text: str, what: str) -> Any:
    if isinstance(node, ast.Call):
        if node.args or any(one.arg is None for one in node.keywords):
            msg = f"{printable(text)!r}: parameters are given by name, as in Class(k=3)"
            raise UsageError(msg)
        given = {str(one.arg): _value(one.value, text, what) for one in node.keywords}
        return _estimator(_value(node.func, text, what), text, **given)
    if isinstance(node, (ast.Attribute, ast.Name)):
        return import_path(ast.unparse(node), what)
    if isinstance(node, (ast.List, ast.Tuple)):
        values = [_value(one, text, what) for one in node.elts]
        return values if isinstance(node, ast.List) else tuple(values)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        shown = printable(ast.unparse(node))
        msg = f"{shown!r} in {printable(text)!r} is no value: give numbers, text or import paths"
        raise UsageError(msg) from None


def _estimator(kind: Any, text: str, **given: Any) -> Any:
    from sklearn.base import BaseEstimator

    if not (isinstance(kind, type) and issubclass(kind, BaseEstimator)):
        module, name = getattr(kind, "__module__", ""), getattr(kind, "__name__", repr(kind))
        shown = text.partition("(")[0] if "(" in text else f"{module}.{name}"
        msg = f"{printable(shown)!r} in {printable(text)!r} is no estimator: only estimators are "
        raise UsageError(f"{msg}made")
    try:
        return kind(**given)
    except TypeError as error:
        msg = f"{printable(text)!r} cannot be made: {printable(error, 200)}"
        raise UsageError(msg) from None


def foreign_scores(
    text: str, parameters: Mapping[str, Any], train: TrainingRows, n: int, seed: int
) -> np.ndarray:
    """Score every feature by a selector; great is good.

    A selector that takes one label only is fitted for each label, and the scores are combined.

    Parameters
    ----------
    text : str
        The selector, see `made_of_text`.
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
    selector = made_of_text(text)
    known = selector.get_params()
    settings = {name: min(n, X.shape[1]) for name in SIZES if name in known}
    settings |= {"random_state": seed} if "random_state" in known else {}
    selector.set_params(**settings)
    columns = _columns(selector, X, Y, parameters.get("over", "mean"))
    out = np.full(train.data.shape[1], -np.inf)
    np.maximum.at(out, feature, columns)
    return out


def _columns(selector: Any, X: np.ndarray, Y: np.ndarray, over: str) -> np.ndarray:
    """The scores of the columns of X for all labels at once, or combined over the labels."""
    from sklearn.base import clone

    if _takes_many(selector):
        return _scores(clone(selector).fit(X, Y), X.shape[1])
    varies = [y for y in Y.T if (y != y[0]).any()]
    if not varies:
        return np.zeros(X.shape[1])
    found = np.array([_scores(clone(selector).fit(X, y), X.shape[1]) for y in varies])
    found[np.isnan(found)] = 0.0
    return np.asarray(found.max(axis=0) if over == "max" else found.mean(axis=0))


def _takes_many(selector: Any) -> bool:
    """Whether a selector, or the estimator in it, says that it takes many labels at once."""
    from sklearn.utils import get_tags

    inner = getattr(selector, "estimator", None)
    return bool(get_tags(selector if inner is None else inner).target_tags.multi_output)


def _scores(fitted: Any, d: int) -> np.ndarray:
    """The scores of a fitted selector: great is good, NaN is nothing."""
    inner = getattr(fitted, "estimator_", None)
    for owner, name in ((fitted, "scores_"), (fitted, "feature_importances_"),
                        (fitted, "ranking_"), (inner, "feature_importances_")):  # fmt: skip
        values = getattr(owner, name, None)
        if values is not None and np.shape(values) == (d,):
            scores = np.asarray(values, np.float64)
            return -scores if name == "ranking_" else np.nan_to_num(scores, nan=0.0)
    if not hasattr(fitted, "get_support"):
        msg = f"{type(fitted).__name__} gives no scores and no support: it selects no features"
        raise DataError(msg)
    return np.asarray(fitted.get_support(), np.float64)
