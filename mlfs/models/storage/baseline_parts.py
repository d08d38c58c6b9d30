"""Check what the parts of `mlfs.models.baselines` in a model file have to do with each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.models.storage.invariants import demand

__all__ = ["CHECKS", "check_labels"]


def _is_fitted(fitted: Any, width: int, q: int | None = None) -> None:
    """Check learners of labels without parents, on some number of columns."""
    demand(type(fitted).__name__ == "FittedConditionals", "a model has no learners")
    demand(fitted.width == width, "the learners have other features")
    demand(not any(fitted.structure.parents), "labels that stand alone have parents")
    demand(q is None or len(fitted.learners) == q, "the learners are of other labels")


def _is_table(array: Any, shape: tuple[int, ...], kind: str, values: tuple[float, ...]) -> bool:
    good = isinstance(array, np.ndarray) and array.shape == shape and array.dtype.kind == kind
    return good and bool(np.isin(array, values).all())


def _check_neighbours(neighbours: Any) -> None:
    rows = neighbours.rows
    values = rows.data if sp.issparse(rows) else rows
    table = isinstance(rows, np.ndarray) or (sp.issparse(rows) and rows.format == "csr")
    demand(table and rows.ndim == 2 and min(rows.shape) > 0, "the neighbours have no rows")
    demand(values.dtype == np.float64 and np.isfinite(values).all(), "a neighbour is no row")
    demand(0 < neighbours.k <= rows.shape[0], "there are fewer rows than neighbours")
    demand(isinstance(neighbours.scale, bool), "scale is neither true nor false")


def _check_sets(classifiers: Any) -> None:
    sets = classifiers.sets
    demand(sets.ndim == 2 and min(sets.shape) > 0, "there are no label sets")
    demand(_is_table(sets, sets.shape, "i", (0, 1)), "a label set is none")
    _is_fitted(classifiers.fitted, classifiers.fitted.width, len(sets))


def _check_node(node: Any) -> None:
    same = len(node.children) == len(node.below) == len(node.fitted.learners) > 0
    demand(same, "a node has other children than learners")
    _is_fitted(node.fitted, node.fitted.width)


def check_labels(model: Any, names: tuple[str, ...]) -> None:
    """Check the labels of a fitted model by their names."""
    labels = model._labels  # noqa: SLF001
    demand(type(labels).__name__ == "Classes", "a model has no labels")
    demand(labels.names == model.label_names_ == names, "the labels have other names")


def _is_begun(model: Any, name: str) -> bool:
    """Whether a model is fitted; then its labels and columns are checked."""
    if name not in vars(model):
        return False
    check_labels(model, model.label_names_)
    columns = model.columns_
    if columns is not None:
        inside = columns.size > 0 and columns[0] >= 0 and columns[-1] < model.n_features_in_
        demand(inside and (np.diff(columns) > 0).all(), "a column of a model is not there")
    return True


def _width(model: Any) -> int:
    return int(model.n_features_in_ if model.columns_ is None else len(model.columns_))


def _q(model: Any) -> int:
    return len(model.label_names_)


def _check_powerset(model: Any) -> None:
    if _is_begun(model, "_sets"):
        _is_member(model._sets, _width(model), _q(model))  # noqa: SLF001


def _is_member(member: Any, width: int, q: int) -> None:
    demand(type(member).__name__ == "SetClassifiers", "a model has no label sets")
    demand(member.sets.shape[1] == q, "a label set is of other labels")
    demand(member.fitted.width == width, "the learners have other features")


def _check_rakel(model: Any) -> None:
    if not _is_begun(model, "_members"):
        return
    sets, q = model.labelsets_, _q(model)
    demand(len(sets) == len(model._members), "a set of labels has no member")  # noqa: SLF001
    for labels, member in zip(sets, model._members, strict=True):  # noqa: SLF001
        flat = labels.ndim == 1 and labels.size and labels[0] >= 0 and labels[-1] < q
        demand(flat and (np.diff(labels) > 0).all(), "a set of labels is none")
        _is_member(member, _width(model), labels.size)
    demand(np.unique(np.concatenate(sets)).size == q, "a label has no member")


def _is_near(model: Any, kind: str, values: tuple[float, ...]) -> None:
    near = model._near  # noqa: SLF001
    demand(type(near).__name__ == "Neighbours", "a model has no neighbours")
    demand(near.rows.shape[1] == _width(model), "the neighbours have other features")
    shape = near.rows.shape[0], _q(model)
    demand(_is_table(model._has, shape, kind, values), "the neighbours have no labels")  # noqa: SLF001


def _check_mlknn(model: Any) -> None:
    if _is_begun(model, "_log_odds"):
        _is_near(model, "i", (0, 1))
        shape = _q(model), model._near.k + 1  # noqa: SLF001
        demand(model._log_odds.shape == shape, "numbers of neighbours have no odds")  # noqa: SLF001


def _check_brknn(model: Any) -> None:
    if _is_begun(model, "_near"):
        _is_near(model, "f", (0, 0.5, 1))


def _appended_width(model: Any) -> int:
    demand(isinstance(model.original, bool), "original is neither true nor false")
    return _q(model) + (_width(model) if model.original else 0)


def _check_iblr(model: Any) -> None:
    if _is_begun(model, "_fitted"):
        _is_near(model, "f", (0, 0.5, 1))
        _is_fitted(model._fitted, _appended_width(model), _q(model))  # noqa: SLF001


def _check_chf(model: Any) -> None:
    if _is_begun(model, "_fitted"):
        _is_fitted(model._first, _width(model), _q(model))  # noqa: SLF001
        _is_fitted(model._fitted, _appended_width(model), _q(model))  # noqa: SLF001


def _check_homer(model: Any) -> None:
    if not _is_begun(model, "_nodes"):
        return
    expected = {0: tuple(range(_q(model)))}
    for number, node in enumerate(model._nodes):  # noqa: SLF001
        demand(type(node).__name__ == "HomerNode" and number in expected, "a node hangs nowhere")
        demand(node.fitted.width == _width(model), "the learners have other features")
        labels = expected.pop(number)
        labels_below = sorted(label for child in node.children for label in child)
        demand(labels_below == sorted(labels), "the children of a node have other labels")
        for child, below in zip(node.children, node.below, strict=True):
            demand(child, "a child of a node has no labels")
            if below < 0:
                demand(len(child) == 1, "several labels have no node")
            else:
                demand(below > number and below not in expected, "a node is there twice")
                expected[below] = child
    demand(not expected, "a node is not there")


def _check_llsf(model: Any) -> None:
    if _is_begun(model, "coef_"):
        demand(model.coef_.shape == (_q(model), _width(model)), "the weights are of other columns")


def _check_ranking(model: Any) -> None:
    if _is_begun(model, "_fitted"):
        pairs, q = model.pairs_, _q(model)
        demand(((pairs >= 0) & (pairs < q)).all(), "a pair has a label that is not there")
        _is_fitted(model._fitted, _width(model), q + len(pairs))  # noqa: SLF001


def _check_lift(model: Any) -> None:
    if "centres_" not in vars(model):
        return
    n_features = getattr(model.estimator_, "n_features_in_", None)
    demand(len(model.centres_) > 0 and n_features in (None, len(model.centres_)), "other distances")
    classes = np.asarray(getattr(model.estimator_, "classes_", ()))
    demand(np.array_equal(classes, (0, 1)), "a learner has other classes than 0 and 1")
    demand(callable(getattr(model.estimator_, "predict", None)), "a learner does not predict")


CHECKS: dict[str, Callable[[Any], None]] = {
    "BRkNN": _check_brknn,
    "CHF": _check_chf,
    "CalibratedLabelRanking": _check_ranking,
    "HOMER": _check_homer,
    "HomerNode": _check_node,
    "IBLR": _check_iblr,
    "LLSF": _check_llsf,
    "LabelPowerset": _check_powerset,
    "Lift": _check_lift,
    "MLkNN": _check_mlknn,
    "Neighbours": _check_neighbours,
    "RAkEL": _check_rakel,
    "SetClassifiers": _check_sets,
}
