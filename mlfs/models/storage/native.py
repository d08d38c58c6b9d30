"""Check what scikit-learn keeps in compiled code, which does not check it itself.

- A decision tree is stored as the columns of its nodes. Every child comes after its parent and is
  the child of one node, every feature exists, the depth is counted anew.
- The search tree of a neighbours classifier is built again from its rows.
- The parts of a kernel machine have to fit each other.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.errors import DataError
from mlfs.models.storage.invariants import DamagedError, demand

__all__ = ["CODECS", "NAMES", "check", "put_together", "search_tree_of", "take_apart"]

TREE = "sklearn.tree._tree.Tree"
SEARCH = "sklearn.neighbors tree"
CODECS = (TREE, SEARCH)
NAMES = {"Tree": TREE, "_SearchTree": SEARCH}
SEARCH_TREES = {"KDTree": "KDTree", "BallTree": "BallTree"}
KERNELS = ("linear", "poly", "rbf", "sigmoid")


class _SearchTree:
    """A mark that a search tree is to be built again."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


def take_apart(value: Any) -> dict[str, Any]:
    """The state of a compiled object as plain values."""
    if isinstance(value, _SearchTree):
        return {"kind": value.kind}
    _, (n_features, n_classes, n_outputs), state = value.__reduce__()
    nodes = state["nodes"]
    fields = {name: np.ascontiguousarray(nodes[name]) for name in nodes.dtype.names}
    return {
        "n_features": int(n_features),
        "n_classes": n_classes,
        "n_outputs": int(n_outputs),
        "fields": fields,
        "values": state["values"],
    }


def put_together(name: str, state: dict[str, Any]) -> Any:
    """The compiled object of a checked state."""
    if name == SEARCH:
        kind = state.get("kind")
        valid = isinstance(kind, str) and kind in SEARCH_TREES and len(state) == 1
        demand(valid, "a search tree is of no known kind")
        return _SearchTree(str(kind))
    try:
        return _tree(**state)
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        if isinstance(error, DamagedError):
            raise
        raise DamagedError("a decision tree in it is wrong") from None


def _tree(n_features: Any, n_classes: Any, n_outputs: Any, fields: Any, values: Any) -> Any:
    from sklearn.tree import _tree as compiled

    demand(type(n_features) is int and 0 < n_features < 1 << 40, "a tree has no features")
    demand(n_outputs == 1 and type(n_outputs) is int, "a tree has several outputs")
    has_classes = isinstance(n_classes, np.ndarray) and n_classes.shape == (1,)
    demand(has_classes and n_classes.dtype.kind == "i" and 0 < n_classes[0] < 1 << 20, "no classes")
    dtype = compiled.NODE_DTYPE
    if not isinstance(fields, dict) or set(fields) != set(dtype.names):
        raise DataError(
            "its decision trees were made by another version of scikit-learn, whose trees have "
            "other parts: use that version, or train again"
        )
    n = len(fields["left_child"])
    for field in dtype.names:
        part = fields[field]
        fits = isinstance(part, np.ndarray) and part.shape == (n,) and part.dtype == dtype[field]
        demand(fits and n, f"{field} of a tree is wrong")
    shape = (n, 1, int(n_classes[0]))
    good = isinstance(values, np.ndarray) and values.shape == shape and values.dtype == np.float64
    demand(good and np.isfinite(values).all(), "the values of a tree are wrong")
    demand(not np.isnan(fields["threshold"]).any(), "a threshold of a tree is no number")
    nodes = np.zeros(n, dtype=dtype)
    for field in dtype.names:
        nodes[field] = fields[field]
    tree = compiled.Tree(n_features, n_classes.astype(np.intp), 1)
    depth = _depth(nodes["left_child"], nodes["right_child"], nodes["feature"], n_features)
    tree.__setstate__(
        {
            "max_depth": depth,
            "node_count": n,
            "nodes": nodes,
            "values": np.ascontiguousarray(values),
        }
    )
    return tree


def _depth(left: np.ndarray, right: np.ndarray, feature: np.ndarray, n_features: int) -> int:
    """The depth of a tree, which is checked to be one."""
    n = len(left)
    inner = np.flatnonzero(left != -1)
    demand((right[left == -1] == -1).all(), "a leaf has a child")
    children = np.concatenate([left[inner], right[inner]])
    demand((children > np.tile(inner, 2)).all() and (children < n).all(), "a tree is no tree")
    times = np.bincount(children, minlength=n)
    demand(times[0] == 0 and (times[1:] == 1).all(), "a tree is no tree")
    demand((feature[inner] >= 0).all() and (feature[inner] < n_features).all(), "no such feature")
    depth, level = 0, np.zeros(1, dtype=np.intp)
    while True:
        level = level[left[level] != -1]
        if not level.size:
            return depth
        level = np.concatenate([left[level], right[level]])
        depth += 1


def search_tree_of(tree: Any) -> Any:
    """The kind of a search tree, which is built again when read; anything else unchanged."""
    kind = type(tree).__name__.rstrip("0123456789")
    return _SearchTree(kind) if kind in SEARCH_TREES else tree


def check(estimator: Any) -> None:
    """Make sure that what compiled code will read fits together, where it is fitted."""
    if type(estimator).__name__ in CHECKS and "classes_" in vars(estimator):
        CHECKS[type(estimator).__name__](estimator)


def _check_tree(tree: Any) -> None:
    from sklearn.tree._tree import Tree

    demand(isinstance(tree.tree_, Tree), "a decision tree has no tree")
    width = tree.n_features_in_
    demand(type(width) is int and tree.tree_.n_features == width, "a tree has other features")
    same = tree.tree_.n_classes.tolist() == [len(tree.classes_)]
    demand(same, "a tree has other classes")


def _check_forest(forest: Any) -> None:
    demand(forest.estimators_, "a forest has no trees")
    for tree in forest.estimators_:
        demand(type(tree).__name__ in ("DecisionTreeClassifier", "ExtraTreeClassifier"), "no tree")
        _check_tree(tree)
        same = tree.n_features_in_ == forest.n_features_in_ and type(forest.n_features_in_) is int
        demand(same, "a tree of a forest has other features")


def _check_neighbours(estimator: Any) -> None:
    X, y, tree = estimator._fit_X, estimator._y, estimator._tree  # noqa: SLF001  # what is stored
    data = X.data if sp.issparse(X) else X
    demand(
        X.shape == (estimator.n_samples_fit_, estimator.n_features_in_) and X.shape[0], "no rows"
    )
    gaps = estimator.effective_metric_ == "nan_euclidean"
    demand(data.dtype.kind == "f" and (gaps or np.isfinite(data).all()), "a row is no number")
    demand(not sp.issparse(X) or X.format == "csr", "the rows are no rows")
    demand(((y >= 0) & (y < len(estimator.classes_))).all(), "a class is unknown")
    demand(estimator._fit_method in ("brute", "kd_tree", "ball_tree"), "no such search")  # noqa: SLF001
    demand((estimator._fit_method == "brute") == (tree is None), "no search tree")  # noqa: SLF001
    if isinstance(tree, _SearchTree):
        from sklearn import neighbors

        kind = getattr(neighbors, SEARCH_TREES[tree.kind])
        demand(estimator.effective_metric_ in kind.valid_metrics, "the metric is unknown")
        params = estimator.effective_metric_params_
        estimator._tree = kind(X, estimator.leaf_size, metric=estimator.effective_metric_, **params)  # noqa: SLF001
    else:
        kind = type(tree).__name__.rstrip("0123456789")
        demand(tree is None or kind in SEARCH_TREES, "a search tree is none")


def _check_kernel_machine(machine: Any) -> None:
    """Check everything that libsvm reads without checking it."""
    vectors, counts, duals = machine.support_vectors_, machine._n_support, machine._dual_coef_  # noqa: SLF001
    sparse = bool(machine._sparse)  # noqa: SLF001
    n = vectors.shape[0]
    demand(isinstance(machine.kernel, str) and machine.kernel in KERNELS, "the kernel is unknown")
    demand(n > 0 and len(machine.classes_) == 2, "there are no support vectors")
    demand(counts.dtype == np.int32 and (counts >= 0).all(), "the support vectors are miscounted")
    demand(int(counts.sum(dtype=np.int64)) == n, "the support vectors are miscounted")
    shape = machine.shape_fit_
    demand(len(shape) == 2 and shape[1] == machine.n_features_in_, "other features")
    demand(machine._gamma >= 0, "gamma is negative")  # noqa: SLF001
    support = machine.support_
    inside = support.dtype == np.int32 and ((support >= 0) & (support < shape[0])).all()
    demand(inside and len(np.unique(support)) == n, "a support vector is no row of training")
    probabilities = machine._probA.shape == machine._probB.shape and machine._probA.size in (0, 1)  # noqa: SLF001
    demand(probabilities, "no probabilities")
    for part in (vectors, duals, machine.dual_coef_):
        demand(sp.issparse(part) == sparse, "the support vectors are not of one form")
        if sparse:
            demand(part.format == "csr" and part.has_canonical_format, "no rows")
    if sparse:  # libsvm reads n coefficients, whether they are there or not
        demand(duals.nnz == machine.dual_coef_.nnz == n, "a coefficient is not there")
    opposite = (duals + machine.dual_coef_).nonzero()[0].size == 0
    opposite = opposite and (machine._intercept_ + machine.intercept_ == 0).all()
    demand(opposite, "the coefficients do not agree with each other")


def _check_perceptron(perceptron: Any) -> None:
    widths = [perceptron.n_features_in_, *(len(array) for array in perceptron.intercepts_)]
    shapes = [array.shape for array in perceptron.coefs_]
    demand(shapes == list(pairwise(widths)), "the layers do not fit")
    demand(perceptron.n_layers_ == len(widths) and widths[-1] == 1, "the layers do not fit")
    demand(len({id(array) for array in perceptron.coefs_}) == len(shapes), "a layer is there twice")
    demand(perceptron.out_activation_ == "logistic", "the last layer has no such activation")


def _check_by_feature(bayes: Any) -> None:
    for parts in (bayes.category_count_, bayes.feature_log_prob_):
        shapes = [array.shape for array in parts]
        expected = [(len(bayes.classes_), int(n)) for n in bayes.n_categories_]
        demand(shapes == expected, "the categories are miscounted")


def _check_members(ensemble: Any) -> None:
    features = getattr(ensemble, "estimators_features_", None)
    demand(
        features is None or len(features) == len(ensemble.estimators_), "a member has no features"
    )
    for columns in features or ():
        inside = columns.ndim == 1 and ((columns >= 0) & (columns < ensemble.n_features_in_)).all()
        demand(inside, "a feature of a member is not there")
    counted = features is None or ensemble.n_estimators == len(ensemble.estimators_)
    demand(counted, "the members are miscounted")  # their votes are divided by their number
    weights = getattr(ensemble, "estimator_weights_", None)
    demand(weights is None or len(weights) >= len(ensemble.estimators_), "a member has no weight")


CHECKS: dict[str, Callable[[Any], None]] = {
    "DecisionTreeClassifier": _check_tree,
    "ExtraTreeClassifier": _check_tree,
    "RandomForestClassifier": _check_forest,
    "ExtraTreesClassifier": _check_forest,
    "KNeighborsClassifier": _check_neighbours,
    "RadiusNeighborsClassifier": _check_neighbours,
    "SVC": _check_kernel_machine,
    "NuSVC": _check_kernel_machine,
    "MLPClassifier": _check_perceptron,
    "CategoricalNB": _check_by_feature,
    "BaggingClassifier": _check_members,
    "AdaBoostClassifier": _check_members,
}
